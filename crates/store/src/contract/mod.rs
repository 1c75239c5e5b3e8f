//! What every log promises, as tests that each backend runs: [`contract_suite!`](crate::contract_suite) needs a
//! way to make a [`Backend`].

use std::sync::Arc;

use async_trait::async_trait;

use crate::Log;

mod appending;
mod forking;
mod leasing;
mod objects;
mod operations;
mod reading;
mod reclaiming;
mod sample;
mod snapshots;

pub use appending::*;
pub use forking::*;
pub use leasing::*;
pub use objects::*;
pub use operations::*;
pub use reading::*;
pub use reclaiming::*;
pub use sample::*;
pub use snapshots::*;

/// One log that starts empty and can be stopped and started.
#[async_trait]
pub trait Backend: Send {
    /// Returns the log, opening it when it is not open.
    async fn log(&mut self) -> Arc<dyn Log>;

    /// Stops the log in order. Whoever has it must have dropped it before.
    async fn stop(&mut self);
}

/// Makes a test of each promise, for the backend that `$make` returns.
#[macro_export]
macro_rules! contract_suite {
    ($make:expr) => {
        $crate::contract_suite!($make;
            a_new_session_begins_at_seq_1_and_is_opened
            an_id_is_never_used_twice
            an_unknown_session_is_not_found
            an_append_at_the_head_goes_on
            a_stale_append_is_a_conflict
            an_append_ahead_of_the_head_is_a_conflict
            a_batch_holds_0_to_512_events
            a_batch_above_the_limit_is_refused
            text_of_any_script_comes_back
            of_two_writers_one_wins_each_position
            sessions_lists_what_is_not_deleted
            thousands_of_sessions_are_listed_and_read
            pages_end_at_batch_ends
            a_page_has_one_batch_at_least
            reading_from_inside_a_batch_returns_it_whole
            reading_from_the_head_returns_nothing
            pages_fetched_ahead_miss_nothing
            a_tail_starts_at_the_head_and_moves
            a_follower_that_races_with_a_writer_misses_nothing
            a_cursor_ahead_of_the_head_waits_for_it
            a_follower_that_comes_back_goes_on_where_it_was
            deleting_ends_followers
            everything_is_there_after_a_restart
            the_same_operation_is_recorded_once
            an_operation_with_another_body_is_refused
            an_operation_after_a_conflict_is_new
            an_operation_without_events_is_recorded
            an_operation_is_known_after_a_restart
            an_operation_whose_reply_was_lost_is_there_once
            an_operation_is_its_sessions_and_not_its_forks
            a_resent_create_gets_its_receipt
            a_fork_shares_and_then_differs
            a_fork_inside_a_batch_names_the_last_legal_seq
            a_fork_beyond_the_head_names_the_head
            a_fork_of_a_fork_reads_through_both
            appends_to_the_parent_do_not_reach_the_fork
            a_fork_outlives_its_parent
            a_fork_has_an_epoch_above_its_parents
            a_chain_of_forks_reads_through_all
            a_held_session_is_refused_to_another_host
            each_acquisition_has_a_greater_epoch
            an_older_epoch_is_fenced
            a_released_session_can_be_acquired
            a_restart_ends_all_leases
            a_host_delayed_behind_its_lease_is_fenced
            two_hosts_never_hold_a_session_at_once
            a_clock_that_goes_backwards_changes_times_alone
            objects_of_any_size_come_back
            an_unknown_object_is_refused
            an_object_above_the_limit_is_refused
            the_newest_state_before_a_position_comes_back
            a_fork_finds_the_states_of_its_ancestors
            a_snapshot_ahead_of_the_head_is_refused
            the_newest_row_stays
            reclaiming_takes_nothing_that_is_needed
            receipts_outlive_reclaiming
            objects_that_nothing_names_are_collected
        );
    };
    ($make:expr; $($promise:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $promise() {
            $crate::contract::$promise(&mut $make).await;
        }
    )*};
}
