//! Every way a session with one goal can go, within a bound: two tabs, a model with goal tools, the goal driver, the
//! agent, and a host that dies at any moment.
//!
//! The search walks over the real pure functions: `sessions::decide`, `sessions::repair`, `projections::fold`,
//! `goal_driver::next_step` and `agent::next`. Driver and agent also submit what they found due at an earlier look, for
//! in the real process the state may move between their look and their record.
//!
//! # What holds of every one of them
//!
//! * At most one round is in flight (`history`).
//! * No round is admitted after a pause, a clear, a stop or the choice of plan mode is recorded (`history`).
//! * No more rounds are admitted than the goal may use at that moment, and none twice (`history`).
//! * A reference that is not the newest changes nothing, and of two tabs one wins a revision (`rules`, `tabs`).
//! * A goal that is armed, with rounds left and nothing in its way, gets its next round (`liveness`).
//!
//! # Not here
//!
//! Plan reviews, tool bodies and forks; two hosts at once (the log fences the older one); answers with
//! several calls. They have scenarios of their own.

use std::time::Instant;

#[path = "exploration/action.rs"]
mod action;
#[path = "exploration/bound.rs"]
mod bound;
#[path = "exploration/history.rs"]
mod history;
#[path = "exploration/key.rs"]
mod key;
#[path = "exploration/liveness.rs"]
mod liveness;
#[path = "exploration/rules.rs"]
mod rules;
#[path = "exploration/search.rs"]
mod search;
#[path = "exploration/tabs.rs"]
mod tabs;
#[path = "exploration/twins.rs"]
mod twins;
#[path = "exploration/world.rs"]
mod world;

#[test]
fn no_way_that_a_session_can_go_breaks_a_rule() {
    println!("bound: {}", bound::in_words());
    let began = Instant::now();
    let graph = search::explore();
    let (states, moves, refused) = (graph.nodes.len(), graph.moves, graph.refused);
    println!("session: {states} states, {moves} moves, {refused} refusals in {:?}", began.elapsed());

    println!("{} states compared with others of the same key", twins::check(&graph));

    let (owing, longest) = liveness::check(&graph);
    println!(
        "a goal is owed a move in {owing} states, and gets it within {longest} moves of driver and agent"
    );

    let began = Instant::now();
    let tabs::Found { states, moves, races } = tabs::explore(&graph);
    println!("two tabs: {states} states, {moves} moves, {races} races in {:?}", began.elapsed());
}
