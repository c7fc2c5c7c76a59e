//! The arguments of `provstream marc`, and the help that explains them.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use provstream_marc::{Action, Domain, Draft, Language, MarcKind, Profile};

/// What `provstream marc` is for.
pub(crate) const MARC: &str = "\
Validate, decide, disclose and carry MARC records.

A MARC-Core record reports how sure a system was at a decision point and which action it selected; a MARC-Disclosure \
object is what a user is shown of it. Two drafts are known: 02, unless --draft says otherwise, and 01. A record is a claim \
about one decision, not a proof, whether it is valid or not.";

const EXIT: &str = "\
Exit status:
  0  done; also when the reader of the output has gone away
  1  a file cannot be read, or the output cannot be written
  2  an argument or the description of a deployment is wrong";

const VALIDATE: &str = "\
Validate MARC objects and print each with its violations.

The input is JSON: objects one after the other, in arrays, or inside other objects. For each MARC object a line is printed:

    {\"event\":\"marc\",\"kind\":\"disclosure\",\"line\":1,\"span\":{\"start\":0,\"end\":160},\"pointer\":\"\",\"valid\":false,\
\"violations\":[{\"code\":\"wrong-case\",\"level\":\"must\",\"line\":1,\"pointer\":\"/confidence_band\",\"section\":\"MARC-02 9.2\",\
\"message\":\"`confidence_band` is `Low`; letter case counts: `low`\"}]}

`valid` says that no violation is of level `must`. With --kind auto the members of an object decide which kind it is. An \
object that could be either or neither, text that is not JSON, and an input with no MARC object are violations too.";

const PROJECT: &str = "\
Print what may be disclosed of MARC-Core records: a MARC-Disclosure object for each.

The input is JSON with records in it, such as the lines of `provstream marc decide`. Nothing is disclosed of a record whose \
trust context is not known (MARC-02 15), so --trust says where the records come from. For each record a line is printed:

    {\"event\":\"disclosure\",\"line\":1,\"action\":\"CLARIFY\",\"disclosure\":{…}}

or `deferred` while a system retrieves, uses a tool or deliberates (unless --interim is given), `withheld` without a trust \
context that permits it, `refused` if a text is missing or unusable, and `marc` for a record that is not valid.

An ANSWER takes --answer, a CLARIFY --question, an ABSTAIN or ESCALATE --message; a text never meets another action. \
--answer is for one record. With several, --texts names a file of lines such as \
{\"decision_id\":\"session-1\",\"answer\":\"…\"}. Without a text a template words what the user is shown, except for ANSWER. \
`findings` are wordings that claim feelings, are falsely precise, stress certainty, take a label for proof, show hidden reasoning or \
seek to bind the user.";

const DECIDE: &str = "\
Select an action for each situation, and print the record of the decision.

Each line of the input is a JSON object that describes a decision point:

    {\"pre_capability\":0.39,\"uncertainty\":{\"ambiguity\":0.09,\"missing_evidence\":0.84,\"capability_limit\":0.14,\
\"evidence_conflict\":0.11,\"safety\":0},\"primary_source\":\"missing_evidence\",\"remediability\":\"retrieval\",\
\"remedies\":{\"human\":true}}

All five scores are needed, unless the deployment says that unused ones are zero. `remedies` are user_clarification, retrieval, \
tool, human and deliberation; each is true, false, or an object with `available`, `permitted` and `worthwhile`. `judgements` \
replace what a score says: an object such as {\"blocking_ambiguity\":false}, or an array of those that hold; \
safety_controls, blocking_ambiguity, material_conflict, required_evidence_missing, material_capability_limit, \
resolvable_from_evidence, limited_to_context. Also known: session (the request that the line belongs to), secondary_source, \
risk_tier (standard or high), task_family, recommended_next_step (a text, or an object with one for each action), \
post_answer_confidence (which ANSWER needs), action_suitability, sub_action, and spent, {\"time\":\"2s\",\"cost\":40}, what the \
round took that the line before began.

No text for the user is read here: the action comes first, and `provstream marc project` takes the texts. For each line one is \
printed, with the steps that led to the action and the sections of the draft:

    {\"event\":\"decision\",\"line\":1,\"session\":\"session\",\"action\":\"RETRIEVE\",\"steps\":[{\"section\":\
\"MARC-02 8.8 step 4\",\"action\":\"RETRIEVE\",\"reason\":\"required evidence is missing\"}],\"record\":{…}}

or, if nothing could be decided, which leaves the session as it was:

    {\"event\":\"refused\",\"line\":1,\"message\":\"…\"}";

const CARRY: &str = "\
Put MARC objects into envelopes of other protocols, and take them out.

With --into the input is MARC objects, and for each the --envelope is printed with the object in it. With --out-of the input \
is envelopes, or for sse an event stream, and the MARC objects in them are printed, one a line. With --strip the envelopes are \
printed without records, whose scores are not for end users (MARC-02 12). Nothing else of an envelope changes.";

const UPGRADE: &str = "\
Convert records and disclosures of draft 01 to draft 02.

The confidence target, which draft 02 requires, is `answer` for ANSWER and `direct_answer_suitability` for other actions, as draft \
01 implies (MARC-01 7.5). A disclosure of draft 01 need not name its action; then --action does. The objects are printed one a \
line; what cannot be converted gives a line with the event `refused`.";

const SHOW: &str = "\
Print disclosures as text: the answer, then confidence with what it applies to, uncertainty and next step as one unit \
(MARC-02 14).";

const SCHEMA: &str = "\
Print the JSON Schema (2020-12) of MARC-Core records or MARC-Disclosure objects.

It is made from what `provstream marc validate` checks. Repeated members and what only should hold are not part of it.";

const CONFORMANCE: &str = "\
Compare the description of a deployment with what MARC asks of one.

The description is a TOML file. For each requirement of the classes MARC-Core, MARC-Disclosure and MARC-Carrying a line is \
printed:

    {\"event\":\"requirement\",\"class\":\"core\",\"id\":\"band-thresholds\",\"section\":\"MARC-02 8.5\",\"level\":\"must\",\
\"status\":\"met\",\"basis\":\"description\",\"title\":\"…\",\"reason\":\"…\"}

and for each class {\"event\":\"class\",\"class\":\"core\",\"claimed\":true,\"conforms\":true}. `status` is `met`, `declared` (the \
deployer says so, which cannot be checked), `documentation missing`, `not met` or `not claimed`.";

fn fails(what: &str) -> String {
    format!("{EXIT}\n  3  with --fail: {what}")
}

/// A command about MARC records.
#[derive(Debug, Subcommand)]
pub(crate) enum MarcCommand {
    /// Validate MARC objects
    #[command(long_about = VALIDATE, after_long_help = fails("an object is not valid, or there is none"))]
    Validate(ValidateArgs),
    /// Select an action for each situation, and print its record
    #[command(long_about = DECIDE, after_long_help = fails("a line was refused, or there is none"))]
    Decide(DecideArgs),
    /// Print what may be disclosed of records
    #[command(long_about = PROJECT, after_long_help = fails("a record was withheld, refused or not valid, or there is none"))]
    Project(ProjectArgs),
    /// Print disclosures as text
    #[command(long_about = SHOW, after_long_help = fails("an object is not a valid disclosure, or there is none"))]
    Show(ShowArgs),
    /// Put MARC objects into other protocols, and take them out
    #[command(long_about = CARRY, after_long_help = fails("an object or envelope was refused, or there is none"))]
    Carry(CarryArgs),
    /// Convert objects of draft 01 to draft 02
    #[command(long_about = UPGRADE, after_long_help = fails("an object was refused, or there is none"))]
    Upgrade(UpgradeArgs),
    /// Print the JSON Schema of MARC objects
    #[command(long_about = SCHEMA, after_long_help = EXIT)]
    Schema(SchemaArgs),
    /// Compare the description of a deployment with the requirements
    #[command(long_about = CONFORMANCE, after_long_help = fails("a class that is claimed does not conform"))]
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
    /// Exit with status 3 if an object is not valid
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
    #[arg(long, value_name = "NAME", required_if_eq("trust", "attested"))]
    pub(crate) emitter: Option<String>,
    /// The answer of the one ANSWER among the records
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: Option<String>,
    /// What a CLARIFY asks the user
    #[arg(long, value_name = "TEXT")]
    pub(crate) question: Option<String>,
    /// What an ABSTAIN or ESCALATE says to the user
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// A file with texts by decision id; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) texts: Option<PathBuf>,
    /// The next step as the user is shown it [default: the record's]
    #[arg(long, value_name = "TEXT")]
    pub(crate) next_step: Option<String>,
    /// Leave the selected action out
    #[arg(long)]
    pub(crate) hide_action: bool,
    /// Disclose also while the system retrieves, uses a tool or deliberates
    #[arg(long)]
    pub(crate) interim: bool,
    /// Exit with status 3 unless every record is disclosed or deferred
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
    /// Exit with status 3 unless every object is a valid disclosure
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
    /// A language of the library: en, de, es, fr or ja
    #[arg(long, value_name = "LANGUAGE", conflicts_with = "deployment")]
    pub(crate) language: Option<Language>,
    /// A TOML file that describes the deployment, for its wording and trust policy; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) deployment: Option<PathBuf>,
}

/// Arguments of `provstream marc decide`.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The file with situations, one a line, or - for standard input
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A TOML file that describes the deployment: draft, bands, bounds, thresholds and policy; never standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) deployment: PathBuf,
    /// What decision ids begin with: ID-1, ID-2 and so on, the next session has ID.2-1; lines with a `session` use that
    ///
    /// 1 to 256 bytes. Runs whose records are kept together need IDs of their own.
    #[arg(long, value_name = "ID", default_value = "session", value_parser = id)]
    pub(crate) id: String,
    /// Exit with status 3 unless every line is decided
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
    /// The envelope, a JSON object [default: {}]; never standard input
    #[arg(long, value_name = "FILE", requires = "into")]
    pub(crate) envelope: Option<PathBuf>,
    /// The deployment's domain for MCP, its labels in reverse order, such as com.example
    #[arg(long, value_name = "PREFIX")]
    pub(crate) prefix: Option<String>,
    /// The URI of the extension for A2A
    #[arg(long, value_name = "URI")]
    pub(crate) uri: Option<String>,
    /// Exit with status 3 if something was refused
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
    #[arg(long, value_name = "ACTION")]
    pub(crate) action: Option<Action>,
    /// Exit with status 3 if something was refused
    #[arg(long)]
    pub(crate) fail: bool,
    /// The input.
    #[command(flatten)]
    pub(crate) source: RecordsArgs,
}

/// Arguments of `provstream marc schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The kind of object: core or disclosure
    #[arg(value_name = "KIND", default_value = "core", value_parser = kind)]
    pub(crate) kind: MarcKind,
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

fn id(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("expected 1 to 256 bytes, found a blank text"),
        _ if text.len() > 256 => Err("expected 1 to 256 bytes, found more"),
        _ => Ok(text.to_owned()),
    }
}

fn kind(text: &str) -> Result<MarcKind, &'static str> {
    [MarcKind::Core, MarcKind::Disclosure]
        .into_iter()
        .find(|kind| kind.as_str() == text)
        .ok_or("expected core or disclosure")
}

/// The draft that applies, and how strictly.
#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    /// The draft: 01 or 02
    #[arg(long, value_name = "DRAFT", default_value = "02")]
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
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Longest outermost object in bytes, 1 to 16777216; a longer one is a violation
    #[arg(long, value_name = "BYTES", help_heading = "Limits", default_value_t = 1 << 20,
        value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) max_record: u32,
}

impl RecordsArgs {
    /// Longest outermost object.
    pub(crate) fn max(&self) -> usize {
        usize::try_from(self.max_record).unwrap_or(usize::MAX)
    }
}
