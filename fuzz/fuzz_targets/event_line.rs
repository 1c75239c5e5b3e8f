//! A recorded event.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::entry::event_line(bytes));
