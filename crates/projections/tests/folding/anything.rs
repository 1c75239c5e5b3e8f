//! Folding is total: whatever was recorded, in whatever order, folds without a panic.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use events::{EVENT_TYPES, Envelope, Epoch, Seq};
use projections::{Goals, Slices, State, fold, fold_all};
use proptest::prelude::*;

/// The frozen sample of each type of event.
static SAMPLES: LazyLock<Vec<Envelope>> = LazyLock::new(|| {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/events");
    let read = |type_name: &&str| {
        let path = folder.join(format!("{}.json", type_name.replace('/', "-")));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str::<Vec<Envelope>>(&text).unwrap_or_else(|error| panic!("{type_name}: {error}"))
    };
    EVENT_TYPES.iter().flat_map(read).collect()
});

fn looked_at(state: &State) {
    for host_epoch in [None, Some(Epoch(0)), Some(state.epoch)] {
        let slices = Slices::of(state, host_epoch);
        slices.changed_since(&slices).expect("slices can be written");
        let _ = Goals::waiting(state, host_epoch);
    }
}

#[test]
fn every_sample_folds_on_its_own() {
    for sample in SAMPLES.iter() {
        let mut state = State::default();
        fold(&mut state, sample);
        assert_eq!(state.head, sample.seq);
        looked_at(&state);
    }
}

#[test]
fn all_samples_fold_one_after_another_twice() {
    let mut state = State::default();
    for _ in 0..2 {
        fold_all(&mut state, SAMPLES.iter());
        looked_at(&state);
    }
    assert!(state.damage.is_some());
}

#[test]
fn a_state_can_be_kept_after_every_sample() {
    let mut state = State::default();
    for sample in SAMPLES.iter() {
        fold(&mut state, sample);
        let kept = serde_json::to_string(&state).expect("a state can be written");
        assert_eq!(serde_json::from_str::<State>(&kept).expect("a state can be read"), state);
    }
}

proptest! {
    #[test]
    fn samples_fold_in_any_order(picks in prop::collection::vec((any::<prop::sample::Index>(), 1..4u64), 1..80)) {
        let mut state = State::default();
        for (place, (pick, epoch)) in (1..).zip(&picks) {
            let recorded = Envelope { seq: Seq(place), epoch: Epoch(*epoch), ..pick.get(&SAMPLES).clone() };
            fold(&mut state, &recorded);
            looked_at(&state);
        }
        prop_assert_eq!(state.head, Seq(picks.len() as u64));
    }

    #[test]
    fn folding_on_from_any_position_gives_the_same_state(
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let log: Vec<Envelope> = (1..)
            .zip(&picks)
            .map(|(place, pick)| Envelope { seq: Seq(place), ..pick.get(&SAMPLES).clone() })
            .collect();
        let mut whole = State::default();
        fold_all(&mut whole, &log);
        let (before, after) = log.split_at(cut.index(log.len()));
        let mut parts = State::default();
        fold_all(&mut parts, before);
        let kept = serde_json::to_string(&parts).expect("a state can be written");
        let mut parts: State = serde_json::from_str(&kept).expect("a state can be read");
        fold_all(&mut parts, after);
        prop_assert_eq!(parts, whole);
    }
}
