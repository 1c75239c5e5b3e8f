//! Whatever an event holds, it survives the record and the wire.

use events::{Envelope, SCHEMA_VERSION};
use proptest::prelude::*;

use crate::{samples, strategies};

proptest! {
    #[test]
    fn any_event_survives_its_record(envelope in strategies::envelope()) {
        let line = samples::line_of(&envelope);
        for schema in [SCHEMA_VERSION, SCHEMA_VERSION + 1] {
            let read = Envelope::from_line(&line, &samples::placement(&envelope, schema))
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&read, &envelope);
            prop_assert_eq!(samples::line_of(&read), line.clone());
        }
    }

    #[test]
    fn any_record_is_one_line(envelope in strategies::envelope()) {
        let line = samples::line_of(&envelope);
        prop_assert!(!line.contains(['\n', '\r']), "{}", line);
    }

    #[test]
    fn any_event_survives_the_wire(envelope in strategies::envelope()) {
        let text = serde_json::to_string(&envelope)?;
        let read: Envelope = serde_json::from_str(&text)?;
        prop_assert_eq!(&read, &envelope);
        prop_assert_eq!(serde_json::to_string(&read)?, text);
    }

    #[test]
    fn any_event_survives_a_tree_of_values(envelope in strategies::envelope()) {
        let tree = serde_json::to_value(&envelope)?;
        prop_assert_eq!(serde_json::from_value::<Envelope>(tree)?, envelope);
    }

    #[test]
    fn no_text_makes_the_reader_panic(line in any::<String>(), envelope in strategies::envelope()) {
        let at = samples::placement(&envelope, SCHEMA_VERSION);
        prop_assert!(Envelope::from_line(&line, &at).is_err());
    }

    #[test]
    fn a_torn_line_is_refused(envelope in strategies::envelope(), cut in any::<prop::sample::Index>()) {
        let line = samples::line_of(&envelope);
        let whole: Vec<char> = line.chars().collect();
        let torn: String = whole[..cut.index(whole.len())].iter().collect();
        let at = samples::placement(&envelope, SCHEMA_VERSION);
        prop_assert!(Envelope::from_line(&torn, &at).is_err());
    }
}
