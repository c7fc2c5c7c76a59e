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

/// Returns `true` for ASCII without DEL. Other control characters have escapes in JSON.
fn is_ascii_text(bytes: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    let Some(last) = bytes.last_chunk::<8>() else {
        return bytes.iter().all(|byte| *byte < 0x7f);
    };
    let words = bytes.as_chunks::<8>().0.iter().chain([last]);
    // Adding 1 sets the high bit of DEL. A carry comes from 0xff only, whose own high bit is set.
    let high = words.fold(0, |high, word| {
        let word = u64::from_le_bytes(*word);
        high | word | word.wrapping_add(ONES)
    });
    high & (ONES << 7) == 0
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
        // Fast path: most text is ASCII.
        if is_ascii_text(fragment.as_bytes()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_escaped_wherever_they_are() {
        for (character, escaped) in [
            ("\u{7f}", "\\u007f"),
            ("\u{9b}", "\\u009b"),
            ("\u{202e}", "\\u202e"),
            ("é~", "é~"),
            ("~", "~"),
        ] {
            for length in 0..20 {
                for at in 0..=length {
                    let (before, after) = ("x".repeat(at), "x".repeat(length - at));
                    let written = terminal_json(&format!("{before}{character}{after}"));
                    let expected = format!("\"{before}{escaped}{after}\"");
                    assert_eq!(String::from_utf8(written).unwrap(), expected);
                }
            }
        }
    }
}
