//! Linter for disclosures, with the rules of `data/lint.en.toml` and `data/lint.de.toml`.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::finding::{WordingFinding, WordingKind};
use provstream::Span;
use provstream::settings::{File, Table};

/// Rules of a language.
#[derive(Default)]
struct LanguageRules {
    /// A question, an instruction, or a statement that is attributed to somebody.
    matter: Option<Regex>,
    rules: Vec<LintRule>,
}

struct LintRule {
    kind: WordingKind,
    section: &'static str,
    find: Regex,
    with: Option<Regex>,
    unless: Option<Regex>,
    /// Pattern that an answer must match as well. A rule without it is not applied to answers.
    answers: Option<Regex>,
}

/// Rules for English and for German; both are applied to each text.
static RULES: LazyLock<[LanguageRules; 2]> = LazyLock::new(|| {
    // A test reads both.
    FILES.map(|file| LanguageRules::read(file).unwrap_or_default())
});

const FILES: [&str; 2] = [
    include_str!("data/lint.en.toml"),
    include_str!("data/lint.de.toml"),
];

/// Sections that a rule can name.
const SECTIONS: [&str; 7] = [
    "MARC-02 8.5",
    "MARC-02 8.6",
    "MARC-02 10.2",
    "MARC-02 10.3",
    "MARC-02 14",
    "MARC-02 15",
    "MARC-02 18",
];

/// Maximum number of findings in one text; the rest of the text is not checked.
const MAX_FINDINGS: usize = 64;

/// Finds unsuitable wording in an English or German text: anthropomorphism, false precision, cues
/// of certainty, claims of proof, exposure of reasoning, and bonding or deference.
///
/// The search is for words in each sentence. It helps a review of the wording, and does not replace it. Findings are in
/// order; those of one kind do not overlap. At most 64 are reported. The time is proportional to the length of the text, and
/// memory is bounded by it. Source: MARC-02 10.3, 14, 15, 18.
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

/// Checks an answer with the rules about how it speaks of itself, and not with those about its subject.
pub(crate) fn check_answer(text: &str) -> Vec<WordingFinding> {
    check(text, true)
}

fn check(text: &str, is_answer: bool) -> Vec<WordingFinding> {
    let mut findings = Vec::new();
    for sentence in sentences(text) {
        let mut found: Vec<_> = RULES
            .iter()
            .flat_map(|language| language.findings(&sentence, is_answer))
            .collect();
        found.sort_by_key(|one| (one.span.start(), one.span.end()));
        let mut kept: Vec<WordingFinding> = Vec::new();
        for one in found {
            let overlaps = |other: &WordingFinding| {
                other.kind == one.kind && one.span.start() < other.span.end()
            };
            if !kept.iter().any(overlaps) {
                kept.push(one);
            }
        }
        findings.extend(kept);
        if findings.len() >= MAX_FINDINGS {
            findings.truncate(MAX_FINDINGS);
            break;
        }
    }
    findings
}

impl LanguageRules {
    /// Reads the rules of a file; `None` if the file has a fault.
    fn read(file: &str) -> Option<Self> {
        let file = File::parse(file.as_bytes()).ok()?;
        let root = file.root(&["matter", "rule"]).ok()?;
        let keys = [
            "kind", "section", "find", "with", "unless", "answers", "bad", "good",
        ];
        let tables = root.need("rule").ok()?.tables(&keys).ok()?;
        Some(Self {
            matter: pattern(&root, "matter"),
            rules: tables.iter().map(LintRule::read).collect::<Option<_>>()?,
        })
    }

    fn findings(&self, sentence: &AsciiSentence, is_answer: bool) -> Vec<WordingFinding> {
        use WordingKind::{CertaintyCue, FalsePrecision, ProofClaim};
        let matches = |pattern: &Option<Regex>| {
            let pattern = pattern.as_ref();
            pattern.is_some_and(|pattern| pattern.is_match(&sentence.ascii))
        };
        let is_matter = matches(&self.matter);
        let mut findings = Vec::new();
        for rule in &self.rules {
            let is_about_itself = !matches!(rule.kind, CertaintyCue | FalsePrecision | ProofClaim);
            let is_meant =
                (is_about_itself || !is_matter) && (!is_answer || matches(&rule.answers));
            let found = rule.find.find(&sentence.ascii).filter(|_| is_meant);
            if let Some(found) = found
                && (rule.with.is_none() || matches(&rule.with))
                && !matches(&rule.unless)
            {
                findings.push(WordingFinding {
                    kind: rule.kind,
                    section: rule.section,
                    span: sentence.span(found.start(), found.end()),
                });
            }
        }
        findings
    }
}

impl LintRule {
    fn read(table: &Table<'_>) -> Option<Self> {
        let text = |key| table.need(key).ok()?.string().ok();
        let section = text("section")?;
        let named = |known: &&&str| known.strip_prefix("MARC-02 ") == Some(section);
        Some(Self {
            kind: text("kind")?.parse().ok()?,
            section: SECTIONS.iter().find(named)?,
            find: pattern(table, "find")?,
            with: pattern(table, "with"),
            unless: pattern(table, "unless"),
            answers: pattern(table, "answers"),
        })
    }
}

/// Reads the regular expression under a key, and writes it in ASCII, as sentences are. Returns `None` without a readable one.
fn pattern(table: &Table<'_>, key: &str) -> Option<Regex> {
    let text = table.get(key)?.string().ok()?;
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        push_ascii(&mut ascii, character);
    }
    let mut builder = RegexBuilder::new(&ascii);
    builder.unicode(false).build().ok()
}

/// A sentence in lower-case ASCII, with the positions of its bytes in the text.
#[derive(Default)]
struct AsciiSentence {
    ascii: Vec<u8>,
    /// Start and end, in bytes of the text, of the character of each byte.
    places: Vec<(usize, usize)>,
}

impl AsciiSentence {
    fn span(&self, start: usize, end: usize) -> Span {
        let place = |at: usize| self.places.get(at).copied().unwrap_or_default();
        Span::new(place(start).0 as u64, place(end.saturating_sub(1)).1 as u64)
    }
}

/// Splits a text into sentences. A sentence ends with its line, or with `.`, `!` or `?` before
/// white space.
fn sentences(text: &str) -> impl Iterator<Item = AsciiSentence> {
    let mut characters = text.char_indices().peekable();
    core::iter::from_fn(move || {
        characters.peek()?;
        let mut sentence = AsciiSentence::default();
        let mut ends = false;
        for (at, character) in characters.by_ref() {
            if character == '\n' || ends && character.is_whitespace() {
                break;
            }
            ends = matches!(character, '.' | '!' | '?');
            // Markup.
            if matches!(character, '*' | '`' | '#') {
                continue;
            }
            for lower in character.to_lowercase() {
                let mut ascii = String::new();
                push_ascii(&mut ascii, lower);
                sentence.ascii.extend_from_slice(ascii.as_bytes());
                let place = (at, at + character.len_utf8());
                sentence.places.resize(sentence.ascii.len(), place);
            }
        }
        Some(sentence)
    })
}

/// Writes a character in ASCII: letters with their usual replacements, others alike or as a space.
fn push_ascii(ascii: &mut String, character: char) {
    match character {
        '\u{0}'..='\u{7f}' => ascii.push(character),
        'ä' => ascii.push_str("ae"),
        'ö' => ascii.push_str("oe"),
        'ü' => ascii.push_str("ue"),
        'ß' => ascii.push_str("ss"),
        'é' | 'è' => ascii.push('e'),
        '’' | '‘' => ascii.push('\''),
        '“' | '”' | '„' | '»' | '«' => ascii.push('"'),
        '–' | '—' => ascii.push('-'),
        '±' => ascii.push('~'),
        _ => ascii.push(' '),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/lint.rs"]
mod tests;
