//! Helpers for several tests, and the package that drives real engines.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use provstream::provenance::{Vocabulary, write_bracketed};
use provstream::{Event, Mode, Parser};
use provstream_emit::Observations;

/// Three observations, one without a time and one with an id that needs quotes.
pub(crate) const OBSERVATIONS: &str = r#"[
  {"class": "substrate.grep", "id": "src/a.rs:7", "ts": "2026-05-28T11:40:00Z", "summary": "fn main() [substrate.grep]"},
  {"class": "substrate.git.log", "id": "4f2a9c1"},
  {"class": "substrate.grep", "id": "a[0]; \"b\"", "ts": "2026-05-28T11:41:00+02:00", "summary": null}
]"#;

pub(crate) fn observations() -> Observations {
    Observations::from_json(OBSERVATIONS.as_bytes(), &Vocabulary::memo()).unwrap()
}

/// A small generator of random numbers (`SplitMix64`), so that a failure can be repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    pub(crate) fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

pub(crate) fn corpus(folder: &str) -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut corpora = package.ancestors().map(|folder| folder.join("corpus"));
    let corpus = corpora.find(|corpus| corpus.is_dir()).unwrap();
    let mut all: Vec<_> = std::fs::read_dir(corpus.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    all.sort();
    all
}

/// Every well-formed annotation of the corpus that the writer can produce, as it writes it.
pub(crate) fn well_formed() -> Vec<String> {
    let mut all = BTreeSet::new();
    for path in corpus("text").into_iter().chain(corpus("transcripts")) {
        let bytes = std::fs::read(path).unwrap();
        let mut parser = Parser::builder().mode(Mode::Text).build();
        let mut note = |event: Event<'_>| {
            if let Event::Annotation(found) = event
                && found.annotation().reason().is_none()
                && let Ok(written) = write_bracketed(&found.annotation())
            {
                all.insert(written);
            }
        };
        parser.push(&bytes, &mut note);
        parser.finish(&mut note);
    }
    all.into_iter().collect()
}

/// Returns `true` for an annotation in the form that the grammar offers: without an anchor, with an id of at most 942 bytes, and
/// with a time in upper case whose second is not 60.
pub(crate) fn is_canonical(annotation: &str) -> bool {
    let time = annotation.rsplit_once("ts=").map_or("", |(_, time)| time);
    let id = annotation
        .split_once("observation-id=")
        .map_or("", |(_, id)| id);
    let id = id.split_once("; ts=").map_or(id, |(id, _)| id);
    !annotation.starts_with("[1.0.")
        && id.len() <= "]".len() + 942
        && !time.contains(['t', 'z'])
        && !time.contains(":60")
}

/// Annotations that are not well-formed, name no class of vocabulary 1.0 or have a time that is not one, each of which a reader
/// takes for an annotation.
pub(crate) fn malformed() -> Vec<String> {
    let mut all = Vec::new();
    let memo = Vocabulary::memo();
    let names = memo
        .classes()
        .map(|(class, _)| class)
        .chain(memo.terminals());
    let rests = [
        "; ;",
        "; x",
        "; observation-id",
        "; observation-id=",
        "; observation-id=\"\"",
        "; ts=",
        "; ts=yesterday; ts=",
        "; observation-id=a; observation-id=b",
        "; observation-id=a; observation_id=b",
        "; ts=2026-05-28T11:40:00Z; ts=2026-05-28T11:40:00Z",
        "; x=",
        "; x=1;;",
        "; observation-id=a; ;",
        "; ts",
        "; ts=\"\"",
        "; ts=2026-05-28",
        "; ts=2026-05-28T11:40Z",
        "; ts=2026-05-28T11:40:00",
        "; ts=2026-02-30T11:40:00Z",
        "; ts=2026-13-01T11:40:00Z",
        "; ts=2026-05-28T24:00:00Z",
        "; ts=2026-05-28T11:60:00Z",
        "; ts=2026-05-28T11:40:00+24:00",
        "; ts=28 May 2026",
        "; ts=2026-05-28T11:40:60Z",
        "; ts=11:40:00Z",
        "; observation-id=a; ts=2026-05-28T11:40:00Z1",
        "; ts=\"2026-05-28\"",
        "; observation-id=a; ts=today",
        "; observation-id=a; ts=2026-05-28T11:40:00Z; ;",
    ];
    for name in names {
        all.extend(rests.iter().map(|rest| format!("[{name}{rest}]")));
        all.push(format!("[{}]", name.as_str().to_uppercase()));
        all.push(format!("[2.0.{name}]"));
        all.push(format!("[1.7.{name}]"));
        all.push(format!("[01.0.{name}]"));
    }
    for other in [
        "telepathy",
        "gre",
        "grepp",
        "grep.x",
        "Grep",
        "git",
        "git.logs",
        "code-read",
    ] {
        all.push(format!("[substrate.{other}]"));
        all.push(format!("[1.0.substrate.{other}]"));
        all.push(format!("[ substrate.{other} ; observation-id=x]"));
        all.push(format!("[{other} ; ts = x]"));
    }
    all
}

/// Counts the annotations that a reader finds, and those that are malformed, unknown or
/// unterminated.
pub(crate) fn read(answer: &str, vocabulary: &Vocabulary) -> (usize, usize) {
    let (mut annotations, mut faults) = (0, 0);
    let mut parser = Parser::builder()
        .mode(Mode::Text)
        .vocabulary(vocabulary.clone())
        .build();
    let mut note = |event: Event<'_>| match event {
        Event::Annotation(found) => {
            annotations += 1;
            faults += usize::from(found.annotation().reason().is_some());
        }
        Event::Diagnostic(diagnostic) => {
            let code = diagnostic.code().to_string();
            faults += usize::from(
                ["unterminated", "limit-annotation", "invalid-ts"].contains(&code.as_str()),
            );
        }
        _ => {}
    };
    parser.push(answer.as_bytes(), &mut note);
    parser.finish(&mut note);
    (annotations, faults)
}

/// Compares with a golden file, or writes it where `PROVSTREAM_BLESS` is set.
pub(crate) fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("PROVSTREAM_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{name} differs; PROVSTREAM_BLESS=1 writes it"
    );
}
