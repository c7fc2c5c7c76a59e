//! `provstream citations read`.

use std::path::Path;
use std::process::ExitCode;

use provstream_providers::Format;
use provstream_providers::citation::{self, Provider};

use super::events::{Events, MAX_VALUE, Piece};
use super::line::CitationLine;
use crate::args::ReadArgs;
use crate::failure::{Failure, note};
use crate::input::Input;
use crate::output::Output;
use crate::own_file;
use crate::unread::Start;

/// What is read at once.
const BUFFER: usize = 1 << 16;

/// Prints citations.
#[derive(Debug)]
struct Reader {
    output: Output,
    from: Provider,
    citations: u64,
    diagnostics: u64,
    /// Events that were JSON.
    events: u64,
    /// The last event is open at the end.
    is_cut: bool,
    /// The format that the first events with evidence are of.
    found: Option<Format>,
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
        events: 0,
        is_cut: false,
        found: None,
    };
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let mut input = Input::open(path)?;
    let mut events = Events::default();
    let mut buffer = vec![0; BUFFER];
    let mut start = None;
    loop {
        if input.may_wait() {
            reader.output.flush()?;
        }
        let count = input.read(&mut buffer)?;
        if start.is_none() {
            start = Start::of(buffer[..count].trim_ascii_start());
        }
        if count == 0 {
            break;
        }
        events.push(&buffer[..count], &mut |piece| reader.take(&piece));
        reader.output.check()?;
    }
    events.finish(&mut |piece| reader.take(&piece));
    reader.report_end(start, input.name());
    if let Some(found) = reader.found.map(provider_of)
        && found != Some(reader.from)
        && reader.citations == 0
    {
        let hint = found.map(|found| format!("; give --from {found}", found = found.as_str()));
        note(format_args!(
            "{}: expected a response of {}, found one of another provider{}",
            input.name(),
            reader.from.as_str(),
            hint.unwrap_or_default()
        ));
    }
    if reader.found.is_none() && reader.events > 0 && reader.citations + reader.diagnostics == 0 {
        note(format_args!(
            "{}: expected a response of {}, found other JSON",
            input.name(),
            reader.from.as_str()
        ));
    }
    reader.output.line(&CitationLine::End {
        citations: reader.citations,
        diagnostics: reader.diagnostics,
    });
    reader.output.commit()?;
    Ok(ExitCode::SUCCESS)
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
    /// Reports what was expected and did not come.
    fn report_end(&mut self, start: Option<Start>, name: &str) {
        let is_foreign = matches!(start, Some(Start::Text | Start::Binary));
        if self.is_cut && !is_foreign {
            let message = "an event that is open at the end; it is not read";
            self.diagnostic("unterminated-event", None, message.to_owned());
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
                "{name}: expected the events of a response of {from}, server-sent or JSON, found neither"
            )),
        }
    }

    fn take(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Event(json) => {
                self.events += 1;
                self.found = self.found.or_else(|| Format::detect(json));
                for found in citation::read(self.from, json) {
                    match found {
                        Ok(citation) => {
                            self.citations += 1;
                            self.output.line(&CitationLine::of(&citation));
                        }
                        Err(error) => {
                            let pointer = Some(error.pointer());
                            self.diagnostic(
                                "malformed-citation",
                                pointer,
                                error.kind().to_string(),
                            );
                        }
                    }
                }
            }
            Piece::TooLong => self.diagnostic(
                "oversized-event",
                None,
                format!("an event longer than {MAX_VALUE} bytes; it is not read"),
            ),
            Piece::Unterminated => self.is_cut = true,
        }
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
