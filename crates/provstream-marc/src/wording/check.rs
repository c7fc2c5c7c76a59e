//! Finds wording that a disclosure should do without, by the phrases of `data/phrases.txt`.

use core::fmt;
use std::sync::LazyLock;

use super::finding::{WordingFinding, WordingKind};
use super::phrases::{Element, Phrases};
use super::tokens::{Token, tokens};
use provstream::Span;

static PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::parse(include_str!("data/phrases.txt")));

/// Most findings in one text; the rest of the text is not looked at.
const MAX_FINDINGS: usize = 64;

/// Most words that `~` and `...` skip.
const MAX_SKIPPED: usize = 6;

/// How far before a cue of certainty a negation counts, in words of the same clause.
const NEGATION_REACH: usize = 4;

/// Finds what is anthropomorphic, falsely precise, a cue of certainty, or bonding and deferential in an English or German
/// text.
///
/// It looks for phrases, whatever their letter case and apostrophes. It is a help for reviewing wording and does not replace
/// the review: it has no context, and does not find phrases that it does not know. Findings are in order and do not overlap;
/// of those that begin with the same word the longest counts. At most 64 are reported. The time is proportional to the
/// length of the text. Source: MARC-02 10.3, 14, 18.
///
/// ```
/// use provstream_marc::{WordingKind, check_wording};
///
/// let findings = check_wording("I'm not sure; the chance is 87 %.");
/// let kinds: Vec<_> = findings.iter().map(|finding| finding.kind()).collect();
/// assert_eq!(kinds, [WordingKind::Anthropomorphic, WordingKind::FalsePrecision]);
/// assert!(check_wording("The request is ambiguous: the tax year 2024 or 2025 could be meant.").is_empty());
/// assert!(check_wording("VAT rate: 20 %").is_empty());
/// ```
#[must_use]
pub fn check_wording(text: &str) -> Vec<WordingFinding> {
    check(text, false)
}

/// The same for an answer: only phrases in which it speaks of itself, not those about its matter.
pub(crate) fn check_answer(text: &str) -> Vec<WordingFinding> {
    check(text, true)
}

fn check(text: &str, answer: bool) -> Vec<WordingFinding> {
    let tokens = tokens(text);
    let mut findings = Vec::new();
    let mut at = 0;
    while let Some(first) = tokens.get(at) {
        let Some((last, kind)) = longest(&tokens, at, answer) else {
            at += 1;
            continue;
        };
        let end = tokens.get(last).map_or(first.end, |last| last.end);
        findings.push(WordingFinding::new(
            kind,
            Span::new(first.start as u64, end as u64),
        ));
        if findings.len() == MAX_FINDINGS {
            break;
        }
        at = last + 1;
    }
    findings
}

/// The last token of the longest phrase that begins at a token, and its kind.
fn longest(tokens: &[Token], at: usize, answer: bool) -> Option<(usize, WordingKind)> {
    let phrases = &*PHRASES;
    let mut best: Option<(usize, WordingKind)> = None;
    for phrase in phrases.beginning_with(&tokens[at]) {
        if answer && !phrase.in_answers {
            continue;
        }
        let Some(end) = Matcher { tokens, phrases }.matches(&phrase.elements, at, at) else {
            continue;
        };
        let last = end - 1;
        let negated = phrase.kind == WordingKind::CertaintyCue && is_negated(tokens, at, phrases);
        if !negated && best.is_none_or(|(other, _)| other < last) {
            best = Some((last, phrase.kind));
        }
    }
    best
}

fn is_negated(tokens: &[Token], at: usize, phrases: &Phrases) -> bool {
    let clause = tokens[at].clause;
    tokens[at.saturating_sub(NEGATION_REACH)..at]
        .iter()
        .any(|token| token.clause == clause && phrases.negations.contains(&token.word))
}

struct Matcher<'a> {
    tokens: &'a [Token],
    phrases: &'a Phrases,
}

impl Matcher<'_> {
    /// The end of the longest match of the elements from a token on; `first` is where the phrase begins.
    fn matches(&self, elements: &[Element], at: usize, first: usize) -> Option<usize> {
        let Some((element, rest)) = elements.split_first() else {
            return (at > first).then_some(at);
        };
        match element {
            Element::Words(words) => {
                let token = self.joined(at, first)?;
                words.matches(token).then_some(())?;
                self.matches(rest, at + 1, first)
            }
            Element::Optional(words) => {
                let with = self
                    .joined(at, first)
                    .filter(|token| words.matches(token))
                    .and_then(|_| self.matches(rest, at + 1, first));
                with.max(self.matches(rest, at, first))
            }
            Element::Not(words) => {
                let follows = self
                    .joined(at, first)
                    .is_some_and(|token| words.matches(token));
                (!follows).then_some(())?;
                self.matches(rest, at, first)
            }
            Element::Fillers => self.skipping(rest, at, first, |token| {
                self.phrases.fillers.contains(&token.word)
            }),
            // A negation is never skipped: "does not mean" is not "means".
            Element::Any => self.skipping(rest, at, first, |token| {
                !self.phrases.negations.contains(&token.word)
            }),
            Element::Figure { whole } => {
                let token = self.joined(at, first)?;
                let is_figure = token.is_score || *whole && token.is_whole;
                is_figure.then_some(())?;
                self.matches(rest, at + 1, first)
            }
        }
    }

    /// The token if it is in the clause of the phrase.
    fn joined(&self, at: usize, first: usize) -> Option<&Token> {
        let token = self.tokens.get(at)?;
        (token.clause == self.tokens[first].clause).then_some(token)
    }

    fn skipping(
        &self,
        rest: &[Element],
        at: usize,
        first: usize,
        skips: impl Fn(&Token) -> bool,
    ) -> Option<usize> {
        let mut best = None;
        for skipped in 0..=MAX_SKIPPED {
            best = best.max(self.matches(rest, at + skipped, first));
            if !self.joined(at + skipped, first).is_some_and(&skips) {
                break;
            }
        }
        best
    }
}

impl fmt::Debug for Matcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher").finish_non_exhaustive()
    }
}
