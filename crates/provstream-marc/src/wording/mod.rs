//! The words in which a disclosure speaks.

mod check;
mod figure;
mod finding;
mod language;
mod lexicon;
mod part;
mod reading;
mod rules;
mod slots;
mod template;
mod token;
mod tokens;

pub(crate) use check::check_answer;
pub use check::check_wording;
pub use finding::{WordingFinding, WordingKind};
pub use language::Language;
pub(crate) use language::texts;
pub use part::{WordingError, WordingErrorKind, WordingPart};

use super::disclosure::Disclosure;
use super::terms::{Action, Band, Source, Target};

/// The placeholders of a message's template.
const OF_MESSAGE: &[&str] = &["source", "next_step"];

/// The placeholders of the unit's template.
const OF_UNIT: &[&str] = &["band", "target", "source", "next_step"];

/// Words that say how a band ranks, in the languages of the library: those of a low band, those of a high one.
const RANKS: [&[&str]; 2] = [
    &[
        "low",
        "unsure",
        "uncertain",
        "weak",
        "gering",
        "niedrig",
        "unsicher",
        "bajo",
        "baja",
        "faible",
        "低",
    ],
    &[
        "high", "sure", "certain", "strong", "hoch", "sicher", "alto", "alta", "élevé", "élevée",
        "高",
    ],
];

/// The texts in which a disclosure speaks: templates, phrases and labels that a deployment can replace one by one.
///
/// The default is English; [`Language`] lists the others. What is replaced cannot lose the meaning of a disclosure: the
/// labels of the three bands stay different and in order, the phrases of sources and of targets stay different, and the
/// template of the unit shows band, target, source and next step. Wording that is [not recommended](check_wording) is not
/// refused; [`check`](Self::check) reports it. Source: MARC-02 8.5, 10.3, 14.
///
/// ```
/// use provstream_marc::{Band, Language, Wording, WordingPart};
///
/// let wording = Wording::in_language(Language::German).with(WordingPart::Band(Band::Low), "niedrig")?;
/// assert_eq!(wording.text(WordingPart::Band(Band::Low)), Some("niedrig"));
/// assert!(wording.check().is_empty());
/// assert!(wording.with(WordingPart::Band(Band::Low), "hoch").is_err());
/// # Ok::<(), provstream_marc::WordingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// By action; empty for the answer.
    messages: [String; 7],
    next_steps: [String; 7],
    sources: [String; 5],
    bands: [String; 3],
    targets: [String; 3],
    no_target: String,
    unit: String,
}

impl Default for Wording {
    fn default() -> Self {
        Self::in_language(Language::English)
    }
}

impl Wording {
    /// The library's wording in a language.
    #[must_use]
    pub fn in_language(language: Language) -> Self {
        language.wording().clone()
    }

    /// Without any text.
    fn empty() -> Self {
        Self {
            messages: Default::default(),
            next_steps: Default::default(),
            sources: Default::default(),
            bands: Default::default(),
            targets: Default::default(),
            no_target: String::new(),
            unit: String::new(),
        }
    }

    /// The text of a part; `None` for the message of [`Action::Answer`].
    #[must_use]
    pub fn text(&self, part: WordingPart) -> Option<&str> {
        match part {
            WordingPart::Message(Action::Answer) => None,
            WordingPart::Message(action) => Some(&self.messages[action as usize]),
            WordingPart::NextStep(action) => Some(&self.next_steps[action as usize]),
            WordingPart::Source(source) => Some(&self.sources[source as usize]),
            WordingPart::Band(band) => Some(&self.bands[band as usize]),
            WordingPart::Target(target) => Some(&self.targets[target as usize]),
            WordingPart::NoTarget => Some(&self.no_target),
            WordingPart::Unit => Some(&self.unit),
        }
    }

    fn slot(&mut self, part: WordingPart) -> &mut String {
        match part {
            WordingPart::Message(action) => &mut self.messages[action as usize],
            WordingPart::NextStep(action) => &mut self.next_steps[action as usize],
            WordingPart::Source(source) => &mut self.sources[source as usize],
            WordingPart::Band(band) => &mut self.bands[band as usize],
            WordingPart::Target(target) => &mut self.targets[target as usize],
            WordingPart::NoTarget => &mut self.no_target,
            WordingPart::Unit => &mut self.unit,
        }
    }

    /// The same with another text for one part.
    ///
    /// # Errors
    ///
    /// If the text is blank; if a template has a brace outside a placeholder, or a placeholder that is unknown, repeated or
    /// missing; if a label or phrase reads the same as another of its sort, whatever the letter case; if the label of a band
    /// says that it is another band; if the part is the message of [`Action::Answer`].
    pub fn with(
        mut self,
        part: WordingPart,
        text: impl Into<String>,
    ) -> Result<Self, WordingError> {
        let text = text.into();
        self.judge(part, &text)
            .map_err(|(kind, offset)| WordingError::new(part, kind, offset))?;
        *self.slot(part) = text;
        Ok(self)
    }

    /// The same with other texts for several parts, which are judged together.
    ///
    /// # Errors
    ///
    /// As [`with`](Self::with), for the first part that is wrong.
    pub fn with_all(
        self,
        texts: impl IntoIterator<Item = (WordingPart, String)>,
    ) -> Result<Self, WordingError> {
        let mut all = self;
        let mut parts = Vec::new();
        for (part, text) in texts {
            *all.slot(part) = text;
            parts.push(part);
        }
        for part in parts {
            let text = all.slot(part).clone();
            all = all.with(part, text)?;
        }
        Ok(all)
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
        match part {
            WordingPart::Message(_) => return template::check(text, OF_MESSAGE, false),
            WordingPart::Unit => return template::check(text, OF_UNIT, true),
            WordingPart::NextStep(_) | WordingPart::NoTarget => return Ok(()),
            WordingPart::Source(_) | WordingPart::Band(_) | WordingPart::Target(_) => {}
        }
        let key = |text: &str| text.trim().to_lowercase();
        let same = WordingPart::all()
            .filter(|&other| other != part && other.is_sort_of(part))
            .any(|other| {
                self.text(other)
                    .is_some_and(|other| key(other) == key(text))
            });
        if same {
            return Err((WordingErrorKind::SameAsOther, None));
        }
        match part {
            WordingPart::Band(band) if ranks_otherwise(band, &key(text)) => {
                Err((WordingErrorKind::OutOfOrder, None))
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

    /// The next step of a record, where the caller has none.
    pub(crate) fn next_step(&self, action: Action) -> String {
        self.next_steps[action as usize].clone()
    }

    /// The message with an action and a source, where the caller has none.
    pub(crate) fn message(&self, action: Action, source: Source, next_step: &str) -> String {
        let template = &self.messages[action as usize];
        let source = &self.sources[source as usize];
        template::fill(template, &[("source", source), ("next_step", next_step)])
    }

    /// What a disclosure says of uncertainty, as one text: the band with what it applies to, the source and the next step.
    ///
    /// Under -01 a band applies to the answer for `ANSWER`, else to the suitability of a direct answer; if the disclosure
    /// has no action either, the text says so much. The answer is not part of it. Source: MARC-02 8.6, 14; MARC-01 7.5.
    #[must_use]
    pub fn render(&self, disclosure: &Disclosure) -> String {
        let target = disclosure
            .confidence_target()
            .or_else(|| disclosure.selected_action().map(Target::of))
            .map_or(self.no_target.as_str(), |target| {
                &self.targets[target as usize]
            });
        let values = [
            ("band", &*self.bands[disclosure.confidence_band() as usize]),
            ("target", target),
            (
                "source",
                &*self.sources[disclosure.uncertainty_source() as usize],
            ),
            ("next_step", disclosure.recommended_next_step()),
        ];
        template::fill(&self.unit, &values)
    }
}

/// Whether a label, in lower case, says that the band is another one.
fn ranks_otherwise(band: Band, label: &str) -> bool {
    let [low, high] = RANKS.map(|words| {
        label
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| words.contains(&word))
    });
    let named = Band::ALL
        .iter()
        .any(|&other| other != band && other.as_str() == label);
    named
        || matches!(
            (band, low, high),
            (Band::Low, _, true) | (Band::High, true, _)
        )
}
