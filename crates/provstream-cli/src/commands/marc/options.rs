//! Options of several `marc` commands.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use provstream_marc::{
    Deployment, Draft, Language, MarcKind, Profile, Projection, TermError, TrustPolicy, Wording,
};

use crate::settings;

/// A parser of the values of an enumeration of MARC.
pub(super) fn one_of<T>(names: &[&'static str]) -> impl TypedValueParser<Value = T> + use<T>
where
    T: FromStr<Err = TermError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names.iter().copied()).try_map(|name| name.parse())
}

/// Reads a text that is not blank.
pub(super) fn text(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("expected a text, found a blank one"),
        _ => Ok(text.to_owned()),
    }
}

/// Kind of the objects of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExpectedKind {
    /// MARC-Core records
    Core,
    /// MARC-Disclosure objects
    Disclosure,
    /// As the members of each object show
    Auto,
}

impl ExpectedKind {
    /// The kind; `None` if the members of an object show it.
    pub(super) const fn kind(self) -> Option<MarcKind> {
        match self {
            Self::Core => Some(MarcKind::Core),
            Self::Disclosure => Some(MarcKind::Disclosure),
            Self::Auto => None,
        }
    }
}

// Draft of MARC.
#[derive(Debug, Args)]
pub(super) struct ProfileOptions {
    /// Draft of MARC
    #[arg(long, value_name = "DRAFT", default_value = "02", value_parser = one_of::<Draft>(Draft::NAMES))]
    draft: Draft,
    /// Allow only members of the draft and private ones (x_), and no texts that are too long
    #[arg(long)]
    strict: bool,
}

impl ProfileOptions {
    /// The profile of the draft.
    pub(super) fn profile(&self) -> Profile {
        let profile = Profile::new(self.draft);
        match self.strict {
            true => profile.strict(),
            false => profile,
        }
    }
}

// JSON with MARC objects.
#[derive(Debug, Args)]
pub(super) struct ObjectInputOptions {
    /// File to read, or - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Longest top-level object or event in bytes, 1 to 16777216; a longer one is a violation or refused
    #[arg(long, value_name = "BYTES", help_heading = "Limits", default_value_t = 1 << 20,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 24))]
    pub(super) max_record: usize,
}

// Wording of disclosures.
#[derive(Debug, Args)]
pub(super) struct WordingOptions {
    /// Language of the templates, labels and phrases [default: en]; a deployment states its own
    #[arg(long, value_name = "LANGUAGE", conflicts_with = "deployment", value_parser = one_of::<Language>(Language::NAMES))]
    language: Option<Language>,
    /// A TOML file that describes the deployment, for its wording, and with `project` its trust policy
    #[arg(long, value_name = "FILE")]
    deployment: Option<PathBuf>,
}

impl WordingOptions {
    /// Loads the wording, and the trust policy of the deployment.
    pub(super) fn load(&self) -> anyhow::Result<(Projection, TrustPolicy)> {
        let projection = Projection::new();
        let Some(path) = &self.deployment else {
            let wording = Wording::in_language(self.language.unwrap_or(Language::English));
            return Ok((projection.with_wording(wording), TrustPolicy::default()));
        };
        let deployment = settings::load("--deployment", path, Deployment::from_toml)?;
        let projection = projection.with_wording(deployment.wording().clone());
        Ok((projection, *deployment.trust_policy()))
    }
}
