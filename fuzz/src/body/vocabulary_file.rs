//! Vocabulary files have the classes that the `toml` crate reads in them.

use std::collections::BTreeMap;

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
            check_listed(data, &vocabulary);
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

/// The classes are those of the file as the `toml` crate reads it, and in major version 1 those of the
/// memo.
fn check_listed(data: &[u8], vocabulary: &Vocabulary) {
    let file: toml::Table = std::str::from_utf8(data)
        .expect("a vocabulary is UTF-8")
        .parse()
        .expect("a vocabulary is TOML");
    let version = vocabulary.version().to_string();
    assert_eq!(file["version"].as_str(), Some(&*version));
    let listed = |vocabulary: &Vocabulary| -> BTreeMap<String, String> {
        let classes = vocabulary.classes();
        classes
            .map(|(class, since)| (class.to_string(), since.to_string()))
            .collect()
    };
    let major = vocabulary.version().major();
    let mut expected = match major {
        1 => listed(&Vocabulary::memo()),
        // The terminal that the memo lists among its classes is part of every vocabulary.
        _ => BTreeMap::from([("unverified-inference".to_owned(), format!("{major}.0"))]),
    };
    let classes = file.get("class").and_then(toml::Value::as_array);
    for class in classes.into_iter().flatten() {
        let text = |name| class[name].as_str().expect("a string").to_owned();
        expected.insert(text("id"), text("since"));
    }
    assert_eq!(listed(vocabulary), expected);
}
