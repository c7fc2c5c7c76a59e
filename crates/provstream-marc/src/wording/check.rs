//! Looking for wording that a disclosure should do without.

use core::fmt;

use super::figures::{percentage, score};
use super::phrases::{FILLERS, NEGATIONS, PHRASES};
use super::words::Words;
use provstream::Span;

/// What is wrong with a wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum WordingKind {
    /// It claims feelings, self-awareness or a mental state: "I feel unsure". Source: MARC-02 10.3.
    Anthropomorphic,
    /// It has a percentage or a fine-grained score: "87 %", "a confidence of 0.87". Source: MARC-02 10.3.
    FalsePrecision,
    /// It stresses certainty: "guaranteed", "without doubt". Source: MARC-02 10.3.
    CertaintyCue,
    /// It bonds, flatters or defers: "trust me", "as you wish". Source: MARC-02 14, 18.
    Bonding,
}

impl WordingKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Anthropomorphic,
        Self::FalsePrecision,
        Self::CertaintyCue,
        Self::Bonding,
    ];

    /// The name used on the wire: `anthropomorphic`, `false-precision`, `certainty-cue` or `bonding`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anthropomorphic => "anthropomorphic",
            Self::FalsePrecision => "false-precision",
            Self::CertaintyCue => "certainty-cue",
            Self::Bonding => "bonding",
        }
    }

    /// The number of the requirement in the project's table of conformance, such as `M2-129`.
    #[must_use]
    pub const fn requirement(self) -> &'static str {
        match self {
            Self::Anthropomorphic => "M2-129",
            Self::FalsePrecision => "M2-130",
            Self::CertaintyCue => "M2-131",
            Self::Bonding => "M2-175",
        }
    }
}

impl fmt::Display for WordingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A piece of a text that a disclosure should do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordingFinding {
    kind: WordingKind,
    span: Span,
}

impl WordingFinding {
    /// What is wrong with it.
    #[must_use]
    pub const fn kind(self) -> WordingKind {
        self.kind
    }

    /// Where it stands, in bytes of the text.
    #[must_use]
    pub const fn span(self) -> Span {
        self.span
    }
}

/// `anthropomorphic at 0..13 (M2-129)`
impl fmt::Display for WordingFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, span } = self;
        write!(f, "{kind} at {span} ({})", kind.requirement())
    }
}

/// Most findings in one text; what stands behind the last of them is not looked at.
const MAX_FINDINGS: usize = 64;

/// Most fillers that one phrase may have in one place.
const MAX_FILLERS: usize = 5;

const SURE: &str =
    "accurate|certain|confident|correct|guaranteed|positive|reliable|right|safe|sure";

/// Finds what is anthropomorphic, falsely precise, a cue of certainty, or bonding and deferential in an English text.
///
/// It looks for fixed phrases, whatever their letter case and apostrophes. It is a help for reviewing wording and does not
/// replace the review: it knows no context, so that "the 20 % rate" is found, and a phrase that it does not know is not. Findings
/// are in order and do not overlap; of those that begin with the same word, the longest counts. At most 64 are told. The
/// time it takes grows with the length of the text and no faster.
///
/// Source: MARC-02 10.3, 14, 18.
///
/// ```
/// use provstream_marc::{WordingKind, check_wording};
///
/// let findings = check_wording("I'm not sure; the chance is 87 %.");
/// let kinds: Vec<_> = findings.iter().map(|finding| finding.kind()).collect();
/// assert_eq!(kinds, [WordingKind::Anthropomorphic, WordingKind::FalsePrecision]);
/// assert!(check_wording("The request is ambiguous: the tax year 2024 or 2025 could be meant.").is_empty());
/// ```
#[must_use]
pub fn check_wording(text: &str) -> Vec<WordingFinding> {
    let words = Words::of(text);
    let mut findings = Vec::new();
    let mut at = 0;
    while let Some(first) = words.get(at) {
        let Some((last, kind)) = longest(&words, at) else {
            at += 1;
            continue;
        };
        let end = words.get(last).map_or(first.end, |last| last.end);
        findings.push(WordingFinding {
            kind,
            span: Span::new(first.start as u64, end as u64),
        });
        if findings.len() == MAX_FINDINGS {
            break;
        }
        at = last + 1;
    }
    findings
}

/// The last token of the longest that is found at a token, and its kind.
fn longest(words: &Words<'_>, at: usize) -> Option<(usize, WordingKind)> {
    let mut best = None;
    let mut offer = |last, kind| {
        if best.is_none_or(|(other, _)| other < last) {
            best = Some((last, kind));
        }
    };
    let is = |at: usize, list: &str| words.get(at).is_some_and(|word| word.is_one_of(list));
    if let Some(last) = percentage(words, at) {
        offer(last, WordingKind::FalsePrecision);
        let hundred = words.get(at).is_some_and(|number| number.text == "100")
            || is(at, "hundred")
            || is(at, "one") && is(at + 1, "hundred");
        let sure = words.is_joined(last + 1) && is(last + 1, SURE);
        if hundred && sure && !is_negated(words, at) {
            offer(last + 1, WordingKind::CertaintyCue);
        }
    }
    if let Some(last) = score(words, at) {
        offer(last, WordingKind::FalsePrecision);
    }
    for &(kind, first, rests) in PHRASES {
        if is(at, first) {
            for last in rests
                .iter()
                .filter_map(|rest| phrase(words, at, rest, kind))
            {
                offer(last, kind);
            }
        }
    }
    best
}

/// The last token of a phrase whose first word is a token.
fn phrase(words: &Words<'_>, first: usize, rest: &str, kind: WordingKind) -> Option<usize> {
    let follows = |at: usize, list: &str| {
        words.is_joined(at) && words.get(at).is_some_and(|word| word.is_one_of(list))
    };
    let mut at = first + 1;
    let mut negated = is_negated(words, first);
    for element in rest.split_ascii_whitespace() {
        if element == "~" {
            for _ in 0..MAX_FILLERS {
                if !follows(at, FILLERS) {
                    break;
                }
                negated |= follows(at, NEGATIONS);
                at += 1;
            }
        } else if follows(at, element) {
            at += 1;
        } else {
            return None;
        }
    }
    // What is said not to be certain is no cue of certainty.
    (kind != WordingKind::CertaintyCue || !negated).then_some(at - 1)
}

/// Whether one of the two words before a token negates it.
fn is_negated(words: &Words<'_>, at: usize) -> bool {
    (at.saturating_sub(1)..=at)
        .rev()
        .take_while(|&next| words.is_joined(next))
        .filter_map(|next| words.get(next - 1))
        .any(|before| before.is_one_of(NEGATIONS))
}
