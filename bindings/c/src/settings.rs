//! Settings of a stream, in JSON.

use std::borrow::Cow;
use std::sync::Arc;

use parser::provenance::{Timestamp, Vocabulary};
use parser::{Mode, Parser, RulePolicy, Rules, policy_file};
use provstream_providers::{Format, Reasoning};
use serde::Deserialize;

/// Settings as a caller writes them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SettingsDocument<'a> {
    #[serde(borrow)]
    input: Option<Cow<'a, str>>,
    #[serde(borrow)]
    mode: Option<Cow<'a, str>>,
    #[serde(borrow)]
    policy: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reasoning: Option<Cow<'a, str>>,
    #[serde(borrow)]
    stream: Cow<'a, str>,
    events: bool,
}

/// Form of the bytes that a stream takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputForm {
    Text,
    /// The body of a provider's response; the format is detected without one.
    Response(Option<Format>),
}

/// Policy with the clock of the system.
pub(crate) type SystemPolicy = RulePolicy<fn() -> Timestamp>;

/// Settings of a stream.
pub(crate) struct StreamOptions {
    pub(crate) input: InputForm,
    pub(crate) parser: Parser,
    pub(crate) rules: Option<Arc<Rules>>,
    /// Treatment of reasoning in a response.
    pub(crate) reasoning: Reasoning,
    /// Name of the stream in audit lines.
    pub(crate) stream: String,
    pub(crate) events: bool,
}

impl StreamOptions {
    /// Reads settings; an empty document has the default ones.
    ///
    /// # Errors
    ///
    /// A message with the place, if the document is not JSON, has an unknown member, or has a value
    /// that is not valid.
    pub(crate) fn read(document: &[u8]) -> Result<Self, String> {
        let document = match document {
            b"" => SettingsDocument::default(),
            document => {
                serde_json::from_slice(document).map_err(|error| format!("settings: {error}"))?
            }
        };
        let input = match document.input.as_deref() {
            None | Some("text") => InputForm::Text,
            Some("auto") => InputForm::Response(None),
            Some(name) => InputForm::Response(Some(value("input", name)?)),
        };
        let mode: Mode = match document.mode.as_deref() {
            None => Mode::Auto,
            Some(name) => value("mode", name)?,
        };
        let rules = document.policy.as_deref().map(|file| {
            let file = policy_file(file)
                .map_err(|error| format!("policy: {error}, or the text of a policy file"))?;
            let rules = Rules::from_toml(file.as_bytes(), &Vocabulary::memo())
                .map_err(|error| format!("policy: {error}"))?;
            match rules.needs_observations() {
                true => Err(
                    "policy: expected no levels and rules about observations, which need a ledger"
                        .to_owned(),
                ),
                false => Ok(rules),
            }
        });
        let reasoning = match document.reasoning.as_deref() {
            None => Reasoning::default(),
            Some(name) => value("reasoning", name)?,
        };
        Ok(Self {
            input,
            reasoning,
            parser: Parser::builder().mode(mode).build(),
            rules: rules.transpose()?.map(Arc::new),
            stream: document.stream.into_owned(),
            events: document.events,
        })
    }

    /// Returns the policy, if text is gated.
    pub(crate) fn policy(&self) -> Option<SystemPolicy> {
        Some(RulePolicy::new(self.rules.clone()?, Timestamp::now))
    }
}

fn value<T: std::str::FromStr<Err: std::fmt::Display>>(
    member: &str,
    text: &str,
) -> Result<T, String> {
    text.parse()
        .map_err(|error| format!("settings: {member}: {error}"))
}
