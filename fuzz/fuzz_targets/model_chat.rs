//! An answer by chat completions.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::entry::model_chat(bytes));
