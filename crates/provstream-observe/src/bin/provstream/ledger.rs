//! `provstream ledger`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{
    ArgMatches, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum,
};
use provstream::provenance::Timestamp;
use provstream_cli::{CommandOutput, CommandOutputOptions, LedgerList, escape, input_error};
use provstream_observe::{
    Body, ExportError, Ledger as _, LedgerEntry, LedgerError, LedgerHead, LedgerRecord,
    SqliteLedger,
};
use serde_json::{Value, json};

use crate::{LedgerOption, parse_time};

/// List, audit, expire and export the observations of a ledger
///
/// The entries of a ledger form a hash chain, so that `check` finds each entry that was changed, moved or removed. Keep heads
/// (from `check` or `export`) where writers of the ledger cannot change them: only with one, `check` finds entries that
/// were cut off at the end.
#[derive(Debug, Parser)]
#[command(name = "ledger", verbatim_doc_comment)]
struct LedgerCommand {
    #[command(subcommand)]
    action: LedgerAction,
}

const CHECK_STATUS: &str = "\
Exit status:
  0  the ledger is intact
  1  the ledger cannot be read
  2  an argument is wrong
  3  the ledger has a fault";

#[derive(Debug, Subcommand)]
enum LedgerAction {
    /// List the entries, without their contents
    List {
        /// Number of the first entry
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        from: u64,
        #[command(flatten)]
        options: Options,
    },
    /// Print the latest entry of an id, with its content
    Show {
        /// The observation id
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        options: Options,
    },
    /// Audit the hash chain, and print the head
    #[command(after_long_help = CHECK_STATUS)]
    Check {
        /// Head of an earlier check or export, ENTRIES:LINK
        #[arg(long, value_name = "HEAD", value_parser = parse_head)]
        head: Option<LedgerHead>,
        #[command(flatten)]
        options: Options,
    },
    /// Erase what has expired
    Expire {
        /// The time to expire at [default: the clock]
        #[arg(long, value_name = "TIME", value_parser = parse_time)]
        now: Option<Timestamp>,
        #[command(flatten)]
        options: Options,
    },
    /// Print all entries as lines of JSON, and the head as the last line; or what other commands read
    Export {
        /// Form of the export
        ///
        /// ledger: all entries, and the head. observations: what `provstream emit --observations` reads, with the first
        /// line of each recorded content as its summary. sources: what `--sources` reads. The latter two have the latest
        /// entry of each id that has not expired.
        #[arg(long = "as", value_name = "FORM", default_value = "ledger")]
        form: ExportForm,
        #[command(flatten)]
        options: Options,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportForm {
    Ledger,
    Observations,
    Sources,
}

#[derive(Debug, clap::Args)]
struct Options {
    #[command(flatten)]
    ledger: LedgerOption,
    #[command(flatten)]
    report: CommandOutputOptions,
}

impl Options {
    fn report(&self) -> anyhow::Result<CommandOutput> {
        self.report.open([self.ledger.file()])
    }
}

/// Most characters of a summary.
const MAX_SUMMARY: usize = 200;

/// Status of a check that found faults.
const FAULTS: u8 = 3;

pub(crate) fn command() -> Command {
    LedgerCommand::command()
}

pub(crate) fn run(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    match LedgerCommand::from_arg_matches(matches)?.action {
        LedgerAction::List { from, options } => print_entries(from, &options),
        LedgerAction::Show { id, options } => show(&id, &options),
        LedgerAction::Check { head, options } => check(head, &options),
        LedgerAction::Expire { now, options } => expire(now, &options),
        LedgerAction::Export {
            form: ExportForm::Ledger,
            options,
        } => export(&options),
        LedgerAction::Export {
            form: ExportForm::Observations,
            options,
        } => export_ids(LedgerList::Observations, &options),
        LedgerAction::Export {
            form: ExportForm::Sources,
            options,
        } => export_ids(LedgerList::Sources, &options),
    }
}

fn print_entries(from: u64, options: &Options) -> anyhow::Result<ExitCode> {
    let ledger = options.ledger.open()?;
    let mut report = options.report()?;
    let listed = ledger.for_each(from, |record| {
        match &record {
            LedgerRecord::Observation(entry) => write_entry(&mut report, entry, false),
            LedgerRecord::Expiry { seq, time, erased } => {
                let erased: Vec<_> = erased.iter().map(|range| (*range.start(), *range.end())).collect();
                if report.is_pretty() {
                    let count: u64 = erased.iter().map(|(first, last)| last - first + 1).sum();
                    report.write_lines(format!("{seq}  {time}  expiry of {count}\n"));
                } else {
                    report.write_record(&json!({ "event": "expiry", "seq": seq, "ts": time.to_string(), "erased": erased }));
                }
            }
        }
        true
    });
    listed.map_err(|error| options.ledger.error(&error))?;
    report.commit()?;
    Ok(ExitCode::SUCCESS)
}

fn show(id: &str, options: &Options) -> anyhow::Result<ExitCode> {
    let found = options.ledger.open()?.lookup(id);
    let Some(entry) = found.map_err(|error| options.ledger.error(&error))? else {
        return Err(input_error(format_args!(
            "{}: expected the observation id {}, found none",
            options.ledger.ledger.display(),
            escape(id)
        )));
    };
    let mut report = options.report()?;
    write_entry(&mut report, &entry, true);
    report.commit()?;
    Ok(ExitCode::SUCCESS)
}

fn check(head: Option<LedgerHead>, options: &Options) -> anyhow::Result<ExitCode> {
    let checked = options.ledger.open()?.check(head);
    let checked = checked.map_err(|error| options.ledger.error(&error))?;
    let mut report = options.report()?;
    for fault in &checked.faults {
        let message = fault.to_string();
        if report.is_pretty() {
            report.write_lines(format!("{}\n", escape(&message)));
        } else {
            report.write_record(&json!({ "event": "fault", "message": message }));
        }
    }
    if report.is_pretty() {
        report.write_lines(format!(
            "{} entries, {} observations ({} expired), {} faults\nhead {}\n",
            checked.head.entries,
            checked.observations,
            checked.expired,
            checked.faults.len(),
            checked.head
        ));
    } else {
        report.write_record(&json!({
            "event": "ledger",
            "head": checked.head.to_string(),
            "observations": checked.observations,
            "expired": checked.expired,
            "faults": checked.faults.len(),
        }));
    }
    report.commit()?;
    Ok(match checked.faults.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(FAULTS),
    })
}

fn expire(now: Option<Timestamp>, options: &Options) -> anyhow::Result<ExitCode> {
    let expired = options
        .ledger
        .open()?
        .expire(now.unwrap_or_else(Timestamp::now));
    let count = match &expired {
        Ok(count) | Err(LedgerError::NotErased(count)) => *count,
        Err(error) => return Err(options.ledger.error(error)),
    };
    let mut report = options.report()?;
    match report.is_pretty() {
        true => report.write_lines(format!("{count} observations erased\n")),
        false => report.write_record(&json!({ "event": "expired", "count": count })),
    }
    report.commit()?;
    expired.map_err(|error| options.ledger.error(&error))?;
    Ok(ExitCode::SUCCESS)
}

fn export(options: &Options) -> anyhow::Result<ExitCode> {
    let ledger = options.ledger.open()?;
    let mut report = options.report()?;
    match ledger.export(&mut report) {
        Ok(_) => {}
        Err(ExportError::Ledger(error)) => return Err(options.ledger.error(&error)),
        Err(error) => return Err(error.into()),
    }
    report.commit()?;
    Ok(ExitCode::SUCCESS)
}

fn export_ids(form: LedgerList, options: &Options) -> anyhow::Result<ExitCode> {
    let list = list(form, &options.ledger.open()?);
    let list = list.map_err(|error| options.ledger.error(&error))?;
    let mut report = options.report()?;
    report.write_record(&list);
    report.commit()?;
    Ok(ExitCode::SUCCESS)
}

/// Lists the latest entry of each id that has not expired.
pub(crate) fn list(form: LedgerList, ledger: &SqliteLedger) -> Result<Value, LedgerError> {
    let now = Timestamp::now();
    let mut entries = BTreeMap::new();
    ledger.for_each(1, |record| {
        if let LedgerRecord::Observation(entry) = record {
            entries.insert(entry.id.clone(), entry);
        }
        true
    })?;
    let mut entries: Vec<_> = entries.into_values().collect();
    entries
        .retain(|entry| entry.body.is_some() && entry.expires.is_none_or(|expires| expires > now));
    entries.sort_by_key(|entry| entry.seq);
    let list: Vec<_> = entries.iter().map(|entry| listed(form, entry)).collect();
    Ok(match form {
        LedgerList::Sources => json!({ "sources": list, "complete": true }),
        LedgerList::Observations => list.into(),
    })
}

/// Builds an element of a list of observations or sources.
fn listed(form: LedgerList, entry: &LedgerEntry) -> Value {
    let mut listed = json!({ "id": entry.id, "class": entry.class, "ts": entry.time.to_string() });
    let content = entry.body.as_ref().and_then(|body| body.content.as_deref());
    if let (LedgerList::Observations, Some(content)) = (form, content) {
        let text = String::from_utf8_lossy(content);
        let line = text.lines().find(|line| !line.trim().is_empty());
        let line: String = line
            .unwrap_or_default()
            .trim()
            .chars()
            .take(MAX_SUMMARY)
            .collect();
        // A summary is one line of visible order.
        if !line.is_empty() {
            listed["summary"] = escape(&line).into();
        }
    }
    listed
}

fn write_entry(report: &mut CommandOutput, entry: &LedgerEntry, has_content: bool) {
    let query = entry
        .body
        .as_ref()
        .map_or("expired", |body| body.query.as_str());
    if report.is_pretty() {
        let (id, class) = (escape(&entry.id), escape(&entry.class));
        report.write_lines(format!(
            "{}  {}  {class}  {id}\n    {}\n",
            entry.seq,
            entry.time,
            escape(query)
        ));
        let content = entry.body.as_ref().and_then(|body| body.content.as_deref());
        if let (true, Some(content)) = (has_content, content) {
            report.write_text(content);
            if !content.ends_with(b"\n") {
                report.write_text(b"\n");
            }
        }
        return;
    }
    let mut record = json!({
        "event": "entry",
        "seq": entry.seq,
        "observation_id": entry.id,
        "class": entry.class,
        "ts": entry.time.to_string(),
    });
    if let Some(expires) = entry.expires {
        record["expires"] = expires.to_string().into();
    }
    match &entry.body {
        Some(body) => add_body(&mut record, body, has_content),
        None => record["expired"] = true.into(),
    }
    report.write_record(&record);
}

fn add_body(record: &mut Value, body: &Body, has_content: bool) {
    record["query"] = serde_json::from_str(body.query.as_str()).unwrap_or_default();
    record["result"] = body.result.to_string().into();
    if let Some(anchor) = body.anchor.as_ref().filter(|_| has_content) {
        record["anchor"] = json!({ "before": anchor.before, "after": anchor.after });
    }
    if let Some(content) = body.content.as_deref().filter(|_| has_content) {
        record["content"] = String::from_utf8_lossy(content).into();
    }
}

fn parse_head(text: &str) -> Result<LedgerHead, String> {
    LedgerHead::parse(text)
        .ok_or_else(|| "expected ENTRIES:LINK, a number and 64 hexadecimal digits".to_owned())
}
