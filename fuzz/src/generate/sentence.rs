//! Text as the rules about sentences know it: terminators, closing punctuation, white space and the words of their lists.

use super::text::SENTENCES;
use super::{Choices, MOST};

const TERMINATORS: [&str; 20] = [
    ".",
    ". ",
    ". ",
    ".\n",
    "! ",
    "? ",
    "...",
    "... ",
    "… ",
    "。",
    "！",
    "？",
    "？ ",
    "।\u{2003}",
    "؟ ",
    "\u{2028}",
    "\u{85}",
    "!? ",
    ".\u{301} ",
    "．",
];

const CLOSERS: [&str; 18] = [
    "\"", "'", "”", "’", "» ", " » ", " »", "›", "」", "』", "）", ")", "]", "«", "“", "「", "(",
    "[",
];

/// Closing markup, whole and in parts, and what is nearly some.
const MARKUP: [&str; 40] = [
    "*",
    "**",
    "***",
    "_",
    "__",
    "~~",
    "**_",
    "</p>",
    "</b>",
    "</strong>",
    "</blockquote>",
    "</p",
    "</",
    "<",
    ">",
    "<b>",
    "</2>",
    "[^1]",
    "[^note-1]",
    "[^",
    "[^a",
    "[1]",
    "[12](",
    "[1](u)",
    "[1",
    "]",
    "【1】",
    "【4:0†source】",
    "【",
    "【1†",
    "¹",
    "²³",
    "⁴",
    "<sup>1</sup>",
    "<sup>[2]</sup>",
    "<sup>",
    "<sup>1",
    "1</sup>",
    "</x-abcdefghijklmnopqrstuvwxyz>",
    "****************************************",
];

const SPACES: [&str; 10] = [
    " ", " ", " ", "  ", "\n", "\r\n", "\n> ", "\n>> > ", "\u{a0}", "\t",
];

const WORDS: [&str; 64] = [
    "a",
    "A",
    "b",
    "é",
    "É",
    "It",
    "rains",
    "The",
    "He",
    "La",
    "Le",
    "I",
    "Mary",
    "Mary Smith",
    "said",
    "asked",
    "Dr",
    "Prof",
    "p.m",
    "U.S",
    "z. B",
    "z.B",
    "d. h",
    "e.g",
    "cf",
    "No",
    "no",
    "on",
    "am",
    "Mai",
    "der",
    "3",
    "1",
    "12",
    "123",
    "2019",
    "1,000",
    "II",
    "xiv",
    "XXXVIII",
    "p",
    "St",
    "l'on",
    "J.-C",
    "J.-P",
    "v. u. Z",
    "CHANGELOG.md",
    "x_y",
    "a@b",
    "-",
    "—",
    ",",
    ":",
    ";",
    ">",
    "*",
    "🎉",
    "雨",
    "と",
    "って",
    "老师说",
    "知道",
    "¿Qué",
    "\u{301}",
];

/// Text of some pieces, now and then with bytes that are no characters.
pub(super) fn text(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    while choices.go_on() && out.len() < MOST / 2 {
        let piece = match choices.below(19) {
            0..=5 => choices.pick(&WORDS),
            16..=18 => choices.pick(&MARKUP),
            6..=9 => choices.pick(&TERMINATORS),
            10..=12 => choices.pick(&SPACES),
            13 => choices.pick(&CLOSERS),
            14 => choices.pick(&SENTENCES),
            _ => {
                out.extend_from_slice(choices.bytes());
                continue;
            }
        };
        out.extend_from_slice(piece.as_bytes());
    }
}
