//! The requests of an agent: made again in an outage, and rebuilt from the log.

mod bench;
mod outage;
mod rebuilt;
