//! Classifies lines of an answer, so that code and tables are shown in columns.
//!
//! The classification affects only the presentation: neither which text is asserted nor which text
//! is shown.

/// Presentation of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineKind {
    /// Running text.
    Prose,
    /// A Markdown heading.
    Heading,
    /// A line in a fenced block, with its fences, or a line of JSON.
    Code,
    /// A row of a table.
    Table,
}

impl LineKind {
    /// Returns the CSS class of elements with lines of this kind.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Prose => "p",
            Self::Heading => "h",
            Self::Code => "c",
            Self::Table => "g",
        }
    }
}

/// Classifies lines in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineKinds {
    /// `true` if every line is code.
    is_code: bool,
    /// Character and length of the opening fence of the current fenced block.
    fence: Option<(char, usize)>,
}

impl LineKinds {
    /// Creates a classifier for text that is code as a whole, such as JSON.
    pub(crate) const fn code() -> Self {
        Self {
            is_code: true,
            fence: None,
        }
    }

    /// Returns `true` inside a fenced block.
    pub(crate) const fn is_in_block(&self) -> bool {
        self.fence.is_some()
    }

    /// Classifies the next line, of which at least the beginning is given.
    pub(crate) fn next(&mut self, line: &str) -> LineKind {
        if self.is_code {
            return LineKind::Code;
        }
        let inner = line.trim_start_matches([' ', '\t', '>']);
        let mark = inner.chars().next().unwrap_or(' ');
        let count = inner.chars().take_while(|&c| c == mark).count();
        let is_fence = matches!(mark, '`' | '~') && count >= 3;
        match self.fence {
            Some((open, least)) => {
                if is_fence && mark == open && count >= least && inner[count..].trim().is_empty() {
                    self.fence = None;
                }
                LineKind::Code
            }
            None if is_fence && !(mark == '`' && inner[count..].contains('`')) => {
                self.fence = Some((mark, count));
                LineKind::Code
            }
            None if mark == '#' && count <= 6 && inner[count..].starts_with(' ') => {
                LineKind::Heading
            }
            None if mark == '|' => LineKind::Table,
            None if inner.starts_with("{\"") => LineKind::Code,
            None => LineKind::Prose,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_headings_and_tables_are_seen() {
        use LineKind::{Code, Heading, Prose, Table};
        let mut kinds = LineKinds::default();
        for (line, kind) in [
            ("So it is.\n", Prose),
            ("## Why\n", Heading),
            ("#hash\n", Prose),
            ("| a | b |\n", Table),
            ("{\"assertion\":\"\"}\n", Code),
            ("  > ```rust\n", Code),
            ("  > # a comment\n", Code),
            ("  > ~~~\n", Code),
            ("  > ```\n", Code),
            ("```not` a fence\n", Prose),
            ("~~~~\n", Code),
            ("~~~\n", Code),
            ("~~~~~\n", Code),
            ("\n", Prose),
        ] {
            assert_eq!(kinds.next(line), kind, "{line}");
        }
        assert!(!kinds.is_in_block());
        assert_eq!(LineKinds::code().next("{\n"), Code);
    }
}
