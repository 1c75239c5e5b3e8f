//! Whole-system scenarios: each name is a claim about Waymark as a person meets it.
//!
//! Most of them are played twice, see [`in_both_places`]: within this process, and with the real binary, whose crash is
//! SIGKILL.

/// Plays scenarios in one process, and again with the real binary.
macro_rules! in_both_places {
    ($($claim:ident)*) => {
        mod in_one_process {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $claim() {
                    super::$claim(::tests::World::at(::tests::Place::Inside).await).await;
                }
            )*
        }

        mod with_the_binary {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $claim() {
                    super::$claim(::tests::World::at(::tests::Place::Binary).await).await;
                }
            )*
        }
    };
}

mod apis;
mod bad_input;
mod calls;
mod damage;
mod fork;
mod goal;
mod goal_ends;
mod models;
mod modes;
mod plan;
mod process;
mod provider;
mod question;
mod readings;
mod restart;
mod sessions;
