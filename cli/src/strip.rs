//! `provstream strip`.

use std::process::ExitCode;

use provstream::RewriteSink;
use provstream::wire::Channel;

use crate::args::StripArgs;
use crate::channels::InputFormat;
use crate::failure::Failure;
use crate::feed::{Sink, Stream, parser};
use crate::output::Output;
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
    /// That of one channel, of the first that has text if it is not known yet.
    Of {
        channel: Option<Channel>,
        entered: Option<Channel>,
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
            },
            _ => Text::Events,
        },
    };
    let fed = stream.feed(&mut strip)?;
    strip.output.flush()?;
    fed.tell(false);
    Ok(ExitCode::SUCCESS)
}

impl RewriteSink for Strip {
    fn text(&mut self, bytes: &[u8]) {
        let is_wanted = match &mut self.text {
            Text::Whole => true,
            Text::Events => false,
            Text::Of { channel, entered } => {
                *channel = channel.or(*entered);
                channel == entered
            }
        };
        if is_wanted {
            self.output.bytes(bytes);
        }
    }
}

impl Sink for Strip {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    fn enter(&mut self, channel: Channel) {
        if let Text::Of { entered, .. } = &mut self.text {
            *entered = Some(channel);
        }
    }

    fn stream(&mut self, bytes: &[u8]) {
        if matches!(self.text, Text::Events) {
            self.output.bytes(bytes);
        }
    }
}
