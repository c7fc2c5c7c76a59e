//! The body of a page: text with marks in it, and the entries about it beside it.
//!
//! A page is made of *sections*, each a piece of text with the entries about it, and sections are gathered in *sheets*,
//! which a browser lays out one by one when they are looked at. So the size of an answer does not delay the first paint.

use std::fmt::Write as _;
use std::mem;

use crate::escape;
use crate::index::Index;
use crate::line::LineKind;
use crate::note::{Draft, Numbering};
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

/// An element around a stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Differs from those of all others that are open.
    pub(crate) number: u64,
    pub(crate) kind: MarkKind,
}

/// What a stretch of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// An assertion, or a run of text without one.
    Noted {
        look: Look,
        /// The text is not written by the gate.
        is_withheld: bool,
    },
    /// What follows after the end that the policy makes.
    AfterEnd,
}

impl MarkKind {
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

/// What is at a place in a line.
#[derive(Clone, Debug)]
pub(crate) enum Cut {
    /// A mark begins.
    Open(Mark),
    /// The mark with this number ends.
    Close(u64),
    /// An entry belongs here.
    Note(Draft),
}

/// Writes sections.
#[derive(Clone, Debug)]
pub(crate) struct Sections {
    /// What is written, up to the section that is open.
    html: String,
    /// The entries of the section that is open.
    notes: String,
    count: usize,
    /// Marks that are open in the answer; the first `open` of them are open in the HTML.
    marks: Vec<Mark>,
    open: usize,
    /// The block of lines that is open.
    block: Option<LineKind>,
    is_in_section: bool,
    /// The section has text.
    has_text: bool,
    /// Bytes of text in the section, and in the sheet with its entries.
    text: usize,
    sheet: usize,
    /// The last section ended within a line.
    is_mid_line: bool,
    numbering: Numbering,
    index: Index,
}

impl Sections {
    pub(crate) fn new(numbering: Numbering) -> Self {
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

    /// What is written so far; it is taken away.
    pub(crate) fn take(&mut self) -> String {
        mem::take(&mut self.html)
    }

    /// Writes the next line, or a part of one, with what is in it, in order of place. `is_in_block`: a fenced block goes on
    /// after it.
    pub(crate) fn line(
        &mut self,
        line: &str,
        cuts: impl IntoIterator<Item = (usize, Cut)>,
        kind: LineKind,
        is_in_block: bool,
    ) {
        let mut from = 0;
        for (at, cut) in cuts {
            self.text(&line[from..at], kind);
            self.is_mid_line |= at > 0;
            from = at;
            match cut {
                Cut::Open(mark) => self.marks.push(mark),
                Cut::Close(number) => self.close(number),
                Cut::Note(note) => {
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

    /// Adds an entry to the section that is open, or to a new one.
    pub(crate) fn note(&mut self, note: &Draft) {
        self.begin_section();
        self.numbering.entry(note, &mut self.notes);
        self.count += 1;
        self.index.note(note.look);
        if self.notes.len() >= 2 * MAX_SECTION {
            self.end_section();
        }
    }

    /// A heading, in HTML, over the entries that follow.
    pub(crate) fn heading(&mut self, html: &str) {
        self.end_section();
        self.begin_section();
        let _ = writeln!(self.html, "<h3>{html}</h3>");
    }

    /// Ends everything that is open; gives what the numbers were, and which sheets have what.
    pub(crate) fn finish(&mut self) -> (Numbering, Index) {
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
