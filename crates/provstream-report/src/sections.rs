//! Body of a page: text with marks, and beside it the entries.
//!
//! A *section* is a piece of text with its entries. Sections are grouped in *sheets*, and a browser
//! lays out only the visible sheets. So the size of an answer does not delay the first paint.

use std::fmt::Write as _;
use std::mem;

use crate::escape;
use crate::index::Index;
use crate::line::LineKind;
use crate::note::{NoteNumbering, UnnumberedNote};
use crate::wording::Look;

/// Bytes of text after which a section ends at the next blank line.
const SECTION: usize = 512;
/// Entries after which a section ends at the next blank line.
const NOTES: usize = 2;
/// Bytes of text after which a section ends at the next line.
const LONG_SECTION: usize = 6 << 10;
/// Bytes of text, or of entries in HTML, after which a section ends wherever it is.
const MAX_SECTION: usize = 16 << 10;
/// Bytes of text and entries in HTML after which a sheet ends with its section.
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
        /// `true` if the gate does not write the text.
        is_withheld: bool,
    },
    /// Text after the end that the policy sets.
    AfterEnd,
}

impl HighlightKind {
    fn open(self, html: &mut String) {
        match self {
            Self::Noted { look, is_withheld } => {
                let withheld = if is_withheld { " w" } else { "" };
                let _ = write!(html, "<mark class=\"{}{withheld}\">", look.class());
            }
            Self::AfterEnd => html.push_str("<mark class=\"e\">"),
        }
    }
}

/// Event at an offset in a line.
#[derive(Clone, Debug)]
pub(crate) enum LineEvent {
    /// A mark begins.
    Open(Highlight),
    /// The mark with this number ends.
    Close(u64),
    /// Reference to an entry.
    Note(UnnumberedNote),
}

/// Writer of sections.
#[derive(Clone, Debug)]
pub(crate) struct SectionWriter {
    /// Finished HTML before the open section.
    html: String,
    /// Entries of the open section, as HTML.
    notes: String,
    count: usize,
    /// Open marks of the text. Of these, the first `open` marks are open in the HTML.
    marks: Vec<Highlight>,
    open: usize,
    /// Kind of the lines in the open block, if there is one.
    block: Option<LineKind>,
    is_in_section: bool,
    /// `true` if the open section has text.
    has_text: bool,
    /// Bytes of text in the section. `sheet` also counts the entries, for the whole sheet.
    text: usize,
    sheet: usize,
    /// `true` if the last section ended within a line.
    is_mid_line: bool,
    numbering: NoteNumbering,
    index: Index,
}

impl SectionWriter {
    pub(crate) fn new(numbering: NoteNumbering) -> Self {
        Self {
            html: String::new(),
            notes: String::new(),
            count: 0,
            marks: Vec::new(),
            open: 0,
            block: None,
            is_in_section: false,
            has_text: false,
            text: 0,
            sheet: 0,
            is_mid_line: false,
            numbering,
            index: Index::default(),
        }
    }

    /// Returns the finished HTML and drops it.
    pub(crate) fn take(&mut self) -> String {
        mem::take(&mut self.html)
    }

    /// Writes the next line or a part of one. `cuts` has offsets in `line` in ascending order.
    /// `is_in_block` is `true` if a fenced block continues after the line.
    pub(crate) fn line(
        &mut self,
        line: &str,
        cuts: impl IntoIterator<Item = (usize, LineEvent)>,
        kind: LineKind,
        is_in_block: bool,
    ) {
        let mut from = 0;
        for (at, cut) in cuts {
            self.text(&line[from..at], kind);
            self.is_mid_line |= at > 0;
            from = at;
            match cut {
                LineEvent::Open(mark) => self.marks.push(mark),
                LineEvent::Close(number) => self.close(number),
                LineEvent::Note(note) => {
                    self.begin_block(kind);
                    self.numbering.reference(&note, &mut self.html);
                    self.note(&note);
                }
            }
        }
        self.text(&line[from..], kind);
        let is_complete = line.ends_with('\n');
        self.is_mid_line = !is_complete && !line.is_empty();
        let is_pause = is_complete && !is_in_block && line.trim().is_empty();
        let is_enough = self.text >= SECTION || self.count >= NOTES;
        if is_pause && is_enough
            || is_complete && !is_in_block && self.text >= LONG_SECTION
            || self.text >= MAX_SECTION
            || self.notes.len() >= MAX_SECTION
        {
            self.end_section();
        }
    }

    /// Adds an entry to the open section, or to a new one.
    pub(crate) fn note(&mut self, note: &UnnumberedNote) {
        self.begin_section();
        self.numbering.entry(note, &mut self.notes);
        self.count += 1;
        self.index.note(note.look);
        if self.notes.len() >= 2 * MAX_SECTION {
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

    fn text(&mut self, text: &str, kind: LineKind) {
        if text.is_empty() {
            return;
        }
        self.begin_block(kind);
        for mark in &self.marks[self.open..] {
            mark.kind.open(&mut self.html);
        }
        self.open = self.marks.len();
        escape::text(&mut self.html, text);
        self.text += text.len();
    }

    fn close(&mut self, number: u64) {
        let Some(at) = self.marks.iter().position(|mark| mark.number == number) else {
            return;
        };
        while self.open > at {
            self.html.push_str("</mark>");
            self.open -= 1;
        }
        self.marks.remove(at);
    }

    fn begin_section(&mut self) {
        if self.is_in_section {
            return;
        }
        self.is_in_section = true;
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
    }

    fn begin_block(&mut self, kind: LineKind) {
        if self.block == Some(kind) && self.is_in_section {
            return;
        }
        self.begin_section();
        self.end_block();
        if !mem::replace(&mut self.has_text, true) {
            let continued = if self.is_mid_line { " k" } else { "" };
            let _ = write!(self.html, "<div class=\"t{continued}\" lang=\"\">");
        }
        let _ = write!(self.html, "<div class=\"{}\" dir=\"auto\">", kind.class());
        self.block = Some(kind);
    }

    fn end_block(&mut self) {
        if self.block.take().is_some() {
            for _ in 0..self.open {
                self.html.push_str("</mark>");
            }
            self.open = 0;
            self.html.push_str("</div>");
        }
    }

    fn end_section(&mut self) {
        if !self.is_in_section {
            return;
        }
        self.end_block();
        if mem::take(&mut self.has_text) {
            self.html.push_str("</div>\n");
        }
        if !self.notes.is_empty() {
            self.html.push_str("<ol class=\"n\">\n");
            self.html.push_str(&self.notes);
            self.html.push_str("</ol>\n");
        }
        self.html.push_str("</div>\n");
        self.sheet += self.text + self.notes.len();
        self.notes.clear();
        self.is_in_section = false;
        (self.text, self.count) = (0, 0);
    }
}
