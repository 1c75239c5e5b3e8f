//! What clients meet: a real server on loopback, a real log in a temporary folder.

#![allow(clippy::unwrap_used, reason = "the functions around the tests are tests too")]

mod agent;
mod auth;
mod commands;
mod cuts;
mod ends;
mod fifty_tabs;
mod following;
mod frames;
mod history;
mod http;
mod limits;
mod list;
mod requests;
mod resume;
mod stream;
mod tab;
mod viewers;
mod world;
