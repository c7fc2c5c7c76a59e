//! Quoted words of an assertion, looked up in an observed text.

use std::fmt;

/// Opening and closing marks.
const MARKS: [(char, char); 7] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('‹', '›'),
    ('「', '」'),
    ('`', '`'),
];

/// Words in quotation marks or backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote<'a> {
    /// Words, without the marks.
    pub text: &'a str,
    /// Closeness of the nearest match in the observed text.
    pub tier: QuoteTier,
}

/// Closeness of quoted words to an observed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuoteTier {
    /// The text has the words byte for byte.
    Exact,
    /// The text has the words if each run of white space is one space, and letter case does not matter.
    Folded,
    /// The text does not have the words.
    Absent,
    /// The text was not recorded.
    NotCheckable,
}

impl QuoteTier {
    /// Returns the name: `exact`, `folded`, `absent` or `not-checkable`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Folded => "folded",
            Self::Absent => "absent",
            Self::NotCheckable => "not-checkable",
        }
    }
}

impl fmt::Display for QuoteTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Looks up the quoted words of an assertion in an observed text. Without a text, each is not checkable.
///
/// Marks are `"…"`, `“…”`, `„…“`, `«…»`, `‹…›`, `「…」` and backticks, on one level. Quotes of nothing but white space are left out.
#[must_use]
pub fn quotes<'a>(assertion: &'a str, observed: Option<&[u8]>) -> Vec<Quote<'a>> {
    let quoted = quoted(assertion);
    let folded = match observed {
        Some(observed) if !quoted.is_empty() => fold(&String::from_utf8_lossy(observed)),
        _ => String::new(),
    };
    let tier = |text: &str| match observed {
        None => QuoteTier::NotCheckable,
        Some(observed) if memchr::memmem::find(observed, text.as_bytes()).is_some() => {
            QuoteTier::Exact
        }
        Some(_) if folded.contains(fold(text).trim()) => QuoteTier::Folded,
        Some(_) => QuoteTier::Absent,
    };
    let quotes = quoted.into_iter().map(|text| Quote {
        text,
        tier: tier(text),
    });
    quotes.collect()
}

fn quoted(text: &str) -> Vec<&str> {
    // A mark after the last closing one, such as that of inches, opens nothing.
    let lasts = MARKS.map(|(_, close)| text.rfind(close).unwrap_or(0));
    let mut quoted = Vec::new();
    let mut at = 0;
    while let Some((open_at, mark)) = text[at..].char_indices().find_map(|(index, character)| {
        let mark = MARKS.iter().position(|(open, _)| *open == character)?;
        (lasts[mark] > at + index).then_some((at + index, mark))
    }) {
        let (open, close) = MARKS[mark];
        let start = open_at + open.len_utf8();
        let Some(length) = text[start..].find(close) else {
            break;
        };
        let words = &text[start..start + length];
        if !words.trim().is_empty() {
            quoted.push(words);
        }
        at = start + length + close.len_utf8();
    }
    quoted
}

/// Folds letter case, and each run of white space to a space.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        if !character.is_whitespace() {
            folded.extend(character.to_lowercase());
        } else if !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_in_tiers() {
        let observed = "fn main() {\n    run(\"Now\");\n}\n".as_bytes();
        for (assertion, expected) in [
            (
                "It calls `run(\"Now\")`.",
                vec![("run(\"Now\")", QuoteTier::Exact)],
            ),
            (
                "It has \"FN Main()\".",
                vec![("FN Main()", QuoteTier::Folded)],
            ),
            ("It has “{ run(”.", vec![("{ run(", QuoteTier::Folded)]),
            ("It has «stop».", vec![("stop", QuoteTier::Absent)]),
            (
                "Both „fn“ and `end`.",
                vec![("fn", QuoteTier::Exact), ("end", QuoteTier::Absent)],
            ),
            ("A 5\" pipe.", vec![]),
            ("Nothing in \"  \".", vec![]),
        ] {
            let found = quotes(assertion, Some(observed));
            let found: Vec<_> = found.iter().map(|quote| (quote.text, quote.tier)).collect();
            assert_eq!(found, expected, "{assertion}");
        }
        assert_eq!(quotes("`x`", None)[0].tier, QuoteTier::NotCheckable);
    }

    #[test]
    fn unclosed_marks_take_linear_time() {
        let text = "„".repeat(1 << 20);
        assert_eq!(quotes(&text, None), []);
    }
}
