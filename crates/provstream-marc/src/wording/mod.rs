//! The words in which a disclosure speaks.

mod check;
mod figures;
mod part;
mod phrases;
mod template;
mod words;

pub use check::{WordingFinding, WordingKind, check_wording};
pub use part::{WordingError, WordingErrorKind, WordingPart};

use super::disclosure::Disclosure;
use super::terms::{Action, Band, Source, Target};

/// The placeholders of a message's template.
const OF_MESSAGE: &[&str] = &["source", "next_step"];

/// The placeholders of the unit's template.
const OF_UNIT: &[&str] = &["band", "target", "source", "next_step"];

/// The texts in which a disclosure speaks: templates, phrases and labels that a deployment can replace one by one.
///
/// The default is English and in task terms. What is replaced cannot lose the meaning of a disclosure: the labels of the three
/// bands stay different, so do the phrases of sources and of targets, and the unit's template shows the band, its target, the
/// source and the next step, all of them. Wording that is [not recommended](check_wording) is not refused;
/// [`check`](Self::check) tells it.
///
/// Source: MARC-02 8.5, 10.3, 14.
///
/// ```
/// use provstream_marc::{Band, Source, Target, Wording, WordingPart};
///
/// let wording = Wording::default()
///     .with(WordingPart::Band(Band::Low), "gering")?
///     .with(WordingPart::Target(Target::Answer), "in die Antwort")?
///     .with(WordingPart::Source(Source::MissingEvidence), "aktuelle Belege fehlen")?
///     .with(WordingPart::Unit, "Vertrauen {target}: {band}; {source}. Weiter: {next_step}")?;
/// assert_eq!(wording.text(WordingPart::Band(Band::Low)), Some("gering"));
/// assert!(wording.check().is_empty());
/// # Ok::<(), provstream_marc::WordingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// By action; empty for the answer.
    messages: [String; 7],
    sources: [String; 5],
    bands: [String; 3],
    targets: [String; 3],
    no_target: String,
    unit: String,
}

impl Default for Wording {
    fn default() -> Self {
        Self {
            messages: [
                "",
                "More information is needed: {source}.",
                "Further evidence is being retrieved: {source}.",
                "A tool is being used: {source}.",
                "Further checks are being made: {source}.",
                "No answer is given: {source}.",
                "This request is referred to a person or service that can decide it: {source}.",
            ]
            .map(Into::into),
            sources: [
                "the request is ambiguous",
                "current evidence is missing",
                "the task exceeds what can be done reliably here",
                "the available evidence conflicts",
                "a safety, legal or policy constraint applies",
            ]
            .map(Into::into),
            bands: ["low", "medium", "high"].map(Into::into),
            targets: [
                "in the answer given",
                "that a direct answer is suitable at present",
                "that the selected action is right",
            ]
            .map(Into::into),
            no_target: "in the answer given, or else that a direct answer is suitable at present"
                .into(),
            unit: "Confidence {target}: {band}\nUncertainty: {source}\nNext step: {next_step}"
                .into(),
        }
    }
}

impl Wording {
    /// The text of a part; none for the message of [`Action::Answer`].
    #[must_use]
    pub fn text(&self, part: WordingPart) -> Option<&str> {
        match part {
            WordingPart::Message(Action::Answer) => None,
            WordingPart::Message(action) => Some(&self.messages[action as usize]),
            WordingPart::Source(source) => Some(&self.sources[source as usize]),
            WordingPart::Band(band) => Some(&self.bands[band as usize]),
            WordingPart::Target(target) => Some(&self.targets[target as usize]),
            WordingPart::NoTarget => Some(&self.no_target),
            WordingPart::Unit => Some(&self.unit),
        }
    }

    /// The same with another text for one part.
    ///
    /// # Errors
    ///
    /// If the text has no content; if a template has a brace that belongs to no placeholder, or a placeholder that is unknown,
    /// repeated or missing; if a label or phrase reads the same as another of its sort, whatever the letter case; if the label
    /// of a band is the name of another band; if the part is the message of [`Action::Answer`].
    pub fn with(
        mut self,
        part: WordingPart,
        text: impl Into<String>,
    ) -> Result<Self, WordingError> {
        let text = text.into();
        self.judge(part, &text)
            .map_err(|(kind, offset)| WordingError::new(part, kind, offset))?;
        *match part {
            WordingPart::Message(action) => &mut self.messages[action as usize],
            WordingPart::Source(source) => &mut self.sources[source as usize],
            WordingPart::Band(band) => &mut self.bands[band as usize],
            WordingPart::Target(target) => &mut self.targets[target as usize],
            WordingPart::NoTarget => &mut self.no_target,
            WordingPart::Unit => &mut self.unit,
        } = text;
        Ok(self)
    }

    fn judge(
        &self,
        part: WordingPart,
        text: &str,
    ) -> Result<(), (WordingErrorKind, Option<usize>)> {
        if part == WordingPart::Message(Action::Answer) {
            return Err((WordingErrorKind::AnswerMessage, None));
        }
        if text.trim().is_empty() {
            return Err((WordingErrorKind::Empty, None));
        }
        let others: Vec<WordingPart> = match part {
            WordingPart::Message(_) => return template::check(text, OF_MESSAGE, false),
            WordingPart::Unit => return template::check(text, OF_UNIT, true),
            WordingPart::NoTarget => Vec::new(),
            WordingPart::Source(_) => Source::ALL
                .iter()
                .copied()
                .map(WordingPart::Source)
                .collect(),
            WordingPart::Band(_) => Band::ALL.iter().copied().map(WordingPart::Band).collect(),
            WordingPart::Target(_) => Target::ALL
                .iter()
                .copied()
                .map(WordingPart::Target)
                .collect(),
        };
        let key = |text: &str| text.trim().to_lowercase();
        let mut rest = others.into_iter().filter(|&other| other != part);
        if rest.any(|other| {
            self.text(other)
                .is_some_and(|other| key(other) == key(text))
        }) {
            return Err((WordingErrorKind::SameAsOther, None));
        }
        match part {
            WordingPart::Band(band)
                if Band::ALL
                    .iter()
                    .any(|&other| other != band && other.as_str() == key(text)) =>
            {
                Err((WordingErrorKind::NameOfOther, None))
            }
            _ => Ok(()),
        }
    }

    /// All findings of [`check_wording`] in the texts, by part; spans are in bytes of the text of the part.
    #[must_use]
    pub fn check(&self) -> Vec<(WordingPart, WordingFinding)> {
        WordingPart::all()
            .flat_map(|part| {
                check_wording(self.text(part).unwrap_or_default())
                    .into_iter()
                    .map(move |finding| (part, finding))
            })
            .collect()
    }

    /// The message with an action and a source, where the caller has none; none for [`Action::Answer`].
    pub(crate) fn message(
        &self,
        action: Action,
        source: Source,
        next_step: &str,
    ) -> Option<String> {
        let template = self.text(WordingPart::Message(action))?;
        let source = self.text(WordingPart::Source(source)).unwrap_or_default();
        Some(template::fill(
            template,
            &[("source", source), ("next_step", next_step)],
        ))
    }

    /// What a disclosure says of uncertainty, as one text: the band with what it applies to, the source and the next step.
    /// Under -01 a band applies to the answer for `ANSWER`, else to the suitability of a direct answer; where the action is not
    /// told either, the text says so much. The answer is not part of it.
    ///
    /// Source: MARC-02 8.6, 14; MARC-01 7.5.
    #[must_use]
    pub fn render(&self, disclosure: &Disclosure) -> String {
        let text = |part| self.text(part).unwrap_or_default();
        let target = disclosure
            .confidence_target()
            .or_else(|| disclosure.selected_action().map(Target::of))
            .map_or(WordingPart::NoTarget, WordingPart::Target);
        let values = [
            (
                "band",
                text(WordingPart::Band(disclosure.confidence_band())),
            ),
            ("target", text(target)),
            (
                "source",
                text(WordingPart::Source(disclosure.uncertainty_source())),
            ),
            ("next_step", disclosure.recommended_next_step()),
        ];
        template::fill(&self.unit, &values)
    }
}
