//! `provstream marc carry`.

use std::process::ExitCode;

use provstream_marc::carry::{
    A2aMessage, AuditLine, Carrier, McpMeta, ResponseMetadata, from_sse, sse_event,
};
use provstream_marc::{Document, MarcKind, Profile};

use super::args::{CarrierArg, CarryArgs, KindArg};
use super::judge::{Totals, objects};
use super::lines::{InputLine, each_line};
use super::objects::{Outermost, each_object};
use super::record::printable;
use super::upgrade::Refused;
use crate::exit_status;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::settings;

/// What is done with each object or envelope of the input.
enum Way {
    Into(Option<Box<dyn Carrier>>, Document),
    OutOf(Option<Box<dyn Carrier>>),
    Strip(Option<Box<dyn Carrier>>),
}

struct Carry {
    output: Output,
    way: Way,
    totals: Totals,
    /// The type and the data of the event that is being read.
    event: (String, String),
    first_line: u64,
}

/// Runs the command.
pub(crate) fn run(args: &CarryArgs) -> Result<ExitCode, Failure> {
    let mut carry = Carry {
        output: Output::stdout(),
        way: way(args)?,
        totals: Totals::default(),
        event: Default::default(),
        first_line: 1,
    };
    let end = if matches!(carry.way, Way::OutOf(None) | Way::Strip(None)) {
        events(args, &mut carry)
    } else {
        each_object(
            &args.source.file,
            args.source.max(),
            &mut carry,
            |carry| carry.output.flush(),
            |carry, outermost| carry.outermost(&outermost),
        )
    };
    let end = end.and_then(|()| carry.output.flush());
    exit_status::status(end, args.fail, carry.totals.passed())
}

/// `None` for server-sent events, which have no envelope.
fn carrier(carrier: CarrierArg, args: &CarryArgs) -> Result<Option<Box<dyn Carrier>>, Failure> {
    let named = |name: &'static str, given: &Option<String>| {
        given
            .clone()
            .ok_or_else(|| Failure::Usage(format!("--{name}: expected with this carrier")))
    };
    let wrong =
        |name: &str, error: &dyn std::fmt::Display| Failure::Usage(format!("--{name}: {error}"));
    Ok(match carrier {
        CarrierArg::ResponseMetadata => Some(Box::new(ResponseMetadata)),
        CarrierArg::AuditLog => Some(Box::new(AuditLine)),
        CarrierArg::Sse => None,
        CarrierArg::Mcp => {
            let prefix = named("prefix", &args.prefix)?;
            Some(Box::new(
                McpMeta::new(&prefix).map_err(|error| wrong("prefix", &error))?,
            ))
        }
        CarrierArg::A2a => {
            let uri = named("uri", &args.uri)?;
            Some(Box::new(
                A2aMessage::new(&uri).map_err(|error| wrong("uri", &error))?,
            ))
        }
    })
}

fn way(args: &CarryArgs) -> Result<Way, Failure> {
    if let Some(into) = args.into {
        let envelope = match &args.envelope {
            Some(path) => settings::load("--envelope", path, Document::parse)?,
            None => Document::new(),
        };
        return Ok(Way::Into(carrier(into, args)?, envelope));
    }
    if let Some(out_of) = args.out_of {
        return Ok(Way::OutOf(carrier(out_of, args)?));
    }
    let strip = args.strip.unwrap_or(CarrierArg::ResponseMetadata);
    Ok(Way::Strip(carrier(strip, args)?))
}

impl Carry {
    fn outermost(&mut self, outermost: &Outermost<'_>) {
        if matches!(self.way, Way::Into(..)) {
            for object in objects(outermost, KindArg::Auto, Profile::default()) {
                let put = match (object.kind, object.document) {
                    (Some(kind), Some(document)) => self.put(kind, &document),
                    _ => Err(object.report.to_string()),
                };
                self.count(object.place.line, put);
            }
            return;
        }
        let envelope = match outermost
            .content
            .as_ref()
            .map(|bytes| Document::parse(bytes))
        {
            Ok(Ok(envelope)) => envelope,
            Ok(Err(error)) => {
                return self.count(
                    outermost.line,
                    Err(format!("expected an envelope: {error}")),
                );
            }
            Err(missing) => {
                return self.count(
                    outermost.line,
                    Err(format!("expected an envelope, found {missing:?}")),
                );
            }
        };
        let done = match &self.way {
            Way::OutOf(Some(carrier)) => take(&**carrier, &envelope, &mut self.output),
            Way::Strip(Some(carrier)) => strip(&**carrier, envelope, &mut self.output),
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

    /// One line of an event stream. Source: HTML Living Standard 9.2.6.
    fn event_line(&mut self, number: u64, line: &str) {
        if line.is_empty() {
            return self.dispatch(number);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        let (kind, data) = &mut self.event;
        match field {
            "event" => value.clone_into(kind),
            "data" => {
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, number: u64) {
        let (kind, data) = std::mem::take(&mut self.event);
        let line = std::mem::replace(&mut self.first_line, number + 1);
        let strips = matches!(self.way, Way::Strip(_));
        if data.is_empty() && kind.is_empty() {
            return;
        }
        match from_sse(&kind, &data) {
            Ok(Some((MarcKind::Core, _))) if strips => self.count(line, Ok(())),
            Ok(Some((_, document))) if !strips => {
                self.output.line(&printable(&document));
                self.count(line, Ok(()));
            }
            Ok(_) if strips => {
                let event = if kind.is_empty() {
                    String::new()
                } else {
                    format!("event: {kind}\n")
                };
                let data: String = data.lines().map(|line| format!("data: {line}\n")).collect();
                self.output.bytes(format!("{event}{data}\n").as_bytes());
                self.count(line, Ok(()));
            }
            Ok(_) => {}
            Err(error) => self.count(line, Err(error.to_string())),
        }
    }
}

fn take(carrier: &dyn Carrier, envelope: &Document, output: &mut Output) -> Result<(), String> {
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
        let field = carrier.field(MarcKind::Core).pointer();
        Err(format!(
            "expected a MARC object in the envelope, found none, such as at {field}"
        ))
    }
}

fn strip(carrier: &dyn Carrier, mut envelope: Document, output: &mut Output) -> Result<(), String> {
    carrier
        .strip_core(&mut envelope)
        .map_err(|error| error.to_string())?;
    output.line(&printable(&envelope));
    Ok(())
}

fn events(args: &CarryArgs, carry: &mut Carry) -> Result<(), Failure> {
    let input = Input::open(&args.source.file)?;
    let mut last = 0;
    each_line(
        input,
        carry,
        |carry| carry.output.flush(),
        |carry, number, line| {
            // Blank lines are not passed on, so a gap in the numbers is the end of an event.
            if number > last + 1 {
                carry.dispatch(last + 1);
            }
            last = number;
            match line {
                InputLine::Whole(bytes) => {
                    let text = String::from_utf8_lossy(bytes);
                    carry.event_line(number, text.trim_end_matches('\r'));
                }
                InputLine::TooLong => {
                    carry.count(
                        number,
                        Err("expected a shorter line of an event stream".into()),
                    );
                }
            }
        },
    )?;
    carry.dispatch(last + 1);
    Ok(())
}
