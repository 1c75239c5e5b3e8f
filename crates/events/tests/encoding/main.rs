//! The durable encoding, held against frozen samples, strangers from the future, and chance.

mod compatibility;
mod golden;
mod roundtrip;
mod samples;
mod strategies;
