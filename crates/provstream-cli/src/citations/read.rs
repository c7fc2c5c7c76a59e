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
    /// The format that the first events with evidence are of.
    found: Option<Format>,
}

/// Runs the command.
pub(crate) fn run(args: &ReadArgs) -> Result<ExitCode, Failure> {
    let mut reader = Reader {
        output: Output::open(args.output.as_deref())?,
        from: args.from,
        citations: 0,
        diagnostics: 0,
        events: 0,
        found: None,
    };
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let mut input = Input::open(path)?;
    let mut events = Events::default();
    let mut buffer = vec![0; BUFFER];
    let mut any = false;
    loop {
        if input.may_wait() {
            reader.output.flush()?;
        }
        let count = input.read(&mut buffer)?;
        any |= !buffer[..count].trim_ascii().is_empty();
        if count == 0 {
            break;
        }
        events.push(&buffer[..count], &mut |piece| reader.take(&piece));
        reader.output.check()?;
    }
    events.finish(&mut |piece| reader.take(&piece));
    if any && reader.events == 0 {
        if reader.diagnostics == 0 {
            reader.diagnostic(
                "unknown-format",
                None,
                "expected server-sent events or JSON, found neither".to_owned(),
            );
        }
        note(format_args!(
            "{}: expected the events of a response, server-sent or JSON, found neither",
            input.name()
        ));
    }
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
            Piece::Unterminated => self.diagnostic(
                "unterminated-event",
                None,
                "an event that is open at the end; it is not read".to_owned(),
            ),
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
