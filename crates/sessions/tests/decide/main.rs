//! The pure core, given facts and wishes: what is decided, what is refused, and what is true afterwards.
//!
//! Start reading at [`given::given`]: it is the one place that builds moments and envelopes.

mod budget;
mod deadlines;
mod driver;
mod facts;
mod fork;
mod given;
mod goal;
mod goal_activation;
mod goal_course;
mod goal_tools;
mod inbox;
mod judge;
mod mode_texts;
mod mode_words;
mod outage;
mod outcomes;
mod plan;
mod plan_boundary;
mod plan_review;
mod plan_safety;
mod properties;
mod questions;
mod questions_in_turns;
mod repair;
mod session;
mod slash;
mod stop;
mod story;
mod text_plan;
mod todo;
mod turn;
mod wishes;
