//! Prompts that ask a model for annotations.

mod catalogue;

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use provstream::provenance::{Annotation, Class, Vocabulary, escape_str, write_bracketed};
use serde_json::json;
use sha2::{Digest, Sha256};

use self::catalogue::Catalogue;
pub use self::catalogue::Language;
use crate::grammar::Requirement;
use crate::names::named;
use crate::observation::{Observation, Observations};

named! {
    /// Encoding of annotations that a prompt asks for.
    #[derive(Default)]
    pub enum PromptForm: "form" {
        /// Brackets in free text (wire profile 1).
        #[default]
        Bracketed => "bracketed",
        /// Asserted objects in JSON (wire profile 4.1).
        Json => "json",
    }
}

named! {
    /// Level of detail of a prompt.
    #[derive(Default)]
    pub enum PromptLength: "length" {
        /// Less than 400 tokens of `o200k_base` with the memo's vocabulary and without
        /// observations.
        #[default]
        Short => "short",
        /// All rules, including text that must not be annotated.
        Full => "full",
    }
}

/// Version of the prompts' texts, incremented with every change of a text.
pub const PROMPT_VERSION: u32 = 2;

/// Instructions for a model to annotate its answer.
///
/// Equal settings give equal texts, byte for byte.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream_emit::{Language, Prompt};
///
/// let prompt = Prompt::new(&Vocabulary::memo()).in_language(Language::German).build();
/// assert!(prompt.text().contains("substrate.code.read"));
/// assert_eq!(prompt.sha256().len(), 64);
/// ```
#[derive(Clone, Debug)]
pub struct Prompt {
    vocabulary: Vocabulary,
    observations: Option<Observations>,
    form: PromptForm,
    length: PromptLength,
    language: Language,
    requirement: Requirement,
}

impl Prompt {
    /// Creates a short English prompt for bracketed annotations of a vocabulary.
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            vocabulary: vocabulary.clone(),
            observations: None,
            form: PromptForm::default(),
            length: PromptLength::default(),
            language: Language::default(),
            requirement: Requirement::default(),
        }
    }

    /// Lists these observations as the only ones to cite.
    #[must_use]
    pub fn citing(mut self, observations: &Observations) -> Self {
        self.observations = Some(observations.clone());
        self
    }

    /// Sets the encoding of annotations.
    #[must_use]
    pub const fn asking_for(mut self, form: PromptForm) -> Self {
        self.form = form;
        self
    }

    /// Sets the level of detail.
    #[must_use]
    pub const fn with_length(mut self, length: PromptLength) -> Self {
        self.length = length;
        self
    }

    /// Sets the language.
    #[must_use]
    pub const fn in_language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Sets the requirement of the grammar that restricts the answers. With brackets, the prompt
    /// then asks for an annotation of every sentence. JSON answers always have an annotation for
    /// every statement, so their prompts do not change.
    #[must_use]
    pub const fn requiring(mut self, requirement: Requirement) -> Self {
        self.requirement = requirement;
        self
    }

    /// Builds the text and its hash.
    #[must_use]
    pub fn build(&self) -> PromptText {
        let mut writer = PromptWriter {
            prompt: self,
            catalogue: Catalogue::of(self.language),
            text: String::new(),
        };
        match self.length {
            PromptLength::Short => writer.short(),
            PromptLength::Full => writer.full(),
        }
        let digest = Sha256::digest(&writer.text);
        PromptText {
            sha256: digest.iter().fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            }),
            text: writer.text,
        }
    }
}

/// The text of a prompt and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText {
    text: String,
    sha256: String,
}

impl PromptText {
    /// Returns the text, which ends with a line feed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the SHA-256 of the text in hexadecimal digits, which identifies the prompt in logs.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

/// Writes a prompt.
struct PromptWriter<'p> {
    prompt: &'p Prompt,
    catalogue: &'static Catalogue,
    text: String,
}

impl PromptWriter<'_> {
    fn short(&mut self) {
        let form = self.prompt.form;
        let version = self.version();
        let head = self.catalogue.text(&format!("short.{form}"));
        self.line(&format!("{head} {version}"));
        self.heading("classes", "");
        self.classes();
        self.heading("terminals", "");
        self.terminals();
        self.observations("");
        let exclusions = match self.requires_every_sentence() {
            true => self.catalogue.text("short.every_sentence"),
            false => self.catalogue.text(&format!("short.exclusions_{form}")),
        };
        self.line(exclusions);
        self.heading("examples", "");
        self.examples();
    }

    fn full(&mut self) {
        let form = self.prompt.form;
        self.heading("title", "# ");
        let version = self.version();
        let purpose = self.catalogue.text(&format!("full.{form}.purpose"));
        let _ = writeln!(self.text, "\n{purpose} {version}");
        self.heading("rules", "\n## ");
        for (rule, number) in self
            .catalogue
            .list(&format!("full.{form}.rules"))
            .iter()
            .zip(1..)
        {
            let _ = writeln!(self.text, "{number}. {rule}");
        }
        self.heading("classes", "\n## ");
        self.classes();
        self.heading("terminals", "\n## ");
        self.terminals();
        self.observations("\n");
        let (heading, list) = match form {
            _ if self.requires_every_sentence() => ("every_sentence", "every_sentence"),
            PromptForm::Bracketed => ("exclusions", "exclusions"),
            PromptForm::Json => ("leave_out", "exclusions"),
        };
        self.heading(heading, "\n## ");
        for item in self.catalogue.list(&format!("full.{form}.{list}")) {
            let _ = writeln!(self.text, "- {item}");
        }
        self.heading("examples", "\n## ");
        self.examples();
    }

    /// Returns the line that identifies the versions of the texts and the vocabulary.
    fn version(&self) -> String {
        let vocabulary = self.prompt.vocabulary.version();
        format!("(provstream prompt {PROMPT_VERSION}, vocabulary {vocabulary})")
    }

    fn requires_every_sentence(&self) -> bool {
        self.prompt.form == PromptForm::Bracketed
            && self.prompt.requirement == Requirement::EverySentence
    }

    const fn colon(&self) -> &'static str {
        match self.prompt.language {
            Language::French => " :",
            Language::Japanese => "：",
            _ => ":",
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Writes a heading, with `#` before it or a colon after it.
    fn heading(&mut self, key: &str, before: &str) {
        let colon = if before.is_empty() { self.colon() } else { "" };
        let _ = writeln!(self.text, "{before}{}{colon}", self.catalogue.text(key));
    }

    fn classes(&mut self) {
        let vocabulary = &self.prompt.vocabulary;
        for (class, _) in vocabulary
            .classes()
            .filter(|(class, _)| !class.is_terminal())
        {
            let _ = writeln!(
                self.text,
                "- {class}: {}",
                self.catalogue.class(&class, vocabulary)
            );
        }
    }

    fn terminals(&mut self) {
        let vocabulary = &self.prompt.vocabulary;
        for class in vocabulary.terminals() {
            let _ = writeln!(
                self.text,
                "- {class}: {}",
                self.catalogue.class(&class, vocabulary)
            );
        }
    }

    /// Writes the observations: for each, the annotation that cites it and its summary, as text
    /// that is not an annotation.
    fn observations(&mut self, before: &str) {
        let Some(observations) = &self.prompt.observations else {
            return;
        };
        self.text.push_str(before);
        if observations.is_empty() {
            return self.line(self.catalogue.text("no_observations"));
        }
        self.line(self.catalogue.text("observations"));
        for observation in observations.iter() {
            let cited = cited(observation, self.prompt.form);
            let _ = write!(self.text, "- {cited}");
            if let Some(summary) = observation.summary() {
                let _ = write!(
                    self.text,
                    " {}",
                    escape_str(summary, &self.prompt.vocabulary)
                );
            }
            self.text.push('\n');
        }
    }

    /// Writes two sample answers: one that cites observations, and one with both terminals. In the
    /// full length the first one cites two classes if there are two.
    fn examples(&mut self) {
        let vocabulary = &self.prompt.vocabulary;
        let mut classes: Vec<Class> = vocabulary.classes().map(|(class, _)| class).collect();
        classes.retain(|class| !class.is_terminal());
        // The best known ones first, where the vocabulary has them.
        classes.sort_by_key(|class| *class != Class::CODE_READ && *class != Class::GIT_LOG);
        let made_up = [
            ("4f2a9c1", "2026-05-28T11:40:00Z"),
            ("sha256:e3b0", "2026-05-28T11:41:00Z"),
        ];
        let is_short = self.prompt.length == PromptLength::Short;
        let cited: Vec<_> = classes
            .into_iter()
            .zip(made_up)
            .take(if is_short { 1 } else { made_up.len() })
            .map(|(class, (id, ts))| {
                let name = class.as_str().to_owned();
                Annotation::new(class, name)
                    .with_observation_id(id)
                    .with_ts(ts)
            })
            .collect();
        let terminal = |class: Class| {
            let name = class.as_str().to_owned();
            vec![Annotation::new(class, name)]
        };
        let first = if cited.is_empty() {
            terminal(Class::UNVERIFIED_INFERENCE)
        } else {
            cited
        };
        self.example("first", &[first]);
        let second = [
            terminal(Class::DECAYED_TO_UNCERTAINTY),
            terminal(Class::UNVERIFIED_INFERENCE),
        ];
        self.example("second", &second);
    }

    fn example(&mut self, which: &str, annotations: &[Vec<Annotation<'_>>]) {
        let colon = self.colon();
        let question = self.catalogue.text(&format!("example.{which}_question"));
        let _ = writeln!(
            self.text,
            "{}{colon} {question}",
            self.catalogue.text("question")
        );
        let facts = self.catalogue.list(&format!("example.{which}_facts"));
        let facts = facts.iter().zip(annotations);
        let answer = match self.prompt.form {
            PromptForm::Bracketed => {
                let marked = facts.map(|(fact, annotations)| {
                    let marks = annotations
                        .iter()
                        .filter_map(|one| write_bracketed(one).ok());
                    let marks: Vec<_> = marks.collect();
                    format!("{fact} {}", marks.join(" "))
                });
                marked.collect::<Vec<_>>().join(" ")
            }
            PromptForm::Json => {
                let asserted = facts.map(|(fact, annotations)| {
                    let provenance: Vec<_> = annotations.iter().map(members).collect();
                    json!({"assertion": fact, "provenance": provenance})
                });
                json!({"assertions": asserted.collect::<Vec<_>>()}).to_string()
            }
        };
        let _ = writeln!(
            self.text,
            "{}{colon} {answer}",
            self.catalogue.text("answer")
        );
    }
}

/// Returns an annotation as the schema defines it, with all three members.
fn members(annotation: &Annotation<'_>) -> serde_json::Value {
    json!({
        "substrate_class": annotation.declared(),
        "observation_id": annotation.observation_id(),
        "ts": annotation.ts(),
    })
}

/// Writes the annotation that cites an observation. In JSON it has all three members, as the schema
/// requires.
fn cited(observation: &Observation, form: PromptForm) -> String {
    let class = observation.class();
    let mut annotation =
        Annotation::new(class.clone(), class.as_str()).with_observation_id(observation.id());
    if let Some(ts) = observation.ts() {
        annotation = annotation.with_ts(ts);
    }
    match form {
        PromptForm::Bracketed => {
            write_bracketed(&annotation).expect("observations are checked when they are read")
        }
        PromptForm::Json => members(&annotation).to_string(),
    }
}
