//! The examples of the drafts, as validation and the types read them.

use std::fs;

use provstream_marc::{Core, Disclosure, Document, Draft, MarcKind, Profile};

/// The vectors of a draft: name and bytes.
fn vectors(draft: Draft) -> Vec<(String, Vec<u8>)> {
    let folder = testkit::root().join("corpus/marc");
    let series = match draft {
        Draft::Draft01 => "tv-m1-",
        _ => "tv-m2-",
    };
    let mut vectors: Vec<_> = fs::read_dir(folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(series))
        })
        .map(|path| {
            let bytes = fs::read(&path).expect("a readable vector");
            (
                path.file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                bytes,
            )
        })
        .collect();
    vectors.sort();
    vectors
}

/// TV-M1-1 to TV-M1-9, TV-M2-1 to TV-M2-7; M1-8, M1-11, M2-9, M2-75
#[test]
fn every_vector_is_clean_under_its_draft() {
    for (draft, count) in [(Draft::Draft01, 9), (Draft::Draft02, 7)] {
        let vectors = vectors(draft);
        assert_eq!(vectors.len(), count);
        for (name, bytes) in vectors {
            let document = Document::parse(&bytes).expect("an object");
            let kind = document.kind().expect("a MARC object");
            for profile in [Profile::new(draft), Profile::new(draft).strict()] {
                let report = document.validate(kind, profile);
                assert!(report.is_valid() && report.is_clean(), "{name}: {report}");
            }
        }
    }
}

/// M2-75, M2-145
#[test]
fn every_vector_round_trips_without_loss() {
    for &draft in Draft::ALL {
        for (name, bytes) in vectors(draft) {
            let text = String::from_utf8(bytes.clone()).expect("UTF-8");
            let profile = Profile::new(draft);
            let kind = Document::parse(&bytes)
                .ok()
                .and_then(|document| document.kind());
            let written = match kind {
                Some(MarcKind::Core) => Core::read(&bytes, profile).expect("valid").to_json(),
                _ => Disclosure::read(&bytes, profile).expect("valid").to_json(),
            };
            let spaces = |text: &str| text.replace(char::is_whitespace, "");
            assert_eq!(spaces(&written), spaces(&text), "{name}");
        }
    }
}
