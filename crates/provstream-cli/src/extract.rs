//! `provstream extract`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use provstream::provenance::Encoding;
use provstream::{BracketAnnotation, Event, Handler, Replacement, Span, TextChunk};
use provstream_marc::Profile;
use provstream_providers::Channel;

use crate::args::ExtractArgs;
use crate::failure::{Failure, note};
use crate::feed::{Sink, Stream, parser};
use crate::line::{InChannel, Line, Totals};
use crate::marc::record::Judged;
use crate::output::Output;
use crate::pieces::Pieces;
use crate::unread::Unknown;
use crate::vocabulary;

/// Prints every event.
#[derive(Debug)]
struct Extract {
    output: Output,
    totals: Totals,
    /// The text of each channel, if it is to be printed.
    text: Option<BTreeMap<Option<Channel>, Pieces>>,
    /// The channel that is read, in the event stream of a provider.
    channel: Option<Channel>,
}

/// Runs the command.
pub(crate) fn run(args: &ExtractArgs) -> Result<ExitCode, Failure> {
    let vocabulary = vocabulary::load(args.source.vocabulary.as_deref())?;
    let limits = args.limits.with(&args.source)?;
    let stream = Stream::of(&args.source, parser(&args.source, limits, vocabulary))?;
    let mut extract = Extract {
        output: Output::stdout(),
        totals: Totals::default(),
        text: args.text.then(BTreeMap::new),
        channel: None,
    };
    let fed = stream.feed(&mut extract)?;
    extract.totals.bytes = fed.bytes;
    let unknown = fed.unread.unknown();
    if unknown.is_some_and(Unknown::is_foreign) {
        extract.notice(&Line::Diagnostic {
            code: "unknown-format",
            span: Span::new(0, fed.bytes).into(),
        });
    }
    extract.end()?;
    unknown.into_iter().for_each(note);
    Ok(ExitCode::SUCCESS)
}

impl Extract {
    fn end(mut self) -> Result<(), Failure> {
        for (channel, mut pieces) in self.text.take().into_iter().flatten() {
            self.channel = channel;
            pieces.finish(|text| self.line(&Line::Text { text }));
        }
        self.output.line(&Line::End(self.totals));
        self.output.flush()
    }

    fn line(&mut self, line: &Line<'_>) {
        let channel = self.channel;
        match channel {
            Some(_) => self.output.line(&InChannel { line, channel }),
            None => self.output.line(line),
        }
    }
}

impl Handler for Extract {
    fn text(&mut self, text: TextChunk<'_>) {
        if let Some(mut texts) = self.text.take() {
            let pieces = texts.entry(self.channel).or_default();
            pieces.push(text.bytes(), |text| self.line(&Line::Text { text }));
            self.text = Some(texts);
        }
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.totals.annotations += 1;
        Replacement::Remove
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Assertion(assertion) => {
                self.totals.assertions += 1;
                // One in brackets was counted at its bracket.
                if assertion.encoding() == Encoding::Json {
                    self.totals.annotations += assertion.annotations().len() as u64;
                }
                self.line(&Line::assertion(&assertion, None));
            }
            Event::Marc(object) => {
                self.totals.marc += 1;
                let judged = Judged::new(&object, Profile::default());
                self.line(&judged.line());
            }
            Event::Diagnostic(diagnostic) => {
                self.totals.diagnostics += 1;
                self.line(&Line::from(diagnostic));
            }
            _ => {}
        }
    }
}

impl Sink for Extract {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    fn enter(&mut self, channel: Channel) {
        self.channel = Some(channel);
    }

    fn notice(&mut self, line: &Line<'_>) {
        self.totals.diagnostics += u64::from(matches!(line, Line::Diagnostic { .. }));
        self.output.line(line);
    }
}
