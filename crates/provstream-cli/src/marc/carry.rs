//! `provstream marc carry`.

use std::process::ExitCode;

use clap::ValueEnum;
use provstream_marc::carry::{Carrier, CarrierNameError, from_sse, sse_event};
use provstream_marc::{Document, MarcKind, Profile};

use super::args::{CarrierArg, CarryArgs, KindArg};
use super::event_stream::{Event, each_event};
use super::json_object;
use super::judge::{Totals, objects};
use super::objects::{Outermost, each_object};
use super::record::printable;
use super::upgrade::Refused;
use crate::exit_status;
use crate::failure::Failure;
use crate::output::Output;
use crate::settings;

/// What is done with each object or envelope of the input.
enum Way {
    Into(Option<Carrier>, Document),
    OutOf(Option<Carrier>),
    Strip(Option<Carrier>),
}

struct Carry {
    output: Output,
    way: Way,
    totals: Totals,
}

/// Runs the command.
pub(crate) fn run(args: &CarryArgs) -> Result<ExitCode, Failure> {
    let mut carry = Carry {
        output: Output::stdout(),
        way: way(args)?,
        totals: Totals::default(),
    };
    let (file, max) = (&args.source.file, args.source.max());
    let pause = |carry: &mut Carry| carry.output.flush();
    let end = if matches!(carry.way, Way::OutOf(None) | Way::Strip(None)) {
        each_event(file, max, &mut carry, pause, Carry::event)
    } else {
        each_object(file, max, &mut carry, pause, |carry, outermost| {
            carry.outermost(&outermost);
        })
    };
    if end.is_ok() {
        carry.totals.complain_of_nothing(match carry.way {
            Way::Into(..) => "MARC object",
            Way::OutOf(Some(_)) | Way::Strip(Some(_)) => "envelope",
            Way::OutOf(None) => "event with a MARC object",
            Way::Strip(None) => "event",
        });
    }
    let end = end.and_then(|()| carry.output.flush());
    exit_status::status(end, args.fail, carry.totals.passed())
}

/// What an argument names, as it is written.
fn written(carrier: CarrierArg) -> String {
    let value = carrier.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// `None` for server-sent events, which have no envelope. `way` is the option that names the carrier.
fn carrier(way: &str, carrier: CarrierArg, args: &CarryArgs) -> Result<Option<Carrier>, Failure> {
    let of_one = [
        ("--prefix", &args.prefix, CarrierArg::Mcp, "com.example"),
        (
            "--uri",
            &args.uri,
            CarrierArg::A2a,
            "https://example.com/marc/v1",
        ),
    ];
    for (option, given, only, example) in of_one {
        if given.is_some() && carrier != only {
            let (only, found) = (written(only), written(carrier));
            return Err(Failure::Usage(format!(
                "{option} is for {only} only, found {found}"
            )));
        }
        if given.is_none() && carrier == only {
            let only = written(only);
            return Err(Failure::Usage(format!(
                "{way} {only} needs {option}, such as {example}"
            )));
        }
    }
    let wrong =
        |option: &str, error: CarrierNameError| Failure::Usage(format!("{option}: {error}"));
    let (prefix, uri) = (args.prefix.as_deref(), args.uri.as_deref());
    Ok(match carrier {
        CarrierArg::ResponseMetadata => Some(Carrier::response_metadata()),
        CarrierArg::AuditLog => Some(Carrier::audit_line()),
        CarrierArg::Sse => None,
        CarrierArg::Mcp => {
            let carrier = Carrier::mcp(prefix.unwrap_or_default());
            Some(carrier.map_err(|error| wrong("--prefix", error))?)
        }
        CarrierArg::A2a => {
            let carrier = Carrier::a2a(uri.unwrap_or_default());
            Some(carrier.map_err(|error| wrong("--uri", error))?)
        }
    })
}

fn way(args: &CarryArgs) -> Result<Way, Failure> {
    if let Some(into) = args.into {
        let carrier = carrier("--into", into, args)?;
        let envelope = match &args.envelope {
            Some(_) if carrier.is_none() => {
                return Err(Failure::Usage(
                    "--envelope is for response-metadata, mcp, a2a and audit-log only, found sse"
                        .to_owned(),
                ));
            }
            Some(path) => settings::load("--envelope", path, json_object::of_file)?,
            None => Document::new(),
        };
        return Ok(Way::Into(carrier, envelope));
    }
    let only_into = |way: &str| match args.envelope {
        Some(_) => Err(Failure::Usage(format!(
            "--envelope is for --into only, found {way}"
        ))),
        None => Ok(()),
    };
    if let Some(out_of) = args.out_of {
        only_into("--out-of")?;
        return Ok(Way::OutOf(carrier("--out-of", out_of, args)?));
    }
    only_into("--strip")?;
    let strip = args.strip.unwrap_or(CarrierArg::ResponseMetadata);
    Ok(Way::Strip(carrier("--strip", strip, args)?))
}

impl Carry {
    fn outermost(&mut self, outermost: &Outermost<'_>) {
        if matches!(self.way, Way::Into(..)) {
            for object in objects(outermost, KindArg::Auto, Profile::default()) {
                let line = object.fault_line();
                let put = match (object.kind, &object.document) {
                    (Some(kind), Some(document)) => self.put(kind, document),
                    _ => Err(object.faults()),
                };
                self.count(line, put);
            }
            return;
        }
        let envelope = match outermost.document() {
            Ok(envelope) => envelope,
            Err(error) => return self.count(error.line, Err(error.message)),
        };
        let done = match &self.way {
            Way::OutOf(Some(carrier)) => take(carrier, &envelope, &mut self.output),
            Way::Strip(Some(carrier)) => strip(carrier, envelope, &mut self.output),
            _ => Ok(()),
        };
        self.count(outermost.line, done);
    }

    fn put(&mut self, kind: MarcKind, document: &Document) -> Result<(), String> {
        let Way::Into(carrier, envelope) = &self.way else {
            return Ok(());
        };
        match carrier {
            None => self.output.bytes(sse_event(kind, document).as_bytes()),
            Some(carrier) => {
                let mut envelope = envelope.clone();
                carrier
                    .put(&mut envelope, kind, document)
                    .map_err(|error| error.to_string())?;
                self.output.line(&printable(&envelope));
            }
        }
        Ok(())
    }

    fn count(&mut self, line: u64, done: Result<(), String>) {
        self.totals.count(done.is_ok());
        if let Err(message) = done {
            self.output.line(&Refused { line, message });
        }
    }

    /// An event of a stream that objects are taken out of, or records removed from.
    fn event(&mut self, line: u64, event: Result<Event, String>) {
        let strips = matches!(self.way, Way::Strip(_));
        let event = match event {
            Ok(event) => event,
            Err(message) => return self.count(line, Err(message)),
        };
        match from_sse(&event.kind, &event.data) {
            Ok(Some((MarcKind::Core, _))) if strips => self.count(line, Ok(())),
            Ok(_) if strips => {
                self.output.bytes(format!("{}\n", event.lines).as_bytes());
                if event.is_dispatched() {
                    self.count(line, Ok(()));
                }
            }
            Ok(Some((_, document))) => {
                self.output.line(&printable(&document));
                self.count(line, Ok(()));
            }
            Ok(None) => {}
            Err(error) => {
                let message = match json_object::read(event.data.as_bytes(), 1) {
                    Err(fault) => format!("the data of the event: {}", fault.message),
                    Ok(_) => error.to_string(),
                };
                self.count(line, Err(message));
            }
        }
    }
}

fn take(carrier: &Carrier, envelope: &Document, output: &mut Output) -> Result<(), String> {
    let mut found = false;
    for kind in [MarcKind::Core, MarcKind::Disclosure] {
        let taken = carrier
            .take(envelope, kind)
            .map_err(|error| error.to_string())?;
        if let Some(document) = taken {
            output.line(&printable(&document));
            found = true;
        }
    }
    if found {
        Ok(())
    } else {
        let field = carrier.pointer(MarcKind::Core);
        Err(format!(
            "expected a MARC object in the envelope, found none, such as at {field}"
        ))
    }
}

fn strip(carrier: &Carrier, mut envelope: Document, output: &mut Output) -> Result<(), String> {
    carrier
        .strip_core(&mut envelope)
        .map_err(|error| error.to_string())?;
    output.line(&printable(&envelope));
    Ok(())
}
