//! Generator of JSON values of every type, and of damage to them.

use super::super::generate::Random;
use super::{Maker, object};

/// Contents of strings as written in JSON.
pub(super) const TEXTS: &[&[u8]] = &[
    b"",
    b"x",
    b"The file has an entry.",
    b"a\\nb\\t\\\"q\\\" \\\\ \\/ \\b\\f\\r",
    b"\\u0041\\u00e9\\u20AC",
    b"\\uD83D\\uDE00",
    b"ab\\ud83d\\ude00cd",
    b"\\uD83D",
    b"\\uDE00\\uD83D",
    b"\\uD83D\\uD83D\\uDE00",
    b"\\uD83D\\u0041",
    b"\\uD83Dx",
    b"\\u0000\\u007f",
    "caf\u{e9} \u{20ac} \u{1F600}".as_bytes(),
    "\u{1F600}\u{1F600}".as_bytes(),
    b"\xFF",
    b"a\xE2\x80",
    b"\xE2\x80\\u00e9",
    b"\xF0\x9F\x98x",
    b"\xED\xA0\xBD\xED\xB8\x80",
    b"\xC0\xAF\x80",
    b"[substrate.grep]",
    b"``` `x` ~~~",
    b"{\\\"assertion\\\":\\\"x\\\"}",
    b"| a | b",
    b"\x7F",
    "\u{2028}".as_bytes(),
];

/// Numbers and literals.
const SCALARS: &[&str] = &[
    "0",
    "-0",
    "1",
    "12",
    "-7.5",
    "0.001",
    "1e5",
    "1E+10",
    "2.5e-3",
    "123456789012345678901234567890",
    "1e9999",
    "true",
    "false",
    "null",
];

/// Invalid numbers and literals.
const BAD_SCALARS: &[&str] = &[
    "01",
    "-",
    "1.",
    ".5",
    "1.e5",
    "1e",
    "1e+",
    "+1",
    "NaN",
    "tru",
    "nul",
    "True",
    "truefalse",
    "'x'",
    "0x1",
    "-a",
    "\"a\nb\"",
    "\"\\x\"",
    "\"\\u12g4\"",
    "\"\t\"",
    "undefined",
    "1,",
];

/// White space between tokens.
const SPACE: &[&str] = &[" ", "\t", "  ", "\r", " \t "];

/// White space with line feeds.
const FEEDS: &[&str] = &["\n", "\r\n", "\n  ", "\n\n", "\n\t\n"];

/// White space that JSON does not allow.
const BAD_SPACE: &[&str] = &["\x0b", "\u{a0}", "\u{feff}", "\x0c", "\u{2003}"];

/// Member names that no reader interprets.
const NAMES: &[&str] = &[
    "a",
    "b",
    "",
    "a/b",
    "m~n",
    "\\u0061",
    "\u{e9}",
    "Assertion",
    "assertions",
    "class",
    "items",
    "a rather long name that fills a pointer",
    "\\uD83D",
    "\\\"",
    "provenances",
    "answer",
    "confidence_band",
];

impl<'a> Maker<'a> {
    /// Creates a generator of values that stay within `max_depth` in most cases.
    pub(super) fn new(random: &'a mut Random, max_depth: usize, feeds: bool) -> Self {
        // Mostly one line, even where there may be several.
        let feeds = (feeds && random.once_in(2)) || random.once_in(20);
        Self {
            random,
            max_depth,
            feeds,
        }
    }

    /// Appends white space, or nothing.
    pub(super) fn space(&mut self, out: &mut Vec<u8>) {
        let space = match self.random.below(40) {
            0..=8 => self.random.pick(SPACE),
            9..=13 if self.feeds => self.random.pick(FEEDS),
            14 if self.random.once_in(8) => self.random.pick(BAD_SPACE),
            _ => "",
        };
        out.extend_from_slice(space.as_bytes());
    }

    /// Appends a member name and its colon, sometimes with an escape in the name.
    pub(super) fn name(&mut self, name: &str, out: &mut Vec<u8>) {
        out.push(b'"');
        let escaped = if self.random.once_in(8) && !name.contains('\\') {
            self.random.below(name.len().max(1))
        } else {
            usize::MAX
        };
        for (index, byte) in name.bytes().enumerate() {
            if index == escaped && byte.is_ascii() {
                let escape = if self.random.once_in(2) {
                    format!("\\u{byte:04x}")
                } else {
                    format!("\\u{byte:04X}")
                };
                out.extend_from_slice(escape.as_bytes());
            } else {
                out.push(byte);
            }
        }
        out.push(b'"');
        self.space(out);
        out.push(b':');
        self.space(out);
    }

    /// Appends a string.
    pub(super) fn text(&mut self, out: &mut Vec<u8>) {
        out.push(b'"');
        match self.random.below(30) {
            0 => out.resize(out.len() + 1_015 + self.random.below(20), b'a'),
            1 => {
                for _ in 0..4 + self.random.below(8) {
                    out.extend_from_slice(self.random.pick(TEXTS));
                }
            }
            2 if self.random.once_in(6) => {
                out.resize(out.len() + 4_085 + self.random.below(12), b'a');
                out.extend_from_slice(self.random.pick(TEXTS));
            }
            3 => {
                let what = self.random.pick(&["\u{e9}", "\\u00e9", "\u{1F600}", "\\n"]);
                let times = 1 + self.random.below(12);
                out.extend_from_slice(what.repeat(times).as_bytes());
            }
            _ => out.extend_from_slice(self.random.pick(TEXTS)),
        }
        out.push(b'"');
    }

    /// Appends a number or a literal, seldom an invalid one.
    pub(super) fn scalar(&mut self, out: &mut Vec<u8>) {
        let choices = if self.random.once_in(25) {
            BAD_SCALARS
        } else {
            SCALARS
        };
        out.extend_from_slice(self.random.pick(choices).as_bytes());
    }

    /// Appends a value that may nest `left` levels deep.
    pub(super) fn value(&mut self, left: usize, out: &mut Vec<u8>) {
        // Seldom deeper than that.
        let left = if left == 0 && self.random.once_in(12) {
            2
        } else {
            left
        };
        match self.random.below(if left == 0 { 8 } else { 24 }) {
            0..=3 => self.text(out),
            4..=7 => self.scalar(out),
            8..=14 => object::record(self, left, out),
            15..=17 => self.plain(left, out),
            18..=22 => self.array(left, out),
            _ => self.nest(out),
        }
    }

    /// Appends an array.
    pub(super) fn array(&mut self, left: usize, out: &mut Vec<u8>) {
        out.push(b'[');
        let elements = self.random.below(4);
        for index in 0..elements {
            if index > 0 {
                out.push(b',');
            }
            self.space(out);
            self.value(left.saturating_sub(1), out);
            self.space(out);
        }
        out.push(b']');
    }

    /// Appends an object of up to three members that no reader interprets.
    pub(super) fn plain(&mut self, left: usize, out: &mut Vec<u8>) {
        let count = self.random.below(4);
        let members = (0..count).map(|_| self.any_member(left)).collect();
        self.object(members, out);
    }

    /// Generates a member that no reader interprets.
    pub(super) fn any_member(&mut self, left: usize) -> Vec<u8> {
        let mut member = Vec::new();
        if self.random.once_in(15) {
            self.text(&mut member);
            member.push(b':');
        } else {
            let name = self.random.pick(NAMES);
            self.name(name, &mut member);
        }
        self.value(left.saturating_sub(1), &mut member);
        member
    }

    /// Appends an object of the `members` in random order.
    pub(super) fn object(&mut self, mut members: Vec<Vec<u8>>, out: &mut Vec<u8>) {
        out.push(b'{');
        self.space(out);
        let mut first = true;
        while !members.is_empty() {
            if !first {
                out.push(b',');
                self.space(out);
            }
            first = false;
            let next = self.random.below(members.len());
            out.extend_from_slice(&members.swap_remove(next));
            self.space(out);
        }
        out.push(b'}');
    }

    /// Appends nested arrays and objects about as deep as the limit.
    fn nest(&mut self, out: &mut Vec<u8>) {
        let depth = (self.max_depth + self.random.below(4)).saturating_sub(2);
        let mut closers = Vec::new();
        for _ in 0..depth {
            if self.random.once_in(2) {
                out.push(b'[');
                closers.push(b']');
            } else {
                self.name("d", {
                    out.push(b'{');
                    out
                });
                closers.push(b'}');
            }
        }
        if self.random.once_in(2) {
            out.extend_from_slice(b"{\"assertion\":\"deep\"}");
        } else {
            self.scalar(out);
        }
        closers.reverse();
        out.extend_from_slice(&closers);
    }

    /// Damages the bytes from `from` on: deletes, replaces or inserts a byte, or cuts off the rest.
    pub(super) fn damage(&mut self, from: usize, out: &mut Vec<u8>) {
        if out.len() == from {
            return;
        }
        let at = from + self.random.below(out.len() - from);
        let byte = b"{}[]\",:\\\n `~>|-x0\x01\xFF\x20]"[self.random.below(21)];
        match self.random.below(4) {
            0 => {
                out.remove(at);
            }
            1 => out[at] = byte,
            2 => out.insert(at, byte),
            _ => out.truncate(at),
        }
    }
}
