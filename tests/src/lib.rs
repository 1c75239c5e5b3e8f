//! A whole Waymark to play scenarios in: folders, server, model and browser tabs, all real.
//!
//! Start reading at [`World`], then [`Tab`]; `scenarios/` shows how they are used.
//!
//! # Invariants
//!
//! * Nothing of ours is replaced: the log, the engine, the gateway and the sockets are those of the product. Only the
//!   model says what a test wrote down, and the clock stands still until it is moved.
//! * A tab checks every frame: each event comes once, in order, without gaps, also over a crash.
//! * Nothing here waits for time to pass; everything waits for a fact, and gives up loudly.
//!
//! # Not here
//!
//! No scenarios, and no rule of the product.

mod binary;
mod clock;
mod connection;
pub mod entry;
mod home;
mod http;
mod inside;
mod model_server;
mod process;
mod seen;
mod story;
mod tab;
mod world;

pub use clock::WorldClock;
pub use home::Home;
pub use http::{Asked, Door};
pub use model_server::{Fault, ModelServer};
pub use process::{Ended, Process};
pub use seen::Seen;
pub use story::told;
pub use tab::{Answer, Tab};
pub use world::{Place, World};
