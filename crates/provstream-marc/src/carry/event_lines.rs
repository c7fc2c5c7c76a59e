//! Events of an event stream with all their lines. Source: HTML Living Standard 9.2.

/// An event, or comments between events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamEvent {
    /// Type; empty for the default one.
    pub kind: String,
    /// Data.
    pub data: String,
    /// All lines, each with a line feed, without the blank line after them.
    pub lines: String,
    /// `true` if a line is neither a comment nor a field of an event stream.
    pub has_unknown_field: bool,
}

impl StreamEvent {
    /// Returns `true` if clients see the event: it has a type or data.
    #[must_use]
    pub fn is_dispatched(&self) -> bool {
        !self.kind.is_empty() || !self.data.is_empty()
    }

    fn push(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.kind),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "" | "id" | "retry" => {}
            _ => self.has_unknown_field = true,
        }
    }
}

/// Collects the lines of events, of at most `max` bytes.
#[derive(Debug)]
pub struct EventCollector {
    max: usize,
    event: StreamEvent,
    /// Reason why the event is not kept.
    problem: Option<String>,
    first_line: u64,
    last_line: u64,
}

impl EventCollector {
    /// Creates a collector of events of at most `max` bytes.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self {
            max,
            event: StreamEvent::default(),
            problem: None,
            first_line: 1,
            last_line: 0,
        }
    }

    /// Reads a line that is not blank, or the length of one that is too long. Returns the event before it, if that has ended, with
    /// its first line. A gap in the numbers is the blank line at the end of an event.
    pub fn push(
        &mut self,
        number: u64,
        content: Result<&[u8], u64>,
    ) -> Option<(u64, Result<StreamEvent, String>)> {
        let mut ended = None;
        if number > self.last_line + 1 {
            ended = self.finish();
            self.first_line = number;
        }
        self.last_line = number;
        self.append(content);
        ended
    }

    fn append(&mut self, content: Result<&[u8], u64>) {
        let max = self.max;
        self.problem = self.problem.take().or_else(|| match content {
            Err(length) => Some(format!(
                "expected shorter lines in an event, found one of {length} bytes"
            )),
            Ok(line) if self.event.lines.len() + line.len() > max => Some(format!(
                "expected an event of at most {max} bytes (--max-record), found a longer one"
            )),
            Ok(_) => None,
        });
        match content {
            Ok(line) if self.problem.is_none() => {
                let text = String::from_utf8_lossy(line);
                self.event.push(text.strip_suffix('\r').unwrap_or(&text));
            }
            _ => self.event = StreamEvent::default(),
        }
    }

    /// Returns the last event, with its first line.
    pub fn finish(&mut self) -> Option<(u64, Result<StreamEvent, String>)> {
        let event = std::mem::take(&mut self.event);
        match self.problem.take() {
            Some(problem) => Some((self.first_line, Err(problem))),
            None => (!event.lines.is_empty()).then_some((self.first_line, Ok(event))),
        }
    }
}
