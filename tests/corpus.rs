//! Every corpus file gives the events that stand beside it, in one piece, cut at every byte, and in chunks of every
//! size up to 64 with empty chunks between.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::ndjson::Lines;
use provstream::Parser;

fn cases(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(&root)
        .expect("a corpus folder")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    found.sort();
    found
}

/// The events of `input`, fed in these pieces.
fn read<'a>(parser: &mut Parser, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut lines = Lines::default();
    for piece in pieces {
        parser.push(piece, |event| lines.event(&event));
    }
    parser.finish(|event| lines.event(&event));
    let position = parser.position();
    parser.reset();
    lines.end(position)
}

fn check(folder: &str, least: usize, every_split: bool) {
    let cases = cases(folder);
    assert!(cases.len() >= least, "{} files in {folder}", cases.len());
    let mut failed = Vec::new();
    for path in cases {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let input = fs::read(&path).expect("a readable case");
        let expected = fs::read_to_string(path.with_extension("events.ndjson"))
            .expect("expected events beside the case");
        let mut parser = Parser::new();
        let whole = read(&mut parser, [&input[..]]);
        if whole != expected {
            failed.push(format!("{name}\nexpected {expected}found    {whole}"));
            continue;
        }
        if every_split {
            for cut in 0..=input.len() {
                let (head, tail) = input.split_at(cut);
                let split = read(&mut parser, [head, &[], tail]);
                assert_eq!(split, whole, "{name} cut at {cut}");
            }
        }
        for size in 1..=64 {
            let pieces = input.chunks(size).flat_map(|chunk| [chunk, &[]]);
            assert_eq!(
                read(&mut parser, pieces),
                whole,
                "{name} in chunks of {size}"
            );
        }
    }
    assert!(
        failed.is_empty(),
        "{}\n{} failed",
        failed.join("\n"),
        failed.len()
    );
}

#[test]
fn cases_give_the_expected_events_at_every_split() {
    check("text", 40, true);
}

#[test]
fn transcripts_give_the_expected_events_at_every_split() {
    check("transcripts", 6, true);
}
