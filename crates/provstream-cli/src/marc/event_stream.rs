//! The events of an event stream, in bounded memory. Source: HTML Living Standard 9.2.

use std::path::Path;

use super::json_object::found;
use super::lines::{InputLine, MAX_LINE, each_line};
use crate::failure::Failure;
use crate::input::Input;

/// An event, or comments between events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its type; empty for the default one.
    pub(crate) kind: String,
    /// Its data.
    pub(crate) data: String,
    /// All its lines as they are written, each with a line feed, without the blank line after them.
    pub(crate) lines: String,
    /// The first line that is neither a comment nor a field of an event stream, described.
    pub(crate) foreign: Option<String>,
}

/// Gathers the lines of an event.
#[derive(Debug)]
struct Reader {
    /// Most bytes of an event.
    max: usize,
    event: Event,
    /// Why the event is not kept.
    too_long: Option<String>,
    /// The line on which the event began.
    first_line: u64,
}

impl Event {
    /// Whether it has a type or data. One without is not dispatched: a comment, or text that is not an event stream.
    pub(crate) fn is_dispatched(&self) -> bool {
        !self.kind.is_empty() || !self.data.is_empty()
    }
}

impl Reader {
    fn line(&mut self, line: InputLine<'_>) {
        let InputLine::Whole(bytes) = line else {
            return self.give_up(format!(
                "expected lines of at most {MAX_LINE} bytes in an event, found a longer one"
            ));
        };
        if self.event.lines.len() + bytes.len() > self.max {
            return self.give_up(format!(
                "expected an event of at most {} bytes (--max-record), found a longer one",
                self.max
            ));
        }
        if self.too_long.is_some() {
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        let line = text.strip_suffix('\r').unwrap_or(&text);
        let Event {
            kind,
            data,
            lines,
            foreign,
        } = &mut self.event;
        lines.push_str(line);
        lines.push('\n');
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(kind),
            "data" => {
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
            }
            "" | "id" | "retry" => {}
            _ => {
                foreign.get_or_insert_with(|| found(line.as_bytes()));
            }
        }
    }

    fn give_up(&mut self, message: String) {
        self.too_long.get_or_insert(message);
        self.event = Event::default();
    }

    /// Ends the event; `None` if it has no lines.
    fn end(&mut self) -> Option<Result<Event, String>> {
        let event = std::mem::take(&mut self.event);
        match self.too_long.take() {
            Some(message) => Some(Err(message)),
            None if event.lines.is_empty() => None,
            None => Some(Ok(event)),
        }
    }
}

/// Reads an event stream to its end and passes on each event with the line on which it begins, or why it is refused: it has
/// more than `max` bytes. `pause` is called whenever the input may have to wait.
pub(crate) fn each_event<T>(
    file: &Path,
    max: usize,
    state: &mut T,
    mut pause: impl FnMut(&mut T) -> Result<(), Failure>,
    mut each: impl FnMut(&mut T, u64, Result<Event, String>),
) -> Result<(), Failure> {
    let reader = Reader {
        max,
        event: Event::default(),
        too_long: None,
        first_line: 1,
    };
    let mut last = 0;
    let mut state = (reader, state);
    each_line(
        Input::open(file)?,
        &mut state,
        |(_, state)| pause(state),
        |(reader, state), number, line| {
            // Blank lines are not passed on, so a gap in the numbers is the end of an event.
            if number > last + 1 {
                if let Some(event) = reader.end() {
                    each(state, reader.first_line, event);
                }
                reader.first_line = number;
            }
            last = number;
            reader.line(line);
        },
    )?;
    let (mut reader, state) = state;
    if let Some(event) = reader.end() {
        each(state, reader.first_line, event);
    }
    Ok(())
}
