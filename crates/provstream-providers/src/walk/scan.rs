//! Finds the ends of JSON tokens. Their content is not validated, except for escapes, which are decoded later.

use memchr::memchr2;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Length up to which strings are scanned eight bytes at a time; longer ones are worth a call of `memchr`.
const SHORT: usize = 64;

/// Longest word in bytes. Identifiers that servers encrypt have some 500.
pub(crate) const LONGEST_WORD: usize = 1_024;

/// End of a string's content, which is the position of the closing quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StringEnd {
    pub(crate) end: usize,
    /// A backslash is in the content.
    pub(crate) escaped: bool,
}

/// Returns the end of the string whose content begins at `from`; `None` if the string continues after `data`, or has
/// an invalid escape. `RFC 8259 7`
#[inline]
pub(crate) fn string_end(data: &[u8], from: usize) -> Option<StringEnd> {
    let at = quote_or_backslash(data, from)?;
    if data[at] == b'"' {
        return Some(StringEnd {
            end: at,
            escaped: false,
        });
    }
    escaped_end(data, at)
}

/// Returns the end of a string whose first backslash is at `backslash`.
#[cold]
fn escaped_end(data: &[u8], backslash: usize) -> Option<StringEnd> {
    let mut at = backslash;
    loop {
        at += escape_len(&data[at..])?;
        // Escapes often follow one another.
        if data.get(at) == Some(&b'\\') {
            continue;
        }
        at = quote_or_backslash(data, at)?;
        if data[at] == b'"' {
            return Some(StringEnd {
                end: at,
                escaped: true,
            });
        }
    }
}

/// Returns the length of the escape at the start of `rest`; `None` if it is incomplete or invalid. `RFC 8259 7`
fn escape_len(rest: &[u8]) -> Option<usize> {
    match rest.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => {
            let digits = rest.get(2..6)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(6)
        }
        _ => None,
    }
}

/// Returns the position of the first quote or backslash from `from` on.
fn quote_or_backslash(data: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at < from + SHORT {
        let Some(word) = data.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
            let rest = data.get(at..)?;
            let len = rest
                .iter()
                .position(|&byte| byte == b'"' || byte == b'\\')?;
            return Some(at + len);
        };
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ (ONES * b'"' as u64)) | zeros(word ^ (ONES * b'\\' as u64));
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    memchr2(b'"', b'\\', &data[at..]).map(|len| at + len)
}

/// Returns the end of the string whose content begins at `from`, and `true` if the content is ASCII; `None` if the
/// content is incomplete or has an escape or control character.
#[inline]
pub(crate) fn plain_end(data: &[u8], from: usize) -> Option<(usize, bool)> {
    end_without::<b' '>(data, from)
}

/// Returns the end of the string whose content begins at `from`, if the content is a [word](super::allowed::Allowed).
#[inline]
pub(crate) fn word_end(data: &[u8], from: usize) -> Option<usize> {
    let (end, is_ascii) = end_without::<b'!'>(data, from)?;
    (is_ascii && end - from <= LONGEST_WORD).then_some(end)
}

/// Returns the end of a string as [`plain_end`] does; `None` if a byte in the content is less than `LEAST`.
#[inline(always)]
fn end_without<const LEAST: u8>(data: &[u8], from: usize) -> Option<(usize, bool)> {
    let mut at = from;
    let mut all = 0;
    while let Some(word) = data.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        let ends = zeros(word ^ (ONES * b'"' as u64)) | zeros(word ^ (ONES * b'\\' as u64));
        let ends = ends | (word.wrapping_sub(ONES * u64::from(LEAST)) & !word & HIGHS);
        if ends != 0 {
            let len = ends.trailing_zeros() / 8;
            // The bytes before the one that ends it.
            all |= word & !(u64::MAX << (8 * len));
            at += len as usize;
            return (data[at] == b'"').then_some((at, all & HIGHS == 0));
        }
        all |= word;
        at += 8;
    }
    loop {
        match *data.get(at)? {
            b'"' => return Some((at, all & HIGHS == 0)),
            b'\\' => return None,
            byte if byte < LEAST => return None,
            byte => all |= u64::from(byte),
        }
        at += 1;
    }
}

/// Sets the high bit of each zero byte of `word`. Bits above the lowest such byte may be wrong.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

/// Returns the position of the first byte from `at` on that is not JSON white space. `RFC 8259 2`
#[inline]
pub(crate) fn white_space_end(data: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = data.get(at) {
        at += 1;
    }
    at
}

/// Returns the end of the number or literal that begins at `from`: the position of a delimiter, or the length of
/// `data`.
#[inline]
pub(crate) fn scalar_end(data: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = data.get(at) {
        if DELIMITS[usize::from(byte)] {
            break;
        }
        at += 1;
    }
    at
}

/// Bytes that end a number or a literal.
const DELIMITS: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b",}]:{[\" \t\n\r";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// Returns `true` if a token is a number or a literal that the JSON readers of providers' SDKs accept. Python's
/// `json` and JavaScript servers' own readers accept `NaN`, `Infinity` and `-Infinity`.
#[inline]
pub(crate) fn is_scalar(token: &[u8]) -> bool {
    match token {
        // Most tokens are `null`.
        b"null" => true,
        b"true" | b"false" | b"NaN" | b"Infinity" | b"-Infinity" => true,
        [b'-' | b'0'..=b'9', rest @ ..] => rest
            .iter()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')),
        _ => false,
    }
}

/// Returns the position after the container that begins at `from`; `None` if the container is incomplete, or has bytes
/// outside of strings that are no JSON tokens. The order of the tokens is not checked.
pub(crate) fn container_end(data: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_u32);
    loop {
        let mut rest = data.get(at..)?.iter();
        at += rest.position(|&byte| !BETWEEN[usize::from(byte)])?;
        at = match data[at] {
            b'"' => Skip::default().string(data, at + 1)?,
            b'{' | b'[' => {
                depth += 1;
                at + 1
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
                at + 1
            }
            _ => {
                let mut literals = LITERALS.iter();
                at + literals.find(|word| data[at..].starts_with(word))?.len()
            }
        };
    }
}

const LITERALS: [&[u8]; 5] = [b"null", b"true", b"false", b"NaN", b"Infinity"];

/// Bytes between strings, brackets and literals: separators, white space and numbers.
const BETWEEN: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b",: \t\n\r0123456789+-.eE";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// Finds the end of a container, which may come in several pieces. The content is not validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skip {
    /// Number of open containers.
    pub(crate) depth: u32,
    in_string: bool,
    /// The last byte was a backslash that escapes the next one.
    after_backslash: bool,
}

/// Bytes that matter outside of strings: quotes and brackets.
const MATTERS: [bool; 256] = {
    let mut table = [false; 256];
    table[b'"' as usize] = true;
    table[b'{' as usize] = true;
    table[b'}' as usize] = true;
    table[b'[' as usize] = true;
    table[b']' as usize] = true;
    table
};

impl Skip {
    /// Skips from `from`, the container's first byte or the continuation of a skip. Returns the position after the
    /// container, or `None` if it is incomplete.
    pub(crate) fn run(&mut self, data: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if self.in_string {
                at = self.string(data, at)?;
            }
            at += data
                .get(at..)?
                .iter()
                .position(|&byte| MATTERS[byte as usize])?;
            match data[at] {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                _ => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
            }
            at += 1;
        }
    }

    /// Skips to the end of the open string.
    fn string(&mut self, data: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        if core::mem::take(&mut self.after_backslash) {
            if at == data.len() {
                self.after_backslash = true;
                return None;
            }
            at += 1;
        }
        loop {
            at = quote_or_backslash(data, at)?;
            if data[at] == b'"' {
                self.in_string = false;
                return Some(at + 1);
            }
            at += 2;
            if at > data.len() {
                self.after_backslash = true;
                return None;
            }
            // Escapes often follow one another.
            while let Some([b'\\', _]) = data.get(at..at + 2) {
                at += 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte at a time.
    fn naive_end(data: &[u8], from: usize) -> Option<StringEnd> {
        let mut escaped = false;
        let mut at = from;
        loop {
            match data.get(at)? {
                b'"' => return Some(StringEnd { end: at, escaped }),
                b'\\' => {
                    escaped = true;
                    let four = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
                    at += match data.get(at + 1)? {
                        b'u' if data.get(at + 2..at + 6).is_some_and(four) => 6,
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                        _ => return None,
                    };
                }
                _ => at += 1,
            }
        }
    }

    #[test]
    fn a_string_ends_where_the_naive_scan_ends_it() {
        let mut seed = 7_u64;
        for len in 0..160 {
            for _ in 0..40 {
                let data: Vec<u8> = (0..len)
                    .map(|_| {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        [
                            b'a', b'!', b'#', b'[', b']', 0xA2, 0xDC, b'n', b'u', b'\\', b'"',
                        ][(seed >> 33) as usize % if len > 40 { 80 } else { 11 } % 11]
                    })
                    .collect();
                for from in [0, len / 3, len] {
                    assert_eq!(string_end(&data, from), naive_end(&data, from));
                }
            }
        }
    }

    #[test]
    fn a_plain_string_ends_where_the_naive_scan_ends_it() {
        let mut seed = 9_u64;
        let mut count = 0;
        for len in 0..80 {
            for _ in 0..60 {
                let data: Vec<u8> = (0..len)
                    .map(|_| {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        let bytes = [
                            b'a', b' ', 0x80, 0xFF, 0xA0, 0x7F, b'!', b'#', b'"', b'\\', 0x1F, 0,
                            b'\n',
                        ];
                        bytes[(seed >> 33) as usize % if len > 20 { 60 } else { 13 } % 13]
                    })
                    .collect();
                for from in [0, len / 3, len] {
                    let mut rest = data[from..].iter();
                    let end = rest.position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
                    let end = end.filter(|&end| data[from + end] == b'"').map(|len| {
                        let end = from + len;
                        (end, data[from..end].is_ascii())
                    });
                    assert_eq!(plain_end(&data, from), end, "{data:?} from {from}");
                    count += usize::from(end.is_some());
                }
            }
        }
        assert!(count > 1_000, "{count} strings");
    }

    #[test]
    fn a_container_ends_at_the_same_byte_however_it_is_cut() {
        let data = br#"{"a":["\\",{"b":"\"}]\\\"{"}],"c":{}} rest"#;
        let end = data.len() - 5;
        assert_eq!(Skip::default().run(data, 0), Some(end));
        for cut in 0..end {
            let mut skip = Skip::default();
            assert_eq!(skip.run(&data[..cut], 0), None, "{cut}");
            assert_eq!(skip.run(&data[cut..], 0), Some(end - cut), "{cut}");
        }
    }

    #[test]
    fn a_container_has_tokens_alone() {
        for json in [
            "[]",
            "{}",
            r#"{"a":["\\",{"b":"\"}]x"}],"c" : {} }"#,
            "[ 1,-2.5e+3,true,false,null,NaN,-Infinity\t]",
        ] {
            for after in ["", ",1", "]x"] {
                let data = format!("7{json}{after}");
                let end = container_end(data.as_bytes(), 1);
                assert_eq!(end, Some(1 + json.len()), "{data}");
            }
        }
        for json in [
            "[", "[[]", "[x]", "[nul]", "[it is]", "{a:1}", "[\u{b7}]", "[\0]", "[/]",
        ] {
            assert_eq!(container_end(json.as_bytes(), 0), None, "{json}");
        }
    }

    #[test]
    fn scalars_are_what_sdks_read() {
        for token in ["null", "-1.5e+3", "0", "NaN", "-Infinity", "true"] {
            assert!(is_scalar(token.as_bytes()), "{token}");
        }
        for token in ["", "ping", "nul", "--x", "undefined", "1x"] {
            assert!(!is_scalar(token.as_bytes()), "{token}");
        }
    }
}
