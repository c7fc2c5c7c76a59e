//! `provstream citations read`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use provstream_providers::citation::{self, CitationEvent, CitationEvents, Provider};
use provstream_providers::{Decoder, Format, Item};

use super::record::CitationRecord;
use crate::error::exit_code;
use crate::input::{BUFFER, InputSource};
use crate::messages::{CountAndExample, print_note};
use crate::options::OutputOptions;
use crate::output::Output;
use crate::response::{InputKind, quote_error};

/// Print the citations in a provider's response, one JSON object a line
///
/// The input is the stream of events as the provider sends it, server-sent or as JSON values, or
/// a whole response. For each citation a line is printed, and at the end totals:
///
///     {"event":"citation","provider":"openai","part":"0/0",
///      "extent":{"start":3,"end":8,"unit":"code-points"},
///      "sources":[{"kind":"web","url":"https://example.org/","title":"Example"}]}
///     {"event":"end","citations":1,"diagnostics":0}
///
/// `part` is the choice, content block, candidate or output item; `extent` is the range in its
/// text, `whole`, or left out if it is not known. A citation that is not as its form requires
/// gives a diagnostic.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ReadOptions {
    /// Provider of the response
    #[arg(long, value_name = "PROVIDER", value_parser = provider())]
    from: Provider,
    /// Exit with status 3 if there was a diagnostic, or the input was not a response of the provider
    #[arg(long)]
    fail: bool,
    /// File to read, or - for standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    output: OutputOptions,
}

const PROVIDERS: [Provider; 4] = [
    Provider::Anthropic,
    Provider::OpenAi,
    Provider::Gemini,
    Provider::Cohere,
];

fn provider() -> impl TypedValueParser<Value = Provider> {
    let names = PROVIDERS.map(Provider::as_str);
    PossibleValuesParser::new(names).map(|name| {
        let mut known = PROVIDERS.into_iter();
        known
            .find(|known| known.as_str() == name)
            .unwrap_or(Provider::OpenAi)
    })
}

/// Prints citations.
#[derive(Debug)]
struct CitationPrinter {
    output: Output,
    from: Provider,
    citations: u64,
    diagnostics: u64,
    /// Diagnostics about events.
    malformed: CountAndExample,
    events: u64,
    /// `true` if the last event has no end.
    is_truncated: bool,
    /// Format of the events.
    format: Option<Format>,
    /// Errors of a provider before its format was known.
    errors: CountAndExample,
    /// Beginning of the input.
    kind: Option<InputKind>,
}

/// Runs the command.
pub(crate) fn run(options: &ReadOptions) -> anyhow::Result<ExitCode> {
    let file = options.file.as_deref();
    let mut printer = CitationPrinter {
        output: options.output.open([("FILE", file)])?,
        from: options.from,
        citations: 0,
        diagnostics: 0,
        malformed: CountAndExample::default(),
        events: 0,
        is_truncated: false,
        format: None,
        errors: CountAndExample::default(),
        kind: None,
    };
    let mut input = InputSource::open(file.unwrap_or(Path::new("-")))?;
    let result = printer.read(&mut input);
    if result.is_ok() {
        printer.report_end(input.name());
        if options.fail && printer.malformed.count() > 0 {
            let (count, example) = (printer.malformed.count(), printer.malformed.example());
            let name = input.name();
            print_note(format_args!("{name}: diagnostics: {count}{example}"));
        }
        printer.output.write_record(&CitationRecord::End {
            citations: printer.citations,
            diagnostics: printer.diagnostics,
        });
    }
    let passed = printer.diagnostics == 0 && printer.is_response();
    let result = result.and_then(|()| printer.output.commit());
    exit_code(result, options.fail, passed)
}

/// Returns the provider whose citations a format has.
const fn provider_of(format: Format) -> Option<Provider> {
    match format {
        Format::OpenAiChat | Format::OpenAiResponses => Some(Provider::OpenAi),
        Format::Anthropic => Some(Provider::Anthropic),
        Format::Gemini => Some(Provider::Gemini),
        Format::Cohere => Some(Provider::Cohere),
        _ => None,
    }
}

impl CitationPrinter {
    /// Reads all events.
    fn read(&mut self, input: &mut InputSource) -> anyhow::Result<()> {
        let mut events = CitationEvents::default();
        let mut buffer = vec![0; BUFFER];
        loop {
            self.output.check(input.is_interactive())?;
            let count = input.read(&mut buffer)?;
            if self.kind.is_none() {
                self.kind = InputKind::of(buffer[..count].trim_ascii_start());
            }
            if count == 0 {
                break;
            }
            events.push(&buffer[..count], &mut |event| self.on_event(&event));
        }
        events.finish(&mut |event| self.on_event(&event));
        Ok(())
    }

    /// Returns `true` if the input is a response of the provider.
    fn is_response(&self) -> bool {
        self.citations > 0 || self.format.and_then(provider_of) == Some(self.from)
    }

    /// Reports an input that is empty, cut short, or not a response of the provider.
    fn report_end(&mut self, name: &str) {
        if self.is_truncated && self.kind != Some(InputKind::Text) {
            let message = "an event that is open at the end; it is not read";
            let event = self.events + 1;
            self.malformed(event, "unterminated-event", None, message.to_owned());
        }
        if self.kind.is_some() && self.events == 0 && self.diagnostics == 0 {
            let message = "expected server-sent events or JSON, found neither";
            self.diagnostic("unknown-format", None, message.to_owned());
        }
        if self.is_response() {
            return;
        }
        let found = match self.format.map(provider_of) {
            _ if self.kind.is_none() => "nothing".to_owned(),
            Some(Some(found)) => format!("one of {0}; give --from {0}", found.as_str()),
            Some(None) => "one of another provider".to_owned(),
            None if self.errors.count() > 0 => {
                format!("an error of the provider{}", self.errors.example())
            }
            None if self.events == 0 => "no complete event or JSON value".to_owned(),
            None => "other JSON".to_owned(),
        };
        print_note(format_args!(
            "{name}: expected a response of {}, found {found}",
            self.from.as_str()
        ));
    }

    fn on_event(&mut self, event: &CitationEvent<'_>) {
        match event {
            CitationEvent::Event(json) => self.on_json(json),
            CitationEvent::TooLong => {
                self.events += 1;
                let max = CitationEvents::MAX_LEN;
                let message = format!("an event longer than {max} bytes; it is not read");
                self.malformed(self.events, "oversized-event", None, message);
            }
            CitationEvent::Unterminated => self.is_truncated = true,
            _ => {}
        }
    }

    fn on_json(&mut self, json: &[u8]) {
        self.events += 1;
        self.format = self.format.or_else(|| Format::detect(json));
        if self.format.is_none() {
            self.count_error(json);
        }
        for found in citation::read(self.from, json) {
            match found {
                Ok(citation) => {
                    self.citations += 1;
                    self.output.write_record(&CitationRecord::of(&citation));
                }
                Err(error) => {
                    let (pointer, message) = (error.pointer(), error.kind().to_string());
                    self.malformed(self.events, "malformed-citation", Some(pointer), message);
                }
            }
        }
    }

    /// Counts an event that is an error of a provider.
    fn count_error(&mut self, json: &[u8]) {
        let mut on_item = |item: Item<'_>| {
            if let Item::Error(message) = item {
                self.errors.add(|| quote_error(&message));
            }
        };
        let mut decoder = Decoder::detect();
        decoder.push(json, &mut on_item);
        decoder.finish(&mut on_item);
    }

    /// Prints a diagnostic about an event, counted from 1.
    fn malformed(
        &mut self,
        event: u64,
        code: &'static str,
        pointer: Option<&str>,
        message: String,
    ) {
        let place = pointer.filter(|pointer| !pointer.is_empty());
        let place = place.map_or_else(String::new, |pointer| format!(" at {pointer}"));
        self.malformed
            .add(|| format!("in event {event}{place}: {message}"));
        self.diagnostic(code, pointer, message);
    }

    fn diagnostic(&mut self, code: &'static str, pointer: Option<&str>, message: String) {
        self.diagnostics += 1;
        self.output.write_record(&CitationRecord::Diagnostic {
            code,
            pointer,
            message,
        });
    }
}
