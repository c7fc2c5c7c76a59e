//! Types of values that are not text.

use super::scan::{LONGEST_WORD, string_end};
use crate::steps::count;

/// Values that pass through a gate unread at a path. Numbers, `true`, `false` and `null` always do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// No strings, objects and arrays.
    #[default]
    Nothing,
    /// A string that is a number.
    Number,
    /// A word: an identifier, or one of a closed set of names.
    Word,
    /// Words, in objects and arrays or not.
    Words,
    /// Strings without white space, of any length, in objects and arrays or not: signatures, binary data, addresses.
    Data,
    /// Any string.
    Text,
    /// Everything.
    Any,
}

impl Allowed {
    /// Returns `true` if a JSON value passes.
    pub(crate) fn has(self, value: &[u8]) -> bool {
        match value {
            [b'"', content @ .., b'"'] => self.has_string(content),
            [b'{' | b'[', inside @ ..] => match self {
                Self::Any => true,
                Self::Words | Self::Data => self.has_strings(inside),
                _ => false,
            },
            _ => true,
        }
    }

    /// Returns `true` if a string with this content passes.
    pub(crate) fn has_string(self, content: &[u8]) -> bool {
        match self {
            Self::Text | Self::Any => true,
            _ if content.contains(&b'\\') => {
                let decoded = provstream::json::decode(content, true).text;
                !decoded.contains('\\') && self.has_string(decoded.as_bytes())
            }
            Self::Nothing => false,
            Self::Number => content.iter().all(|byte| b"+-.eE0123456789".contains(byte)),
            Self::Word | Self::Words => content.len() <= LONGEST_WORD && is_word(content),
            // Addresses may have letters of any language.
            Self::Data => {
                let is_address = content.starts_with(b"http");
                is_word(content) || is_address && content.iter().all(|&byte| byte > b' ')
            }
        }
    }

    /// Returns `true` if all strings pass that are inside of a container, names of members included.
    fn has_strings(self, inside: &[u8]) -> bool {
        count(inside.len());
        let mut at = 0;
        while let Some(quote) = memchr::memchr(b'"', &inside[at..]) {
            let start = at + quote + 1;
            let Some(end) = string_end(inside, start) else {
                return false;
            };
            if !self.has_string(&inside[start..end.end]) {
                return false;
            }
            at = end.end + 1;
        }
        true
    }
}

/// Returns `true` if a string has no white space, and nothing but ASCII.
fn is_word(content: &[u8]) -> bool {
    content.iter().all(|byte| (b'!'..=0x7F).contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_pass_by_their_type() {
        use Allowed::{Any, Data, Nothing, Number, Text, Word, Words};
        let long = format!("\"{}\"", "a".repeat(LONGEST_WORD + 1));
        let all = [Nothing, Number, Word, Words, Data, Text, Any];
        for (value, passing) in [
            ("7", &all[..]),
            ("null", &all),
            (r#""3e1""#, &all[1..]),
            (r#""msg_1""#, &all[2..]),
            (r#""a\/b""#, &all[2..]),
            (r#""a\u0020b""#, &[Text, Any]),
            (r#""a\\u0020b""#, &[Text, Any]),
            (r#""a b""#, &[Text, Any]),
            ("\"ä\"", &[Text, Any]),
            ("\"https://ä.example/\"", &[Data, Text, Any]),
            (&long, &[Data, Text, Any]),
            (r#"{"a":[1,"b"]}"#, &[Words, Data, Any]),
            (r#"{"a b":1}"#, &[Any]),
            (r#"["a b"]"#, &[Any]),
        ] {
            for allowed in all {
                let passes = passing.contains(&allowed);
                assert_eq!(allowed.has(value.as_bytes()), passes, "{allowed:?} {value}");
            }
        }
    }
}
