//! An answer by messages.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::entry::model_messages(bytes));
