//! `provstream marc show`.

use std::process::ExitCode;

use provstream_marc::{Disclosure, MarcKind, Wording};

use super::args::{KindArg, ShowArgs};
use super::judge::{Object, Totals, objects};
use super::objects::each_object;
use crate::exit_status;
use crate::failure::{Failure, complain};
use crate::input::name_of;
use crate::output::Output;
use crate::printable::Printable;

struct Show<'a> {
    output: Output,
    wording: Wording,
    args: &'a ShowArgs,
    totals: Totals,
}

/// Runs the command.
pub(crate) fn run(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let (projection, _) = super::project::wording(&args.wording)?;
    let profile = args.profile.profile();
    let file = &args.source.file;
    let name = name_of(file);
    let mut show = Show {
        output: Output::stdout(),
        wording: projection.wording().clone(),
        args,
        totals: Totals::default(),
    };
    let end = each_object(
        file,
        args.source.max(),
        &mut show,
        |show| show.output.flush(),
        |show, outermost| {
            for object in objects(&outermost, KindArg::Auto, profile) {
                let line = object.fault_line();
                let shown = show.object(object);
                show.totals.count(shown.is_ok(), line);
                if let Err(message) = shown {
                    complain(format_args!("{name}: line {line}: {message}"));
                }
            }
        },
    );
    if end.is_ok() {
        show.totals
            .complain_of_nothing(file, "MARC-Disclosure object");
        // A message says it of a single one.
        if args.fail && show.totals.failed > 1 {
            let reasons = "a message for each says why";
            show.totals
                .note_failed(file, ("not shown", "MARC objects"), reasons);
        }
    }
    let end = end.and_then(|()| show.output.flush());
    exit_status::status(end, args.fail, show.totals.passed())
}

impl Show<'_> {
    fn object(&mut self, object: Object) -> Result<(), String> {
        let found = "expected a MARC-Disclosure object, found a MARC-Core record";
        match (object.kind, object.report.is_valid()) {
            (Some(MarcKind::Core), true) => {
                return Err(format!("{found}; `provstream marc project` discloses it"));
            }
            (Some(MarcKind::Core), false) => {
                let faults = object.faults();
                return Err(format!(
                    "{found}, which `provstream marc project` discloses once it is valid: {faults}"
                ));
            }
            (_, false) => return Err(object.faults()),
            (_, true) => {}
        }
        let Some(document) = object.document else {
            return Err("expected a MARC-Disclosure object".to_owned());
        };
        let disclosure = Disclosure::new(document, self.args.profile.profile())
            .map_err(|report| report.to_string())?;
        if self.totals.objects > 0 {
            self.output.bytes(b"\n");
        }
        for line in self.wording.show(&disclosure).lines() {
            self.output
                .bytes(format!("{}\n", Printable(line)).as_bytes());
        }
        Ok(())
    }
}
