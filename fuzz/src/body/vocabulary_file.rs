//! Vocabulary files.

use provstream::provenance::{Version, Vocabulary};
use provstream::{Event, Parser};

use super::check_place;

/// A vocabulary file is refused with a reason or loaded; a loaded one knows its classes.
pub(super) fn check(data: &[u8]) {
    match Vocabulary::from_toml(data) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            if let Some(place) = error.place() {
                check_place(place, data);
            }
        }
        Ok(vocabulary) => {
            assert!(vocabulary.version() >= Version::MEMO);
            for (class, since) in vocabulary.classes() {
                assert!(since <= vocabulary.version());
                assert_eq!(vocabulary.class(class.as_str()), Some(class.clone()));
                let resolution = vocabulary.resolve(class.as_str().as_bytes());
                assert_eq!((resolution.class(), resolution.reason()), (&class, None));
                let anchored = format!("{since}.{class}");
                assert_eq!(*vocabulary.resolve(anchored.as_bytes()).class(), class);
                let stream = format!("So. [{class}]");
                let mut found = Vec::new();
                let mut parser = Parser::builder().vocabulary(vocabulary.clone()).build();
                parser.push(stream.as_bytes(), |event: Event<'_>| {
                    if let Event::Annotation(annotation) = event {
                        found.push(annotation.annotation().class().clone());
                    }
                });
                // One that is longer than an annotation may be is not found.
                if stream.len() < 1_000 {
                    assert_eq!(found, [class]);
                }
            }
        }
    }
}
