//! A run changes nothing but the end of what was read: the state machine agrees byte by byte.

use super::{covers, is_marker_free};
use crate::engine::bytes::{
    BARE, BRACKETLESS, BYTE_CLASSES, ByteClasses, LABEL, MARKER_FREE, MARKLESS, MID_SENTENCE, NAME,
    QUOTED, STRING, TAGLESS, TEXT, TEXT_AND_JSON,
};
use crate::{Event, Mode, Parser};

/// Stream prefixes, each with the class of bytes that do not change the state there; 0 if there is
/// none.
const PLACES: [(Mode, &[u8], ByteClasses); 58] = [
    (Mode::Text, b"", 0),
    (Mode::Text, b"\xEF\xBB", 0),
    (Mode::Text, b"\xEF\xBB\xBF", 0),
    (Mode::Text, b"a", TEXT),
    (Mode::Text, b"\n", 0),
    (Mode::Text, b"a {", TEXT),
    (Mode::Text, b"a\\", TEXT),
    (Mode::Text, b"a \xE2\x80", TEXT),
    (Mode::Text, b"> - ", TEXT),
    (Mode::Text, b"| a", TEXT),
    (Mode::Text, b"a `b", 0),
    (Mode::Text, b"a `", 0),
    (Mode::Text, b"\n~~", 0),
    (Mode::Text, b"\n~~~\n", 0),
    (Mode::Text, b"\n```a\nb", 0),
    (Mode::Text, b"a [", 0),
    (Mode::Text, b"a [1", 0),
    (Mode::Text, b"a [1.", 0),
    (Mode::Text, b"a [1.0", 0),
    (Mode::Text, b"a [1.0.", 0),
    (Mode::Text, b"a [1.0.s", LABEL),
    (Mode::Text, b"a [s", LABEL),
    (Mode::Text, b"a [substrate.", 0),
    (Mode::Text, b"a [substrate.grep", LABEL),
    (Mode::Text, b"a [substrate.grep ", 0),
    (Mode::Text, b"a [substrate.grep;", 0),
    (Mode::Text, b"a [substrate.grep; x", NAME),
    (Mode::Text, b"a [b; t", 0),
    (Mode::Text, b"a [substrate.grep; x ", 0),
    (Mode::Text, b"a [substrate.grep; x =", 0),
    (Mode::Text, b"a [substrate.grep; ts=2", BARE),
    (Mode::Text, b"a [substrate.grep; ts=2 ", BARE),
    (Mode::Text, b"a [substrate.grep; ts=\"", QUOTED),
    (Mode::Text, b"a [substrate.grep; ts=\"\\", 0),
    (Mode::Text, b"a [substrate.grep; ts=\"\\\"", QUOTED),
    (Mode::Text, b"a [substrate.grep; ts=\"2\"", 0),
    (Mode::Text, b"a [substrate.grep]", 0),
    (Mode::Text, b"a [substrate.grep] ", 0),
    (Mode::Text, b"a [substrate.grep] b", TEXT),
    (Mode::Text, b"a [substrate.grep] [substrate.grep; x=", 0),
    (Mode::Text, b"a [substrate.grep] [substrate.grep; x=1", BARE),
    (Mode::Auto, b"", 0),
    (Mode::Auto, b" ", 0),
    (Mode::Auto, b"a", TEXT_AND_JSON),
    (Mode::Auto, b"a [s", LABEL),
    (Mode::Auto, b"[", 0),
    (Mode::Auto, b"a {", 0),
    (Mode::Auto, b"a {\"", 0),
    (Mode::Auto, b"a {\"b\": 1} ", TEXT_AND_JSON),
    (Mode::Json, b"", 0),
    (Mode::Json, b"[1", 0),
    (Mode::Json, b"{", 0),
    (Mode::Json, b"{\"assertion", STRING),
    (Mode::Json, b"{\"assertion\"", 0),
    (Mode::Json, b"{\"assertion\": \"a", STRING),
    (Mode::Json, b"{\"assertion\": \"a\\", 0),
    (Mode::Json, b"{\"assertion\": \"a\\u00", 0),
    (Mode::Ndjson, b"{\"provenance\": {\"ts\": \"2", STRING),
];

/// Chunks to push after the byte, which make every difference in state visible.
const AFTER: [&[u8]; 12] = [
    b"a", b".", b" ", b"\n", b"[", b"]", b"`", b"~", b"{", b"\"", b"\\", b"; ts=",
];

fn parser_at(mode: Mode, before: &[u8]) -> Parser {
    let mut parser = Parser::builder().mode(mode).build();
    parser.push(before, ());
    parser
}

/// Pushes a chunk through the state machine, and writes down what comes of it.
fn push_scanned(parser: &mut Parser, chunk: &[u8], found: &mut String) {
    parser.push_scanned(chunk, false, &mut |event: Event<'_>| {
        found.push_str(&format!("{event:?}\n"));
    });
}

#[test]
fn places_have_the_runs_that_they_are_listed_with() {
    for (mode, before, class) in PLACES {
        let place = String::from_utf8_lossy(before);
        let mut parser = parser_at(mode, before);
        assert_eq!(parser.plain_class(), class, "{mode} {place:?}");
        parser.reset();
        assert_eq!(parser.plain_class(), 0, "{mode} {place:?}");
    }
}

#[test]
fn every_byte_of_a_run_leaves_every_place_as_it_is() {
    for (mode, before, _) in PLACES {
        every_byte_agrees(&parser_at(mode, before), before);
    }
}

fn every_byte_agrees(start: &Parser, before: &[u8]) {
    for byte in 0..=u8::MAX {
        // Each byte alone, as a token and in a longer chunk, and after it each time another one.
        for (len, more) in [(1, 0), (4, 5), (9, 7)] {
            let after = AFTER[(usize::from(byte) + more) % AFTER.len()];
            agree(
                start,
                &[byte; 9][..len],
                after,
                &format!("{byte} after {before:?}"),
            );
        }
    }
}

/// Stream prefixes with dialects, and whether a run follows.
#[cfg(feature = "dialects")]
const WITH_DIALECTS: [(Mode, &[u8], bool); 22] = [
    (Mode::Text, b"", false),
    (Mode::Text, b"\xEF\xBB", false),
    (Mode::Text, b"\xEF\xBB\xBFa", true),
    (Mode::Text, b"a", true),
    (Mode::Text, b"a\\", true),
    (Mode::Text, b"a \t", true),
    (Mode::Text, b"\n- ", true),
    (Mode::Text, b"a [", false),
    (Mode::Text, b"a [substrate.grep", true),
    (Mode::Text, b"a [substrate.grep] b", true),
    (Mode::Text, b"a [doc", true),
    (Mode::Text, b"a [doc1]", false),
    (Mode::Text, b"a [doc1] b", false),
    (Mode::Text, b"a [doc1].\nB", false),
    (Mode::Text, b"It rains [doc1]. So it is", true),
    (Mode::Text, b"a <", false),
    (Mode::Text, b"a <b", true),
    (Mode::Text, b"a <cite id=\"x\">b", false),
    (Mode::Text, b"a <cite id=\"x\">b</cite> c", true),
    (Mode::Text, b"a `b", false),
    (Mode::Text, b"a `b` c", true),
    (Mode::Auto, b"a {\"b\": 1} ", true),
];

#[cfg(feature = "dialects")]
#[test]
fn every_byte_of_a_run_leaves_markers_as_they_are() {
    for (names, class) in [
        (&["doc", "cite-tag"][..], TAGLESS),
        (&["doc", "cite-tag", "numeric", "openai-file"], BRACKETLESS),
        (&["doc", "cite-tag", "nova"], MARKLESS),
    ] {
        let dialects = crate::Dialects::built_in(names.iter().copied()).expect("built-in dialects");
        for (mode, before, runs) in WITH_DIALECTS {
            let builder = Parser::builder().mode(mode).dialects(dialects.clone());
            let mut start = builder.build();
            start.push(before, ());
            let found = start.plain_class() & (TAGLESS | BRACKETLESS | MARKLESS | LABEL);
            let expected = if found == LABEL { LABEL } else { class };
            let place = String::from_utf8_lossy(before);
            assert_eq!(found, if runs { expected } else { 0 }, "{place:?}");
            every_byte_agrees(&start, before);
        }
    }
}

/// A chunk of one byte repeated is taken if the run covers it, and then the state machine agrees.
fn agree(start: &Parser, chunk: &[u8], after: &[u8], place: &str) {
    let mut run = start.clone();
    let emitted = run.append_plain(chunk);
    let is_taken = emitted.is_some() || run.append_plain_held(chunk);
    let is_covered = BYTE_CLASSES[usize::from(chunk[0])] & start.plain_class() != 0;
    if !is_covered {
        // In a deferred object of JSON more than runs is taken.
        assert!(!is_taken || start.reads_json_alone(), "{place}");
        return;
    }
    // A brace is looked for where it opens nothing, in chunks that are compared in blocks.
    if start.plain_class() == TEXT && chunk[0] == b'{' && chunk.len() > 8 {
        return;
    }
    assert!(is_taken, "{place}");
    let (mut machine, mut found) = (start.clone(), String::new());
    push_scanned(&mut machine, chunk, &mut found);
    assert_eq!(emitted.is_some(), !found.is_empty(), "{place}");
    assert_eq!(run.position(), machine.position());
    assert_eq!(run.buffered_len(), machine.buffered_len());
    let (mut of_run, mut of_machine) = (String::new(), String::new());
    push_scanned(&mut run, after, &mut of_run);
    push_scanned(&mut machine, after, &mut of_machine);
    assert_eq!(of_run, of_machine, "{place}");
    assert_eq!(format!("{run:?}"), format!("{machine:?}"), "{place}");
}

#[test]
fn a_chunk_is_covered_if_all_of_its_bytes_are() {
    for class in [
        TEXT,
        TEXT_AND_JSON,
        LABEL,
        NAME,
        BARE,
        QUOTED,
        STRING,
        MID_SENTENCE,
        TAGLESS,
        BRACKETLESS,
        MARKLESS,
    ] {
        let covers = match class & MARKER_FREE {
            0 => covers,
            _ => is_marker_free,
        };
        let inside = (0..=u8::MAX).find(|&byte| BYTE_CLASSES[usize::from(byte)] & class != 0);
        let inside = inside.expect("a byte of each class");
        for len in [8, 9, 15, 16, 17, 40] {
            let mut chunk = vec![inside; len];
            assert!(covers(class, &chunk), "{class} of {len}");
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    chunk[at] = byte;
                    // A brace is looked for where it opens nothing, in chunks that are compared in blocks.
                    let is_covered = BYTE_CLASSES[usize::from(byte)] & class != 0
                        && (class != TEXT || byte != b'{');
                    assert_eq!(covers(class, &chunk), is_covered, "{byte} at {at} of {len}");
                }
                chunk[at] = inside;
            }
        }
    }
}
