//! White space longer than what the window keeps, in and behind every kind of block: the engine equals the reference
//! however the stream is cut.

use provstream::sentence::last_sentence;
use testkit::reference::engine::{canonical, parser, run};
use testkit::reference::{RefLimits, RefVocabulary, Segment, events};

/// Text before the white space, between the white space and the annotation, and after the
/// annotation.
const FRAMES: [(&str, &str); 14] = [
    ("Some text.", ""),
    ("Some text", "x"),
    ("Some text.\n\nMore", " and more"),
    ("```\ncode", "\n```\n"),
    ("```\ncode", "x\n```\n"),
    ("```\ncode\n", "\n```\n"),
    ("```\ncode\n", "x\n```\n"),
    ("```\ncode\n```", "\n"),
    ("> ```\n> code", "\n> ```\n"),
    ("> ```\n> code\n", "x\n> ```\n"),
    ("~~~\ncode\n~~", "\n~~~~~\n"),
    ("| a | b |", "|\n"),
    ("- item", "\n- "),
    ("> quoted\n> text.", "\n> "),
];

const WHITE: [&str; 6] = [" ", "\n", "\u{3000}", "\r\n", "\n> ", "\n\n \t"];

fn check(limits: &RefLimits, lengths: &[usize]) {
    let vocabulary = RefVocabulary::default();
    let mut engine = parser(limits, &vocabulary);
    for (before, behind) in FRAMES {
        for white in WHITE {
            for &length in lengths {
                let white = white.repeat(length / white.len());
                let text = format!("{before}{white}{behind}[substrate.grep] Then.");
                let input = [Segment {
                    own: true,
                    bytes: text.into_bytes(),
                    after_break: false,
                }];
                let expected = canonical(events(&input, limits, &vocabulary, &last_sentence));
                for size in [usize::MAX, 1, 7, 64, 1_000, 4_096, 8_192] {
                    let found = run(&mut engine, &input, |_| size);
                    engine.reset();
                    assert_eq!(
                        found, expected,
                        "{before:?}, {length} bytes of white space, {behind:?}, chunks of {size}"
                    );
                }
            }
        }
    }
}

#[test]
fn at_the_default_limits() {
    check(&RefLimits::default(), &[4_090, 4_100, 9_400, 13_000]);
}

#[test]
fn at_small_limits() {
    let limits = RefLimits {
        max_assertion: 20,
        ..RefLimits::default()
    };
    check(&limits, &[10, 18, 24, 40, 48, 150, 400, 1_200, 2_500]);
}

/// The part of the lookback window that an annotation retains leaves room for the next assertion,
/// however long the assertion before was.
#[test]
fn closing_punctuation_after_an_annotation_begins_the_next_assertion() {
    let (limits, vocabulary) = (RefLimits::default(), RefVocabulary::default());
    let mut engine = parser(&limits, &vocabulary);
    for (words, closers) in [(1, 100), (20, 300), (20, 3_000), (700, 3_000)] {
        let (long, closers) = ("word ".repeat(words), ")".repeat(closers));
        let text =
            format!("So {long}it is. [substrate.grep] {closers} Then [substrate.git.log] end.");
        let input = [Segment {
            own: true,
            bytes: text.into_bytes(),
            after_break: false,
        }];
        let expected = canonical(events(&input, &limits, &vocabulary, &last_sentence));
        for size in [usize::MAX, 1, 7, 64, 1_000] {
            let found = run(&mut engine, &input, |_| size);
            engine.reset();
            assert_eq!(found, expected, "{words} words, chunks of {size}");
        }
    }
}

/// A line that begins within an annotation begins a line for what comes after it, however the annotation is read.
#[test]
fn a_line_feed_within_an_annotation_ends_its_line() {
    let (limits, vocabulary) = (RefLimits::default(), RefVocabulary::default());
    let mut engine = parser(&limits, &vocabulary);
    for before in ["| a. ", "| a | ", "# a. ", "> a. ", "- a. ", "a. "] {
        for separator in [";", "; ", ";\n", " ;\n "] {
            for after in [" b | c. ", " b. c. ", "\n| b | c. ", "\n\nb. "] {
                let text = format!(
                    "{before}[substrate.grep{separator}ts=2026-05-28T11:40:00Z]{after}[substrate.git.log]\n"
                );
                let input = [Segment {
                    own: true,
                    bytes: text.clone().into_bytes(),
                    after_break: false,
                }];
                let expected = canonical(events(&input, &limits, &vocabulary, &last_sentence));
                for size in [usize::MAX, 1, 7, 40, 64] {
                    let found = run(&mut engine, &input, |_| size);
                    engine.reset();
                    assert_eq!(found, expected, "{text:?}, chunks of {size}");
                }
            }
        }
    }
}
