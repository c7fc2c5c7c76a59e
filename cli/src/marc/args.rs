//! What can be given to `provstream marc`, and the help that explains it.

use std::path::PathBuf;

use clap::{Args as ArgGroup, Subcommand};
use provstream::marc::{Draft, Profile};
use provstream::{LimitError, Limits};

use crate::args::{EXIT, LIMITS, limit};

/// What `provstream marc` is for.
pub(crate) const MARC: &str = "\
Check, show and make MARC records.

MARC records say how sure a system was at a decision and what it decided (MARC-Core), and what a user is told of it \
(MARC-Disclosure). Two drafts are known: 02, unless --draft says otherwise, and 01. A record claims something about one \
decision and proves nothing, whether it is valid or not.";

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

/// A command about MARC records.
#[derive(Debug, Subcommand)]
pub(crate) enum MarcCommand {
    /// Hold MARC objects against their draft
    #[command(long_about = VALIDATE, after_long_help = format!("{EXIT}\n{EXIT_INVALID}"))]
    Validate(ValidateArgs),
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
