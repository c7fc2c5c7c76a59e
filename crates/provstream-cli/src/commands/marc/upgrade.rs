//! `provstream marc upgrade`.

use std::process::ExitCode;

use clap::Args;
use provstream_marc::{
    Action, Core, Disclosure, Document, Draft, MarcKind, Profile, ValidatedObject,
};

use super::objects::{ObjectRun, raw_json};
use super::options::{ObjectInputOptions, one_of};

/// Convert objects of draft 01 to draft 02
///
/// The confidence target, which draft 02 requires, is `answer` for ANSWER and `direct_answer_suitability` for
/// other actions, as draft 01 implies (MARC-01 7.5). The objects are printed one a line; what cannot be
/// converted gives a line with the event `refused`.
#[derive(Debug, Args)]
pub(crate) struct UpgradeOptions {
    /// Action of disclosures that do not name theirs
    #[arg(long, value_name = "ACTION", value_parser = one_of::<Action>(Action::NAMES))]
    action: Option<Action>,
    /// Exit with status 3 if an object was refused, or none was found
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    input: ObjectInputOptions,
}

/// Runs the command.
pub(crate) fn run(options: &UpgradeOptions) -> anyhow::Result<ExitCode> {
    let ObjectInputOptions { file, max_record } = &options.input;
    let mut run = ObjectRun::new(file, "MARC object", options.fail);
    let profile = Profile::new(Draft::Draft01);
    let result = run.for_each_object(*max_record, profile, |run, object| {
        let line = object.error_line();
        let upgraded = upgrade(object, options.action);
        let upgraded = upgraded.map(|document| run.output.write_record(&raw_json(&document)));
        run.passes_or_refuse(line, upgraded)
    });
    run.finish(result)
}

fn upgrade(object: ValidatedObject, action: Option<Action>) -> Result<Document, String> {
    if !object.report.is_valid() {
        return Err(object.describe());
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
    let action = disclosure.selected_action().or(action).ok_or(
        "the disclosure does not name its action: --action does, so that its confidence target is known",
    )?;
    let upgraded = disclosure
        .upgrade(action)
        .map_err(|report| report.to_string())?;
    Ok(upgraded.into_document())
}
