//! `provstream marc carry`.

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use provstream_marc::carry::{
    Carrier, CarrierNameError, CarryError, find_record, from_sse, sse_event,
};
use provstream_marc::{Document, MarcKind, Profile};

use super::args::{CarrierArg, CarryArgs, KindArg};
use super::elsewhere::{carrier_of, first_object};
use super::envelope::Envelope;
use super::event_stream::{Event, each_event};
use super::json_object;
use super::judge::{REFUSED, Totals, objects};
use super::objects::{Outermost, each_object};
use super::record::printable;
use super::upgrade::Refused;
use crate::exit_status;
use crate::failure::{Failure, complain};
use crate::input::name_of;
use crate::output::Output;

/// What is done with each object or envelope of the input. Without a carrier, objects are in server-sent events.
enum Way {
    Into(Carrier, Envelope),
    Events,
    OutOf(Option<Carrier>),
    Strip(Option<Carrier>),
}

struct Carry {
    output: Output,
    way: Way,
    totals: Totals,
    /// How many records were removed.
    stripped: u64,
}

/// Runs the command.
pub(crate) fn run(args: &CarryArgs) -> Result<ExitCode, Failure> {
    let mut carry = Carry {
        output: Output::stdout(),
        way: way(args)?,
        totals: Totals::default(),
        stripped: 0,
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
        carry.complain_of_nothing(file);
        if args.fail {
            let what = match carry.way {
                Way::Into(..) | Way::Events => "MARC objects",
                Way::OutOf(Some(_)) | Way::Strip(Some(_)) => "envelopes",
                Way::OutOf(None) | Way::Strip(None) => "events",
            };
            carry.totals.note_failed(file, ("refused", what), REFUSED);
        }
    }
    let end = end.and_then(|()| carry.output.flush());
    exit_status::status(end, args.fail, carry.passed())
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
                "{option} is for {only} only, found {found}; leave it out"
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
        return match (carrier("--into", into, args)?, &args.envelope) {
            (None, None) => Ok(Way::Events),
            (None, Some(_)) => Err(Failure::Usage(
                "--envelope is for response-metadata, mcp, a2a and audit-log only, found sse; leave it out"
                    .to_owned(),
            )),
            (Some(carrier), None) => Ok(Way::Into(carrier, Envelope::default())),
            (Some(carrier), Some(path)) => {
                let envelope = Envelope::load(path, &carrier)?;
                Ok(Way::Into(carrier, envelope))
            }
        };
    }
    let only_into = |way: &str| match args.envelope {
        Some(_) => Err(Failure::Usage(format!(
            "--envelope is for --into only, found {way}; leave it out"
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
    fn strips(&self) -> bool {
        matches!(self.way, Way::Strip(_))
    }

    /// Whether there was something to do, and nothing was refused.
    fn passed(&self) -> bool {
        self.totals.passed() && (self.stripped > 0 || !self.strips())
    }

    fn complain_of_nothing(&self, file: &Path) {
        let Totals {
            objects, failed, ..
        } = self.totals;
        if self.strips() && self.stripped == 0 && objects > 0 && failed == 0 {
            let place = match &self.way {
                Way::Strip(Some(carrier)) => carrier.pointer(MarcKind::Core),
                _ => "an event of the type marc-core".to_owned(),
            };
            complain(format_args!(
                "{}: expected at least one record to remove, at {place}, found none",
                name_of(file)
            ));
        }
        self.totals.complain_of_nothing(
            file,
            match self.way {
                Way::Into(..) | Way::Events => "MARC object",
                Way::OutOf(Some(_)) | Way::Strip(Some(_)) => "envelope",
                Way::OutOf(None) => "event with a MARC object",
                Way::Strip(None) => "event",
            },
        );
    }

    fn outermost(&mut self, outermost: &Outermost<'_>) {
        if let Some(error) = outermost.not_utf8() {
            return self.count(error.line, Err(error.message));
        }
        if matches!(self.way, Way::Into(..) | Way::Events) {
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
            Way::Strip(Some(carrier)) => {
                let stripped = strip(carrier, envelope, &mut self.output);
                stripped.map(|was_there| self.stripped += u64::from(was_there))
            }
            _ => Ok(()),
        };
        self.count(outermost.line, done);
    }

    fn put(&mut self, kind: MarcKind, document: &Document) -> Result<(), String> {
        match &self.way {
            Way::Into(carrier, envelope) => {
                let envelope = envelope.with(carrier, kind, document)?;
                self.output.line(&printable(&envelope));
            }
            _ => self.output.bytes(sse_event(kind, document).as_bytes()),
        }
        Ok(())
    }

    fn count(&mut self, line: u64, done: Result<(), String>) {
        self.totals.count(done.is_ok(), line);
        if let Err(message) = done {
            self.output.line(&Refused { line, message });
        }
    }

    /// An event of a stream that objects are taken out of, or records removed from.
    fn event(&mut self, line: u64, event: Result<Event, String>) {
        let done = match event {
            Ok(event) if self.strips() => self.strip_event(&event),
            Ok(event) => self.take_event(&event),
            Err(message) => Err(message),
        };
        match done {
            Ok(false) => {}
            Ok(true) => self.count(line, Ok(())),
            Err(message) => self.count(line, Err(message)),
        }
    }

    /// Prints the object of an event; whether it has one.
    fn take_event(&mut self, event: &Event) -> Result<bool, String> {
        let found = from_sse(&event.kind, &event.data).map_err(|error| fault(event, &error))?;
        if let Some((_, document)) = &found {
            self.output.line(&printable(document));
        }
        Ok(found.is_some())
    }

    /// Prints an event unless it is a record; whether it is one that is dispatched.
    fn strip_event(&mut self, event: &Event) -> Result<bool, String> {
        let found = from_sse(&event.kind, &event.data).map_err(|error| fault(event, &error))?;
        if let Some((MarcKind::Core, _)) = found {
            self.stripped += 1;
            return Ok(true);
        }
        if let Some(found) = &event.foreign {
            return Err(format!(
                "expected comments and the fields data, event, id and retry of server-sent events, found {found}"
            ));
        }
        if let Some(pointer) = find_record(event.data.as_bytes()) {
            let at = if pointer.is_empty() { "" } else { ", at " };
            return Err(format!(
                "expected records in events of the type marc-core only, found one in the data of another event{at}{pointer}"
            ));
        }
        self.output.bytes(format!("{}\n", event.lines).as_bytes());
        Ok(event.is_dispatched())
    }
}

/// What is wrong with the data of an event that should have an object.
fn fault(event: &Event, error: &CarryError) -> String {
    match json_object::read(event.data.as_bytes(), 1) {
        Err(fault) => format!("the data of the event: {}", fault.message),
        Ok(_) => error.to_string(),
    }
}

fn take(carrier: &Carrier, envelope: &Document, output: &mut Output) -> Result<(), String> {
    let kinds = [MarcKind::Core, MarcKind::Disclosure];
    let taken = kinds.map(|kind| carrier.take(envelope, kind));
    let mut documents = Vec::new();
    for document in taken {
        documents.extend(document.map_err(|error| error.to_string())?);
    }
    for document in &documents {
        output.line(&printable(document));
    }
    if !documents.is_empty() {
        return Ok(());
    }
    let [core, disclosure] = kinds.map(|kind| carrier.pointer(kind));
    let expected = format!("expected a MARC object at {core} or {disclosure}");
    let Some(place) = first_object(&envelope.to_json()) else {
        return Err(format!("{expected}, found none"));
    };
    Err(match carrier_of(&place) {
        _ if place.is_empty() => format!("{expected}, found one without an envelope"),
        Some(carrier) => format!("{expected}, found one at {place}; --out-of {carrier} takes it"),
        None => format!("{expected}, found one at {place}"),
    })
}

/// Prints an envelope without its record; whether it had one.
fn strip(carrier: &Carrier, mut envelope: Document, output: &mut Output) -> Result<bool, String> {
    let was_there = carrier
        .remove(&mut envelope, MarcKind::Core)
        .map_err(|error| error.to_string())?;
    if let Some(place) = find_record(envelope.to_json().as_bytes()) {
        let own = carrier.pointer(MarcKind::Core);
        return Err(match carrier_of(&place) {
            _ if place.is_empty() => "expected an envelope, found a MARC-Core record".to_owned(),
            _ if was_there => {
                format!("expected one record, at {own}, found another one at {place}")
            }
            Some(carrier) => format!(
                "expected a record at {own} only, found one at {place}; --strip {carrier} removes it"
            ),
            None => format!("expected a record at {own} only, found one at {place}"),
        });
    }
    output.line(&printable(&envelope));
    Ok(was_there)
}
