//! `provstream gate`.

mod audit;
mod writer;

use std::process::ExitCode;

use provstream::GateEnd;
use provstream::provenance::Timestamp;

use self::audit::{Audit, AuditFile};
use self::writer::Writer;
use crate::args::GateArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::gated::{Ended, Gated};
use crate::output::Output;
use crate::unread::Unread;

/// Runs the command.
pub(crate) fn run(args: &GateArgs) -> Result<ExitCode, Failure> {
    let gated = Gated::open(args.file.as_deref(), &args.policy, &args.gated)?;
    let rules = gated.rules.clone();
    let audit = match &args.audit {
        Some(file) => {
            let stream = args.stream_id.as_deref().unwrap_or(gated.name()).to_owned();
            let file = AuditFile::open(file, args.audit_sync)?;
            Some(Audit::new(file, stream, rules.clone()))
        }
        None => None,
    };
    let now = args.gated.now;
    let policy = rules.policy(move || now.unwrap_or_else(Timestamp::now));
    let output = Output::open(args.output.as_deref())?;
    let mut writer = Writer::new(output, audit, args.gated.source.input);
    let end = gated.feed(policy, &mut writer);
    let (ended, unread) = match end {
        Ok(end) => end,
        // What is certain is written, however the input ended.
        Err(failure) => {
            writer.finish()?;
            return Err(failure);
        }
    };
    writer.finish()?;
    report(&ended, &unread)?;
    let passed = ended.is_empty() && unread.passes() && !writer.has_withheld();
    let end = writer.into_output().commit();
    exit_status::status(end, args.fail, passed)
}

/// Reports what is missing in the output.
fn report(ended: &Ended, unread: &Unread) -> Result<(), Failure> {
    for (channel, end) in ended {
        let how = ended_as(*end);
        match channel {
            Some(channel) => note(format_args!("channel {channel}: the policy {how}")),
            None => note(format_args!("the policy {how}")),
        }
    }
    if let Some(unknown) = unread.unknown() {
        return Err(Failure::Unknown(format!("nothing was released: {unknown}")));
    }
    if !unread.is_empty() {
        note(unread);
    }
    Ok(())
}

const fn ended_as(end: GateEnd) -> &'static str {
    match end {
        GateEnd::Suspended => "suspended the stream, so the rest has to be asked for once more",
        _ => "refused the rest of the stream",
    }
}
