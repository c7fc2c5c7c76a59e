//! `provstream strip`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use provstream::{Event, Handler, Mode, TextChunk};
use provstream_providers::{Channel, NoticeCode, Reasoning};

use crate::args::StripArgs;
use crate::exit_status;
use crate::failure::{Failure, complain, note};
use crate::feed::{Reader, Stream};
use crate::input::Input;
use crate::input_format::InputFormat;
use crate::line::Line;
use crate::output::Output;
use crate::own_file;
use crate::setup;
use crate::sink::Sink;
use crate::strings::HiddenBrackets;
use crate::unjudged;
use crate::unread::Unread;

/// Writes the text without its annotations.
#[derive(Debug)]
struct Strip {
    output: Output,
    text: Text,
    strings: HiddenBrackets,
    /// Something was not read, or the provider reported an error.
    is_unread: bool,
    /// The exit status says so.
    fails: bool,
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
        /// The channels that had text, or something that was removed.
        seen: BTreeSet<Channel>,
    },
}

/// Runs the command.
pub(crate) fn run(args: &StripArgs) -> Result<ExitCode, Failure> {
    check(args)?;
    let classes = &args.source.classes;
    let vocabulary = ("--vocabulary", classes.vocabulary.as_deref());
    own_file::check_output(args.output.as_deref(), [vocabulary])?;
    let vocabulary = setup::vocabulary(&args.source.classes)?;
    let mut limits = args.source.limits()?;
    if let Some(bytes) = args.max_record {
        limits = limits.with_max_record(bytes)?;
    }
    let parser = setup::parser(&args.source, limits, vocabulary).hold_records(args.json);
    let reader = Reader::new(args.source.input, parser.build()).with_reasoning(args.reasoning);
    let mut strip = Strip {
        output: Output::open(args.output.as_deref())?,
        text: match args.source.input {
            InputFormat::Raw => Text::Whole,
            _ if args.text_only => Text::Of {
                channel: args.channel,
                entered: None,
                seen: BTreeSet::new(),
            },
            _ => Text::Events,
        },
        strings: HiddenBrackets::new(match args.source.input {
            InputFormat::Raw => args.source.mode,
            // The texts of a response are read.
            _ => Mode::Text,
        }),
        is_unread: false,
        fails: args.fail,
    };
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let chunk = args.source.chunk_size.map(usize::from);
    let input = Input::open(path)?.expecting(args.source.input);
    let end = strip.read(Stream::new(input, reader, chunk));
    let is_unread = strip.is_unread;
    let end = match end.and_then(|()| strip.output.commit()) {
        Err(Failure::Unread(message)) if args.fail => {
            complain(message);
            Ok(())
        }
        end => end,
    };
    exit_status::status(end, args.fail, !is_unread)
}

/// Refuses options that would have no effect.
fn check(args: &StripArgs) -> Result<(), Failure> {
    let message = if args.text_only && args.source.input == InputFormat::Raw {
        "--text-only needs the event stream of a provider, found --input raw; give --input auto"
    } else if args.reasoning != Reasoning::Leave && args.source.input == InputFormat::Raw {
        "--reasoning needs a response of a provider, found --input raw; give --input auto"
    } else if args.fail && args.source.input == InputFormat::Raw {
        "--fail needs a response of a provider, found --input raw; give --input auto"
    } else if args.json && args.source.mode == Mode::Text {
        "--json needs JSON to be read, found --mode text, which reads none; leave out one of them"
    } else {
        return Ok(());
    };
    Err(Failure::Usage(message.to_owned()))
}

impl Strip {
    /// Reads the stream to its end.
    fn read(&mut self, stream: Stream) -> Result<(), Failure> {
        let fed = stream.feed(self)?;
        self.output.finish()?;
        self.is_unread |= !fed.unread.passes();
        if let Some(place) = self.strings.found() {
            let advice = "a provider's response is read with --input auto";
            note(unjudged::hidden(place, "removed", advice));
        }
        self.report(&fed.unread)
    }

    /// Reports what may still have annotations, or is missing in the text.
    fn report(&self, unread: &Unread) -> Result<(), Failure> {
        let is_events = matches!(self.text, Text::Events);
        match unread.unknown() {
            Some(unknown) if !is_events => {
                let message = format!("nothing was written: {unknown}");
                return Err(Failure::Unread(message));
            }
            Some(unknown) if unknown.is_foreign() => {
                let message = format!("the input was written as it is: {unknown}");
                return Err(Failure::Unread(message));
            }
            _ => {}
        }
        // An error of the provider is in the event stream that was written, but a status needs its reason.
        let is_all = if is_events && !self.fails {
            unread.is_all_but_errors()
        } else {
            unread.is_empty()
        };
        if !is_all {
            note(unread);
        }
        match &self.text {
            Text::Of {
                channel: Some(channel),
                seen,
                ..
            } if !seen.is_empty() && !seen.contains(channel) => {
                let seen: Vec<_> = seen.iter().map(ToString::to_string).collect();
                let seen = seen.join(", ");
                Err(Failure::Unknown(format!(
                    "--channel: expected a channel of the event stream ({seen}), found `{channel}`"
                )))
            }
            Text::Of {
                channel: Some(channel),
                seen,
                ..
            } if seen.is_empty() => Err(Failure::Unknown(format!(
                "--channel: the event stream has no text, in channel {channel} or any other"
            ))),
            _ => Ok(()),
        }
    }
}

impl Handler for Strip {
    fn text(&mut self, text: TextChunk<'_>) {
        let is_wanted = match &mut self.text {
            Text::Whole => true,
            Text::Events => false,
            Text::Of {
                channel, entered, ..
            } => {
                *channel = channel.or(*entered);
                channel == entered
            }
        };
        self.strings.push(text.bytes());
        if is_wanted {
            self.output.text(text.bytes());
        }
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(_) = event {
            self.strings.stop();
        }
    }
}

impl Sink for Strip {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    fn enter(&mut self, channel: Channel) {
        if let Text::Of { entered, seen, .. } = &mut self.text {
            *entered = Some(channel);
            seen.insert(channel);
        }
    }

    fn notice(&mut self, line: &Line<'_>) {
        self.is_unread |= match line {
            Line::Diagnostic { code, .. } => {
                let mut codes = NoticeCode::ALL.into_iter();
                codes.any(|known| known.as_str() == *code && known.is_unread())
            }
            _ => true,
        };
    }

    fn stream(&mut self, bytes: &[u8]) {
        if matches!(self.text, Text::Events) {
            self.output.text(bytes);
        }
    }
}
