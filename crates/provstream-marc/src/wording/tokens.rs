//! The sentences of a text, and their words and figures.

use super::figure::join_figures;
use super::token::{Gap, Token};

/// Most words of a sentence; a longer one is taken for several.
const MAX_WORDS: usize = 256;

/// Most bytes of a word that are looked at.
const MAX_WORD: usize = 48;

/// What ends a contraction, and the word that it is short for.
const CONTRACTED: [(&str, &str); 6] = [
    ("m", "am"),
    ("re", "are"),
    ("ve", "have"),
    ("ll", "will"),
    ("d", "would"),
    ("s", "is"),
];

/// Reads a text sentence by sentence.
pub(super) struct Sentences<'a> {
    text: &'a str,
    at: usize,
    /// What precedes the next token.
    gap: Gap,
    /// The first token of a quotation that is open.
    quote: Option<usize>,
    tokens: Vec<Token>,
    /// How many sentences were read.
    count: usize,
}

impl<'a> Sentences<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            gap: Gap::None,
            quote: None,
            tokens: Vec::new(),
            count: 0,
        }
    }

    /// Whether the sentence that was read last is the whole text.
    pub(super) fn is_whole(&self) -> bool {
        self.count == 1 && !self.text[self.at..].contains(char::is_alphanumeric)
    }

    /// The tokens of the next sentence that has any.
    pub(super) fn next(&mut self) -> Option<Vec<Token>> {
        self.tokens.clear();
        self.quote = None;
        while let Some(first) = self.text[self.at..].chars().next() {
            self.at += self.step(self.at, first);
            let ended = self.gap == Gap::End && !self.tokens.is_empty();
            if ended || self.tokens.len() >= MAX_WORDS {
                break;
            }
        }
        self.gap = Gap::None;
        self.count += 1;
        join_figures(&mut self.tokens);
        let tokens = core::mem::take(&mut self.tokens);
        (!tokens.is_empty()).then_some(tokens)
    }

    /// Reads what begins at a place; returns its length.
    fn step(&mut self, at: usize, first: char) -> usize {
        let rest = &self.text[at..];
        if first.is_ascii_digit()
            || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let len = number_len(rest);
            self.push(&rest[..len], at, at + len);
            return len;
        }
        if first.is_alphanumeric() {
            return self.word(at);
        }
        let after = &rest[first.len_utf8()..];
        match first {
            '%' | '\u{2030}' | '\u{ff05}' if !after.starts_with(char::is_alphanumeric) => {
                self.push("%", at, at + first.len_utf8());
            }
            _ if "★☆█✅✓✔🟠🟡🟢🔴=/".contains(first) => {
                self.push(&rest[..first.len_utf8()], at, at + first.len_utf8());
            }
            '.' if self.ends_abbreviation(after) => {}
            '.' | ';' | '!' | '\u{2026}' => self.widen(Gap::End),
            // An answer follows a question: both say something together.
            '?' => self.widen(Gap::Dash),
            ',' if !introduces(after) => self.widen(Gap::Comma),
            ':' => self.widen(Gap::Colon),
            '\u{2013}' | '\u{2014}' => self.widen(Gap::Dash),
            '-' if after.starts_with(' ') => self.widen(Gap::Dash),
            '\n' if after
                .trim_start_matches([' ', '\t', '\r'])
                .starts_with('\n') =>
            {
                self.widen(Gap::End);
            }
            '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{ab}' | '\u{bb}' => self.quotation(),
            _ => {}
        }
        first.len_utf8()
    }

    fn widen(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Whether a full stop belongs to the word before it: that is one letter, or a number with a small letter or a month after it.
    fn ends_abbreviation(&self, after: &str) -> bool {
        let Some(last) = self.tokens.last() else {
            return false;
        };
        let short = last.word.chars().count() == 1 && last.word != "i";
        let ordinal = last.word.len() <= 2 && last.word.starts_with(|c: char| c.is_ascii_digit());
        self.gap == Gap::None && (short || ordinal && after.starts_with(' '))
    }

    /// At a quotation mark: opens a quotation, or closes it and marks its words if they are three or more.
    fn quotation(&mut self) {
        let Some(first) = self.quote.take() else {
            self.quote = Some(self.tokens.len());
            return;
        };
        let words = &mut self.tokens[first..];
        if first > 0 && words.len() >= 3 {
            for word in words {
                word.quoted = true;
            }
        }
    }

    fn word(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        let len = run_len(rest);
        let stem = &rest[..len];
        let Some((apostrophe, suffix)) = suffix(&rest[len..]) else {
            self.push(stem, at, at + len);
            return len;
        };
        let end = at + len + apostrophe + suffix.len();
        let lower = suffix.to_lowercase();
        if lower == "t" && stem.ends_with(['n', 'N']) && len > 1 {
            let cut = &stem[..len - 1];
            let whole = match &*cut.to_lowercase() {
                "ca" => "can",
                "wo" => "will",
                "sha" => "shall",
                _ => cut,
            };
            self.push(whole, at, at + len - 1);
            self.push("not", at + len - 1, end);
        } else if let Some((_, word)) = CONTRACTED.iter().find(|(short, _)| *short == lower) {
            self.push(stem, at, at + len);
            self.push(word, at + len, end);
        } else {
            self.push(stem, at, at + len);
            return len;
        }
        end - at
    }

    fn push(&mut self, word: &str, start: usize, end: usize) {
        if word.eq_ignore_ascii_case("cannot") {
            self.push("can", start, end);
            return self.push("not", start, end);
        }
        let mut kept = word.len().min(MAX_WORD);
        while !word.is_char_boundary(kept) {
            kept -= 1;
        }
        self.tokens.push(Token {
            word: word[..kept].to_lowercase(),
            start,
            end,
            gap: core::mem::replace(&mut self.gap, Gap::None),
            quoted: false,
            is_score: false,
            is_whole: word
                .replace(',', ".")
                .parse()
                .is_ok_and(|value: f32| (0.0..=100.0).contains(&value)),
        });
    }
}

/// Whether a comma is followed by what belongs to the same statement: "that", "dass".
fn introduces(rest: &str) -> bool {
    let word = rest.trim_start();
    let end = run_len(word);
    matches!(&*word[..end].to_lowercase(), "that" | "dass")
}

/// The length of the letters, digits and underscores at the beginning.
fn run_len(text: &str) -> usize {
    text.find(|next: char| !next.is_alphanumeric() && next != '_')
        .unwrap_or(text.len())
}

/// The length of an apostrophe at the beginning, and the letters after it.
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

/// The length of the number at the beginning: digits and, between two of them, single full stops and commas.
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
