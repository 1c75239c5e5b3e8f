//! Calls as a model makes them, carried out in a real folder.

#![allow(clippy::unwrap_used, reason = "the functions around the tests are tests too")]

mod bench;
mod command;
mod confinement;
mod editing;
mod looking;
mod registry;
mod session;
mod writing;
