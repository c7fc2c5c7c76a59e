//! Tokenizer for complete objects in common form.

use super::run::{digit_run, plain};
use super::white::is_white;

/// Reason for which the tokenizer gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// The token is incomplete.
    Cut,
    /// The token is not the expected one, or not in common form.
    Other,
}

/// Bytes after the last token. Source: RFC 8259.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tokens<'a> {
    rest: &'a [u8],
    /// A line feed is not white space.
    single_line: bool,
}

impl<'a> Tokens<'a> {
    pub(crate) const fn new(rest: &'a [u8], single_line: bool) -> Self {
        Self { rest, single_line }
    }

    /// Returns the number of bytes that are left.
    #[inline(always)]
    pub(crate) const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Skips the first byte of the next token and returns it.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<u8, Miss> {
        match self.rest {
            [byte, rest @ ..] if *byte > b' ' => {
                self.rest = rest;
                Ok(*byte)
            }
            _ => {
                let (byte, rest) = after_white(self.rest, self.single_line)?;
                self.rest = rest;
                Ok(byte)
            }
        }
    }

    /// Returns the content of a string after its opening quote, and whether the content has a
    /// backslash.
    #[inline(always)]
    pub(crate) fn string(&mut self) -> Result<(&'a [u8], bool), Miss> {
        let Some((content, after)) = self.rest.split_at_checked(plain(self.rest)) else {
            return Err(Miss::Cut);
        };
        if let [b'"', rest @ ..] = after {
            self.rest = rest;
            return Ok((content, false));
        }
        let (content, rest) = escaped_string(self.rest, content.len())?;
        self.rest = rest;
        Ok((content, true))
    }

    /// Returns the content of a member name without backslashes after its opening quote, and the
    /// first byte of the value.
    #[inline(always)]
    pub(crate) fn plain_name(&mut self) -> Result<(&'a [u8], u8), Miss> {
        if let Some((name, [b'"', b':', value, rest @ ..])) =
            self.rest.split_at_checked(plain(self.rest))
            && *value > b' '
        {
            self.rest = rest;
            return Ok((name, *value));
        }
        let name = self.plain_string()?;
        if self.next()? != b':' {
            return Err(Miss::Other);
        }
        Ok((name, self.next()?))
    }

    /// Skips the separator after a member and the opening quote of the next name; returns `false`
    /// at the end of the object.
    #[inline(always)]
    pub(crate) fn next_name(&mut self) -> Result<bool, Miss> {
        if let [b',', b'"', rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(true);
        }
        match self.next()? {
            b',' if self.next()? == b'"' => Ok(true),
            b'}' => Ok(false),
            _ => Err(Miss::Other),
        }
    }

    /// Returns the content of a string without backslashes after its opening quote.
    #[inline(always)]
    pub(crate) fn plain_string(&mut self) -> Result<&'a [u8], Miss> {
        match self.rest.split_at_checked(plain(self.rest)) {
            Some((content, [b'"', rest @ ..])) => {
                self.rest = rest;
                Ok(content)
            }
            Some((_, [_, ..])) => Err(Miss::Other),
            _ => Err(Miss::Cut),
        }
    }

    /// Skips the rest of a string, number or literal after its first byte. Numbers with a minus
    /// sign or an exponent are not in common form.
    #[inline(always)]
    pub(crate) fn skip_plain(&mut self, first: u8) -> Result<(), Miss> {
        match first {
            b'"' => {
                self.string()?;
            }
            b'0'..=b'9' => self.rest = after_number(first, self.rest)?,
            b't' => self.rest = after(b"rue", self.rest)?,
            b'f' => self.rest = after(b"alse", self.rest)?,
            b'n' => self.rest = after(b"ull", self.rest)?,
            _ => return Err(Miss::Other),
        }
        Ok(())
    }
}

#[inline(never)]
fn after_white(rest: &[u8], single_line: bool) -> Result<(u8, &[u8]), Miss> {
    let odd = |&byte: &u8| !is_white(byte) || (byte == b'\n' && single_line);
    let at = rest.iter().position(odd).ok_or(Miss::Cut)?;
    match &rest[at..] {
        [byte, rest @ ..] if !is_white(*byte) => Ok((*byte, rest)),
        _ => Err(Miss::Other),
    }
}

/// Splits off a string with escapes, whose first `at` bytes are plain.
#[inline(never)]
fn escaped_string(rest: &[u8], mut at: usize) -> Result<(&[u8], &[u8]), Miss> {
    loop {
        match rest.get(at).ok_or(Miss::Cut)? {
            b'"' => return Ok((&rest[..at], &rest[at + 1..])),
            b'\\' => {}
            _ => return Err(Miss::Other),
        }
        at += match rest.get(at + 1).ok_or(Miss::Cut)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' => {
                let digits = rest.get(at + 2..at + 6).ok_or(Miss::Cut)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err(Miss::Other);
                }
                6
            }
            _ => return Err(Miss::Other),
        };
        at += plain(&rest[at..]);
    }
}

/// Skips the rest of a number after its first digit.
#[inline(always)]
fn after_number(first: u8, mut rest: &[u8]) -> Result<&[u8], Miss> {
    if first != b'0' {
        rest = rest.get(digit_run(rest, 0)..).ok_or(Miss::Cut)?;
    }
    if let [b'.', fraction @ ..] = rest {
        let len = digit_run(fraction, 0);
        rest = fraction.get(len..).ok_or(Miss::Cut)?;
        if len == 0 && !rest.is_empty() {
            return Err(Miss::Other);
        }
    }
    // More of it may follow where nothing is left.
    if rest.is_empty() {
        Err(Miss::Cut)
    } else {
        Ok(rest)
    }
}

#[inline(always)]
fn after<'a, const N: usize>(literal: &[u8; N], rest: &'a [u8]) -> Result<&'a [u8], Miss> {
    match rest.split_first_chunk() {
        Some((found, rest)) if found == literal => Ok(rest),
        Some(_) => Err(Miss::Other),
        None => Err(Miss::Cut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_that_is_not_all_there_is_cut_and_any_other_is_another_one() {
        for (bytes, expected) in [
            ("ab\" x", Ok(&b"ab"[..])),
            ("\"", Ok(b"")),
            ("", Err(Miss::Cut)),
            ("ab", Err(Miss::Cut)),
            ("a\\nb\"", Err(Miss::Other)),
            ("a\u{1}b\"", Err(Miss::Other)),
        ] {
            let mut tokens = Tokens::new(bytes.as_bytes(), false);
            assert_eq!(tokens.plain_string(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_value_of_each_kind_is_passed_over() {
        for value in ["\"a\"", "\"\\n\"", "0", "12.5", "true", "false", "null"] {
            let bytes = [value, ",1"].concat();
            let mut tokens = Tokens::new(bytes.as_bytes(), false);
            let first = tokens.next();
            let passed = first.and_then(|first| tokens.skip_plain(first));
            assert_eq!((passed, tokens.left()), (Ok(()), 2), "{value}");
        }
        for value in ["-1", "[", "{", "nul,", "x"] {
            let mut tokens = Tokens::new(value.as_bytes(), false);
            let first = tokens.next();
            let passed = first.and_then(|first| tokens.skip_plain(first));
            assert!(passed.is_err(), "{value}");
        }
    }
}
