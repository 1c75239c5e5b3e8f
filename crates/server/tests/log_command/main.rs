//! `waymark log …` on logs that sessions wrote.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod beside;
mod carrying;
mod looking;
mod proving;
mod reclaiming;
mod streamed;
mod world;
