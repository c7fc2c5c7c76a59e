//! `provstream marc conformance`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use provstream_marc::{ConformanceClass, ConformanceFinding, ConformanceReport, Deployment};
use serde::Serialize;

use crate::error::{exit_code, is_broken_pipe};
use crate::messages::{EscapeControls, print_note};
use crate::output::Output;
use crate::settings;

/// Compare the description of a deployment with what MARC asks of one
///
/// The description is a TOML file. For each requirement of the classes MARC-Core, MARC-Disclosure
/// and MARC-Carrying one line is printed, and one for each class:
///
///     {"event":"requirement","class":"core","id":"band-thresholds","section":"MARC-02 8.5",
///      "level":"must","status":"met","basis":"description","title":"…","reason":"…"}
///     {"event":"class","class":"core","claimed":true,"conforms":true}
///
/// `status` is met, declared (the deployer says so, which cannot be checked), documentation
/// missing, not met or not claimed.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ConformanceOptions {
    /// A TOML file that describes the deployment
    #[arg(value_name = "FILE")]
    deployment: PathBuf,
    /// Print a table for people instead of lines of JSON
    #[arg(long)]
    table: bool,
    /// Exit with status 3 if a class that is claimed does not conform
    #[arg(long)]
    fail: bool,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum ConformanceRecord<'a> {
    Requirement {
        class: &'static str,
        id: &'static str,
        section: &'a str,
        level: &'static str,
        status: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        basis: Option<&'static str>,
        title: &'static str,
        reason: &'a str,
    },
    Class {
        class: &'static str,
        claimed: bool,
        conforms: bool,
        /// Number of recommendations that are not met or not described.
        notes: usize,
    },
    /// Limits of the report.
    Caveat { message: &'a str },
}

impl<'a> From<&'a ConformanceFinding> for ConformanceRecord<'a> {
    fn from(finding: &'a ConformanceFinding) -> Self {
        Self::Requirement {
            class: finding.class().as_str(),
            id: finding.id(),
            section: finding.section(),
            level: finding.level().as_str(),
            status: finding.outcome().as_str(),
            basis: finding.basis().map(|basis| basis.as_str()),
            title: finding.title(),
            reason: finding.reason(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(options: &ConformanceOptions) -> anyhow::Result<ExitCode> {
    let deployment = settings::load("FILE", &options.deployment, Deployment::from_toml)?;
    let report = deployment.conformance();
    let mut output = Output::stdout();
    if options.table {
        for line in report.to_string().lines() {
            output.write_bytes(format!("{}\n", EscapeControls(line)).as_bytes());
        }
    } else {
        print(&report, &mut output);
    }
    // The result is known even if the reader of the lines has gone away.
    let result = output
        .flush()
        .or_else(|error| match is_broken_pipe(&error) {
            true => Ok(()),
            false => Err(error),
        });
    if options.fail && result.is_ok() {
        report_failed(&report);
    }
    exit_code(result, options.fail, report.is_conformant())
}

fn print(report: &ConformanceReport, output: &mut Output) {
    for finding in report.findings() {
        output.write_record(&ConformanceRecord::from(finding));
    }
    for &class in ConformanceClass::ALL {
        output.write_record(&ConformanceRecord::Class {
            class: class.as_str(),
            claimed: report.claims(class),
            conforms: report.conforms(class),
            notes: report.notes(class),
        });
    }
    let message = &*report.caveat();
    output.write_record(&ConformanceRecord::Caveat { message });
}

/// Prints which claimed classes do not conform.
fn report_failed(report: &ConformanceReport) {
    let classes = ConformanceClass::ALL.iter().copied();
    let failed = classes.filter(|&class| report.claims(class) && !report.conforms(class));
    let failed: Vec<_> = failed
        .map(|class| {
            let count = report
                .of(class)
                .filter(|finding| finding.prevents())
                .count();
            format!("{} (requirements: {count})", class.as_str())
        })
        .collect();
    if !failed.is_empty() {
        print_note(format_args!(
            "not conformant: {}; the output says why",
            failed.join(", ")
        ));
    }
}
