//! Figures: percentages, scores and ratios, by the patterns of `data/figures.txt`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::token::{Gap, Token};

/// The patterns, and words by sort.
struct Figures {
    patterns: Vec<Vec<&'static str>>,
    words: HashSet<(&'static str, &'static str)>,
}

static FIGURES: LazyLock<Figures> = LazyLock::new(|| {
    let lines = include_str!("data/figures.txt").lines();
    let lines: Vec<_> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let words = lines.iter().filter_map(|line| line.split_once(": "));
    let patterns = lines.iter().filter(|line| !line.contains(": "));
    Figures {
        words: words
            .flat_map(|(sort, words)| words.split(' ').map(move |word| (sort, word)))
            .collect(),
        patterns: patterns.map(|line| line.split(' ').collect()).collect(),
    }
});

fn is_listed(sort: &str, word: &str) -> bool {
    FIGURES.words.contains(&(sort, word))
}

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
    let first = word(at);
    if first.contains("prozentig") || matches!(first, "★" | "☆" | "█" | "promille") {
        return Some(at);
    }
    if !is_number(first) {
        return None;
    }
    let patterns = FIGURES.patterns.iter();
    let mut ends = patterns.filter_map(|pattern| {
        let mut elements = pattern.iter();
        elements.try_fold(at, |next, element| after(element, &word, next))
    });
    if let Some(end) = ends.next() {
        return Some(end - 1);
    }
    let (whole, decimals) = first.split_once(['.', ','])?;
    let below_one = matches!(whole, "" | "0") && !decimals.contains(['.', ',']);
    let one = whole == "1" && decimals.bytes().all(|digit| digit == b'0');
    ((below_one || one) && !is_listed("UNIT", word(at + 1))).then_some(at)
}

/// The place after an element of a pattern, if it is at a place.
fn after<'t>(element: &str, word: &impl Fn(usize) -> &'t str, at: usize) -> Option<usize> {
    let first = word(at);
    let is_here = match element {
        "NUMBER" => is_number(first),
        "ODDS" => is_odds(first),
        "RATIO" => is_ratio(first) && word(at + 1) != "/",
        words => words.split('|').any(|one| one == first),
    };
    let is_long = matches!(element, "NUMBER" | "RATIO") && !is_digits(first);
    let more = if is_long { 2 } else { 0 };
    let more = (1..=more).take_while(|&index| is_listed("NUMBER", word(at + index)));
    is_here.then(|| at + 1 + more.count())
}

fn is_digits(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

fn is_number(word: &str) -> bool {
    is_digits(word)
        || is_listed("NUMBER", word)
        || word.ends_with("undzwanzig")
        || word.ends_with("zig") && word.contains("und")
}

/// Whether a number is one of odds: whole, and not large.
fn is_odds(word: &str) -> bool {
    is_listed("NUMBER", word)
        || word
            .parse()
            .is_ok_and(|value: u8| (1..=100).contains(&value))
}

/// Whether a number is what ratios are out of.
fn is_ratio(word: &str) -> bool {
    let digits = word.trim_end_matches([',', '.']).replace([',', '.'], "");
    is_listed("RATIO", word)
        || digits
            .parse()
            .is_ok_and(|value: u32| value > 0 && value.is_multiple_of(5))
}
