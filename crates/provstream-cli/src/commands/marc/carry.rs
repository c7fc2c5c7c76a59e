//! `provstream marc carry`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgGroup, Args, ValueEnum};
use provstream_marc::carry::{
    Carrier, CarrierNameError, EventCollector, StreamEvent, find_record, from_sse, sse_event,
};
use provstream_marc::read::{TopLevelValue, find_object};
use provstream_marc::validate_value;
use provstream_marc::{Document, MarcKind, Profile};

use super::objects::{ObjectTotals, RefusedRecord, for_each_value, raw_json};
use super::options::ObjectInputOptions;
use crate::error::usage_error;
use crate::input::{Input, input_name};
use crate::lines::each_line;
use crate::messages::print_error;
use crate::output::Output;
use crate::settings;

/// Longest line of an event stream, in bytes.
const MAX_LINE: usize = 1 << 16;

/// Put MARC objects into envelopes of other protocols, and take them out
///
/// With --into the input is MARC objects, and for each the --envelope is printed with the object in it. With
/// --out-of the input is envelopes, or for sse an event stream, and the MARC objects in them are printed, one
/// a line. With --strip the envelopes are printed without records, whose scores are not for end users
/// (MARC-02 12). An envelope with a record in another place is not printed, and neither is a record without an
/// envelope. What cannot be carried gives a line with the event `refused` in its place.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("way").required(true).args(["into", "out_of", "strip"])))]
pub(crate) struct CarryOptions {
    /// Put each object of the input into an envelope
    #[arg(long, value_enum, value_name = "CARRIER")]
    into: Option<CarrierName>,
    /// Take the objects out of the envelopes of the input
    #[arg(long, value_enum, value_name = "CARRIER")]
    out_of: Option<CarrierName>,
    /// Remove records from the envelopes of the input
    #[arg(long, value_enum, value_name = "CARRIER")]
    strip: Option<CarrierName>,
    /// The envelope, a file with a JSON object [default: {}]
    #[arg(long, value_name = "FILE", requires = "into")]
    envelope: Option<PathBuf>,
    /// For mcp: the deployment's domain, its labels in reverse order, such as com.example
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// For a2a: the URI of the extension, such as `https://example.com/marc/v1`
    #[arg(long, value_name = "URI")]
    uri: Option<String>,
    /// Exit with status 3 if something was refused, or there was nothing to put in, take out or strip
    #[arg(long)]
    fail: bool,
    #[command(flatten)]
    input: ObjectInputOptions,
}

/// Protocol that carries MARC objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CarrierName {
    /// `metadata` of an API response
    ResponseMetadata,
    /// `_meta` of the Model Context Protocol; needs --prefix
    Mcp,
    /// `metadata` of an A2A message; needs --uri
    A2a,
    /// Server-sent events
    Sse,
    /// A line of an audit log
    AuditLog,
}

/// Direction and carrier. Without a carrier, objects are in server-sent events.
enum CarryMode {
    Into(Option<(Carrier, Document)>),
    OutOf(Option<Carrier>),
    Strip(Option<Carrier>),
}

struct Carry {
    output: Output,
    mode: CarryMode,
    totals: ObjectTotals,
    /// Records that were removed.
    stripped: u64,
}

/// Runs the command.
pub(crate) fn run(options: &CarryOptions) -> anyhow::Result<ExitCode> {
    let mut carry = Carry {
        output: Output::stdout(),
        mode: mode(options)?,
        totals: ObjectTotals::default(),
        stripped: 0,
    };
    let flush = |carry: &mut Carry| carry.output.flush();
    let result = match carry.mode {
        CarryMode::OutOf(None) | CarryMode::Strip(None) => carry.events(options),
        _ => for_each_value(&options.input, &mut carry, flush, |carry, value| {
            carry.value(&value);
        }),
    };
    let noun = match carry.mode {
        CarryMode::Into(_) => "MARC object",
        CarryMode::OutOf(Some(_)) | CarryMode::Strip(Some(_)) => "envelope",
        CarryMode::OutOf(None) | CarryMode::Strip(None) => "event",
    };
    let mut totals = carry.totals;
    if result.is_ok() {
        totals.report_missing(&options.input, noun);
        let is_strip = matches!(carry.mode, CarryMode::Strip(_));
        if is_strip && carry.stripped == 0 && totals.objects > 0 && totals.failed == 0 {
            let place = match &carry.mode {
                CarryMode::Strip(Some(carrier)) => carrier.pointer(MarcKind::Core),
                _ => "an event of the type marc-core".to_owned(),
            };
            let name = input_name(&options.input.file);
            print_error(format_args!(
                "{name}: expected at least one record to remove, at {place}, found none"
            ));
            // Nothing was there to strip, which does not pass.
            totals.objects = 0;
        }
    }
    totals.exit_code(result, &options.input, options.fail, noun)
}

fn mode(options: &CarryOptions) -> anyhow::Result<CarryMode> {
    let name = options.into.or(options.out_of).or(options.strip);
    let carrier = carrier(name.unwrap_or(CarrierName::Sse), options)?;
    if options.strip.is_some() {
        return Ok(CarryMode::Strip(carrier));
    }
    if options.out_of.is_some() {
        return Ok(CarryMode::OutOf(carrier));
    }
    let Some(carrier) = carrier else {
        return match options.envelope {
            Some(_) => Err(usage_error(
                "--envelope cannot be used with sse, which has none",
            )),
            None => Ok(CarryMode::Into(None)),
        };
    };
    let envelope = match &options.envelope {
        Some(path) => load_envelope(path, &carrier)?,
        None => Document::new(),
    };
    Ok(CarryMode::Into(Some((carrier, envelope))))
}

/// The carrier of a name; `None` for server-sent events.
fn carrier(name: CarrierName, options: &CarryOptions) -> anyhow::Result<Option<Carrier>> {
    for (option, given, only, value) in [
        ("--prefix", &options.prefix, CarrierName::Mcp, "mcp"),
        ("--uri", &options.uri, CarrierName::A2a, "a2a"),
    ] {
        if given.is_some() != (name == only) {
            return Err(usage_error(format_args!(
                "{option} is needed for {value}, and only for that"
            )));
        }
    }
    let wrong = |option: &'static str| {
        move |error: CarrierNameError| usage_error(format_args!("{option}: {error}"))
    };
    let (prefix, uri) = (options.prefix.as_deref(), options.uri.as_deref());
    Ok(match name {
        CarrierName::ResponseMetadata => Some(Carrier::response_metadata()),
        CarrierName::AuditLog => Some(Carrier::audit_line()),
        CarrierName::Sse => None,
        CarrierName::Mcp => {
            Some(Carrier::mcp(prefix.unwrap_or_default()).map_err(wrong("--prefix"))?)
        }
        CarrierName::A2a => Some(Carrier::a2a(uri.unwrap_or_default()).map_err(wrong("--uri"))?),
    })
}

/// Loads an envelope into which a carrier can put objects.
fn load_envelope(path: &Path, carrier: &Carrier) -> anyhow::Result<Document> {
    settings::load("--envelope", path, |file| {
        let json = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let text = std::str::from_utf8(json).map_err(|error| format!("expected UTF-8: {error}"))?;
        let envelope = Document::parse(text.as_bytes())
            .map_err(|error| format!("expected a JSON object: {error}"))?;
        let put = carrier.put(&mut envelope.clone(), MarcKind::Core, &Document::new());
        put.map_err(|error| error.to_string())?;
        Ok::<_, String>(envelope)
    })
}

impl Carry {
    /// Reads an event stream to its end.
    fn events(&mut self, options: &CarryOptions) -> anyhow::Result<()> {
        let input = Input::open(&options.input.file)?;
        let mut state = (EventCollector::new(options.input.max_record), self);
        let flush = |state: &mut (EventCollector, &mut Self)| state.1.output.flush();
        each_line(
            input,
            MAX_LINE,
            &mut state,
            flush,
            |(events, carry), line| {
                if let Some((line, event)) = events.push(line.number, line.content) {
                    carry.event(line, event);
                }
            },
        )?;
        let (mut events, carry) = state;
        if let Some((line, event)) = events.finish() {
            carry.event(line, event);
        }
        carry.output.flush()
    }

    /// Carries a top-level value: an object, or an envelope.
    fn value(&mut self, value: &TopLevelValue<'_>) {
        if let Some(error) = value.utf8_error() {
            return self.add(error.line, Err(error.message));
        }
        if matches!(self.mode, CarryMode::Into(_)) {
            for object in validate_value(value, None, Profile::default()) {
                let line = object.error_line();
                let put = match (object.kind, &object.document) {
                    (Some(kind), Some(document)) => self.put(kind, document),
                    _ => Err(object.describe()),
                };
                self.add(line, put);
            }
            return;
        }
        let envelope = match value.document() {
            Ok(envelope) => envelope,
            Err(error) => return self.add(error.line, Err(error.message)),
        };
        let result = match &self.mode {
            CarryMode::OutOf(Some(carrier)) => take(carrier, &envelope, &mut self.output),
            CarryMode::Strip(Some(carrier)) => {
                let stripped = strip(carrier, envelope, &mut self.output);
                stripped.map(|was_there| self.stripped += u64::from(was_there))
            }
            _ => Ok(()),
        };
        self.add(value.line, result);
    }

    fn put(&mut self, kind: MarcKind, document: &Document) -> Result<(), String> {
        let CarryMode::Into(Some((carrier, envelope))) = &self.mode else {
            self.output
                .write_bytes(sse_event(kind, document).as_bytes());
            return Ok(());
        };
        if !matches!(carrier.take(envelope, kind), Ok(None)) {
            let pointer = carrier.pointer(kind);
            return Err(format!(
                "expected no object at {pointer} in the envelope, found one"
            ));
        }
        let mut envelope = envelope.clone();
        let put = carrier.put(&mut envelope, kind, document);
        put.map_err(|error| error.to_string())?;
        self.output.write_record(&raw_json(&envelope));
        Ok(())
    }

    fn add(&mut self, line: u64, result: Result<(), String>) {
        self.totals.add(result.is_ok(), line);
        if let Err(message) = result {
            self.output.write_record(&RefusedRecord { line, message });
        }
    }

    /// Takes an object out of an event, or strips a record.
    fn event(&mut self, line: u64, event: Result<StreamEvent, String>) {
        let is_strip = matches!(self.mode, CarryMode::Strip(_));
        let result = event.and_then(|event| match is_strip {
            true => self.strip_event(&event),
            false => self.take_event(&event),
        });
        match result {
            Ok(false) => {}
            result => self.add(line, result.map(|_| ())),
        }
    }

    /// Prints the object of an event; returns `true` if it has one.
    fn take_event(&mut self, event: &StreamEvent) -> Result<bool, String> {
        let found = from_sse(&event.kind, &event.data).map_err(|error| error.to_string())?;
        if let Some((_, document)) = &found {
            self.output.write_record(&raw_json(document));
        }
        Ok(found.is_some())
    }

    /// Prints an event unless it is a record; returns `true` if clients see it.
    fn strip_event(&mut self, event: &StreamEvent) -> Result<bool, String> {
        let found = from_sse(&event.kind, &event.data).map_err(|error| error.to_string())?;
        if let Some((MarcKind::Core, _)) = found {
            self.stripped += 1;
            return Ok(true);
        }
        if event.has_unknown_field {
            return Err("expected comments and the fields data, event, id and retry of server-sent events, found another line".to_owned());
        }
        if let Some(pointer) = find_record(event.data.as_bytes()) {
            return Err(format!(
                "record found in the data of an event at {pointer:?}, expected in events of the type marc-core"
            ));
        }
        self.output
            .write_bytes(format!("{}\n", event.lines).as_bytes());
        Ok(event.is_dispatched())
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
        output.write_record(&raw_json(document));
    }
    if !documents.is_empty() {
        return Ok(());
    }
    let [core, disclosure] = kinds.map(|kind| carrier.pointer(kind));
    Err(match find_object(&envelope.to_json()) {
        None => format!("no MARC object found, expected at {core} or {disclosure}"),
        Some(pointer) => {
            format!("MARC object found at {pointer:?}, expected at {core} or {disclosure}")
        }
    })
}

/// Prints an envelope without its record; returns `true` if it had one.
fn strip(carrier: &Carrier, mut envelope: Document, output: &mut Output) -> Result<bool, String> {
    let was_there = carrier
        .remove(&mut envelope, MarcKind::Core)
        .map_err(|error| error.to_string())?;
    if let Some(pointer) = find_record(envelope.to_json().as_bytes()) {
        let expected = carrier.pointer(MarcKind::Core);
        return Err(format!(
            "record found at {pointer:?}, expected at {expected} only"
        ));
    }
    output.write_record(&raw_json(&envelope));
    Ok(was_there)
}
