//! A client's frame.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::entry::wire_frame(bytes));
