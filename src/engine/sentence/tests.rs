//! The splitter against a naive one, and what it costs.

use super::class::{char_at, steps};
use super::terminator::Terminator;
use super::{boundary, last_sentence, scan, sentences, trail};

/// Starts of the sentences, from every character in order and without any search.
fn naive(text: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut bare = text.to_vec();
    let mut at = 0;
    while let Some(found) = char_at(text, at) {
        let terminator = Terminator {
            class: found.class,
            code: found.code,
            start: at,
            end: at + found.len,
        };
        if found.class.ends() {
            starts.extend(boundary::after(text, terminator));
            let end = trail::markup_end(text, terminator, false);
            bare[terminator.end..end.unwrap_or(terminator.end)].fill(b' ');
        }
        at += found.len;
    }
    while starts.len() > 1 && !scan::has_letter(&bare, starts[starts.len() - 1]..text.len()) {
        starts.pop();
    }
    starts.retain(|&start| start < text.len());
    starts
}

/// A fixed sequence of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn searches_find_what_a_naive_walk_finds() {
    let pieces = [
        ". ",
        ".",
        "! ",
        "?",
        "。",
        "！ ",
        "」",
        "\u{2028}",
        "\n> ",
        " ",
        "» ",
        "\" ",
        "word",
        "Word",
        "The",
        "e.g",
        "Dr",
        "U.S",
        "z. B",
        "3",
        "Mai",
        "II",
        "🎉",
        "雨",
        "é",
        "…",
        "... ",
        "(",
        ")",
        "I",
        "said",
        "\u{301}",
        "--",
        "**",
        "_",
        "</p>",
        "[^a]",
        "[1]",
        "【4:0†x】",
        "²",
        "<sup>1</sup>",
        "[^",
        "</",
        "*",
    ];
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut text = Vec::new();
    for _ in 0..10_000 {
        text.clear();
        for _ in 0..random.below(60) {
            text.extend_from_slice(pieces[random.below(pieces.len())].as_bytes());
            if random.below(40) == 0 {
                text.push(0x80 + random.below(0x80) as u8);
            }
            if random.below(60) == 0 {
                text.extend_from_slice(&[b'x'; 130][..random.below(130)]);
            }
        }
        let expected = naive(&text);
        let found: Vec<_> = sentences(&text).map(|range| range.start).collect();
        let printed = String::from_utf8_lossy(&text);
        assert_eq!(
            last_sentence(&text),
            expected.last().copied().unwrap_or(0),
            "{printed:?}"
        );
        assert_eq!(found, expected, "{printed:?}");
    }
}

/// Texts of one unit, in which much looks like the end of a sentence.
const UNITS: &[&str] = &[
    ".",
    ". ",
    " .",
    ". . ",
    "a.a.",
    "A. ",
    "a.",
    ") ",
    "). ",
    ".) ",
    ".)",
    "...",
    "... ",
    "!",
    "! ",
    "!\" ",
    "?» ",
    ". » ",
    "» ",
    "。",
    "。」",
    "。 ",
    "1. ",
    "1.",
    "(1. ",
    "1 ",
    "é",
    "雨",
    "と",
    "\u{2028}",
    "\u{2028} ",
    "\u{301}",
    ".\u{301}",
    "\n> ",
    ">",
    "\n>",
    ".\n> ",
    " ",
    "II. ",
    "Dr. ",
    "e.g. ",
    "z. B. ",
    "🎉",
    "🎉. ",
    "🎉! ",
    "-. ",
    "--",
    ".- ",
    "1.) ",
    ".\" ",
    "[... ",
    "( ",
    "Mai. ",
    "\u{80}.",
    ".** ",
    ".*",
    ".</p> ",
    "1.</b> , ",
    ".[^a]",
    "。[^a]",
    "。**",
    "。**[1]",
    ".** 1. ",
    ".\"**)** 1. ",
    ".** ... ",
    "*",
    "<",
    "</a",
    "[^",
    "【1†",
    "!\u{a0}»** ",
    ".** A. ",
];

#[test]
fn cost_is_linear_in_the_text() {
    for unit in UNITS {
        for (before, after) in [("", ""), ("A! ", "b"), ("a. ", " 🎉 .")] {
            let text = [before, &unit.repeat(65_536 / unit.len()), after].concat();
            steps::taken();
            let last = last_sentence(text.as_bytes());
            let taken = steps::taken();
            assert!(
                taken <= 24 * text.len(),
                "{taken} steps for {unit:?} between {before:?} and {after:?}"
            );
            assert!(last <= text.len());
        }
        let text = unit.repeat(16_384 / unit.len());
        steps::taken();
        let count = sentences(text.as_bytes()).count();
        let taken = steps::taken();
        assert!(
            taken <= 48 * text.len(),
            "{taken} steps to {count} sentences of {unit:?}"
        );
    }
}

#[test]
fn cost_is_that_of_the_last_sentence() {
    for filler in [
        "Some words without an end ",
        "Short. ",
        "雨です。",
        "über ",
        "1. ",
    ] {
        let tail = "Ende. The last sentence is here (see p. 5)";
        let cost = |count: usize| {
            let text = [&filler.repeat(count), tail].concat();
            steps::taken();
            assert_eq!(&text[last_sentence(text.as_bytes())..], &tail[6..]);
            steps::taken()
        };
        assert_eq!(cost(20), cost(2_000), "{filler:?}");
    }
}
