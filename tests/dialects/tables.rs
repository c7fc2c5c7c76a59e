//! Tables of dialects as input: damaged ones are refused, or read the same however a text is cut.

use std::time::{Duration, Instant};

use super::common::run;
use provstream::{Dialect, DialectError, DialectErrorKind, Dialects, Mode, Parser};
use testkit::reference::engine::Cuts;

const FILES: [&str; 5] = [
    include_str!("../../src/dialect/built-in/openai-file.toml"),
    include_str!("../../src/dialect/built-in/numeric.toml"),
    include_str!("../../src/dialect/built-in/citation.toml"),
    include_str!("../../src/dialect/built-in/cohere.toml"),
    include_str!("../../src/dialect/built-in/cite-tag.toml"),
];

/// Pieces of which damaged files are made: parts of expressions, of TOML and of its keys.
const PIECES: [&str; 24] = [
    "*",
    "+",
    "?",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{2}",
    "{0,900}",
    "\\",
    ".",
    "^",
    "$",
    "'",
    "\"",
    "\n",
    "(?i)",
    "\\b",
    "max = 0\n",
    "repeat = true\n",
    "guard = \"number\"\n",
    "guard = \"link\"\n",
    "end = '</a>'\n",
];

/// A text with markers of each file.
const TEXT: &str = "Paris [1, 2] is big【4:0†a】. <co: 1>It rains [1-3][2].</co: 1> So [cite: 1] it is \
    【7】【4:0†. <cite index=\"0-1\">Snow</cite> falls.[[1]](https://a.example)\n\n- [^1] <co: <cite [citation:3].\n";

fn damaged(seed: u64) -> Vec<u8> {
    let mut random = Cuts(seed);
    let mut file = FILES[random.below(FILES.len())].as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(file.len());
        let removed = [0, 0, 1, 1, 4, 30][random.below(6)].min(file.len() - at);
        let piece = PIECES[random.below(PIECES.len())];
        file.splice(at..at + removed, piece.bytes());
    }
    file
}

#[test]
fn a_damaged_table_is_refused_or_reads_a_text_the_same_however_it_is_cut() {
    let (mut refused, mut read) = (0, 0);
    for seed in 0..testkit::search::seeds(80) {
        let file = damaged(seed);
        let dialect = match Dialect::from_toml(&file) {
            Ok(dialect) => dialect,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
                continue;
            }
        };
        read += 1;
        let dialects = Dialects::new([dialect]).expect("a dialect that was read");
        assert!(dialects.compiled_len() <= 64 << 10);
        let parser = Parser::builder()
            .mode(Mode::Text)
            .dialects(dialects)
            .build();
        let whole = run(&parser, [TEXT.as_bytes()]);
        for size in [1, 3, 16] {
            let cut = run(&parser, TEXT.as_bytes().chunks(size));
            let file = String::from_utf8_lossy(&file);
            assert_eq!(cut, whole, "seed {seed}, chunks of {size}: {file}");
        }
    }
    assert!(refused > 8 && read > 8, "{refused} {read}");
}

fn refused(markers: &str) -> DialectError {
    let file = format!("name = 'own'\n{markers}");
    Dialect::from_toml(file.as_bytes()).expect_err("a dialect that is too large")
}

/// Place and kind of an error.
fn fault(error: &DialectError) -> (Option<(u32, u32)>, DialectErrorKind) {
    let place = error.place().map(|place| (place.line(), place.column()));
    (place, error.kind())
}

#[test]
fn forms_that_are_too_large_are_refused_soon() {
    let start = Instant::now();
    // Each form alone would take minutes, or more memory than there is.
    for form in ["(a{100}){100}", "((a{1000}){1000}){1000}", "(.{9}x){60}"] {
        let error = refused(&format!("[[marker]]\nopen = '{form}'\n"));
        let expected = (Some((3, 8)), DialectErrorKind::TooLarge);
        assert_eq!(fault(&error), expected, "{error}");
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{start:?}");
}

#[test]
fn tables_that_are_too_large_together_are_refused_soon() {
    // After the opener of the first table, each byte may be part of all the others.
    let markers = "[[marker]]\nopen = '\\['\nclose = '.*'\n\
                   [[marker]]\nopen = '】'\nid = '(?:ab|a)'\nseparator = '(?:ab|a)'\nclose = '(?:a{90}){90}'\n\
                   [[marker]]\nopen = '\\d{1,9}'\nid = '\\['\nclose = 'é{2,4}'\n";
    let start = Instant::now();
    let error = refused(markers);
    assert_eq!(error.kind(), DialectErrorKind::TooLarge, "{error}");
    assert!(start.elapsed() < Duration::from_secs(10), "{start:?}");
}

#[test]
fn an_error_about_all_tables_has_the_place_of_the_name() {
    // Each table has two forms, of which there may be 64.
    let marker =
        |number: usize| format!("[[marker]]\nopen = '<a{number}>'\nend = '</a{number}>'\n");
    let error = refused(&(0..33).map(marker).collect::<String>());
    let expected = (Some((1, 8)), DialectErrorKind::TooLarge);
    assert_eq!(fault(&error), expected, "{error}");
}

#[test]
fn further_tables_than_64_are_refused_before_they_are_compiled() {
    let marker = |number: usize| format!("[[marker]]\nopen = 'a{number}b'\nrepeat = true\n");
    let tables = |count| (0..count).map(marker).collect::<String>();
    let file = format!("name = 'own'\n{}", tables(64));
    Dialect::from_toml(file.as_bytes()).expect("64 tables of one group");
    let error = refused(&tables(65));
    let expected = (Some((194, 1)), DialectErrorKind::TooLarge);
    assert_eq!(fault(&error), expected, "{error}");
}
