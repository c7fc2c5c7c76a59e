//! Short generated inputs in which the release point and the gate have something to decide.

use crate::reference::engine::Cuts;
use crate::reference::generate::with_breaks;
use crate::reference::{Reading, RefMode, Segment};

/// Fragments of free text.
const TEXT: &[&str] = &[
    "It rained",
    "Dr",
    "Smith",
    "The",
    "the",
    "p",
    "U.S",
    "z. B",
    "Fig",
    "5",
    "Mai",
    "am",
    "said",
    "I",
    "A",
    "x",
    "IV",
    ".",
    ".",
    ".",
    "...",
    "!",
    "?",
    "\u{3002}",
    "\u{8bf4}",
    "\u{3068}",
    "\"",
    "\u{201d}",
    ")",
    "(",
    "\u{bb}",
    ",",
    ";",
    " ",
    " ",
    " ",
    " ",
    "\n",
    "\n",
    "\n\n",
    "\t",
    "\u{a0}",
    "> ",
    ">",
    "- ",
    "-",
    "1. ",
    "# ",
    "| ",
    "|",
    "\\",
    "`",
    "``",
    "```",
    "```\n",
    "~~~\n",
    "> ```\n",
    "- ```\n",
    "[a;ts=]",
    "[a;ts=]",
    "[substrate.grep]",
    "[substrate.gr",
    " [a-b]",
    " [a-b]",
    "[a.b;x=1]",
    " [1.1:c",
    "[",
    "]",
    "[x]",
    "```\n{\"assertion\":\"x\"}\n```\n",
    "**",
    ".** ",
    "*",
    "_",
    "</b>",
    "</",
    "[^a]",
    "[^",
    "[1]",
    "\u{3002}[^a",
    "\u{3010}1\u{3011}",
    "\u{3010}1\u{2020}a",
    "<sup>1</sup>",
    "<sup>",
    "\u{b2}",
    "2.</b> ",
    "\u{feff}",
    "\u{e9}",
    "\u{1F600}",
    "\u{2028}",
    "))))))))))",
    "\n\n\n\n\n\n\n\n",
];

/// Fragments of JSON.
const JSON: &[&str] = &[
    "{",
    "{",
    "}",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"assertion\":\"One. Two\"",
    "\"assertion\":\"x",
    "\"assertion\":",
    "\"assertion\"",
    "\"assertion\":[1],",
    "\"assertion\":7,",
    "{\"assertion\":{},\"assertion\":\"x\",\"assertion\":\"y\"}",
    "{\"assertion\":\"\",\"assertion\":null}",
    "\"ass\\u0065rtion\":\"y\"",
    "\"provenance\":{\"substrate_class\":\"substrate.grep\"}",
    "\"provenance\":[",
    "\"provenance\":",
    "\"a\":1",
    "\"a\":",
    "\"a\":{",
    "null",
    "1",
    "\"s\"",
    "\n",
    " ",
    "{\"assertion\":\"x\"}",
    "{\"a\":",
    "{\"assertion\":\"x\",",
];

/// A short input with the mode to read it in.
#[derive(Clone, Debug)]
pub struct Short {
    pub reading: Reading,
    pub input: Vec<Segment>,
}

/// Generates an input of one to `most` fragments; equal seeds give equal inputs.
pub fn short(seed: u64, most: usize) -> Short {
    let mut random = Cuts(seed);
    let mode = match random.below(8) {
        0..3 => RefMode::Text,
        3..6 => RefMode::Auto,
        6 => RefMode::Json,
        _ => RefMode::Ndjson,
    };
    let reading = Reading {
        mode,
        hold_records: mode != RefMode::Text && random.below(3) == 0,
    };
    let json = match mode {
        RefMode::Text => 0,
        RefMode::Auto => random.below(3) * 3,
        _ => 10,
    };
    let mut input: Vec<Segment> = Vec::new();
    let mut own = true;
    for _ in 0..1 + random.below(most) {
        if random.below(16) == 0 {
            own = !own;
        }
        let from = if random.below(10) < json { JSON } else { TEXT };
        let piece = from[random.below(from.len())].as_bytes();
        match input.last_mut() {
            Some(last) if last.own == own => last.bytes.extend_from_slice(piece),
            _ => input.push(Segment {
                own,
                bytes: piece.to_vec(),
                after_break: false,
            }),
        }
    }
    Short { reading, input }
}

/// Generates the input of [`short`], with breaks for one seed in four.
pub fn broken(seed: u64, most: usize) -> Short {
    let Short { reading, input } = short(seed, most);
    Short {
        reading,
        input: with_breaks(input, seed, 4),
    }
}
