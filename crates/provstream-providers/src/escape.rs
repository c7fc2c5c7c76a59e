//! Writing text as the content of a JSON string.

/// Appends a text as a JSON string has it, without the quotes. `RFC 8259 7`
///
/// Besides what must be escaped, the characters are that some line splitters take for line ends (U+0085 and the other C1 controls, U+2028, U+2029):
/// clients that read one JSON value a line would cut the string there.
pub(super) fn push_content(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| may_need_escape(byte)) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        let len = match special {
            [0xC2, low @ 0x80..=0x9F, ..] => push_unit(out, u16::from(*low), 2),
            [0xE2, 0x80, low @ (0xA8 | 0xA9), ..] => {
                push_unit(out, 0x2000 | u16::from(low & 0x3F), 3)
            }
            [byte @ (0xC2 | 0xE2), ..] => {
                out.push(*byte);
                1
            }
            [byte, ..] => {
                match byte {
                    b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    b'\t' => out.extend_from_slice(b"\\t"),
                    0x08 => out.extend_from_slice(b"\\b"),
                    0x0C => out.extend_from_slice(b"\\f"),
                    control => {
                        push_unit(out, u16::from(*control), 1);
                    }
                }
                1
            }
            [] => 0,
        };
        rest = &special[len..];
    }
    out.extend_from_slice(rest);
}

const fn may_need_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1F | 0x7F | 0xC2 | 0xE2)
}

/// Appends an escape with four hexadecimal digits; gives the length of what it is for.
pub(super) fn push_unit(out: &mut Vec<u8>, unit: u16, len: usize) -> usize {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        out.push(DIGITS[usize::from(unit >> shift & 0xF)]);
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_has_no_line_end() {
        let text: String = (0..0x2100_u32)
            .chain([0xFFFD, 0x1_F600])
            .filter_map(char::from_u32)
            .collect();
        let mut out = b"\"".to_vec();
        push_content(&mut out, text.as_bytes());
        out.push(b'"');
        let back: String = serde_json::from_slice(&out).expect("a string");
        assert_eq!(back, text);
        let written = String::from_utf8(out).expect("UTF-8");
        assert!(
            !written.contains(|char: char| char.is_control() || "\u{2028}\u{2029}".contains(char))
        );
        assert!(written.contains("é") && written.contains("\\u2028\\u2029"));
    }
}
