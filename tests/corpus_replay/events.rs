//! Every corpus file gives the events that stand beside it, and no byte is lost, in one piece, cut at every byte, and in chunks of
//! every size up to 64 with empty chunks between.

use std::fs;
use std::path::{Path, PathBuf};

use provstream::{Event, Mode, Parser};
use testkit::ndjson::Lines;

/// A longer input is not cut at every byte, which would take its length squared.
const LONG: usize = 1 << 15;

/// The inputs of a folder: all that has an end of these, each with its mode.
fn cases(folder: &str, ends: &[(&str, Mode)]) -> Vec<(PathBuf, Mode)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(folder);
    let mode = |path: PathBuf| {
        let (_, mode) = ends
            .iter()
            .find(|(end, _)| path.extension().is_some_and(|found| found == *end))?;
        Some((path, *mode))
    };
    let mut found: Vec<(PathBuf, Mode)> = fs::read_dir(&root)
        .expect("a corpus folder")
        .filter_map(|entry| mode(entry.expect("a readable entry").path()))
        .collect();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

/// Bytes, or a break.
enum Piece<'a> {
    Bytes(&'a [u8]),
    Break,
}

/// The parts of an input, in pieces of at most `size` bytes each with an empty one after it, and the breaks between the parts.
fn pieces<'a>(parts: &[&'a [u8]], size: usize) -> Vec<Piece<'a>> {
    let mut found = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            found.push(Piece::Break);
        }
        let chunks = part.chunks(size).flat_map(|chunk| [chunk, &[]]);
        found.extend(chunks.map(Piece::Bytes));
    }
    found
}

/// The events of a stream that is fed in these pieces, which texts and annotations must cover without a gap.
fn read<'a>(parser: &mut Parser, pieces: impl IntoIterator<Item = Piece<'a>>) -> String {
    let mut lines = Lines::default();
    let (mut fed, mut covered) = (Vec::new(), Vec::new());
    let mut take = |event: Event<'_>| {
        match &event {
            Event::Text(text) => covered.extend_from_slice(text.bytes()),
            Event::Annotation(annotation) => covered.extend_from_slice(annotation.raw()),
            _ => {}
        }
        lines.event(&event);
    };
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => {
                fed.extend_from_slice(bytes);
                parser.push(bytes, &mut take);
            }
            Piece::Break => parser.push_break(&mut take),
        }
    }
    parser.finish(&mut take);
    let same = covered == fed;
    assert!(
        same,
        "not the bytes of the stream: {}",
        covered.escape_ascii()
    );
    let position = parser.position();
    parser.reset();
    lines.end(position)
}

fn check(folder: &str, ends: &[(&str, Mode)], least: usize) {
    check_parts(folder, ends, least, |input| vec![input]);
}

fn check_parts(folder: &str, ends: &[(&str, Mode)], least: usize, parts: fn(&[u8]) -> Vec<&[u8]>) {
    let cases = cases(folder, ends);
    assert!(cases.len() >= least, "{} files in {folder}", cases.len());
    let mut failed = Vec::new();
    for (path, mode) in cases {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let input = fs::read(&path).expect("a readable case");
        let expected = fs::read_to_string(path.with_extension("events.ndjson"))
            .expect("expected events beside the case");
        let mut parser = Parser::builder().mode(mode).build();
        let parts = parts(&input);
        let whole = read(&mut parser, pieces(&parts, usize::MAX));
        if whole != expected {
            failed.push(format!("{name}\nexpected {expected}found    {whole}"));
            continue;
        }
        let step = if input.len() > LONG { 257 } else { 1 };
        for cut in (0..=input.len()).step_by(step) {
            if let [only] = parts[..] {
                let (head, tail) = only.split_at(cut);
                let split = read(&mut parser, [head, &[], tail].map(Piece::Bytes));
                assert_eq!(split, whole, "{name} cut at {cut}");
            }
        }
        for size in 1..=64 {
            assert_eq!(
                read(&mut parser, pieces(&parts, size)),
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
    check("text", &[("txt", Mode::Text)], 40);
}

#[test]
fn transcripts_give_the_expected_events_at_every_split() {
    check("transcripts", &[("txt", Mode::Text)], 6);
}

#[test]
fn json_cases_give_the_expected_events_at_every_split() {
    let ends = [
        ("json", Mode::Json),
        ("lines", Mode::Ndjson),
        ("txt", Mode::Auto),
    ];
    check("json", &ends, 100);
}

#[test]
fn cases_of_breaks_give_the_expected_events_at_every_split() {
    check_parts("breaks", &[("txt", Mode::Text)], 6, |input| {
        let text = std::str::from_utf8(input).expect("UTF-8");
        text.split('\u{2702}').map(str::as_bytes).collect()
    });
}
