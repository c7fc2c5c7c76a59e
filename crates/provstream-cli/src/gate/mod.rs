//! `provstream gate`.

mod writer;

use std::process::ExitCode;

use provstream::provenance::Timestamp;
use provstream_route::{Audit, AuditFile};

use self::writer::Writer;
use crate::account::Account;
use crate::args::GateArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::gated::{Ended, Gated};
use crate::output::Output;
use crate::own_file;
use crate::stdio;
use crate::unread::Unread;

/// Runs the command.
pub(crate) fn run(args: &GateArgs) -> Result<ExitCode, Failure> {
    check_files(args)?;
    let gated = Gated::open(args.file.as_deref(), &args.policy, &args.gated)?;
    let audit = audit(args, &gated)?;
    let mut account = Account::new(gated.rules.clone(), args.gated.source.mode);
    let now = args.gated.now;
    let rules = gated.rules.clone();
    let policy = rules.policy(move || now.unwrap_or_else(Timestamp::now));
    let output = Output::open(args.output.as_deref())?;
    let mut writer = Writer::new(output, audit, args.gated.source.input);
    let end = gated.feed(policy, &mut writer, &mut account);
    let written = writer.finish();
    let (ended, unread) = match end {
        Ok(end) => end,
        // What is certain is written, however the input ended.
        Err(failure) => {
            let failure = match (failure, written) {
                (Failure::Read(..), Err(written)) => written,
                (failure, _) => failure,
            };
            return exit_status::status(Err(failure), args.fail, account.passes());
        }
    };
    report(&ended, &unread, &account, args)?;
    let passed = ended.is_empty() && unread.passes() && account.passes();
    let end = written.and_then(|()| writer.into_output().commit());
    exit_status::status(end, args.fail, passed)
}

/// Refuses files that are to be written but are among those that are read. The text itself can be replaced.
fn check_files(args: &GateArgs) -> Result<(), Failure> {
    let policy = ("--policy", Some(args.policy.as_path()));
    let classes = &args.gated.source.classes;
    let vocabulary = ("--vocabulary", classes.vocabulary.as_deref());
    own_file::check_output(args.output.as_deref(), [policy, vocabulary])?;
    let Some(audit) = &args.audit else {
        return Ok(());
    };
    if audit.as_os_str() == "-" {
        return Err(Failure::Usage(
            "--audit: expected a file, found -; standard output has the text (./- for a file named -)".to_owned(),
        ));
    }
    let is_stdout = args
        .output
        .as_deref()
        .is_none_or(|output| output.as_os_str() == "-");
    if is_stdout && stdio::stdout_is(audit) {
        let audit = audit.display();
        return Err(Failure::Usage(format!(
            "--audit: expected a file of its own, found {audit}, which is standard output; give another path"
        )));
    }
    let output = ("--output", args.output.as_deref());
    let file = ("FILE", args.file.as_deref());
    own_file::check("--audit", audit, [output, policy, file, vocabulary])
}

/// The audit log that was asked for.
fn audit(args: &GateArgs, gated: &Gated) -> Result<Option<Audit<AuditFile>>, Failure> {
    let Some(path) = &args.audit else {
        return Ok(None);
    };
    let stream = args.stream_id.as_deref().unwrap_or(gated.name()).to_owned();
    let file = AuditFile::open(path, args.audit_sync);
    let file = file.map_err(|error| Failure::create(path, error))?;
    let name = path.display().to_string();
    Ok(Some(Audit::new(file, name, stream, gated.rules.clone())))
}

/// Reports what is missing in the output.
fn report(
    ended: &Ended,
    unread: &Unread,
    account: &Account,
    args: &GateArgs,
) -> Result<(), Failure> {
    for (channel, end) in ended {
        account.note_end(channel.as_deref(), *end);
    }
    // An audit log that was asked for has the others.
    let advice = match args.audit {
        Some(_) => "",
        None => "; --audit FILE logs each",
    };
    account.note(args.fail, advice);
    if let Some(unknown) = unread.unknown() {
        return Err(Failure::Unknown(format!("no text was released: {unknown}")));
    }
    if !unread.is_empty() {
        note(unread);
    }
    Ok(())
}
