//! Body of a page: text with marks, and beside it the entries.
//!
//! A *sheet* is a piece of text with its entries. A browser lays out only the visible sheets. So the
//! size of an answer does not delay the first paint.

use std::fmt::Write as _;
use std::mem;
use std::ops::Range;

use crate::escape;
use crate::index::Index;
use crate::note::{NoteNumbering, UnnumberedNote};
use crate::wording::Look;

/// Bytes of text and of entries in HTML after which a sheet ends.
const SHEET: usize = 96 << 10;

/// An element around a range of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Highlight {
    /// Number that differs from those of all other open marks.
    pub(crate) number: u64,
    pub(crate) kind: HighlightKind,
}

/// Kind of a marked range of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HighlightKind {
    /// An assertion, or a run of unannotated text.
    Noted {
        look: Look,
        /// Name of the disposition.
        verdict: &'static str,
        is_annotated: bool,
        /// `true` if the gate does not write the text.
        is_withheld: bool,
    },
    /// Text after the end that the policy sets.
    AfterEnd,
}

impl HighlightKind {
    fn open(self, html: &mut String) {
        match self {
            Self::Noted {
                look,
                verdict,
                is_withheld,
                ..
            } => {
                let withheld = if is_withheld { " w" } else { "" };
                let _ = write!(
                    html,
                    "<mark class=\"{} v-{verdict}{withheld}\">",
                    look.class()
                );
            }
            Self::AfterEnd => html.push_str("<mark class=\"e\">"),
        }
    }

    const fn is_annotated(self) -> bool {
        matches!(
            self,
            Self::Noted {
                is_annotated: true,
                ..
            }
        )
    }
}

/// Event at an offset in the text.
#[derive(Clone, Debug)]
pub(crate) enum TextEvent {
    /// A mark begins.
    Open(Highlight),
    /// The mark with this number ends.
    Close(u64),
    /// Reference to an entry.
    Note(UnnumberedNote),
}

/// Presentation of a range of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presentation {
    /// Text that readers see.
    Text,
    /// Markup that takes effect, and is shown on demand.
    Markup,
}

/// Writer of sheets.
#[derive(Clone, Debug)]
pub(crate) struct SectionWriter {
    /// Finished HTML before the entries of the open sheet.
    html: String,
    /// Entries of the open section, as HTML.
    notes: String,
    /// Open marks of the text. Of these, the first `open` marks are open in the HTML.
    marks: Vec<Highlight>,
    open: usize,
    is_in_section: bool,
    /// `true` if the open section has text.
    has_text: bool,
    /// Bytes of text and of entries in the sheet.
    sheet: usize,
    /// Level of the last heading.
    level: usize,
    /// Characters that are not white space, and those of them that no annotated assertion has.
    characters: u64,
    unannotated: u64,
    numbering: NoteNumbering,
    index: Index,
}

impl SectionWriter {
    pub(crate) fn new(numbering: NoteNumbering) -> Self {
        Self {
            html: String::new(),
            notes: String::new(),
            marks: Vec::new(),
            open: 0,
            is_in_section: false,
            has_text: false,
            sheet: 0,
            level: 2,
            characters: 0,
            unannotated: 0,
            numbering,
            index: Index::default(),
        }
    }

    /// Returns the finished HTML and drops it.
    pub(crate) fn take(&mut self) -> String {
        mem::take(&mut self.html)
    }

    /// Returns the number of characters of the text that are not white space, and of those that no
    /// annotated assertion has.
    pub(crate) const fn characters(&self) -> (u64, u64) {
        (self.characters, self.unannotated)
    }

    /// Begins a piece of the text: a sequence of blocks.
    pub(crate) fn begin_piece(&mut self) {
        self.begin_section();
        if !mem::replace(&mut self.has_text, true) {
            self.html.push_str("<div class=\"t\" lang=\"\">");
        }
    }

    /// Ends a piece of the text.
    pub(crate) fn end_piece(&mut self) {
        self.close_marks(0);
        if self.sheet >= SHEET {
            self.end_section();
        }
    }

    /// Writes tags of elements that are not within marks.
    pub(crate) fn tags(&mut self, html: &str) {
        self.close_marks(0);
        self.html.push_str(html);
    }

    /// Writes tags of elements that may be within marks.
    pub(crate) fn inner_tags(&mut self, html: &str) {
        self.html.push_str(html);
    }

    /// Returns the level of the element for a heading of this level in the answer. No level is left out.
    pub(crate) fn heading_level(&mut self, level: usize) -> usize {
        self.level = (level + 2).min(self.level + 1).min(6);
        self.level
    }

    /// Writes a range of the text.
    pub(crate) fn text(&mut self, text: &str, range: Range<usize>, presentation: Presentation) {
        for mark in &self.marks[self.open..] {
            mark.kind.open(&mut self.html);
        }
        self.open = self.marks.len();
        let part = &text[range.clone()];
        self.sheet += part.len();
        if presentation == Presentation::Markup {
            self.html.push_str("<span class=\"m\">");
            escape::part(&mut self.html, text, range);
            self.html.push_str("</span>");
            return;
        }
        escape::part(&mut self.html, text, range);
        let characters = part.chars().filter(|it| !it.is_whitespace()).count() as u64;
        self.characters += characters;
        if !self.marks.iter().any(|mark| mark.kind.is_annotated()) {
            self.unannotated += characters;
        }
    }

    /// Writes white space between elements.
    pub(crate) fn white_space(&mut self, text: &str, range: Range<usize>) {
        escape::part(&mut self.html, text, range);
    }

    pub(crate) fn open_mark(&mut self, mark: Highlight) {
        self.marks.push(mark);
    }

    pub(crate) fn close_mark(&mut self, number: u64) {
        if let Some(at) = self.marks.iter().position(|mark| mark.number == number) {
            self.close_marks(at);
            self.marks.remove(at);
        }
    }

    /// Writes the reference to an entry, and the entry.
    pub(crate) fn reference(&mut self, note: &UnnumberedNote) {
        self.numbering.reference(note, &mut self.html);
        self.note(note);
    }

    /// Adds an entry to the open section, or to a new one.
    pub(crate) fn note(&mut self, note: &UnnumberedNote) {
        self.begin_section();
        let before = self.notes.len();
        self.numbering.entry(note, &mut self.notes);
        self.sheet += self.notes.len() - before;
        self.index.note(note.look);
        if !self.has_text && self.sheet >= SHEET {
            self.end_section();
        }
    }

    /// Writes a heading, given as HTML, before the next entries.
    pub(crate) fn heading(&mut self, html: &str) {
        self.end_section();
        self.begin_section();
        let _ = writeln!(self.html, "<h3>{html}</h3>");
    }

    /// Ends all open elements. Returns the numbering and the index.
    pub(crate) fn finish(&mut self) -> (NoteNumbering, Index) {
        self.end_section();
        if self.index.sheets() > 0 {
            self.html.push_str("</div>\n");
        }
        let (prefix, end) = (self.numbering.prefix(), self.numbering.problems() + 1);
        let _ = writeln!(
            self.html,
            "<p class=\"end\" id=\"{prefix}x{end}\">End of this text</p>"
        );
        (mem::take(&mut self.numbering), mem::take(&mut self.index))
    }

    /// Closes the marks in the HTML but for the first `left`.
    fn close_marks(&mut self, left: usize) {
        while self.open > left {
            self.html.push_str("</mark>");
            self.open -= 1;
        }
    }

    fn begin_section(&mut self) {
        if mem::replace(&mut self.is_in_section, true) {
            return;
        }
        if self.index.sheets() == 0 || self.sheet >= SHEET {
            self.begin_sheet();
        }
        self.html.push_str("<div class=\"s\">\n");
    }

    fn begin_sheet(&mut self) {
        let (prefix, sheet) = (self.numbering.prefix(), self.index.begin_sheet());
        self.sheet = 0;
        if sheet == 1 {
            self.html.push_str("<div class=\"sheet\">\n");
            return;
        }
        let before = sheet - 1;
        let _ = write!(
            self.html,
            "<p class=\"turn\"><a href=\"#{prefix}p{sheet}\">Next: page {sheet}</a></p>\n</div>\n<div class=\"sheet\">\n\
             <h3 id=\"{prefix}p{sheet}\">Page {sheet}</h3>\n<p class=\"turn\">"
        );
        if before > 1 {
            let _ = write!(
                self.html,
                "<a href=\"#{prefix}p{before}\">Previous: page {before}</a> "
            );
        }
        self.html.push_str("<a href=\"#top\">Top</a></p>\n");
        self.level = 3;
    }

    fn end_section(&mut self) {
        if !mem::take(&mut self.is_in_section) {
            return;
        }
        if mem::take(&mut self.has_text) {
            self.html.push_str("</div>\n");
        }
        if !self.notes.is_empty() {
            self.html.push_str("<ol class=\"n\">\n");
            self.html.push_str(&self.notes);
            self.html.push_str("</ol>\n");
            self.notes.clear();
        }
        self.html.push_str("</div>\n");
    }
}
