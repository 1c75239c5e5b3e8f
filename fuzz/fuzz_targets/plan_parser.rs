//! A plan in a model's text.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::entry::plan_parser(bytes));
