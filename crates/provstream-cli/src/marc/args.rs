//! The arguments of `provstream marc`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use provstream_marc::{Action, Domain, Draft, Language, MarcKind, Profile, TermError};

use super::help::{
    ARGUMENT, CARRY, CONFORMANCE, DECIDE, DEPLOYMENT, ENVELOPE, EXIT_SCHEMA, PROJECT, SCHEMA, SHOW,
    TEXTS, UPGRADE, VALIDATE, exits,
};

/// One of the values of an enumeration of MARC.
fn term<T>(names: &[&'static str]) -> impl TypedValueParser<Value = T> + use<T>
where
    T: FromStr<Err = TermError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names.iter().copied()).try_map(|name| name.parse())
}

fn max_record(text: &str) -> Result<u32, String> {
    let most = 1 << 24;
    text.parse()
        .ok()
        .filter(|bytes| (1..=most).contains(bytes))
        .ok_or_else(|| format!("expected a whole number between 1 and {most}"))
}

/// A command about MARC records.
#[derive(Debug, Subcommand)]
pub(crate) enum MarcCommand {
    /// Validate MARC objects
    #[command(long_about = VALIDATE, after_long_help = exits(ARGUMENT, "an object is not valid, or none was found"))]
    Validate(ValidateArgs),
    /// Select an action for each situation, and print its record
    #[command(long_about = DECIDE, after_long_help = exits(DEPLOYMENT, "a line was refused, or none was found"))]
    Decide(DecideArgs),
    /// Print what may be disclosed of records
    #[command(long_about = PROJECT, after_long_help = exits(TEXTS, "a record was withheld, refused or not valid, or none was found"))]
    Project(ProjectArgs),
    /// Print disclosures as text
    #[command(long_about = SHOW, after_long_help = exits(DEPLOYMENT, "an object is not a valid disclosure, or none was found"))]
    Show(ShowArgs),
    /// Put MARC objects into other protocols, and take them out
    #[command(long_about = CARRY, after_long_help = exits(ENVELOPE, "something was refused, or there was nothing to put in, take out or strip"))]
    Carry(CarryArgs),
    /// Convert objects of draft 01 to draft 02
    #[command(long_about = UPGRADE, after_long_help = exits(ARGUMENT, "an object was refused, or none was found"))]
    Upgrade(UpgradeArgs),
    /// Print the JSON Schema of MARC objects
    #[command(long_about = SCHEMA, after_long_help = EXIT_SCHEMA)]
    Schema(SchemaArgs),
    /// Compare the description of a deployment with the requirements
    #[command(long_about = CONFORMANCE, after_long_help = exits(DEPLOYMENT, "a class that is claimed does not conform"))]
    Conformance(ConformanceArgs),
}

/// Which kind of object is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// MARC-Core records
    Core,
    /// MARC-Disclosure objects
    Disclosure,
    /// What the members of each object say
    Auto,
}

/// Arguments of `provstream marc validate`.
#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// The kind of the objects
    #[arg(long, value_enum, default_value_t = KindArg::Auto)]
    pub(crate) kind: KindArg,
    /// Also check what must hold between the records of the stream
    ///
    /// Decision ids are unique, parents are known, a decision after RETRIEVE, TOOL or DELIBERATE names its parent, and rounds
    /// stay within their maximum. Requests may interleave: parents say what belongs together.
    #[arg(long)]
    pub(crate) session: bool,
    /// Exit with status 3 if an object is not valid, or none was found
    #[arg(long)]
    pub(crate) fail: bool,
    /// The draft that applies.
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    /// The input.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// Where records come from, as their receiver knows. Source: MARC-02 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrustArg {
    /// Not known: nothing is disclosed
    Untrusted,
    /// The receiver's own administrative domain
    Local,
    /// A component acting under the receiver's policy
    Delegated,
    /// Another administrative domain
    CrossDomain,
    /// Another domain, with an emitter that was authenticated
    Attested,
}

impl TrustArg {
    /// The domain, if the context is known.
    pub(crate) const fn domain(self) -> Option<Domain> {
        match self {
            Self::Untrusted => None,
            Self::Local => Some(Domain::Local),
            Self::Delegated => Some(Domain::Delegated),
            Self::CrossDomain | Self::Attested => Some(Domain::CrossDomain),
        }
    }
}

/// Arguments of `provstream marc project`.
#[derive(Debug, Args)]
pub(crate) struct ProjectArgs {
    /// Where the records come from (MARC-02 15)
    #[arg(long, value_enum, default_value_t = TrustArg::Untrusted)]
    pub(crate) trust: TrustArg,
    /// Who was authenticated as the emitter, with --trust attested
    #[arg(long, value_name = "NAME")]
    pub(crate) emitter: Option<String>,
    /// The answer of the one ANSWER among the records
    #[arg(long, value_name = "TEXT", value_parser = text)]
    pub(crate) answer: Option<String>,
    /// What a CLARIFY asks the user
    #[arg(long, value_name = "TEXT", value_parser = text)]
    pub(crate) question: Option<String>,
    /// What an ABSTAIN or ESCALATE says to the user
    #[arg(long, value_name = "TEXT", value_parser = text)]
    pub(crate) message: Option<String>,
    /// A file with texts by decision id; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) texts: Option<PathBuf>,
    /// The next step of an ANSWER as the user is shown it, or of another action, as in CLARIFY=TEXT [default: the record's]
    #[arg(long, value_name = "TEXT", value_parser = text)]
    pub(crate) next_step: Option<String>,
    /// Leave the selected action out
    #[arg(long)]
    pub(crate) hide_action: bool,
    /// Disclose also while the system retrieves, uses a tool or deliberates
    #[arg(long)]
    pub(crate) interim: bool,
    /// Exit with status 3 unless every record is disclosed or deferred, and there is one
    #[arg(long)]
    pub(crate) fail: bool,
    /// The wording.
    #[command(flatten)]
    pub(crate) wording: WordingArgs,
    /// The draft that applies.
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    /// The input.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// Arguments of `provstream marc show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Exit with status 3 unless every object is a valid disclosure, and there is one
    #[arg(long)]
    pub(crate) fail: bool,
    /// The wording.
    #[command(flatten)]
    pub(crate) wording: WordingArgs,
    /// The draft that applies.
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    /// The input.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// Where wording comes from.
#[derive(Debug, Args)]
pub(crate) struct WordingArgs {
    /// Language of the templates, labels and phrases [default: en]; a deployment states its own
    #[arg(long, value_name = "LANGUAGE", conflicts_with = "deployment", value_parser = term::<Language>(Language::NAMES))]
    pub(crate) language: Option<Language>,
    /// A TOML file that describes the deployment, for its wording, and with `project` its trust policy; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) deployment: Option<PathBuf>,
}

/// Arguments of `provstream marc decide`.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The file with situations, one a line, or - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A TOML file that describes the deployment: draft, bands, bounds, thresholds and policy; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) deployment: PathBuf,
    /// Prefix of the decision ids: ID-1, ID-2 and so on
    ///
    /// After an action that ends the session the next one has ID.2-1 and so on. Lines with a `session` have its name in place of
    /// ID. 1 to 256 bytes. Runs whose records are kept together need IDs of their own.
    #[arg(long, value_name = "ID", default_value = "session", value_parser = id)]
    pub(crate) id: String,
    /// Exit with status 3 unless every line is decided, and there is one
    #[arg(long)]
    pub(crate) fail: bool,
}

/// The protocol that carries MARC objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CarrierArg {
    /// `metadata` of an API response
    ResponseMetadata,
    /// `_meta` of the Model Context Protocol; needs --prefix
    Mcp,
    /// `metadata` of an A2A message; needs --uri
    A2a,
    /// Server-sent events
    Sse,
    /// A line of an audit log
    AuditLog,
}

/// Arguments of `provstream marc carry`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("way").required(true).args(["into", "out_of", "strip"])))]
pub(crate) struct CarryArgs {
    /// Put each object of the input into an envelope
    #[arg(long, value_enum, value_name = "CARRIER")]
    pub(crate) into: Option<CarrierArg>,
    /// Take the objects out of the envelopes of the input
    #[arg(long, value_enum, value_name = "CARRIER")]
    pub(crate) out_of: Option<CarrierArg>,
    /// Remove records from the envelopes of the input
    #[arg(long, value_enum, value_name = "CARRIER")]
    pub(crate) strip: Option<CarrierArg>,
    /// With --into: the envelope, a JSON object [default: {}]; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) envelope: Option<PathBuf>,
    /// For mcp: the deployment's domain, its labels in reverse order, such as com.example
    #[arg(long, value_name = "PREFIX")]
    pub(crate) prefix: Option<String>,
    /// For a2a: the URI of the extension, such as `https://example.com/marc/v1`
    #[arg(long, value_name = "URI")]
    pub(crate) uri: Option<String>,
    /// Exit with status 3 if something was refused, or there was nothing to put in, take out or strip
    #[arg(long)]
    pub(crate) fail: bool,
    /// The input.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// Arguments of `provstream marc upgrade`.
#[derive(Debug, Args)]
pub(crate) struct UpgradeArgs {
    /// The action of disclosures that do not name theirs
    #[arg(long, value_name = "ACTION", value_parser = term::<Action>(Action::NAMES))]
    pub(crate) action: Option<Action>,
    /// Exit with status 3 if an object was refused, or none was found
    #[arg(long)]
    pub(crate) fail: bool,
    /// The input.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// Which kind of object a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaKindArg {
    /// MARC-Core records
    Core,
    /// MARC-Disclosure objects
    Disclosure,
}

impl From<SchemaKindArg> for MarcKind {
    fn from(kind: SchemaKindArg) -> Self {
        match kind {
            SchemaKindArg::Core => Self::Core,
            SchemaKindArg::Disclosure => Self::Disclosure,
        }
    }
}

/// Arguments of `provstream marc schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The kind of object
    #[arg(value_name = "KIND", value_enum, default_value_t = SchemaKindArg::Core)]
    pub(crate) kind: SchemaKindArg,
    /// The draft.
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
}

/// Arguments of `provstream marc conformance`.
#[derive(Debug, Args)]
pub(crate) struct ConformanceArgs {
    /// A TOML file that describes the deployment; never standard input
    #[arg(value_name = "FILE")]
    pub(crate) deployment: PathBuf,
    /// Print a table for people instead of lines of JSON
    #[arg(long)]
    pub(crate) table: bool,
    /// Exit with status 3 if a class that is claimed does not conform
    #[arg(long)]
    pub(crate) fail: bool,
}

fn text(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("expected a text, found a blank one"),
        _ => Ok(text.to_owned()),
    }
}

fn id(text: &str) -> Result<String, String> {
    match (text.trim(), text.len()) {
        ("", _) => Err("expected 1 to 256 bytes, found a blank text".to_owned()),
        (_, 257..) => Err(format!("expected 1 to 256 bytes, found {}", text.len())),
        _ => Ok(text.to_owned()),
    }
}

/// The draft that applies, and how strictly.
#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    /// The draft
    #[arg(long, value_name = "DRAFT", default_value = "02", value_parser = term::<Draft>(Draft::NAMES))]
    pub(crate) draft: Draft,
    /// Allow only members of the draft and private ones (x_), and no texts that are too long
    #[arg(long)]
    pub(crate) strict: bool,
}

impl ProfileArgs {
    /// The draft, applied as asked for.
    pub(crate) fn profile(&self) -> Profile {
        let profile = Profile::new(self.draft);
        if self.strict {
            profile.strict()
        } else {
            profile
        }
    }
}

/// JSON with MARC objects in it.
#[derive(Debug, Args)]
pub(crate) struct RecordsArgs {
    /// The file to read, or - for standard input
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Longest outermost object or event in bytes, 1 to 16777216; a longer one is a violation or refused
    #[arg(long, value_name = "BYTES", help_heading = "Limits", default_value_t = 1 << 20,
        value_parser = max_record)]
    pub(crate) max_record: u32,
}

impl RecordsArgs {
    /// Longest outermost object.
    pub(crate) fn max(&self) -> usize {
        usize::try_from(self.max_record).unwrap_or(usize::MAX)
    }
}
