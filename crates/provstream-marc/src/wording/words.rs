//! The words, numbers and per cent signs of a text.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Letters and digits, a letter first. Contracted words are told apart: `I'm` is `I` and `am`.
    Word,
    /// Digits, with full stops or commas between them.
    Number,
    /// `%` or one of its kin.
    Percent,
}

/// A piece of a text that matters to its wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) sort: Sort,
    /// As written, but for contracted words, which are written out.
    pub(super) text: &'a str,
    /// Where it stands, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token<'_> {
    /// Whether it is one of these words, `|` between them, whatever its letter case.
    pub(super) fn is_one_of(&self, words: &str) -> bool {
        let text = self.text.as_bytes();
        self.sort == Sort::Word
            && words
                .as_bytes()
                .split(|&byte| byte == b'|')
                .any(|word| word.eq_ignore_ascii_case(text))
    }
}

/// What ends a contraction, and the word it stands for.
const CONTRACTED: [(&str, &str); 6] = [
    ("m", "am"),
    ("re", "are"),
    ("ve", "have"),
    ("ll", "will"),
    ("d", "would"),
    ("s", "is"),
];

/// What stands before `n't` where it is no word, and the word it stands for.
const NEGATED: [(&str, &str); 3] = [("ca", "can"), ("wo", "will"), ("sha", "shall")];

/// A text with its tokens.
#[derive(Debug)]
pub(super) struct Words<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut words = Self {
            text,
            tokens: Vec::new(),
        };
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            at += if starts_number(&text[..at], rest) {
                words.push(Sort::Number, at, number_len(rest))
            } else if first.is_alphanumeric() {
                words.push_word(at)
            } else if matches!(first, '%' | '\u{2030}' | '\u{66a}' | '\u{ff05}') {
                words.push(Sort::Percent, at, first.len_utf8())
            } else {
                first.len_utf8()
            };
        }
        words
    }

    /// Adds a token as it is written; returns its length.
    fn push(&mut self, sort: Sort, start: usize, len: usize) -> usize {
        let end = start + len;
        let text = &self.text[start..end];
        self.tokens.push(Token {
            sort,
            text,
            start,
            end,
        });
        len
    }

    /// Adds the word or the two contracted ones that begin here; returns how long that is.
    fn push_word(&mut self, start: usize) -> usize {
        let rest = &self.text[start..];
        let stem = &rest[..run_len(rest)];
        let Some((apostrophe, suffix)) = suffix(&rest[stem.len()..]) else {
            return self.push(Sort::Word, start, stem.len());
        };
        let len = stem.len() + apostrophe + suffix.len();
        let (first, first_len, second) =
            if suffix.eq_ignore_ascii_case("t") && stem.ends_with(['n', 'N']) && stem.len() > 1 {
                let cut = &stem[..stem.len() - 1];
                let whole = NEGATED
                    .iter()
                    .find(|(short, _)| cut.eq_ignore_ascii_case(short));
                (whole.map_or(cut, |&(_, word)| word), cut.len(), "not")
            } else if let Some(&(_, word)) = CONTRACTED
                .iter()
                .find(|(short, _)| suffix.eq_ignore_ascii_case(short))
            {
                (stem, stem.len(), word)
            } else {
                return self.push(Sort::Word, start, stem.len());
            };
        let middle = start + first_len;
        for (text, start, end) in [(first, start, middle), (second, middle, start + len)] {
            self.tokens.push(Token {
                sort: Sort::Word,
                text,
                start,
                end,
            });
        }
        len
    }

    pub(super) fn get(&self, index: usize) -> Option<Token<'a>> {
        self.tokens.get(index).copied()
    }

    /// What stands between a token and the one before it; the text's beginning before the first.
    pub(super) fn gap_before(&self, index: usize) -> &'a str {
        let start = index
            .checked_sub(1)
            .and_then(|before| self.get(before))
            .map_or(0, |before| before.end);
        self.get(index)
            .map_or("", |token| &self.text[start..token.start])
    }

    /// The text behind a token.
    pub(super) fn behind(&self, index: usize) -> &'a str {
        self.get(index).map_or("", |token| &self.text[token.end..])
    }

    /// Whether a token continues the phrase of the one before: white space or a hyphen between them at most, and marks of
    /// emphasis.
    pub(super) fn is_joined(&self, index: usize) -> bool {
        let gap = self.gap_before(index);
        index > 0
            && (matches!(gap, "" | "-" | "\u{2010}" | "\u{2011}")
                || gap.contains(char::is_whitespace)
                    && gap.bytes().filter(|&byte| byte == b'\n').count() < 2
                    && gap
                        .chars()
                        .all(|between| between.is_whitespace() || matches!(between, '*' | '_')))
    }

    /// Whether a token stands in the same clause as the one before.
    pub(super) fn is_same_clause(&self, index: usize) -> bool {
        index > 0
            && !self
                .gap_before(index)
                .contains(['.', ',', ';', '!', '?', '\n'])
    }
}

/// How long the run of letters and digits at the beginning is.
fn run_len(text: &str) -> usize {
    text.find(|next: char| !next.is_alphanumeric())
        .unwrap_or(text.len())
}

/// The length of an apostrophe at the beginning, and the letters behind it.
fn suffix(text: &str) -> Option<(usize, &str)> {
    let apostrophe = text.chars().next().filter(|first| {
        matches!(
            first,
            '\'' | '\u{2019}' | '\u{2018}' | '\u{2bc}' | '\u{ff07}'
        )
    })?;
    let letters = &text[apostrophe.len_utf8()..];
    Some((apostrophe.len_utf8(), &letters[..run_len(letters)]))
}

/// Whether a number begins here: a digit, or a full stop before one that ends no word or number.
fn starts_number(before: &str, rest: &str) -> bool {
    let mut bytes = rest.bytes();
    match (bytes.next(), bytes.next()) {
        (Some(b'0'..=b'9'), _) => true,
        (Some(b'.'), Some(b'0'..=b'9')) => {
            !before.ends_with(|last: char| last.is_alphanumeric() || last == '.')
        }
        _ => false,
    }
}

/// How long the number at the beginning is: digits and, between two of them, single full stops and commas.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    bytes
        .iter()
        .enumerate()
        .position(|(index, byte)| match byte {
            b'0'..=b'9' => false,
            b'.' | b',' => !bytes.get(index + 1).is_some_and(u8::is_ascii_digit),
            _ => true,
        })
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let words = Words::of(text);
        let found: Vec<_> = words
            .tokens
            .iter()
            .map(|token| (token.text, &text[token.start..token.end]))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn contracted_words_are_two() {
        check("I'm", &[("I", "I"), ("am", "'m")]);
        check("you\u{2019}LL", &[("you", "you"), ("will", "\u{2019}LL")]);
        check("can't", &[("can", "ca"), ("not", "n't")]);
        check("Isn\u{2019}t", &[("Is", "Is"), ("not", "n\u{2019}t")]);
        check("O'Brien", &[("O", "O"), ("Brien", "Brien")]);
        check("n't '", &[("n", "n"), ("t", "t")]);
        check("l\u{e0}'s", &[("l\u{e0}", "l\u{e0}"), ("is", "'s")]);
    }

    #[test]
    fn numbers_are_whole() {
        check("1,000.5, 3.", &[("1,000.5", "1,000.5"), ("3", "3")]);
        check(".87", &[(".87", ".87")]);
        check("v1.2", &[("v1", "v1"), ("2", "2")]);
        check("10km", &[("10", "10"), ("km", "km")]);
        check("5 %", &[("5", "5"), ("%", "%")]);
        check("\u{663}", &[("\u{663}", "\u{663}")]);
        check("...5", &[("5", "5")]);
    }
}
