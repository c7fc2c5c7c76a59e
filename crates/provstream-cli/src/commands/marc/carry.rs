//! `provstream marc carry`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgGroup, Args, ValueEnum};
use provstream_marc::carry::{Carrier, CarrierNameError, find_record, from_sse, sse_event};
use provstream_marc::read::{TopLevelValue, find_object};
use provstream_marc::{Document, MarcKind, Profile, validate_value};
use provstream_providers::{SseDecoder, SseEvent, SsePiece};

use super::objects::{ObjectRun, raw_json};
use super::options::ObjectInputOptions;
use crate::error::{exit_code, usage_error};
use crate::input::{BUFFER, InputSource, input_name};
use crate::messages::print_error;
use crate::settings;

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

/// Runs the command.
pub(crate) fn run(options: &CarryOptions) -> anyhow::Result<ExitCode> {
    let mode = mode(options)?;
    let ObjectInputOptions { file, max_record } = &options.input;
    let (noun, place) = match &mode {
        CarryMode::Into(_) => ("MARC object", String::new()),
        CarryMode::OutOf(Some(carrier)) | CarryMode::Strip(Some(carrier)) => {
            ("envelope", carrier.pointer(MarcKind::Core))
        }
        _ => ("event", "an event of the type marc-core".to_owned()),
    };
    let mut run = ObjectRun::new(file, noun, options.fail);
    // Records that were removed.
    let mut stripped = 0;
    let result = match &mode {
        CarryMode::Into(target) => run.for_each_value(*max_record, |run, value| {
            if let Some(error) = value.utf8_error() {
                return run.add_result(error.line, Err(error.message));
            }
            for object in validate_value(&value, None, Profile::default()) {
                let put = match (object.kind, &object.document) {
                    (Some(kind), Some(document)) => put(run, target.as_ref(), kind, document),
                    _ => Err(object.describe()),
                };
                run.add_result(object.error_line(), put);
            }
        }),
        CarryMode::OutOf(None) => for_each_event(&mut run, *max_record, |run, _, event| {
            event.map_or(Ok(false), |event| take_event(run, event))
        }),
        CarryMode::Strip(None) => {
            // An event ends at the CR of its blank line; an LF after it belongs to what was removed.
            let mut removed_cr = false;
            for_each_event(&mut run, *max_record, |run, raw, event| {
                if std::mem::take(&mut removed_cr) && raw == b"\n" {
                    return Ok(false);
                }
                let before = stripped;
                let result = strip_event(run, raw, event, &mut stripped);
                let is_removed = result.is_err() || stripped > before;
                removed_cr = is_removed && raw.ends_with(b"\r");
                result
            })
        }
        CarryMode::OutOf(Some(carrier)) => run.for_each_value(*max_record, |run, value| {
            carry_value(run, &value, |run, envelope| take(run, carrier, &envelope));
        }),
        CarryMode::Strip(Some(carrier)) => run.for_each_value(*max_record, |run, value| {
            carry_value(run, &value, |run, envelope| {
                strip(run, carrier, envelope, &mut stripped)
            });
        }),
    };
    if result.is_ok() && matches!(mode, CarryMode::Strip(_)) && stripped == 0 && run.passes() {
        let name = input_name(file);
        print_error(format_args!(
            "{name}: expected at least one record to remove, at {place}, found none"
        ));
        // Nothing was there to strip, which does not pass.
        return exit_code(result, options.fail, false);
    }
    run.finish(result)
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

/// Returns the carrier with a name; `None` for server-sent events.
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
    let wrong =
        |option: &str, error: CarrierNameError| usage_error(format_args!("{option}: {error}"));
    let prefix = options.prefix.as_deref().unwrap_or_default();
    let uri = options.uri.as_deref().unwrap_or_default();
    Ok(match name {
        CarrierName::ResponseMetadata => Some(Carrier::response_metadata()),
        CarrierName::AuditLog => Some(Carrier::audit_line()),
        CarrierName::Sse => None,
        CarrierName::Mcp => Some(Carrier::mcp(prefix).map_err(|error| wrong("--prefix", error))?),
        CarrierName::A2a => Some(Carrier::a2a(uri).map_err(|error| wrong("--uri", error))?),
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

/// Reads an event stream to its end. `each` gets the bytes of an event with the event, or the bytes between events; it returns
/// `true` if an event counts.
fn for_each_event(
    run: &mut ObjectRun<'_>,
    max_record: usize,
    mut each: impl FnMut(&mut ObjectRun<'_>, &[u8], Option<&SseEvent<'_>>) -> Result<bool, String>,
) -> anyhow::Result<()> {
    let mut decoder = SseDecoder::new().with_max_event(max_record);
    let mut input = InputSource::open(run.file)?;
    let mut buffer = vec![0; BUFFER];
    let (mut line, mut first_line) = (1, 1);
    loop {
        run.output.check(input.is_interactive())?;
        let count = input.read(&mut buffer)?;
        // The last event may lack its blank line.
        let is_end = count == 0;
        let chunk = if is_end { b"\n\n" } else { &buffer[..count] };
        decoder.push(chunk, |piece| {
            let (raw, event) = match &piece {
                SsePiece::Event(event) => (event.raw(), Some(event)),
                SsePiece::Other(text) if is_end && text.bytes().trim_ascii().is_empty() => return,
                SsePiece::Passed(text) => {
                    line += count_line_ends(text.bytes());
                    return;
                }
                SsePiece::Oversized(_) => {
                    let message = format!(
                        "expected an event of at most {max_record} bytes (--max-record), found a longer one"
                    );
                    run.add_result(first_line, Err(message));
                    first_line = line;
                    return;
                }
                SsePiece::Other(text) => (text.bytes(), None),
                _ => return,
            };
            match each(run, raw, event) {
                Ok(false) => {}
                result => run.add_result(line, result.map(|_| ())),
            }
            line += count_line_ends(raw);
            first_line = line;
        });
        if is_end {
            return run.output.flush();
        }
    }
}

fn count_line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum()
}

/// Carries a top-level value that is an envelope.
fn carry_value(
    run: &mut ObjectRun<'_>,
    value: &TopLevelValue<'_>,
    carry: impl FnOnce(&mut ObjectRun<'_>, Document) -> Result<(), String>,
) {
    let envelope = match value.utf8_error() {
        Some(error) => Err(error),
        None => value.document(),
    };
    match envelope {
        Ok(envelope) => {
            let carried = carry(run, envelope);
            run.add_result(value.line, carried);
        }
        Err(error) => run.add_result(error.line, Err(error.message)),
    }
}

/// Prints the envelope, or an event, with an object in it.
fn put(
    run: &mut ObjectRun<'_>,
    target: Option<&(Carrier, Document)>,
    kind: MarcKind,
    document: &Document,
) -> Result<(), String> {
    let Some((carrier, envelope)) = target else {
        run.output.write_bytes(sse_event(kind, document).as_bytes());
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
    run.output.write_record(&raw_json(&envelope));
    Ok(())
}

/// Prints the object of an event; returns `true` if it has one.
fn take_event(run: &mut ObjectRun<'_>, event: &SseEvent<'_>) -> Result<bool, String> {
    let found = from_sse(&event.name(), &event.text()).map_err(|error| error.to_string())?;
    if let Some((_, document)) = &found {
        run.output.write_record(&raw_json(document));
    }
    Ok(found.is_some())
}

/// Prints bytes of an event stream unless they are a record; returns `true` for an event.
fn strip_event(
    run: &mut ObjectRun<'_>,
    raw: &[u8],
    event: Option<&SseEvent<'_>>,
    stripped: &mut u64,
) -> Result<bool, String> {
    if let Some(event) = event {
        let found = from_sse(&event.name(), &event.text()).map_err(|error| error.to_string())?;
        if let Some((MarcKind::Core, _)) = found {
            *stripped += 1;
            return Ok(true);
        }
        if let Some(pointer) = find_record(event.data()) {
            return Err(format!(
                "record found in the data of an event at {pointer:?}, expected in events of the type marc-core"
            ));
        }
    }
    let text = String::from_utf8_lossy(raw);
    let text = text.trim_start_matches('\u{feff}');
    let mut fields = text
        .split(['\n', '\r'])
        .map(|line| line.split_once(':').map_or(line, |(field, _)| field));
    if !fields.all(|field| matches!(field, "" | "data" | "event" | "id" | "retry")) {
        return Err("expected comments and the fields data, event, id and retry of server-sent events, found another line".to_owned());
    }
    run.output.write_bytes(raw);
    Ok(event.is_some())
}

/// Prints the objects in an envelope.
fn take(run: &mut ObjectRun<'_>, carrier: &Carrier, envelope: &Document) -> Result<(), String> {
    let kinds = [MarcKind::Core, MarcKind::Disclosure];
    let mut documents = Vec::new();
    for kind in kinds {
        let taken = carrier.take(envelope, kind);
        documents.extend(taken.map_err(|error| error.to_string())?);
    }
    for document in &documents {
        run.output.write_record(&raw_json(document));
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

/// Prints an envelope without its record.
fn strip(
    run: &mut ObjectRun<'_>,
    carrier: &Carrier,
    mut envelope: Document,
    stripped: &mut u64,
) -> Result<(), String> {
    let removed = carrier.remove(&mut envelope, MarcKind::Core);
    *stripped += u64::from(removed.map_err(|error| error.to_string())?);
    if let Some(pointer) = find_record(envelope.to_json().as_bytes()) {
        let expected = carrier.pointer(MarcKind::Core);
        return Err(format!(
            "record found at {pointer:?}, expected at {expected} only"
        ));
    }
    run.output.write_record(&raw_json(&envelope));
    Ok(())
}
