//! Words and figures of a text.

/// A word or figure.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// In lower case; contractions are written out.
    pub(super) word: String,
    /// In bytes of the text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Which clause of the text it is in: full stops, commas, semicolons and empty lines end one.
    pub(super) clause: usize,
    /// A percentage, a number from 0 to 1 with decimals, or a ratio.
    pub(super) is_score: bool,
    /// Any other number up to 100.
    pub(super) is_whole: bool,
}

/// What ends a contraction, and the word that it is short for.
const CONTRACTED: [(&str, &str); 6] = [
    ("m", "am"),
    ("re", "are"),
    ("ve", "have"),
    ("ll", "will"),
    ("d", "would"),
    ("s", "is"),
];

/// Number words that make ratios and percentages, from 1 to 10 and some larger ones, in English and German.
const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty",
    "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "eins", "zwei",
    "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "zwanzig", "dreißig",
    "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig", "hundert",
];

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut reader = Reader {
        text,
        clause: 0,
        tokens: Vec::new(),
    };
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        at += reader.step(at, first);
    }
    figures(&mut reader.tokens);
    reader.tokens
}

struct Reader<'a> {
    text: &'a str,
    clause: usize,
    tokens: Vec<Token>,
}

impl Reader<'_> {
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
        match first {
            '%' | '\u{2030}' | '\u{ff05}'
                if !rest[first.len_utf8()..].starts_with(char::is_alphanumeric) =>
            {
                self.push("%", at, at + first.len_utf8());
            }
            ',' if introduces(&rest[1..]) => {}
            '.' | ',' | ';' | '!' | '?' | '\u{2026}' => self.clause += 1,
            '\n' if rest[1..]
                .trim_start_matches([' ', '\t', '\r'])
                .starts_with('\n') =>
            {
                self.clause += 1;
            }
            '/' => self.push("/", at, at + 1),
            _ => {}
        }
        first.len_utf8()
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
        let mut add = |word: &str| {
            self.tokens.push(Token {
                word: word.to_lowercase(),
                start,
                end,
                clause: self.clause,
                is_score: false,
                is_whole: word
                    .parse()
                    .is_ok_and(|value: f32| (0.0..=100.0).contains(&value)),
            });
        };
        if word.eq_ignore_ascii_case("cannot") {
            add("can");
            add("not");
        } else {
            add(word);
        }
    }
}

/// Marks percentages, decimals from 0 to 1 and ratios, each as one token.
fn figures(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        if let Some(last) = figure(tokens, at) {
            // 100 % stays apart, for phrases about full certainty.
            let whole = tokens[at].word == "100" && last == at + 1;
            tokens[at].end = tokens[last].end;
            tokens[at].is_score = true;
            tokens[at].is_whole = false;
            if whole {
                tokens[at].word = "100%".into();
            }
            tokens.drain(at + 1..=last);
        }
        at += 1;
    }
}

/// The last token of the figure that begins at a token.
fn figure(tokens: &[Token], at: usize) -> Option<usize> {
    let word = |at: usize| {
        let same = tokens.get(at).filter(|token| {
            token.clause == tokens[0].clause || token.clause >= tokens[at.saturating_sub(1)].clause
        });
        same.map_or("", |token| token.word.as_str())
    };
    let is_digits = |at: usize| word(at).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = |at: usize| is_digits(at) || NUMBERS.contains(&word(at));
    if !is_number(at) {
        return None;
    }
    let mut last = at;
    while last < at + 2 && !is_digits(at) && NUMBERS.contains(&word(last + 1)) {
        last += 1;
    }
    let next = word(last + 1);
    // "nine times out of ten"
    let times = usize::from(next == "times");
    if times == 1 && word(last + 2) == "out" && word(last + 3) == "of" && is_number(last + 4) {
        return Some(last + 4);
    }
    match next {
        "to" | "zu" if is_odds(word(at)) && is_odds(word(last + 2)) => return Some(last + 2),
        "%" | "percent" | "pct" | "prozent" | "prozentige" | "prozentiger" => {
            return Some(last + 1);
        }
        "per" if word(last + 2) == "cent" => return Some(last + 2),
        "out" if word(last + 2) == "of" && is_number(last + 3) => return Some(last + 3),
        "in" | "von" | "/" | "zu"
            if is_number(last + 2) && is_ratio(word(last + 2)) && word(last + 3) != "/" =>
        {
            return Some(last + 2);
        }
        _ => {}
    }
    let text = word(at);
    let (whole, decimals) = text.split_once(['.', ','])?;
    let below_one = matches!(whole, "" | "0") && !decimals.contains(['.', ',']);
    let one = whole == "1" && decimals.bytes().all(|digit| digit == b'0');
    (below_one || one).then_some(at)
}

/// Whether a comma is followed by what belongs to the same statement: "that", "dass".
fn introduces(rest: &str) -> bool {
    let word = rest.trim_start();
    let end = run_len(word);
    matches!(&*word[..end].to_lowercase(), "that" | "dass")
}

/// Whether a number is one of odds: whole, and not large.
fn is_odds(word: &str) -> bool {
    NUMBERS.contains(&word)
        || word
            .parse()
            .is_ok_and(|value: u8| (1..=20).contains(&value))
}

/// Whether a number is what ratios are out of.
fn is_ratio(word: &str) -> bool {
    matches!(
        word,
        "5" | "10"
            | "20"
            | "50"
            | "100"
            | "1000"
            | "ten"
            | "hundred"
            | "five"
            | "zehn"
            | "hundert"
            | "fünf"
    )
}

/// The length of the letters and digits at the beginning.
fn run_len(text: &str) -> usize {
    text.find(|next: char| !next.is_alphanumeric())
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
