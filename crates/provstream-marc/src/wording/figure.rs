//! Figures: percentages, scores and ratios.

use super::token::{Gap, Token};

/// Number words that make ratios and percentages, from 1 to 10 and some larger ones, in English and German.
const NUMBERS: &[&str] = &[
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "fifteen",
    "nineteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "eins",
    "eine",
    "einem",
    "einer",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "fünfzehn",
    "neunzehn",
    "zwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
    "hundert",
    "tausend",
    "a",
];

/// Two shares of a hundred.
const SHARES: &[(&str, &str)] = &[
    ("fifty", "fifty"),
    ("sixty", "forty"),
    ("seventy", "thirty"),
    ("eighty", "twenty"),
    ("ninety", "ten"),
    ("50", "50"),
];

/// Units of measure, after which a number is not a score.
const UNITS: &[&str] = &[
    "mm", "cm", "m", "km", "mg", "g", "kg", "ml", "l", "s", "ms", "h", "hz", "v", "a", "w", "bar",
    "mb", "gb", "euro", "eur", "usd", "dollar", "dollars", "seconds", "sekunden", "liter",
    "litres", "gram", "gramm",
];

/// Marks percentages, decimals from 0 to 1 and ratios, each as one token.
pub(super) fn join_figures(tokens: &mut Vec<Token>) {
    let mut joined = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let mut token = tokens[at].clone();
        let last = figure(tokens, at);
        if let Some(last) = last {
            // 100 % stays apart, for phrases about full certainty.
            if token.word == "100" && last == at + 1 {
                token.word = "100%".into();
            }
            token.end = tokens[last].end;
            token.is_score = true;
            token.is_whole = false;
        }
        joined.push(token);
        at = last.unwrap_or(at) + 1;
    }
    *tokens = joined;
}

/// The last token of the figure that begins at a token.
fn figure(tokens: &[Token], at: usize) -> Option<usize> {
    let word = |index: usize| {
        let token = tokens.get(index);
        let token = token.filter(|token| index == at || token.gap == Gap::None);
        token.map_or("", |token| token.word.as_str())
    };
    let is_digits = |at: usize| word(at).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = |at: usize| is_digits(at) || is_number_word(word(at));
    let first = word(at);
    if first.contains("prozentig") || matches!(first, "★" | "☆" | "█" | "promille") {
        return Some(at);
    }
    if SHARES.contains(&(first, word(at + 1))) {
        return Some(at + 1);
    }
    if !is_number(at) {
        return None;
    }
    let mut last = at;
    while last < at + 2 && !is_digits(at) && NUMBERS.contains(&word(last + 1)) {
        last += 1;
    }
    let next = word(last + 1);
    // "nine times out of ten"
    if next == "times" && word(last + 2) == "out" && word(last + 3) == "of" && is_number(last + 4) {
        let more = usize::from(NUMBERS.contains(&word(last + 5)));
        return Some(last + 4 + more);
    }
    match next {
        "to" | "zu" if is_odds(first) && is_odds(word(last + 2)) => return Some(last + 2),
        "%" | "percent" | "pct" | "prozent" | "promille" | "percentage" => return Some(last + 1),
        "prozentige" | "prozentiger" | "prozentig" | "thirds" | "quarters" | "drittel"
        | "viertel" => {
            return Some(last + 1);
        }
        "stars" | "sternen" | "sterne" => return Some(last + 1),
        "per" if word(last + 2) == "cent" => return Some(last + 2),
        "out" if word(last + 2) == "of" && is_number(last + 3) => {
            let more = usize::from(NUMBERS.contains(&word(last + 4)));
            return Some(last + 3 + more);
        }
        // "95 to 97 percent"
        "to" | "bis" | "and" | "und"
            if is_number(last + 2) && matches!(word(last + 3), "%" | "percent" | "prozent") =>
        {
            return Some(last + 3);
        }
        "in" | "von" | "of" | "/" | "zu" | "aus"
            if is_number(last + 2) && is_ratio(word(last + 2)) && word(last + 3) != "/" =>
        {
            let more = usize::from(NUMBERS.contains(&word(last + 3)));
            return Some(last + 2 + more);
        }
        _ => {}
    }
    let (whole, decimals) = first.split_once(['.', ','])?;
    let below_one = matches!(whole, "" | "0") && !decimals.contains(['.', ',']);
    if UNITS.contains(&next) {
        return None;
    }
    let one = whole == "1" && decimals.bytes().all(|digit| digit == b'0');
    (below_one || one).then_some(at)
}

/// Whether a word is a number, German compounds such as "fünfundneunzig" included.
fn is_number_word(word: &str) -> bool {
    NUMBERS.contains(&word)
        || word.ends_with("undzwanzig")
        || word.ends_with("zig") && word.contains("und")
}

/// Whether a number is one of odds: whole, and not large.
fn is_odds(word: &str) -> bool {
    NUMBERS.contains(&word)
        || word
            .parse()
            .is_ok_and(|value: u8| (1..=100).contains(&value))
}

/// Whether a number is what ratios are out of.
fn is_ratio(word: &str) -> bool {
    const OF: &[&str] = &[
        "a",
        "hundred",
        "thousand",
        "ten",
        "twenty",
        "five",
        "fünf",
        "zehn",
        "zwanzig",
        "hundert",
        "tausend",
        "einhundert",
    ];
    OF.contains(&word)
        || word
            .trim_end_matches([',', '.'])
            .replace([',', '.'], "")
            .parse()
            .is_ok_and(|value: u32| value > 0 && value.is_multiple_of(5))
}
