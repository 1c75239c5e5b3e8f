//! Ways out of the sandbox, tried, and ordinary work in it, done.
//!
//! Each test goes through every kind of sandbox that this machine has, and prints which it left out.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "the functions around the tests are tests too")]

mod cell;
mod files;
mod hidden;
mod lifetime;
mod network;
mod processes;
mod work;
