//! Vocabularies of tokens: single bytes, and byte pairs merged as models' tokenizers do.

use std::collections::HashMap;

/// Merges that are learnt.
const MERGES: usize = 4_000;

/// Every byte, then the end of the answer.
pub fn bytes() -> Vec<Vec<u8>> {
    (0..=u8::MAX).map(|byte| vec![byte]).collect()
}

/// The bytes and the most frequent pairs of what comes before, learnt from a text.
///
/// Words are cut as tokenizers of the GPT family do: letters with the space before them, runs of digits up to three, runs of
/// other characters, white space.
pub fn train(text: &str) -> Vec<Vec<u8>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in words(text) {
        *counts.entry(word).or_default() += 1;
    }
    let mut tokens = bytes();
    let mut words: Vec<(Vec<usize>, usize)> = counts
        .into_iter()
        .map(|(word, count)| (word.bytes().map(usize::from).collect(), count))
        .collect();
    words.sort();
    for _ in 0..MERGES {
        let mut pairs: HashMap<(usize, usize), usize> = HashMap::new();
        for (word, count) in &words {
            for pair in word.windows(2) {
                *pairs.entry((pair[0], pair[1])).or_default() += count;
            }
        }
        let best = pairs.into_iter().max_by_key(|&(pair, count)| (count, pair));
        let Some(((left, right), count)) = best else {
            break;
        };
        if count < 2 {
            break;
        }
        let merged = [tokens[left].as_slice(), &tokens[right]].concat();
        tokens.push(merged);
        for (word, _) in &mut words {
            merge(word, (left, right), tokens.len() - 1);
        }
    }
    // Two ways of merging can give the same bytes; engines want each once.
    let mut seen = std::collections::HashSet::new();
    tokens.retain(|token| seen.insert(token.clone()));
    tokens
}

fn merge(word: &mut Vec<usize>, pair: (usize, usize), token: usize) {
    let mut at = 0;
    while at + 1 < word.len() {
        if (word[at], word[at + 1]) == pair {
            word[at] = token;
            word.remove(at + 1);
        }
        at += 1;
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let kind = |c: char| match c {
        _ if c.is_alphabetic() => 0,
        _ if c.is_numeric() => 1,
        _ if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices().peekable();
        let (_, first) = chars.next()?;
        let mut of = kind(first);
        if first == ' '
            && let Some(&(_, second)) = chars.peek()
            && kind(second) != 2
        {
            of = kind(second);
        }
        let most = if of == 1 { 3 } else { 24 };
        let end = chars
            .enumerate()
            .find(|&(count, (_, c))| kind(c) != of || count >= most)
            .map_or(rest.len(), |(_, (at, _))| at);
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}
