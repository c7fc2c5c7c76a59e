//! Grammars that restrict an engine to well-formed annotations.

mod annotation;
mod expr;
mod print;
mod sentence;
mod structural_tag;
mod text;
mod timestamp;

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use provstream::provenance::{Class, Vocabulary};
use serde_json::Value;

use self::annotation::{CitableAnnotations, hides_annotation};
use self::expr::GrammarRules;
use self::print::{PlainRegex, Regex};
use crate::json::shown;
use crate::names::named;
use crate::observation::{Observation, Observations};

/// Name of the rule for the whole answer.
const ROOT: &str = "answer";

named! {
    /// Dialect of a printed grammar, named by its engine or format.
    pub enum GrammarTarget: "grammar target" {
        /// The Lark-like syntax of llguidance.
        Lark => "lark",
        /// GBNF of llama.cpp.
        Gbnf => "gbnf",
        /// EBNF of XGrammar.
        Ebnf => "ebnf",
        /// One regular expression for the whole answer, without anchors or look-around.
        Regex => "regex",
        /// The structural tag of XGrammar, with `triggered_tags`.
        StructuralTag => "structural-tag",
        /// The older structural tag of vLLM and SGLang, with `structures`.
        StructuralTagLegacy => "structural-tag-legacy",
    }
}

named! {
    /// Part of an answer that must be annotated.
    #[derive(Default)]
    pub enum Requirement: "requirement" {
        /// No part: text without annotations is permitted.
        #[default]
        Nothing => "nothing",
        /// Every sentence must be followed by an annotation.
        EverySentence => "every-sentence",
    }
}

/// A grammar of answers: free text in which every annotation that begins must be completed in
/// well-formed syntax.
///
/// The language is the same in the dialects [`Lark`](GrammarTarget::Lark), [`Gbnf`](GrammarTarget::Gbnf),
/// [`Ebnf`](GrammarTarget::Ebnf) and [`Regex`](GrammarTarget::Regex). A structural tag enforces less; `docs/emission.md`
/// says what.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream_emit::{Grammar, GrammarTarget};
///
/// let grammar = Grammar::new(&Vocabulary::memo());
/// assert!(grammar.print(GrammarTarget::Gbnf)?.starts_with("# "));
/// # Ok::<(), provstream_emit::GrammarPrintError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grammar {
    vocabulary: Vocabulary,
    observations: Option<Observations>,
    requirement: Requirement,
}

impl Grammar {
    /// Creates the grammar of answers with annotations of a vocabulary.
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            vocabulary: vocabulary.clone(),
            observations: None,
            requirement: Requirement::default(),
        }
    }

    /// Restricts annotations to these observations: every annotation that is not terminal has the
    /// class, id and time of one of them. Without any observation only terminals remain.
    ///
    /// The observations must have been read with the vocabulary of this grammar.
    #[must_use]
    pub fn citing(mut self, observations: &Observations) -> Self {
        self.observations = Some(observations.clone());
        self
    }

    /// Sets the part of an answer that must be annotated.
    #[must_use]
    pub fn requiring(mut self, requirement: Requirement) -> Self {
        self.requirement = requirement;
        self
    }

    /// Prints the grammar in the dialect of an engine.
    ///
    /// # Errors
    ///
    /// [`GrammarPrintError::Inexpressible`] for [`Requirement::EverySentence`] as a
    /// [`StructuralTagLegacy`](GrammarTarget::StructuralTagLegacy), and for that shape without any observation or class to
    /// write a tag for.
    ///
    /// [`GrammarPrintError::Uncitable`] for an observation with an id in which an annotation could begin, unless
    /// [`Requirement::EverySentence`] leaves no way to hide the annotation around it from a reader; and as a
    /// [`StructuralTagLegacy`](GrammarTarget::StructuralTagLegacy) for one with an id that has a tab or is too long.
    pub fn print(&self, target: GrammarTarget) -> Result<String, GrammarPrintError> {
        if target == GrammarTarget::StructuralTagLegacy
            && self.requirement == Requirement::EverySentence
        {
            return Err(GrammarPrintError::Inexpressible {
                target,
                what: "the requirement every-sentence (--require)",
            });
        }
        if let Some((index, observation)) = self.uncitable() {
            return Err(GrammarPrintError::Uncitable {
                index,
                what: format!(
                    "the id {} contains what a reader takes for an annotation if a backslash or a backtick precedes it; \
                     give another id, or use --require every-sentence, which forbids both",
                    shown(observation.id()),
                ),
            });
        }
        let rules = self.rules();
        let comment = self.comment();
        Ok(match target {
            GrammarTarget::Lark => print::lark(&rules, ROOT, &comment),
            GrammarTarget::Gbnf | GrammarTarget::Ebnf => print::gbnf(&rules, ROOT, &comment),
            GrammarTarget::Regex => {
                let (_, answer) = rules.get(rules.all().len() - 1);
                print::print(&Regex, &rules, answer) + "\n"
            }
            GrammarTarget::StructuralTag => match self.requirement {
                Requirement::Nothing => json_lines(&structural_tag::tagged(&self.annotations())),
                Requirement::EverySentence => {
                    let ebnf = print::gbnf(&rules, ROOT, &comment);
                    json_lines(&structural_tag::grammar(&ebnf))
                }
            },
            GrammarTarget::StructuralTagLegacy => {
                json_lines(&structural_tag::structures(&self.annotations())?)
            }
        })
    }

    /// Returns the first observation whose id a reader could take for another annotation, with its
    /// index, if text can hide the annotation around it.
    fn uncitable(&self) -> Option<(usize, &Observation)> {
        let all = self.observations.as_ref();
        let mut all = all.into_iter().flat_map(Observations::iter).enumerate();
        match self.requirement {
            Requirement::Nothing => {
                all.find(|(_, one)| hides_annotation(one.id(), &self.vocabulary))
            }
            Requirement::EverySentence => None,
        }
    }

    fn annotations(&self) -> CitableAnnotations<'_> {
        CitableAnnotations {
            vocabulary: &self.vocabulary,
            observations: self.observations.as_ref(),
        }
    }

    fn rules(&self) -> GrammarRules {
        let mut rules = GrammarRules::default();
        let annotations = self.annotations();
        let annotation = annotations.add(&mut rules);
        let answer = match self.requirement {
            Requirement::Nothing => {
                let classes = annotations.classes();
                let names: Vec<&str> = classes.iter().map(Class::as_str).collect();
                text::add(&mut rules, &names, annotation)
            }
            Requirement::EverySentence => sentence::add(&mut rules, annotation),
        };
        rules.add(ROOT, answer);
        rules
    }

    fn comment(&self) -> String {
        let mut comment = format!(
            "answers with provenance annotations, vocabulary {}",
            self.vocabulary.version()
        );
        if let Some(observations) = &self.observations {
            comment += &format!(", {} observations", observations.len());
        }
        if self.requirement == Requirement::EverySentence {
            comment += ", every sentence annotated";
        }
        comment
    }
}

/// Returns a regular expression for the times that an annotation can have, without anchors and with
/// plain groups only.
pub(crate) fn time_pattern() -> String {
    let mut rules = GrammarRules::default();
    let time = timestamp::add(&mut rules);
    print::print(&PlainRegex, &rules, &time)
}

/// Formats JSON for readers, with a line feed at the end.
fn json_lines(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Reason why a grammar cannot be printed.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrammarPrintError {
    /// The target cannot express the grammar.
    Inexpressible {
        /// The target.
        target: GrammarTarget,
        /// Requirement that the target cannot express, or the reason why it cannot.
        what: &'static str,
    },
    /// An observation cannot be cited safely.
    Uncitable {
        /// Index of the observation, from 0.
        index: usize,
        /// Fault of the observation, and the expected form.
        what: String,
    },
}

impl fmt::Display for GrammarPrintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inexpressible { target, what } => {
                write!(
                    f,
                    "the target {target} cannot express {what}; use another target"
                )
            }
            Self::Uncitable { index, what } => write!(f, "observation {}: {what}", index + 1),
        }
    }
}

impl Error for GrammarPrintError {}
