//! `provstream verify`.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Style};
use clap::{ArgMatches, Command, CommandFactory as _, FromArgMatches as _, Parser, ValueEnum};
use provstream::provenance::{Annotation, Assertion, Timestamp, parse_duration};
use provstream_cli::{AssertionCheck, CheckOptions, CheckedAssertion, escape, print_note};
use provstream_observe::{
    Checked, Checker, LedgerError, Outcome, Quote, QuoteTier, SqliteLedger, Substrates, quotes,
};
use serde_json::{Value, json};

use crate::{LedgerOption, SubstrateOptions, parse_time};

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// Check the observations that the annotations of an answer cite, one JSON object a line
///
/// Each assertion is printed as by `provstream extract`, with a member `checks` that has the outcome of each annotation:
/// declared (it cites no observation), observed (the ledger has the observation), with --requery requeried (the substrate
/// still says the same), or unobserved, class-differs, stale, moved, changed, gone, unreachable, not-requeryable. On a
/// terminal, lines are for people.
///
///     {"event":"assertion", ... "checks":{"outcomes":[{"outcome":"moved",
///      "detail":"now at line 12, was at line 10","observed_at":"2026-05-28T11:40:00Z"}]}}
///
/// An outcome is about the observation, not about the assertion: an observation that was made can still be
/// misunderstood. docs/observations.md has the rules.
#[derive(Debug, Parser)]
#[command(name = "verify", verbatim_doc_comment)]
struct VerifyOptions {
    #[command(flatten)]
    ledger: LedgerOption,
    /// Repeat the query of each observation, and compare the results
    #[arg(long)]
    requery: bool,
    #[command(flatten)]
    substrates: SubstrateOptions,
    /// Most age of an observation, such as 15m or 7d; an older one is stale
    #[arg(long, value_name = "DURATION", value_parser = parse_window)]
    window: Option<Duration>,
    /// Look up words in quotation marks and backticks in the observed text
    #[arg(long)]
    quotes: bool,
    /// Level that each annotation must reach to pass with --fail; terminals without an observation always do
    ///
    /// declared: nothing speaks against it. observed: it cites an observation of the ledger. requeried: its query was repeated,
    /// and the same words are still there.
    #[arg(long, value_name = "LEVEL", default_value = "declared")]
    require: Level,
    /// Exit with status 3 if an annotation does not reach the level, is malformed or unknown, a quote is absent, or something was not
    /// read
    #[arg(long)]
    fail: bool,
    /// The time to check at [default: the clock]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    now: Option<Timestamp>,
    #[command(flatten)]
    input: CheckOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Level {
    Declared,
    Observed,
    Requeried,
}

impl Level {
    /// Returns the level that an outcome reaches.
    const fn of(outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome::Declared => Some(Self::Declared),
            Outcome::Observed => Some(Self::Observed),
            Outcome::Requeried | Outcome::Moved => Some(Self::Requeried),
            _ => None,
        }
    }
}

pub(crate) fn command() -> Command {
    VerifyOptions::command()
}

pub(crate) fn run(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let options = VerifyOptions::from_arg_matches(matches)?;
    let substrates = match options.requery {
        true => Some(options.substrates.open()?),
        false => None,
    };
    let verifier = Arc::new(Verifier {
        ledger: options.ledger.open()?,
        substrates,
        window: options.window,
        has_quotes: options.quotes,
        level: options.require,
        now: options.now,
        totals: Mutex::default(),
    });
    let check = Arc::<Verifier>::clone(&verifier);
    let summary = options.input.run(check, [options.ledger.file()])?;
    let totals = std::mem::take(&mut *verifier.totals());
    if let Some(error) = &totals.error {
        return Err(options.ledger.error(error));
    }
    if options.fail || options.input.is_pretty() {
        totals.print();
    }
    summary.exit_code(options.fail, totals.failed == 0)
}

pub(crate) fn parse_window(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

/// Check of each annotation against a ledger.
struct Verifier {
    ledger: SqliteLedger,
    substrates: Option<Substrates>,
    window: Option<Duration>,
    has_quotes: bool,
    level: Level,
    now: Option<Timestamp>,
    totals: Mutex<VerifyTotals>,
}

#[derive(Debug, Default)]
struct VerifyTotals {
    /// Number of annotations of each outcome, in the order of [`Outcome::ALL`].
    outcomes: [u64; Outcome::ALL.len()],
    /// Annotations and quotes that do not pass, and assertions with an unknown identifier in brackets.
    failed: u64,
    absent: u64,
    /// Assertions with an unknown identifier in brackets. What they cite was not looked at.
    unknown: u64,
    error: Option<LedgerError>,
}

impl VerifyTotals {
    fn print(&self) {
        let counts = Outcome::ALL.iter().zip(self.outcomes);
        let counts = counts.filter(|(_, count)| *count > 0);
        let counts: Vec<_> = counts
            .map(|(outcome, count)| format!("{count} {outcome}"))
            .collect();
        if !counts.is_empty() {
            print_note(format_args!("annotations: {}", counts.join(", ")));
        }
        if self.unknown > 0 {
            print_note(format_args!(
                "assertions with an unknown identifier in brackets: {}",
                self.unknown
            ));
        }
        if self.absent > 0 {
            print_note(format_args!("quotes that are absent: {}", self.absent));
        }
    }
}

impl Verifier {
    fn totals(&self) -> std::sync::MutexGuard<'_, VerifyTotals> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_annotation(&self, annotation: &Annotation<'_>) -> Option<Checked> {
        let mut checker = Checker::new(&self.ledger);
        if let Some(substrates) = &self.substrates {
            checker = checker.requery(substrates);
        }
        if let Some(window) = self.window {
            checker = checker.with_window(window);
        }
        let now = self.now.unwrap_or_else(Timestamp::now);
        let checked = checker.check(annotation, now);
        let mut totals = self.totals();
        match checked {
            Ok(checked) => {
                let index = Outcome::ALL
                    .iter()
                    .position(|outcome| *outcome == checked.outcome);
                totals.outcomes[index.unwrap_or_default()] += 1;
                let is_terminal = annotation.class().is_terminal();
                let level = Level::of(checked.outcome);
                // What a malformed or unknown annotation cites was not looked at.
                let passes = annotation.reason().is_none()
                    && level.is_some_and(|level| {
                        level >= self.level || (is_terminal && level == Level::Declared)
                    });
                totals.failed += u64::from(!passes);
                Some(checked)
            }
            Err(error) => {
                totals.error.get_or_insert(error);
                None
            }
        }
    }

    fn check_quotes<'a>(&self, text: &'a str, checked: &[Checked]) -> Vec<Quote<'a>> {
        let best = best_quotes(text, checked);
        let absent = best
            .iter()
            .filter(|quote| quote.tier == QuoteTier::Absent)
            .count() as u64;
        let mut totals = self.totals();
        totals.absent += absent;
        totals.failed += absent;
        best
    }
}

impl AssertionCheck for Verifier {
    fn check(&self, assertion: &Assertion<'_>) -> CheckedAssertion {
        if assertion.has_unknown_in_slot() {
            let mut totals = self.totals();
            totals.unknown += 1;
            totals.failed += 1;
        }
        let checked: Vec<_> = assertion
            .annotations()
            .map_while(|annotation| self.check_annotation(&annotation))
            .collect();
        let quotes = match self.has_quotes {
            true => self.check_quotes(assertion.text(), &checked),
            false => Vec::new(),
        };
        let outcomes: Vec<_> = checked.iter().map(record).collect();
        let mut checks = json!({ "outcomes": outcomes });
        if self.has_quotes {
            let quotes = quotes
                .iter()
                .map(|quote| json!({ "text": quote.text, "tier": quote.tier.as_str() }));
            checks["quotes"] = quotes.collect();
        }
        let mut lines = String::new();
        // Writing to a string cannot fail.
        let _ = write_lines(&mut lines, &checked, &quotes);
        CheckedAssertion { checks, lines }
    }
}

/// Looks up quoted words in all observed texts of an assertion; the most exact counts.
pub(crate) fn best_quotes<'a>(text: &'a str, checked: &[Checked]) -> Vec<Quote<'a>> {
    let mut best = quotes(text, None);
    let contents = checked
        .iter()
        .filter_map(|checked| checked.content.as_deref());
    for content in contents {
        for (best, found) in best.iter_mut().zip(quotes(text, Some(content))) {
            if found.tier < best.tier {
                *best = found;
            }
        }
    }
    best
}

/// Builds the record of a check, as it is printed.
pub(crate) fn record(checked: &Checked) -> Value {
    let mut record = json!({ "outcome": checked.outcome.as_str() });
    if let Some(detail) = &checked.detail {
        record["detail"] = detail.as_str().into();
    }
    if let Some(entry) = &checked.entry {
        record["seq"] = entry.seq.into();
        record["observed_at"] = entry.time.to_string().into();
    }
    if checked.time_differs {
        record["time_differs"] = true.into();
    }
    if let Some(change) = &checked.change {
        record["change"] = json!({ "line": change.line, "was": change.was, "now": change.now });
    }
    record
}

fn write_lines(out: &mut String, checked: &[Checked], quotes: &[Quote<'_>]) -> std::fmt::Result {
    for checked in checked {
        let style = if checked.outcome.holds() { GOOD } else { BAD };
        write!(out, "    {style}{}{style:#}", checked.outcome)?;
        if let Some(detail) = &checked.detail {
            write!(out, ": {}", escape(detail))?;
        }
        if let Some(entry) = &checked.entry {
            write!(out, "  {DIM}entry {}, {}{DIM:#}", entry.seq, entry.time)?;
        }
        if checked.time_differs {
            write!(out, "  {BAD}another time than in the annotation{BAD:#}")?;
        }
        out.push('\n');
        if let Some(change) = &checked.change {
            for (sign, line) in [('-', &change.was), ('+', &change.now)] {
                if let Some(line) = line {
                    writeln!(out, "        {sign} {}", escape(line))?;
                }
            }
        }
    }
    for quote in quotes {
        let style = if quote.tier == QuoteTier::Absent {
            BAD
        } else {
            DIM
        };
        writeln!(
            out,
            "    quote {style}{}{style:#}: {}",
            quote.tier,
            escape(quote.text)
        )?;
    }
    Ok(())
}
