//! Folding facts that were not decided here: what is noted as damage, and that nothing ever panics.

mod anything;
mod damage;
mod goal_replay;
mod recorded;
mod shown;
