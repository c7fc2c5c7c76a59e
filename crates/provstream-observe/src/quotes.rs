//! Quoted words of an assertion, looked up in an observed text.

use std::collections::HashMap;
use std::fmt;

/// Opening and closing marks. Backticks are apart, since a run of them is one mark.
const MARKS: [(&str, &str); 7] = [
    ("\"", "\""),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("«", "»"),
    ("‹", "›"),
    ("「", "」"),
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
    /// The text has the words if each run of white space is one space, letter case does not matter, and a comma or full stop at their
    /// end is that of the sentence around them.
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
/// Marks are `"…"`, `“…”`, `„…“`, `‘…’`, `«…»`, `‹…›`, `「…」` and equal runs of backticks, on one level. A straight mark after a digit
/// is that of inches, and `’` before a letter is an apostrophe. Quotes of nothing but white space are left out.
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
        Some(_) if folded.contains(without_stop(&fold(text))) => QuoteTier::Folded,
        Some(_) => QuoteTier::Absent,
    };
    let quotes = quoted.into_iter().map(|text| Quote {
        text,
        tier: tier(text),
    });
    quotes.collect()
}

/// Mark of a quotation in a text.
struct QuoteMark<'a> {
    start: usize,
    text: &'a str,
    /// `false` if it can only close.
    may_open: bool,
    /// `false` if it can only open.
    may_close: bool,
}

impl<'a> QuoteMark<'a> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns `true` if this is a mark of quotation with space before it and words after it.
    fn begins(&self, text: &str) -> bool {
        let before = text[..self.start].chars().next_back();
        let after = text[self.end()..].chars().next();
        matches!(self.text, "\"" | "“" | "„" | "«")
            && before.is_none_or(|before| before.is_whitespace() || before == '(')
            && after.is_some_and(char::is_alphanumeric)
    }

    /// Returns `true` if this mark may close what an earlier sentence has opened: words or the end of a sentence come before it, and
    /// no word after it. One that another mark could close does so only at the end of a sentence.
    fn ends(&self, text: &str, is_closed: bool) -> bool {
        let before = text[..self.start].chars().next_back();
        let after = text[self.end()..].chars().next();
        let is_end = matches!(before, Some('.' | '!' | '?' | '…'));
        let is_word = before
            .is_some_and(|before| before.is_alphanumeric() || matches!(before, ',' | ';' | ')'));
        matches!(self.text, "\"" | "”" | "»")
            && self.may_open
            && (is_end || is_word && !is_closed)
            && after.is_none_or(|after| !after.is_alphanumeric())
    }

    /// Returns the mark that closes what this one opens.
    fn closing(&self) -> Option<&'a str> {
        let closing = |(open, close): &(&str, &'static str)| (*open == self.text).then_some(*close);
        match self.text.starts_with('`') {
            true => Some(self.text),
            false => MARKS.iter().find_map(closing).filter(|_| self.may_open),
        }
    }
}

/// Collects the marks of a text.
fn marks(text: &str) -> Vec<QuoteMark<'_>> {
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let mut end = at + character.len_utf8();
        if character == '`' {
            let rest = text[end..].trim_start_matches('`');
            end = text.len() - rest.len();
        }
        if character == '`'
            || MARKS
                .iter()
                .any(|(open, close)| [*open, *close].contains(&&text[at..end]))
        {
            let before = text[..at].chars().next_back();
            let after = text[end..].chars().next();
            marks.push(QuoteMark {
                start: at,
                text: &text[at..end],
                may_open: character != '"' || !before.is_some_and(|before| before.is_ascii_digit()),
                may_close: character != '’' || !after.is_some_and(char::is_alphabetic),
            });
        }
        at = end;
    }
    marks
}

fn quoted<'a>(text: &'a str) -> Vec<&'a str> {
    let marks = marks(text);
    // From the end, so that the next mark of each kind is known.
    let (mut next, mut closes) = (HashMap::new(), vec![None; marks.len()]);
    for (index, mark) in marks.iter().enumerate().rev() {
        closes[index] = mark
            .closing()
            .and_then(|closing| next.get(closing).copied());
        if mark.may_close {
            next.insert(mark.text, index);
        }
    }
    let mut quoted = Vec::new();
    let mut push = |words: &'a str| quoted.extend((!words.trim().is_empty()).then_some(words));
    // Apostrophes and code are beside quotations.
    let is_quotation = |mark: &QuoteMark<'_>| mark.text != "’" && !mark.text.starts_with('`');
    let (mut index, mut is_first) = (0, true);
    while index < marks.len() {
        let mark = &marks[index];
        let may_end = is_quotation(mark) && std::mem::take(&mut is_first);
        if may_end && mark.ends(text, closes[index].is_some()) {
            push(&text[..mark.start]);
        } else if let Some(close) = closes[index] {
            push(&text[mark.end()..marks[close].start]);
            index = close;
        } else if mark.begins(text) {
            // A later sentence closes it.
            push(&text[mark.end()..]);
            break;
        }
        index += 1;
    }
    quoted
}

/// Leaves out white space around folded words, and a comma or full stop that a writer has put inside the marks.
fn without_stop(folded: &str) -> &str {
    let words = folded.trim();
    let without = words.strip_suffix([',', '.']).unwrap_or(words);
    if without.is_empty() { words } else { without }
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
            ("A 5\" pipe \"has\" it.", vec![("has", QuoteTier::Absent)]),
            (
                "It doesn’t say ‘now it won’t’ there.",
                vec![("now it won’t", QuoteTier::Absent)],
            ),
            (
                "It has ``end `now` ``.",
                vec![("end `now` ", QuoteTier::Absent)],
            ),
            ("Its \"RUN,\" is a call.", vec![("RUN,", QuoteTier::Folded)]),
            ("The default is name=\"\".", vec![]),
            (
                "It sets href=\"/docs\".",
                vec![("/docs", QuoteTier::Absent)],
            ),
            (
                "It has [\"-n\"] and f\"{x}\".",
                vec![("-n", QuoteTier::Absent), ("{x}", QuoteTier::Absent)],
            ),
            (
                "It doesn’t run it.”",
                vec![("It doesn’t run it.", QuoteTier::Absent)],
            ),
            ("Run it.\"", vec![("Run it.", QuoteTier::Absent)]),
            ("It says “run. ", vec![("run. ", QuoteTier::Folded)]),
            ("All of \"main and", vec![("main and", QuoteTier::Absent)]),
            ("A 5\", 6\" or 7\" pipe.", vec![]),
            ("It is f(\"Now\").", vec![("Now", QuoteTier::Exact)]),
            ("One ` mark, and \"run\".", vec![("run", QuoteTier::Exact)]),
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
        let backticks = (1..1500).map(|length| "`".repeat(length) + " ");
        let texts = ["„", "‘", "‘a’b"].map(|mark| mark.repeat(1 << 20));
        for text in texts.into_iter().chain([backticks.collect()]) {
            assert_eq!(quotes(&text, None), []);
        }
    }
}
