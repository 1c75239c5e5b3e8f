use proptest::prelude::*;

use super::*;
use crate::remote::stage::{APIS, fixtures, split};

#[test]
fn one_byte_at_a_time_gives_the_same_chunks() {
    for (api, _) in APIS {
        for (name, bytes) in fixtures(api) {
            let single = bytes.iter().map(|byte| vec![*byte]);
            assert_eq!(decode_recorded(api, single), decode_recorded(api, [bytes.clone()]), "{name}");
        }
    }
}

#[test]
fn a_recording_is_known_by_its_words() {
    for (api, folder) in APIS {
        let recordings = fixtures(api);
        assert!(recordings.len() >= 8, "{folder} has {} recordings", recordings.len());
        // Of some, no more than an error or garbage is left.
        for (name, bytes) in recordings.into_iter().filter(|(name, _)| !name.starts_with("bare")) {
            assert_eq!(Api::of_recording(&String::from_utf8_lossy(&bytes)), api, "{name}");
        }
    }
}

proptest! {
    #[test]
    fn any_split_gives_the_same_chunks(places in prop::collection::vec(any::<usize>(), 0..30)) {
        for (api, _) in APIS {
            for (name, bytes) in fixtures(api) {
                let cut = decode_recorded(api, split(&bytes, places.clone()));
                prop_assert_eq!(cut, decode_recorded(api, [bytes]), "{}", name);
            }
        }
    }

    #[test]
    fn no_bytes_are_a_bug(bytes in prop::collection::vec(any::<u8>(), 0..400), json in ".{0,80}") {
        for (api, _) in APIS {
            let _ = decode_recorded(api, [bytes.clone()]);
            let _ = api.decoder().push(&json);
        }
    }
}
