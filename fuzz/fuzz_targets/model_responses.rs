//! An answer by responses.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::entry::model_responses(bytes));
