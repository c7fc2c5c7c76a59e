//! Wording: the texts in which a disclosure is written.

mod finding;
mod language;
mod lint;
mod part;
mod template;

pub use finding::{WordingFinding, WordingKind};
pub use language::Language;
pub(crate) use language::texts;
pub(crate) use lint::check_answer;
pub use lint::check_wording;
pub use part::{WordingError, WordingErrorKind, WordingPart};

use super::disclosure::Disclosure;
use super::members::has_content;
use super::terms::{Action, Band, Source, Target};

/// Words for the rank of a band in the languages of the library: for a low band, and for a high
/// one.
const RANKS: [&str; 2] = [
    "low unsure uncertain weak gering niedrig unsicher bajo baja faible 低",
    "high sure certain strong hoch sicher alto alta élevé élevée 高",
];

/// The texts of disclosures: templates, phrases and labels that a deployment can replace one by
/// one.
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
    language: Language,
    /// Texts in the order of [`WordingPart::all`].
    texts: Vec<String>,
}

impl Default for Wording {
    fn default() -> Self {
        Self::in_language(Language::English)
    }
}

impl Wording {
    /// Returns the library's wording in a language.
    #[must_use]
    pub fn in_language(language: Language) -> Self {
        language.wording().clone()
    }

    /// Creates a wording without any text.
    fn new(language: Language) -> Self {
        let texts = WordingPart::all().map(|_| String::new()).collect();
        Self { language, texts }
    }

    /// Returns the language of the texts that were not replaced.
    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Returns the text of a part; `None` for the message of [`Action::Answer`].
    #[must_use]
    pub fn text(&self, part: WordingPart) -> Option<&str> {
        let at = WordingPart::all().position(|one| one == part)?;
        Some(&self.texts[at])
    }

    fn words(&self, part: WordingPart) -> &str {
        self.text(part).unwrap_or_default()
    }

    fn set(&mut self, part: WordingPart, text: &str) {
        if let Some(at) = WordingPart::all().position(|one| one == part) {
            text.clone_into(&mut self.texts[at]);
        }
    }

    /// Sets the text of one part.
    ///
    /// # Errors
    ///
    /// If the text is blank; if a template has a brace outside a placeholder, or a placeholder that is unknown, repeated or
    /// missing; if a label or phrase reads the same as another of its sort, whatever the letter case; if the label of a band
    /// says that it is another band; if the part is the message of [`Action::Answer`].
    pub fn with(self, part: WordingPart, text: impl AsRef<str>) -> Result<Self, WordingError> {
        self.with_all([(part, text)])
    }

    /// Sets the texts of several parts, which are checked together.
    ///
    /// # Errors
    ///
    /// As [`with`](Self::with), for the first invalid part.
    pub fn with_all(
        mut self,
        texts: impl IntoIterator<Item = (WordingPart, impl AsRef<str>)>,
    ) -> Result<Self, WordingError> {
        let texts: Vec<_> = texts.into_iter().collect();
        for (part, text) in &texts {
            self.set(*part, text.as_ref());
        }
        for (part, text) in texts {
            let judged = self.judge(part, text.as_ref());
            judged.map_err(|kind| WordingError::new(part, kind, text.as_ref()))?;
        }
        Ok(self)
    }

    fn judge(&self, part: WordingPart, text: &str) -> Result<(), WordingErrorKind> {
        let key = |text: &str| text.trim().to_lowercase();
        if part == WordingPart::Message(Action::Answer) {
            return Err(WordingErrorKind::AnswerMessage);
        }
        if !has_content(text) {
            return Err(WordingErrorKind::Empty);
        }
        match part {
            WordingPart::Message(_) | WordingPart::Unit => return template::check(part, text),
            WordingPart::NextStep(_) | WordingPart::NoTarget => return Ok(()),
            WordingPart::Source(_) | WordingPart::Band(_) | WordingPart::Target(_) => {}
        }
        let is_like = |other: &WordingPart| *other != part && other.key().0 == part.key().0;
        let mut others = WordingPart::all().filter(is_like);
        if let Some(other) = others.find(|&other| key(self.words(other)) == key(text)) {
            return Err(WordingErrorKind::SameAsOther(other));
        }
        match part {
            WordingPart::Band(band) if ranks_otherwise(band, &key(text)) => {
                Err(WordingErrorKind::OutOfOrder)
            }
            _ => Ok(()),
        }
    }

    /// Checks all texts with [`check_wording`] and returns the findings by part; spans are in bytes
    /// of the text of the part.
    #[must_use]
    pub fn check(&self) -> Vec<(WordingPart, WordingFinding)> {
        let found = |part| {
            check_wording(self.words(part))
                .into_iter()
                .map(move |one| (part, one))
        };
        WordingPart::all().flat_map(found).collect()
    }

    /// Returns the next step for a record when the caller has none.
    pub(crate) fn next_step(&self, action: Action) -> &str {
        self.words(WordingPart::NextStep(action))
    }

    /// Builds the message for an action and a source when the caller has none.
    pub(crate) fn message(&self, action: Action, source: Source, next_step: &str) -> String {
        let template = self.words(WordingPart::Message(action));
        let source = self.words(WordingPart::Source(source));
        template::fill(template, &[("source", source), ("next_step", next_step)])
    }

    /// Writes a disclosure as text: the answer, a blank line, and [the uncertainty](Self::render).
    /// Control characters and those that reorder text are escaped. Lines of the answer after the
    /// first are indented, so that none looks like a line of the rest. Source: MARC-02 14, 16.
    #[must_use]
    pub fn show(&self, disclosure: &Disclosure) -> String {
        let answer: Vec<_> = disclosure.answer().lines().map(one_line).collect();
        format!("{}\n\n{}", answer.join("\n    "), self.render(disclosure))
    }

    /// Writes the uncertainty of a disclosure as text, by the template of the wording's unit: the
    /// band with its target, the source, and the next step on one line with control characters
    /// escaped.
    ///
    /// Under -01 a band applies to the answer for `ANSWER`, otherwise to the suitability of a
    /// direct answer. If the disclosure has neither target nor action, the text names both possible
    /// targets. The answer is not included. Source: MARC-02 8.6, 14; MARC-01 7.5.
    #[must_use]
    pub fn render(&self, disclosure: &Disclosure) -> String {
        let implied = || disclosure.selected_action().map(Target::of);
        let target = disclosure.confidence_target().or_else(implied);
        let target = target.map_or(WordingPart::NoTarget, WordingPart::Target);
        let band = WordingPart::Band(disclosure.confidence_band());
        let source = WordingPart::Source(disclosure.uncertainty_source());
        let values = [
            ("band", self.words(band)),
            ("target", self.words(target)),
            ("source", self.words(source)),
            ("next_step", &one_line(disclosure.recommended_next_step())),
        ];
        template::fill(self.words(WordingPart::Unit), &values)
    }
}

/// Writes a text on one line: control characters, line separators and characters that reorder text
/// are escaped.
fn one_line(text: &str) -> String {
    let is_unsafe = |character: char| {
        character.is_control()
            || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match is_unsafe(character) {
            true => line.extend(character.escape_default()),
            false => line.push(character),
        }
    }
    line
}

/// Returns `true` if `label`, in lower case, names another band.
fn ranks_otherwise(band: Band, label: &str) -> bool {
    let mut others = Band::ALL.iter().filter(|&&other| other != band);
    let [low, high] = RANKS.map(|words| {
        let mut label = label.split(|c: char| !c.is_alphanumeric());
        label.any(|word| words.split(' ').any(|rank| rank == word))
    });
    others.any(|other| other.as_str() == label)
        || matches!(
            (band, low, high),
            (Band::Low, _, true) | (Band::High, true, _)
        )
}
