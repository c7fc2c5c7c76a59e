//! `provstream marc conformance`.

use std::io::ErrorKind;
use std::process::ExitCode;

use provstream_marc::{ConformanceClass, ConformanceFinding, ConformanceReport, Deployment};
use serde::Serialize;

use super::args::ConformanceArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::output::Output;
use crate::printable::Printable;
use crate::settings;

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum ConformanceLine<'a> {
    /// A requirement of a class.
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
    /// What they add up to.
    Class {
        class: &'static str,
        claimed: bool,
        conforms: bool,
        /// How many recommendations are not met or not described.
        notes: usize,
    },
    /// What the report does not say.
    Caveat { message: &'a str },
}

impl<'a> From<&'a ConformanceFinding> for ConformanceLine<'a> {
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
pub(crate) fn run(args: &ConformanceArgs) -> Result<ExitCode, Failure> {
    let deployment = settings::load_toml("FILE", &args.deployment, Deployment::from_toml)?;
    let report = deployment.conformance();
    let mut output = Output::stdout();
    if args.table {
        for line in report.to_string().lines() {
            output.bytes(format!("{}\n", Printable(line)).as_bytes());
        }
    } else {
        lines(&report, &mut output);
    }
    // The answer is known whether or not anybody reads the lines.
    let end = match output.flush() {
        Err(Failure::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        end => end,
    };
    if args.fail && end.is_ok() {
        note_failed(&report, args.table);
    }
    exit_status::status(end, args.fail, report.is_conformant())
}

/// Reports on standard error which classes do not conform, if any.
fn note_failed(report: &ConformanceReport, is_table: bool) {
    let claimed = ConformanceClass::ALL.iter().copied();
    let claimed: Vec<_> = claimed.filter(|&class| report.claims(class)).collect();
    let failed = claimed.iter().filter(|&&class| !report.conforms(class));
    let failed: Vec<_> = failed
        .map(|&class| {
            let prevents = |finding: &&ConformanceFinding| finding.prevents();
            let class_name = class.as_str();
            match report.of(class).filter(prevents).count() {
                1 => format!("{class_name} (1 requirement)"),
                count => format!("{class_name} ({count} requirements)"),
            }
        })
        .collect();
    if !failed.is_empty() {
        let reasons = if is_table {
            "the table says why"
        } else {
            "the lines with the status not met or documentation missing say why"
        };
        note(format_args!(
            "not conformant: {} of {} claimed classes: {}; {reasons}",
            failed.len(),
            claimed.len(),
            failed.join(", ")
        ));
    }
}

fn lines(report: &ConformanceReport, output: &mut Output) {
    for finding in report.findings() {
        output.line(&ConformanceLine::from(finding));
    }
    for &class in ConformanceClass::ALL {
        output.line(&ConformanceLine::Class {
            class: class.as_str(),
            claimed: report.claims(class),
            conforms: report.conforms(class),
            notes: report.notes(class),
        });
    }
    let message = &*report.caveat();
    output.line(&ConformanceLine::Caveat { message });
}
