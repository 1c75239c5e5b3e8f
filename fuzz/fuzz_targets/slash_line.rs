//! A slash line.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::entry::slash_line(bytes));
