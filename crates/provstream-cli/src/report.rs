//! The lines of `extract` and `admit`: as JSON, or for people.

use std::sync::Arc;

use provstream::Span;
use provstream_providers::Channel;
use serde::Serialize;

use crate::line::Line;
use crate::output::Output;
use crate::places::{Place, Places};
use crate::pretty::{self, Origin};

/// Writes lines that name what they are about: the file, the line, the field, the channel.
#[derive(Debug)]
pub(crate) struct Report {
    output: Output,
    /// Lines and columns, if the lines are for people.
    places: Option<Places>,
    is_pretty: bool,
    origin: Origin,
    /// The members of a JSON line that say what it is about.
    members: Vec<u8>,
}

impl Report {
    /// Lines about a text that begins at an offset, with a line of some number.
    pub(crate) fn new(output: Output, is_pretty: bool, file: Option<Arc<str>>) -> Self {
        let mut report = Self {
            output,
            places: is_pretty.then(|| Places::new(0, 1)),
            is_pretty,
            origin: Origin {
                file,
                ..Origin::default()
            },
            members: Vec::new(),
        };
        report.name();
        report
    }

    /// Where the text begins: its offset and its line number.
    pub(crate) fn start_at(&mut self, offset: u64, line: u64) {
        self.places = self.is_pretty.then(|| Places::new(offset, line));
    }

    /// The output.
    pub(crate) const fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    /// The output, when nothing more is to be written here.
    pub(crate) fn into_output(self) -> Output {
        self.output
    }

    /// Takes the next bytes of the text.
    pub(crate) fn raw(&mut self, chunk: &[u8]) {
        if let Some(places) = &mut self.places {
            places.push(chunk);
        }
    }

    /// What the following lines are about: a channel of an event stream, whose bytes are not seen here.
    pub(crate) fn enter(&mut self, channel: Option<Channel>) {
        if self.origin.channel != channel {
            self.origin.channel = channel;
            self.places = None;
            self.name();
        }
    }

    /// What the following lines are about: a field of a line, as a text of its own.
    pub(crate) fn enter_field(&mut self, line: u64, field: Option<Arc<str>>) {
        self.origin.line = Some(line);
        self.origin.field = field;
        self.places = self.is_pretty.then(|| Places::new(0, 1));
        self.name();
    }

    /// Where something begins, for messages: where lines would say, but for the file.
    pub(crate) fn place(&self, span: Span) -> String {
        let mut words = "at ".to_owned();
        if let Some(channel) = self.origin.channel {
            words.push_str(&format!("channel {channel}, "));
        }
        if let Some(line) = self.origin.line {
            words.push_str(&format!("line {line}, "));
        }
        if let Some(field) = &self.origin.field {
            words.push_str(&format!("{field}, "));
        }
        let start = span.start();
        let place = self.places.as_ref().map(|places| places.of(start));
        words + &place.unwrap_or(Place::Byte(start)).to_string()
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: &Line<'_>) {
        if self.is_pretty {
            let text = pretty::line(line, &self.origin, self.places.as_ref());
            self.output.bytes(text.as_bytes());
        } else {
            self.output.line_with(line, &self.members);
        }
    }

    /// The following line is about all inputs, that many.
    pub(crate) fn count_files(&mut self, files: u64) {
        self.members = format!(",\"files\":{files}").into_bytes();
    }

    /// Writes a line that is about the input as a whole, whatever was entered.
    pub(crate) fn about_file(&mut self, line: &Line<'_>) {
        self.origin = Origin {
            file: self.origin.file.take(),
            ..Origin::default()
        };
        self.name();
        self.line(line);
    }

    fn name(&mut self) {
        self.members.clear();
        let Origin {
            file,
            line,
            field,
            channel,
        } = &self.origin;
        let members = [
            file.as_ref()
                .map(|file| (&b",\"file\":"[..], json(&**file))),
            line.map(|line| (&b",\"line\":"[..], json(&line))),
            field
                .as_ref()
                .map(|field| (&b",\"field\":"[..], json(&**field))),
            channel.map(|channel| (&b",\"channel\":"[..], json(&channel.to_string()))),
        ];
        for (name, value) in members.into_iter().flatten() {
            self.members.extend_from_slice(name);
            self.members.extend_from_slice(&value);
        }
    }
}

/// A value as JSON that is safe to show on a terminal.
fn json(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    crate::output::json(value)
}
