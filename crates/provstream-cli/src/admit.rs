//! `provstream admit`.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::SystemTime;

use provstream::provenance::{Discipline, Timestamp, Vocabulary};
use provstream::{Event, Handler};
use provstream_providers::Channel;

use crate::args::AdmitArgs;
use crate::failure::{Failure, note};
use crate::feed::{Sink, Stream, parser};
use crate::gate;
use crate::line::{InChannel, Line};
use crate::output::Output;
use crate::unread::Unread;
use crate::vocabulary;

/// Prints every assertion with its verdict.
#[derive(Debug)]
struct Admit {
    output: Output,
    discipline: Discipline,
    now: Option<Timestamp>,
    all_admitted: bool,
    /// The channel that is read, in the event stream of a provider.
    channel: Option<Channel>,
}

/// Runs the command.
pub(crate) fn run(args: &AdmitArgs) -> Result<ExitCode, Failure> {
    let vocabulary = vocabulary::load(args.source.vocabulary.as_deref())?;
    let discipline = discipline(args, &vocabulary)?;
    let limits = args.limits.with(&args.source)?;
    let stream = Stream::of(&args.source, parser(&args.source, limits, vocabulary))?;
    let mut admit = Admit {
        output: Output::stdout(),
        discipline,
        now: args.now,
        all_admitted: true,
        channel: None,
    };
    let (end, unread) = match stream.feed(&mut admit) {
        Ok(fed) => (admit.output.flush(), fed.unread),
        Err(failure) => (Err(failure), Unread::default()),
    };
    if !unread.is_empty() {
        note(&unread);
    }
    gate::status(end, args.fail, admit.all_admitted && unread.is_empty())
}

fn discipline(args: &AdmitArgs, vocabulary: &Vocabulary) -> Result<Discipline, Failure> {
    let mut builder = Discipline::builder(args.floor.get()).skew(args.skew);
    let mut given = BTreeSet::new();
    for window in &args.windows {
        // Of two different windows for the same class nobody could tell which one was meant.
        if !given.insert(window.class.as_deref()) {
            let of = window.class.as_deref().unwrap_or("all classes");
            return Err(Failure::Usage(format!("--window is given twice for {of}")));
        }
        builder = match window.class.as_deref() {
            None => builder.default_window(window.duration),
            Some(identifier) => {
                let class = vocabulary.class(identifier).ok_or_else(|| {
                    let version = vocabulary.version();
                    Failure::Usage(format!(
                        "--window: the vocabulary (version {version}) has no class {identifier}"
                    ))
                })?;
                builder.window(class, window.duration)
            }
        };
    }
    builder
        .build()
        .map_err(|error| Failure::Usage(error.to_string()))
}

impl Handler for Admit {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = event {
            let now = self.now.unwrap_or_else(|| SystemTime::now().into());
            let verdict = self.discipline.judge(&assertion, now);
            self.all_admitted &= verdict.admitted();
            let line = &Line::assertion(&assertion, Some(&verdict));
            let channel = self.channel;
            match channel {
                Some(_) => self.output.line(&InChannel { line, channel }),
                None => self.output.line(line),
            }
        }
    }
}

impl Sink for Admit {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    fn enter(&mut self, channel: Channel) {
        self.channel = Some(channel);
    }
}
