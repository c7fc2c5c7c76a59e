//! Characters and their `Sentence_Break` value.

use super::class_table::{BEYOND, BLOCKS, INDEX, LIMIT};

/// Values of the property `Sentence_Break` (UAX #29, table 4). The order is that of the packed values in `class_table`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BreakClass {
    Other,
    Cr,
    Lf,
    Sep,
    Sp,
    ATerm,
    STerm,
    Close,
    SContinue,
    Numeric,
    Upper,
    Lower,
    OLetter,
    Extend,
    Format,
}

impl BreakClass {
    const ALL: [Self; 16] = [
        Self::Other,
        Self::Cr,
        Self::Lf,
        Self::Sep,
        Self::Sp,
        Self::ATerm,
        Self::STerm,
        Self::Close,
        Self::SContinue,
        Self::Numeric,
        Self::Upper,
        Self::Lower,
        Self::OLetter,
        Self::Extend,
        Self::Format,
        Self::Other,
    ];

    /// Returns `true` if it is a letter: Upper, Lower or `OLetter`.
    pub(super) const fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::OLetter)
    }

    /// Returns `true` if it is white space here: Sp and, by the wire profile, line breaks.
    pub(super) const fn is_space(self) -> bool {
        matches!(self, Self::Sp | Self::Lf | Self::Cr)
    }

    /// Returns `true` if UAX #29 SB5 lets it vanish after another character.
    pub(super) const fn is_mark(self) -> bool {
        matches!(self, Self::Extend | Self::Format)
    }

    /// Returns `true` if it ends sentences, by SB4 or as a terminator.
    pub(super) const fn ends(self) -> bool {
        matches!(self, Self::ATerm | Self::STerm | Self::Sep)
    }
}

/// A character of the text, or a byte that is not part of one (class Other, length 1).
#[derive(Clone, Copy, Debug)]
pub(super) struct Char {
    pub(super) class: BreakClass,
    /// Code point; `u32::MAX` for a byte that is not part of a character.
    pub(super) code: u32,
    /// Bytes, at least 1.
    pub(super) len: usize,
}

const ASCII: [BreakClass; 128] = {
    let mut table = [BreakClass::Other; 128];
    let mut code = 0;
    while code < 128 {
        table[code] = packed(code as u32);
        code += 1;
    }
    table
};

const fn packed(code: u32) -> BreakClass {
    let words = &BLOCKS[INDEX[(code >> 7) as usize] as usize];
    BreakClass::ALL[(words[(code >> 4 & 7) as usize] >> ((code & 15) * 4) & 15) as usize]
}

/// `Sentence_Break` value of a code point.
pub(super) fn class_of(code: u32) -> BreakClass {
    if code < LIMIT {
        return packed(code);
    }
    match BEYOND
        .iter()
        .find(|range| (range.0..=range.1).contains(&code))
    {
        Some(range) => BreakClass::ALL[usize::from(range.2 & 15)],
        None => BreakClass::Other,
    }
}

/// The character that starts at `at`, or None at the end.
#[inline]
pub(super) fn char_at(text: &[u8], at: usize) -> Option<Char> {
    #[cfg(test)]
    steps::add();
    let &byte = text.get(at)?;
    if byte < 0x80 {
        return Some(Char {
            class: ASCII[usize::from(byte)],
            code: u32::from(byte),
            len: 1,
        });
    }
    Some(wide_at(text, at))
}

#[inline(never)]
fn wide_at(text: &[u8], at: usize) -> Char {
    match decode(&text[at..]) {
        Some((code, len)) => Char {
            class: class_of(code),
            code,
            len,
        },
        None => Char {
            class: BreakClass::Other,
            code: u32::MAX,
            len: 1,
        },
    }
}

/// The character that ends at `end`, or None at the start.
///
/// Strict UTF-8 sequences never overlap, so this sees the same characters as reading from the start.
#[inline]
pub(super) fn char_before(text: &[u8], end: usize) -> Option<Char> {
    let last = end.checked_sub(1)?;
    if text[last] < 0x80 {
        return char_at(text, last);
    }
    let lead = (end.saturating_sub(4)..last)
        .rev()
        .find(|&at| text[at] & 0xC0 != 0x80)
        .unwrap_or(last);
    match char_at(text, lead) {
        Some(found) if lead + found.len == end => Some(found),
        _ => Some(Char {
            class: BreakClass::Other,
            code: u32::MAX,
            len: 1,
        }),
    }
}

/// Code point and length of the strict UTF-8 sequence of two to four bytes at the start of `bytes`.
fn decode(bytes: &[u8]) -> Option<(u32, usize)> {
    let lead = u32::from(*bytes.first()?);
    let tail = |at: usize| {
        let byte = *bytes.get(at)?;
        (byte & 0xC0 == 0x80).then_some(u32::from(byte & 0x3F))
    };
    match lead {
        0xC2..=0xDF => Some(((lead & 0x1F) << 6 | tail(1)?, 2)),
        0xE0..=0xEF => {
            let code = (lead & 0xF) << 12 | tail(1)? << 6 | tail(2)?;
            (code >= 0x800 && !(0xD800..0xE000).contains(&code)).then_some((code, 3))
        }
        0xF0..=0xF4 => {
            let code = (lead & 7) << 18 | tail(1)? << 12 | tail(2)? << 6 | tail(3)?;
            (0x1_0000..0x11_0000).contains(&code).then_some((code, 4))
        }
        _ => None,
    }
}

/// Number of characters read by this thread.
#[cfg(test)]
pub(super) mod steps {
    use std::cell::Cell;

    thread_local!(static STEPS: Cell<usize> = const { Cell::new(0) });

    pub(super) fn add() {
        STEPS.set(STEPS.get() + 1);
    }

    pub(in crate::engine::sentence) fn taken() -> usize {
        STEPS.take()
    }
}

#[cfg(test)]
mod tests {
    use super::{BreakClass, char_at, char_before, class_of};

    fn named(name: &str) -> BreakClass {
        BreakClass::ALL
            .into_iter()
            .find(|class| format!("{class:?}").eq_ignore_ascii_case(name))
            .expect("a value of Sentence_Break")
    }

    #[test]
    fn table_equals_its_source() {
        let mut expected = vec![BreakClass::Other; 0x11_0000];
        let source = include_str!("data/sentence_break.txt");
        for line in source.lines().filter(|line| !line.starts_with('#')) {
            let (span, name) = line.split_once(' ').expect("span and value");
            let (first, last) = span.split_once("..").unwrap_or((span, span));
            let parse = |digits| usize::from_str_radix(digits, 16).expect("hexadecimal");
            expected[parse(first)..=parse(last)].fill(named(name));
        }
        for (code, &class) in (0..).zip(&expected) {
            assert_eq!(class_of(code), class, "U+{code:04X}");
        }
    }

    #[test]
    fn every_character_is_read_both_ways() {
        let mut buffer = [0; 4];
        for char in '\0'..=char::MAX {
            let text = char.encode_utf8(&mut buffer).as_bytes();
            for read in [char_at(text, 0), char_before(text, text.len())] {
                let read = read.expect("a character");
                assert_eq!((read.code, read.len), (char.into(), text.len()));
            }
        }
    }

    #[test]
    fn bad_bytes_are_single_characters() {
        for bad in [
            &b"\xC0\x80"[..],
            b"\xED\xA0\x80",
            b"\xF4\x90\x80\x80",
            b"\xE2\x80",
            b"\x80",
            b"\xFF",
        ] {
            assert_eq!(
                char_at(bad, 0).map(|c| (c.code, c.len)),
                Some((u32::MAX, 1))
            );
            assert_eq!(
                char_before(bad, bad.len()).map(|c| (c.code, c.len)),
                Some((u32::MAX, 1))
            );
        }
        assert!(char_at(b"a", 1).is_none() && char_before(b"a", 0).is_none());
    }
}
