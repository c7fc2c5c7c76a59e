//! `provstream citations read`.

use std::path::Path;
use std::process::ExitCode;

use provstream_providers::citation::{self, Provider};
use provstream_providers::{Decoder, Format, Item};

use super::events::{Events, MAX_VALUE, Piece};
use super::line::CitationLine;
use crate::args::ReadArgs;
use crate::counted::Counted;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::input::Input;
use crate::output::Output;
use crate::own_file;
use crate::unread::{Start, shown_error};

/// What is read at once.
const BUFFER: usize = 1 << 16;

/// Prints citations.
#[derive(Debug)]
struct Reader {
    output: Output,
    from: Provider,
    citations: u64,
    diagnostics: u64,
    /// The diagnostics about events that were read, with the place of the first one.
    faults: Counted,
    /// Events that have come.
    events: u64,
    /// The last event is open at the end.
    is_cut: bool,
    /// The format that the first events with evidence are of.
    found: Option<Format>,
    /// Errors of a provider before them, and what the first one says.
    errors: Counted,
    /// What the input begins with.
    start: Option<Start>,
}

/// Runs the command.
pub(crate) fn run(args: &ReadArgs) -> Result<ExitCode, Failure> {
    let read = [("FILE", args.file.as_deref())];
    own_file::check_output(args.output.as_deref(), read)?;
    let mut reader = Reader {
        output: Output::open(args.output.as_deref())?,
        from: args.from,
        citations: 0,
        diagnostics: 0,
        faults: Counted::default(),
        events: 0,
        is_cut: false,
        found: None,
        errors: Counted::default(),
        start: None,
    };
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let mut input = Input::open(path)?;
    let end = reader.read(&mut input);
    if end.is_ok() {
        reader.note_end(input.name());
        if args.fail {
            reader.note_faults(input.name());
        }
    }
    let passed = reader.diagnostics == 0 && reader.is_response();
    let end = end.and_then(|()| {
        reader.output.line(&CitationLine::End {
            citations: reader.citations,
            diagnostics: reader.diagnostics,
        });
        reader.output.commit()
    });
    exit_status::status(end, args.fail, passed)
}

/// Whose citations a format has; none for one that has none.
const fn provider_of(format: Format) -> Option<Provider> {
    match format {
        Format::OpenAiChat | Format::OpenAiResponses => Some(Provider::OpenAi),
        Format::Anthropic => Some(Provider::Anthropic),
        Format::Gemini => Some(Provider::Gemini),
        Format::Cohere => Some(Provider::Cohere),
        _ => None,
    }
}

impl Reader {
    /// Reads all events.
    fn read(&mut self, input: &mut Input) -> Result<(), Failure> {
        let mut events = Events::default();
        let mut buffer = vec![0; BUFFER];
        loop {
            if input.may_wait() {
                self.output.flush()?;
            }
            let count = input.read(&mut buffer)?;
            if self.start.is_none() {
                self.start = Start::of(buffer[..count].trim_ascii_start());
            }
            if count == 0 {
                break;
            }
            events.push(&buffer[..count], &mut |piece| self.take(&piece));
            self.output.check()?;
        }
        events.finish(&mut |piece| self.take(&piece));
        Ok(())
    }

    /// Whether something showed that the input is a response of the provider.
    fn is_response(&self) -> bool {
        let found = self.found.map(provider_of);
        self.citations > 0 || found == Some(Some(self.from))
    }

    /// Reports what was expected and did not come.
    fn note_end(&mut self, name: &str) {
        self.report_end(name);
        let from = self.from.as_str();
        match self.found.map(provider_of) {
            _ if self.is_response() => {}
            Some(found) => {
                let hint = found.map(|found| format!("; give --from {}", found.as_str()));
                note(format_args!(
                    "{name}: expected a response of {from}, found one of another provider{}",
                    hint.unwrap_or_default()
                ));
            }
            None if self.errors.count() > 0 => note(format_args!(
                "{name}: expected a response of {from}, found an error of the provider{}",
                self.errors.first()
            )),
            None if self.events > 0 && self.diagnostics == 0 => note(format_args!(
                "{name}: expected a response of {from}, found other JSON"
            )),
            None => {}
        }
    }

    /// Says why `--fail` gives its status, if the reason is in an event.
    fn note_faults(&self, name: &str) {
        let (count, first) = (self.faults.count(), self.faults.first());
        if count > 0 {
            note(format_args!(
                "{name}: diagnostics: {count}{first}; the lines with \"event\":\"diagnostic\" say what and where"
            ));
        }
    }

    /// Reports an input that is empty, cut short or not JSON.
    fn report_end(&mut self, name: &str) {
        let start = self.start;
        let is_foreign = matches!(start, Some(Start::Text | Start::Binary));
        if self.is_cut && !is_foreign {
            let message = "an event that is open at the end; it is not read";
            match self.events {
                // A note of its own says so.
                0 => self.diagnostic("unterminated-event", None, message.to_owned()),
                events => self.fault(events + 1, "unterminated-event", None, message.to_owned()),
            }
        }
        if start.is_some() && self.events == 0 && self.diagnostics == 0 {
            let message = "expected server-sent events or JSON, found neither";
            self.diagnostic("unknown-format", None, message.to_owned());
        }
        let from = self.from.as_str();
        match start {
            None => note(format_args!(
                "{name} is empty: expected a response of {from}"
            )),
            Some(_) if self.events > 0 => {}
            Some(Start::Json | Start::Events) if self.is_cut => note(format_args!(
                "{name} ends in the middle of an event: the response was cut short"
            )),
            Some(_) => note(format_args!(
                "{name}: expected the events of a response of {from}, server-sent or JSON, found neither; give the response as the provider sent it"
            )),
        }
    }

    fn take(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Event(json) => {
                self.events += 1;
                self.found = self.found.or_else(|| Format::detect(json));
                if self.found.is_none() {
                    self.note_error(json);
                }
                for found in citation::read(self.from, json) {
                    match found {
                        Ok(citation) => {
                            self.citations += 1;
                            self.output.line(&CitationLine::of(&citation));
                        }
                        Err(error) => {
                            let message = error.kind().to_string();
                            let (event, pointer) = (self.events, Some(error.pointer()));
                            self.fault(event, "malformed-citation", pointer, message);
                        }
                    }
                }
            }
            Piece::TooLong => {
                self.events += 1;
                let message = format!("an event longer than {MAX_VALUE} bytes; it is not read");
                self.fault(self.events, "oversized-event", None, message);
            }
            Piece::Unterminated => self.is_cut = true,
        }
    }

    /// Counts an event that is an error of a provider.
    fn note_error(&mut self, json: &[u8]) {
        let mut take = |item: Item<'_>| {
            if let Item::Error(message) = item {
                self.errors.note(|| shown_error(&message));
            }
        };
        let mut decoder = Decoder::detect();
        decoder.push(json, &mut take);
        decoder.finish(&mut take);
    }

    /// A diagnostic about an event, counted from 1.
    fn fault(&mut self, event: u64, code: &'static str, pointer: Option<&str>, message: String) {
        let place = pointer.filter(|pointer| !pointer.is_empty());
        let place = place.map_or_else(String::new, |pointer| format!(" at {pointer}"));
        self.faults
            .note(|| format!("in event {event}{place}: {message}"));
        self.diagnostic(code, pointer, message);
    }

    fn diagnostic(&mut self, code: &'static str, pointer: Option<&str>, message: String) {
        self.diagnostics += 1;
        self.output.line(&CitationLine::Diagnostic {
            code,
            pointer,
            message,
        });
    }
}
