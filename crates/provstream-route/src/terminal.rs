//! JSON that is safe to print on a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// Returns `true` for characters that can control a terminal, end a line for some readers, or
/// reorder text.
///
/// Format characters that text needs, such as the joiner in emoji, are safe.
#[must_use]
pub const fn is_unsafe(character: char) -> bool {
    matches!(character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a value as compact JSON on one line, with escapes for characters that are
/// [unsafe](is_unsafe) on a terminal.
pub fn terminal_json(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut written = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut written, TerminalJson);
    // Names and numbers, which always have JSON.
    let _ = value.serialize(&mut serializer);
    written
}

/// Formatter of compact JSON that is safe to print on a terminal: see [`is_unsafe`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminalJson;

impl Formatter for TerminalJson {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Most text is plain ASCII, which is found out much faster than by looking at each character.
        if fragment.is_ascii() && !fragment.as_bytes().contains(&0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, character)) = rest.char_indices().find(|&(_, c)| is_unsafe(c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            // All of them lie in the basic plane, so that one unit is enough.
            write!(writer, "\\u{:04x}", u32::from(character))?;
            rest = &rest[at + character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // In compact JSON such characters are in strings only.
        self.write_string_fragment(writer, fragment)
    }
}
