//! Messages on standard error, and text from outside in what people read.

use std::fmt::{self, Display, Write as _};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::AutoStream;
use clap::builder::styling::AnsiColor;
use provstream::DiagnosticCode;
use provstream_providers::NoticeCode;
use provstream_route::is_unsafe;

/// `--quiet`.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses notes.
pub(crate) fn set_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Prints a note on standard error, unless `--quiet` is given.
pub fn print_note(message: impl Display) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        print_error(message);
    }
}

/// Prints, on a terminal only, that a text has no annotations, and how to get some.
pub(crate) fn print_no_annotations() {
    if io::stderr().is_terminal() {
        print_note(
            "no annotations; `provstream emit` makes a model write them, and `provstream proxy --demo` shows what they are for",
        );
    }
}

/// Prints a line on standard error.
pub(crate) fn print_error(message: impl Display) {
    let style = AnsiColor::Red.on_default().bold();
    let message = EscapeControls(message);
    // If even that cannot be written, the exit status still reports the error.
    let _ = writeln!(anstream::stderr(), "{style}provstream:{style:#} {message}");
}

/// Removes styles from text for standard output where colours are not wanted.
pub(crate) fn styled(text: String) -> String {
    if AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never {
        return anstream::adapter::strip_str(&text).to_string();
    }
    text
}

/// Formats a count with its noun, such as `2 assertions`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Returns the explanation of a diagnostic or notice.
pub(crate) fn description(code: &str) -> Option<&'static str> {
    match code {
        "limit-line" => return Some("a line longer than 4194304 bytes; it is not read"),
        "unknown-format" => return Some("no event of the format; see standard error"),
        "no-field" => return Some("a line without a string at --field"),
        _ => {}
    }
    let notice = || {
        let mut codes = NoticeCode::ALL.into_iter();
        codes
            .find(|known| known.as_str() == code)
            .map(NoticeCode::description)
    };
    let diagnostic = code.parse().ok().map(DiagnosticCode::description);
    diagnostic.or_else(notice)
}

/// Truncates a text to at most `max` characters and an ellipsis.
pub(crate) fn truncate(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Text with its control characters and reordering characters escaped.
pub(crate) struct EscapeControls<T>(pub(crate) T);

impl<T: Display> Display for EscapeControls<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaper { f, kept: "" }, "{}", self.0)
    }
}

/// Text of several lines, escaped but for line feeds and tabs.
pub(crate) struct EscapeLines<T>(pub(crate) T);

impl<T: Display> Display for EscapeLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaper { f, kept: "\n\t" }, "{}", self.0)
    }
}

struct Escaper<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    /// Characters that are not escaped.
    kept: &'static str,
}

impl fmt::Write for Escaper<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if is_unsafe(character) && !self.kept.contains(character) {
                write!(self.f, "{}", character.escape_default())?;
            } else {
                self.f.write_char(character)?;
            }
        }
        Ok(())
    }
}

/// A count, and the location of the first occurrence for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CountAndExample {
    count: u64,
    first: Option<String>,
}

impl CountAndExample {
    /// Counts an occurrence; `location`, such as `at byte 7`, is asked for the first one only.
    pub(crate) fn add(&mut self, location: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(location);
    }

    /// Adds later occurrences.
    pub(crate) fn merge(&mut self, later: &Self) {
        self.count += later.count;
        self.first = self.first.take().or_else(|| later.first.clone());
    }

    /// Adds the file to the location of the first occurrence.
    pub(crate) fn set_file(&mut self, file: &str) {
        self.first = self.first.take().map(|first| format!("in {file} {first}"));
    }

    /// Returns the number of occurrences.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Formats the first occurrence in parentheses, to follow the count in a message.
    pub(crate) fn example(&self) -> String {
        match &self.first {
            Some(first) if self.count > 1 => format!(" (the first {first})"),
            Some(first) => format!(" ({first})"),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_escaped_and_nothing_else() {
        let text = "a\x1b[2J\n\u{9b}\u{202e}é👩\u{200d}🚀\\";
        let escaped = "a\\u{1b}[2J\\n\\u{9b}\\u{202e}é👩\u{200d}🚀\\";
        assert_eq!(EscapeControls(text).to_string(), escaped);
        assert_eq!(
            EscapeLines("a\tb\r\n\u{85}\n").to_string(),
            "a\tb\\r\n\\u{85}\n"
        );
    }

    #[test]
    fn the_first_occurrence_is_kept() {
        let mut all = CountAndExample::default();
        let mut later = CountAndExample::default();
        later.add(|| "at byte 7".to_owned());
        later.set_file("a.txt");
        all.merge(&later);
        assert_eq!(all.example(), " (in a.txt at byte 7)");
        all.add(|| unreachable!("the first one is known"));
        assert_eq!(all.example(), " (the first in a.txt at byte 7)");
    }
}
