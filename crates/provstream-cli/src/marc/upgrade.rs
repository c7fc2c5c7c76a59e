//! `provstream marc upgrade`.

use std::process::ExitCode;

use provstream_marc::{Core, Disclosure, Document, Draft, MarcKind, Profile};
use serde::Serialize;

use super::args::{KindArg, UpgradeArgs};
use super::judge::{Object, REFUSED, Totals, objects};
use super::objects::each_object;
use super::record::printable;
use crate::exit_status;
use crate::failure::Failure;
use crate::output::Output;

/// An object that cannot be converted.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "refused")]
pub(super) struct Refused {
    pub(super) line: u64,
    pub(super) message: String,
}

/// Runs the command.
pub(crate) fn run(args: &UpgradeArgs) -> Result<ExitCode, Failure> {
    let profile = Profile::new(Draft::Draft01);
    let mut state = (Output::stdout(), Totals::default());
    let end = each_object(
        &args.source.file,
        args.source.max(),
        &mut state,
        |(output, _)| output.flush(),
        |(output, totals), outermost| {
            for object in objects(&outermost, KindArg::Auto, profile) {
                let line = object.fault_line();
                let upgraded = upgrade(object, args);
                totals.count(upgraded.is_ok(), line);
                match upgraded {
                    Ok(document) => output.line(&printable(&document)),
                    Err(message) => output.line(&Refused { line, message }),
                }
            }
        },
    );
    let (mut output, totals) = state;
    if end.is_ok() {
        totals.complain_of_nothing(&args.source.file, "MARC object");
        if args.fail {
            totals.note_failed(&args.source.file, ("refused", "MARC objects"), REFUSED);
        }
    }
    let end = end.and_then(|()| output.flush());
    exit_status::status(end, args.fail, totals.passed())
}

fn upgrade(object: Object, args: &UpgradeArgs) -> Result<Document, String> {
    if !object.report.is_valid() {
        return Err(object.faults());
    }
    let (Some(kind), Some(document)) = (object.kind, object.document) else {
        return Err("expected a MARC object of draft 01".to_owned());
    };
    if document.validate(kind, Draft::Draft02.into()).is_valid() {
        return Ok(document);
    }
    let profile = Profile::new(Draft::Draft01);
    if kind == MarcKind::Core {
        let record = Core::new(document, profile).and_then(Core::upgrade);
        return record
            .map(Core::into_document)
            .map_err(|report| report.to_string());
    }
    let disclosure = Disclosure::new(document, profile).map_err(|report| report.to_string())?;
    let action = disclosure.selected_action().or(args.action).ok_or(
        "the disclosure does not name its action: --action does, so that its confidence target is known",
    )?;
    let upgraded = disclosure
        .upgrade(action)
        .map_err(|report| report.to_string())?;
    Ok(upgraded.into_document())
}
