//! `provstream strip`.

use std::process::ExitCode;

use provstream::{Handler, TextChunk};
use provstream_providers::Channel;

use crate::args::StripArgs;
use crate::channels::InputFormat;
use crate::failure::{Failure, note};
use crate::feed::{Sink, Stream, parser};
use crate::output::Output;
use crate::unread::Unread;
use crate::vocabulary;

/// Writes the text without its annotations.
#[derive(Debug)]
struct Strip {
    output: Output,
    text: Text,
}

/// Which text is written as text.
#[derive(Debug)]
enum Text {
    /// All: there are no channels.
    Whole,
    /// None: the event stream is written instead.
    Events,
    /// That of one channel, of the one whose text is certain first if it is not known yet.
    Of {
        channel: Option<Channel>,
        entered: Option<Channel>,
        /// The channel was there, with text or with what was removed.
        has_come: bool,
    },
}

/// Runs the command.
pub(crate) fn run(args: &StripArgs) -> Result<ExitCode, Failure> {
    if args.text_only && args.source.input == InputFormat::Raw {
        let message = "--text-only is for the event stream of a provider: give --input";
        return Err(Failure::Usage(message.to_owned()));
    }
    let vocabulary = vocabulary::load(args.source.vocabulary.as_deref())?;
    let limits = args.source.limits()?.with_max_record(args.max_record)?;
    let parser = parser(&args.source, limits, vocabulary).hold_records(args.json);
    let stream = Stream::of(&args.source, parser)?;
    let mut strip = Strip {
        output: Output::stdout(),
        text: match args.source.input {
            InputFormat::Raw => Text::Whole,
            _ if args.text_only => Text::Of {
                channel: args.channel,
                entered: None,
                has_come: false,
            },
            _ => Text::Events,
        },
    };
    let fed = stream.feed(&mut strip)?;
    strip.output.finish()?;
    strip.tell(&fed.unread)?;
    Ok(ExitCode::SUCCESS)
}

impl Strip {
    /// Tells what may still have annotations, or is missing in the text.
    fn tell(&self, unread: &Unread) -> Result<(), Failure> {
        let is_events = matches!(self.text, Text::Events);
        match unread.unknown() {
            Some(unknown) if !is_events => {
                let message = format!("{unknown}; nothing was written");
                return Err(Failure::Unknown(message));
            }
            Some(unknown) if unknown.is_foreign() => {
                let message = format!("{unknown}; the input was written as it is");
                return Err(Failure::Unknown(message));
            }
            _ => {}
        }
        // An error of the provider is in the event stream that was written.
        let is_all = if is_events {
            unread.is_all_but_errors()
        } else {
            unread.is_empty()
        };
        if !is_all {
            note(unread);
        }
        if let Text::Of {
            channel: Some(channel),
            has_come: false,
            ..
        } = self.text
        {
            note(format_args!("the event stream has no channel {channel}"));
        }
        Ok(())
    }
}

impl Handler for Strip {
    fn text(&mut self, text: TextChunk<'_>) {
        let is_wanted = match &mut self.text {
            Text::Whole => true,
            Text::Events => false,
            Text::Of {
                channel,
                entered,
                has_come,
            } => {
                *channel = channel.or(*entered);
                *has_come |= channel == entered;
                channel == entered
            }
        };
        if is_wanted {
            self.output.text(text.bytes());
        }
    }
}

impl Sink for Strip {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    fn enter(&mut self, channel: Channel) {
        if let Text::Of {
            channel: wanted,
            entered,
            has_come,
        } = &mut self.text
        {
            *entered = Some(channel);
            *has_come |= *wanted == Some(channel);
        }
    }

    fn stream(&mut self, bytes: &[u8]) {
        if matches!(self.text, Text::Events) {
            self.output.text(bytes);
        }
    }
}
