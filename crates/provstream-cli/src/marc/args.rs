//! What can be given to `provstream marc`, and the help that explains it.

use std::path::PathBuf;

use clap::{Args as ArgGroup, Subcommand};
use provstream::{LimitError, Limits};
use provstream_marc::{Draft, MarcKind, Profile};

use crate::values::{LIMITS, limit};

/// What `provstream marc` is for.
pub(crate) const MARC: &str = "\
Check, show and make MARC records.

MARC records say how sure a system was at a decision and what it decided (MARC-Core), and what a user is told of it \
(MARC-Disclosure). Two drafts are known: 02, unless --draft says otherwise, and 01. A record claims something about one \
decision and proves nothing, whether it is valid or not.";

const EXIT: &str = "\
Exit status:
  0  done, whatever the input holds; also when the reader of the output has gone away
  1  a file cannot be read, or the output cannot be written
  2  an argument is wrong, or what a deployment's description says is";

const EXIT_CONFORMANCE: &str =
    "  3  with `marc conformance --fail`: a class that is claimed does not conform";

const EXIT_INVALID: &str = "  3  with `marc validate --fail`: an object was not valid";

const VALIDATE: &str = "\
Hold MARC objects against their draft, and print each with what is wrong with it.

The input is JSON values, one behind the other. A MARC-Core record is an object that has `marc_version`, wherever it \
stands; a MARC-Disclosure object has `answer`, `confidence_band` and `uncertainty_source` instead. For each a line is \
printed:

    {\"event\":\"marc\",\"kind\":\"disclosure\",\"span\":{\"start\":0,\"end\":160},\"pointer\":\"\",\"valid\":false,\
\"violations\":[{\"code\":\"wrong-case\",\"level\":\"must\",\"pointer\":\"/confidence_band\",\"requirement\":\"M2-101\",\
\"message\":\"`confidence_band` is `Low`; letter case counts: `low`\"}],\"record\":{…}}

`valid` says that no violation is of level `must`. `pointer` of a violation is the JSON Pointer from the object to the \
member, and `requirement` its number in the project's table of conformance. What is no JSON is told by the diagnostics \
that `provstream extract` prints. Other objects give no line.";

const PROJECT: &str = "\
Print what may be shown of MARC-Core records: the MARC-Disclosure object of each.

The input is JSON values, one behind the other. For each record that is valid a line is printed:

    {\"event\":\"disclosure\",\"span\":{\"start\":0,\"end\":526},\"pointer\":\"\",\"disclosure\":{…}}

or, since nothing is shown while a system retrieves, uses a tool or deliberates, unless --interim is given:

    {\"event\":\"deferred\",\"span\":{\"start\":0,\"end\":526},\"pointer\":\"\",\"action\":\"RETRIEVE\"}

or, for an ANSWER without the text of one:

    {\"event\":\"refused\",\"span\":{\"start\":0,\"end\":526},\"pointer\":\"\",\"message\":\"…\"}

A record that is not valid is printed as `provstream marc validate` does. Band, target, source and next step are the \
record's; its scores and private members stay inside. Without --answer a template words what the user is told. \
`findings` are wordings that speak of feelings, are falsely precise, claim certainty or seek to bind the user: with them \
the disclosure should not be shown.";

const DECIDE: &str = "\
Select an action for each situation, and print the record of the decision.

Each line of the input is one JSON object, on one line, that says what a controller found out, and how the record is to be \
worded:

    {\"pre_capability\":0.39,\"uncertainty\":{\"missing_evidence\":0.84},\"primary_source\":\"missing_evidence\",\
\"judgements\":[\"required_evidence_missing\"],\"remedies\":{\"retrieval\":true,\"human\":true},\
\"recommended_next_step\":\"retrieve authoritative current sources\"}

judgements: safety_controls, blocking_ambiguity, material_conflict, required_evidence_missing, material_capability_limit, \
resolvable_from_evidence, limited_to_context. remedies: user, retrieval, tool, human, deliberation; each true, or an object \
with `available`, `permitted` and `worthwhile`. Also known are secondary_source, risk_tier (standard or high), \
remediability, task_family, post_answer_confidence (which ANSWER needs), action_suitability, sub_action, answer (the text \
the user is shown), and spent, {\"time\":\"2s\",\"cost\":40}, what the round took that the line before began. Scores that are \
missing in `uncertainty` are 0.0. Nothing is derived from scores.

The deployment's description says which draft is followed, where bands begin and how often, how long and at what cost the system may retrieve, \
use tools and deliberate. At the bound the outcome is ESCALATE if a human is usable, else ABSTAIN. What ends a session, \
ANSWER, CLARIFY, ABSTAIN or ESCALATE, makes the next line begin another one. For each line one is printed:

    {\"event\":\"decision\",\"line\":1,\"action\":\"RETRIEVE\",\"step\":4,\"requirement\":\"M2-58\",\"reason\":\"…\",\
\"preference\":{…},\"record\":{…}}

with `bound`, `deviation`, `unfit_remediability`, `disclosure` and its `findings` where there is one; or, if nothing could be decided, \
which leaves the session as it was:

    {\"event\":\"refused\",\"line\":1,\"message\":\"…\"}";

const SCHEMA: &str = "\
Print the JSON Schema (2020-12) of MARC-Core records or MARC-Disclosure objects.

It is made from what `provstream marc validate` checks and says all that must hold and a schema can say. Repeated \
members and what only should hold are beyond it.";

const CONFORMANCE: &str = "\
Hold the description of a deployment against what MARC asks of one.

The description is a TOML file. For each requirement of the classes MARC-Core, MARC-Disclosure and MARC-Carrying a line \
is printed:

    {\"event\":\"requirement\",\"class\":\"core\",\"requirement\":\"M2-41\",\"level\":\"must\",\"status\":\"met\",\
\"basis\":\"…\",\"title\":\"…\",\"reason\":\"…\"}

with `item` for one of several topics of a requirement, and for each class one more, {\"event\":\"class\",\"class\":\"core\",\"claimed\":true,\"conforms\":true}. `status` is `met`, \
`not met`, `documentation missing` or `not claimed`. It is about structure and meaning, not about accuracy, calibration or safety.";

/// A command about MARC records.
#[derive(Debug, Subcommand)]
pub(crate) enum MarcCommand {
    /// Hold MARC objects against their draft
    #[command(long_about = VALIDATE, after_long_help = format!("{EXIT}\n{EXIT_INVALID}"))]
    Validate(ValidateArgs),
    /// Print what may be shown of records
    #[command(long_about = PROJECT, after_long_help = EXIT)]
    Project(ProjectArgs),
    /// Select an action for each situation, and print its record
    #[command(long_about = DECIDE, after_long_help = EXIT)]
    Decide(DecideArgs),
    /// Print the JSON Schema of MARC objects
    #[command(long_about = SCHEMA, after_long_help = EXIT)]
    Schema(SchemaArgs),
    /// Hold the description of a deployment against the requirements
    #[command(long_about = CONFORMANCE, after_long_help = format!("{EXIT}\n{EXIT_CONFORMANCE}"))]
    Conformance(ConformanceArgs),
}

/// Arguments of `provstream marc project`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ProjectArgs {
    /// What the user is told; an ANSWER needs it
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: Option<String>,
    /// The next step as the user is told it [default: the record's]
    #[arg(long, value_name = "TEXT")]
    pub(crate) next_step: Option<String>,
    /// Leave the selected action out
    #[arg(long)]
    pub(crate) hide_action: bool,
    /// Disclose also while the system retrieves, uses a tool or deliberates
    #[arg(long)]
    pub(crate) interim: bool,
    /// A TOML file that describes the deployment, for its wording; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) deployment: Option<PathBuf>,
    /// What the records are held against.
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// Arguments of `provstream marc decide`.
#[derive(Debug, ArgGroup)]
pub(crate) struct DecideArgs {
    /// The file with situations, one a line, or - for standard input
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A TOML file that describes the deployment, for its draft, bands and bounds; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) deployment: PathBuf,
    /// What the decision ids of the first session begin with: ID-1, ID-2 and so on; the next session has ID.2-1
    ///
    /// At most 256 bytes. Whoever keeps records of several runs gives each an ID of its own.
    #[arg(long, value_name = "ID", default_value = "session", value_parser = id)]
    pub(crate) id: String,
}

/// Arguments of `provstream marc schema`.
#[derive(Debug, ArgGroup)]
pub(crate) struct SchemaArgs {
    /// The kind of object: core or disclosure
    #[arg(value_name = "KIND", default_value = "core", value_parser = kind)]
    pub(crate) kind: MarcKind,
    /// Of which draft, and how strictly.
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
}

/// Arguments of `provstream marc conformance`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ConformanceArgs {
    /// A TOML file that describes the deployment; never standard input
    #[arg(value_name = "FILE")]
    pub(crate) deployment: PathBuf,
    /// Print a table for people instead of lines of JSON
    #[arg(long)]
    pub(crate) table: bool,
    /// Exit with status 3 when a class that is claimed does not conform
    #[arg(long)]
    pub(crate) fail: bool,
}

fn id(text: &str) -> Result<String, &'static str> {
    match text.len() {
        ..=256 => Ok(text.to_owned()),
        _ => Err("longer than 256 bytes"),
    }
}

fn kind(text: &str) -> Result<MarcKind, &'static str> {
    [MarcKind::Core, MarcKind::Disclosure]
        .into_iter()
        .find(|kind| kind.as_str() == text)
        .ok_or("the kinds are core and disclosure")
}

/// Arguments of `provstream marc validate`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ValidateArgs {
    /// Also check what must hold between the records of the stream
    ///
    /// Decision ids are unique, parents are known, a decision behind RETRIEVE, TOOL or DELIBERATE names its parent, and
    /// iterations grow and stay within their maximum. What is wrong is among the violations of the later record.
    #[arg(long)]
    pub(crate) session: bool,
    /// Exit with status 3 when an object was not valid
    ///
    /// Status 0 then means that the input was read to its end, all of it was JSON, and every MARC object in it valid. What
    /// is only of level `should` passes.
    #[arg(long)]
    pub(crate) fail: bool,
    /// What the objects are held against.
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// What objects are held against.
#[derive(Debug, ArgGroup)]
pub(crate) struct ProfileArgs {
    /// The draft: 01 or 02
    #[arg(long, value_name = "DRAFT", default_value = "02")]
    pub(crate) draft: Draft,
    /// Allow no members but the draft's and private ones (x_), and no texts that are too long
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

/// JSON values with MARC objects in them.
#[derive(Debug, ArgGroup)]
pub(crate) struct RecordsArgs {
    /// The file to read, or - for standard input
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Longest object that is looked at, in bytes, 1 to 1048576; a longer one is not valid
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_record(), value_parser = |text: &str| limit(text, Limits::with_max_record))]
    pub(crate) max_record: usize,
}

impl RecordsArgs {
    /// The limits to read by.
    pub(crate) fn limits(&self) -> Result<Limits, LimitError> {
        Limits::default().with_max_record(self.max_record)
    }
}
