//! Finds wording that a disclosure should do without, by the rules of `data/rules.txt`.

use std::sync::LazyLock;

use super::finding::WordingFinding;
use super::lexicon::{Lexicon, Mark};
use super::reading::{Occurs, Reading, Status};
use super::rules::{Atom, Rule, Window};
use super::slots::Names;
use super::token::Token;
use super::tokens::Sentences;
use provstream::Span;

/// What the check knows.
struct Knowledge {
    rules: Vec<Rule>,
    lexicons: [Lexicon; 2],
}

static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| {
    let mut names = Names::new();
    Knowledge {
        rules: Rule::parse_all(include_str!("data/rules.txt"), &mut names),
        lexicons: [
            include_str!("data/words.en.txt"),
            include_str!("data/words.de.txt"),
        ]
        .map(|words| Lexicon::parse(words, &mut names)),
    }
});

/// Most findings in one text; the rest of the text is not looked at.
const MAX_FINDINGS: usize = 64;

/// Finds what is anthropomorphic, falsely precise, a cue of certainty, a claim of proof, an exposure of reasoning, or bonding
/// and deferential in an English or German text.
///
/// It looks for words that together say so, each of them asserted or denied, within a clause or sentence. It is a help for
/// reviewing wording and does not replace the review. Findings are in order; those of one kind do not overlap. At most 64
/// are reported. The time is proportional to the length of the text, and memory is bounded but for the findings.
/// Source: MARC-02 10.3, 14, 15, 18, 20.
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

/// The same for an answer: only rules by which it speaks of itself, not those about its matter.
pub(crate) fn check_answer(text: &str) -> Vec<WordingFinding> {
    check(text, true)
}

fn check(text: &str, answer: bool) -> Vec<WordingFinding> {
    let mut findings = Vec::new();
    let mut sentences = Sentences::new(text);
    while let Some(tokens) = sentences.next() {
        let mut found = Vec::new();
        let whole = sentences.is_whole();
        let reading = Reading::new(&tokens, &KNOWLEDGE.lexicons);
        let applies =
            |rule: &&Rule| (!answer || rule.in_answers) && (whole || rule.window != Window::Text);
        for rule in KNOWLEDGE.rules.iter().filter(applies) {
            apply(rule, &tokens, &reading, &mut found);
        }
        findings.extend(shortest(found));
        if findings.len() >= MAX_FINDINGS {
            findings.truncate(MAX_FINDINGS);
            break;
        }
    }
    findings
}

/// Those that do not overlap a shorter one of the same kind, in order.
fn shortest(mut found: Vec<WordingFinding>) -> Vec<WordingFinding> {
    found.sort_unstable_by_key(|finding| (finding.span().len(), *finding));
    let mut kept: Vec<WordingFinding> = Vec::new();
    for finding in found {
        let span = finding.span();
        let overlaps = |other: &WordingFinding| {
            let known = other.span();
            other.kind() == finding.kind()
                && known.start() < span.end()
                && span.start() < known.end()
        };
        if !kept.iter().any(overlaps) {
            kept.push(finding);
        }
    }
    kept.sort_unstable_by_key(|finding| (finding.span().start(), *finding));
    kept
}

/// Looks for a rule in each of its windows.
fn apply(rule: &Rule, tokens: &[Token], reading: &Reading, found: &mut Vec<WordingFinding>) {
    let sentence = reading.sentence;
    if sentence.any.meets(&rule.nowhere) || !occurs(rule, sentence) {
        return;
    }
    if matches!(rule.window, Window::Sentence | Window::Text) {
        if sentence.any.meets(&rule.unless) {
            return;
        }
        let marks = reading.marks.iter().copied();
        found.extend(locate(rule, tokens, marks));
        return;
    }
    for (clause, &all) in reading.clauses.iter().enumerate() {
        let within = rule.window == Window::Clause || reading.leads(clause);
        if within && occurs(rule, all) && !all.any.meets(&rule.unless) {
            let marks = reading.marks.iter().copied();
            let marks = marks.filter(|&(mark, _)| reading.clause(mark) == clause);
            found.extend(locate(rule, tokens, marks));
        }
    }
}

/// Whether a window has all that a rule needs, as far as the sets of slots say.
fn occurs(rule: &Rule, all: Occurs) -> bool {
    let one_of =
        |atom: &Atom| core::iter::zip(atom, &all.by_status).any(|(one, all)| one.meets(all));
    rule.atoms.iter().all(one_of)
}

/// Where a rule applies: from the first to the last of the marks that it needs, each nearest to those before.
fn locate(
    rule: &Rule,
    tokens: &[Token],
    marks: impl Iterator<Item = (Mark, Status)> + Clone,
) -> Option<WordingFinding> {
    let mut chosen: Vec<Mark> = Vec::with_capacity(rule.atoms.len());
    for atom in &rule.atoms {
        let fits = |(mark, status): (Mark, Status)| {
            let slots = atom[status as usize];
            let own = slots.contains(mark.slot) && !chosen.iter().any(|&it| it.overlaps(mark));
            own.then_some(mark)
        };
        let distance = |mark: &Mark| {
            let near = chosen.last().map_or(0, |last| last.first);
            mark.first.abs_diff(near)
        };
        let nearest = marks.clone().filter_map(fits).min_by_key(distance)?;
        chosen.push(nearest);
    }
    let first = chosen.iter().map(|mark| mark.first).min()?;
    let last = chosen.iter().map(|mark| mark.last).max()?;
    Some(WordingFinding {
        kind: rule.kind,
        section: rule.section,
        span: Span::new(tokens[first].start as u64, tokens[last].end as u64),
    })
}

#[cfg(test)]
#[path = "../../tests/unit/wording_check.rs"]
mod tests;
