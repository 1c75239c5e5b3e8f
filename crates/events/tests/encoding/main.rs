//! The durable encoding, held against frozen samples, strangers from the future, and chance.

mod compatibility;
mod golden;
mod malformed;
mod roundtrip;
mod samples;
mod strategies;
