//! What may be shown on a terminal as it is.

use std::fmt::{self, Display, Write};

pub(crate) use provstream_route::is_unsafe;

/// Text from outside in a message for people, with unsafe characters escaped.
pub(crate) struct Printable<T>(pub(crate) T);

impl<T: Display> Display for Printable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = "";
        write!(Escaper { f, kept }, "{}", self.0)
    }
}

/// The same of several lines: line feeds and tabs stay as they are.
pub(crate) struct PrintableLines<T>(pub(crate) T);

impl<T: Display> Display for PrintableLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = "\n\t";
        write!(Escaper { f, kept }, "{}", self.0)
    }
}

/// The text, or its first characters if it has more than so many.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Escapes what is written through it, but for some characters.
struct Escaper<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    kept: &'static str,
}

impl Write for Escaper<'_, '_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_is_unsafe_and_nothing_else() {
        assert_eq!(
            Printable("a\x1b[2J\n\u{9b}\u{202e}é👩\u{200d}🚀\\").to_string(),
            "a\\u{1b}[2J\\n\\u{9b}\\u{202e}é👩\u{200d}🚀\\"
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!((cut("aéb", 3), cut("aéb", 2)), ("aéb".into(), "aé…".into()));
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(
            PrintableLines("a\tb\r\n\u{7f}\u{85}\n").to_string(),
            "a\tb\\r\n\\u{7f}\\u{85}\n"
        );
    }
}
