//! Shows a text as the Markdown that it is, with marks in place.
//!
//! Each byte of the text is written once and in order: as text, or as the markup around it. What is in a
//! text thereby does not depend on the parser. Raw HTML is text, links lead to `http`, `https` and
//! `mailto` only, and images are the text that describes them.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::escape;
use crate::note::UnnumberedNote;
use crate::sections::{Presentation, SectionWriter, TextEvent};

/// Most elements within each other. Deeper ones are not made, and their text is shown.
const MAX_DEPTH: usize = 24;

/// End of the head of a table.
const HEAD_END: &str = "</tr></thead><tbody>";

/// Returns the start of the last block of a text that another can be before. What is before it is complete.
pub(crate) fn last_block(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut last = 0;
    for (event, range) in parser(text).into_offset_iter() {
        if depth == 0 && !matches!(event, Event::End(_)) {
            last = range.start;
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    (last > 0).then_some(last)
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Writes a text as Markdown. `events` are at offsets in the text, in ascending order.
pub(crate) fn write(text: &str, events: Vec<(usize, TextEvent)>, out: &mut SectionWriter) {
    let mut renderer = Renderer::new(text, events, out);
    let mut is_in_json = false;
    for (event, range) in parser(text).into_offset_iter() {
        let is_json_start =
            matches!(event, Event::Start(Tag::Paragraph)) && is_json(&text[range.clone()]);
        if is_json_start {
            is_in_json = true;
            renderer.verbatim(range);
        } else if is_in_json {
            is_in_json = !matches!(event, Event::End(TagEnd::Paragraph));
        } else {
            renderer.event(&event, range);
        }
    }
    renderer.finish();
}

/// Writes a text as code.
pub(crate) fn write_code(text: &str, events: Vec<(usize, TextEvent)>, out: &mut SectionWriter) {
    let mut renderer = Renderer::new(text, events, out);
    if !text.is_empty() {
        renderer.verbatim(0..text.len());
    }
    renderer.finish();
}

/// Returns `true` if a paragraph is a JSON value, which nobody meant as Markdown.
fn is_json(paragraph: &str) -> bool {
    ["{\"", "{\n", "[{", "[\n"]
        .iter()
        .any(|start| paragraph.starts_with(start))
}

/// An open element.
#[derive(Clone, Copy)]
struct OpenElement {
    end: &'static str,
    kind: ElementKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    /// Has text.
    Text,
    /// Has text, in which white space counts.
    Code,
    /// Has text, and no other link.
    Link,
    /// Has elements only, such as the rows of a table.
    Frame,
}

struct Renderer<'t, 'w> {
    text: &'t str,
    /// Offset of the next byte.
    at: usize,
    events: Peekable<IntoIter<(usize, TextEvent)>>,
    out: &'w mut SectionWriter,
    open: Vec<OpenElement>,
    /// References that an open link cannot have.
    waiting: Vec<UnnumberedNote>,
}

impl<'t, 'w> Renderer<'t, 'w> {
    fn new(text: &'t str, events: Vec<(usize, TextEvent)>, out: &'w mut SectionWriter) -> Self {
        out.begin_piece();
        Self {
            text,
            at: 0,
            events: events.into_iter().peekable(),
            out,
            open: Vec::new(),
            waiting: Vec::new(),
        }
    }

    fn kind(&self) -> ElementKind {
        self.open.last().map_or(ElementKind::Text, |it| it.kind)
    }

    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range.start),
            Event::End(_) => self.end(range.end),
            Event::Code(_) => self.code(range),
            Event::Text(_) | Event::Html(_) | Event::InlineHtml(_) => {
                self.write(range.start, Presentation::Markup);
                self.write(range.end, Presentation::Text);
            }
            Event::SoftBreak | Event::HardBreak => {
                self.write(range.start, Presentation::Markup);
                self.out.inner_tags("<br>");
            }
            Event::Rule => {
                self.write(range.start, Presentation::Markup);
                self.out.tags("<hr>");
            }
            // The options have nothing else.
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, at: usize) {
        if self.kind() != ElementKind::Frame {
            self.write(at, Presentation::Markup);
            if self.open.len() >= MAX_DEPTH {
                let kind = self.kind();
                self.open.push(OpenElement { end: "", kind });
                return;
            }
        }
        let mut begin = String::new();
        let mut kind = ElementKind::Text;
        let end = match tag {
            Tag::Paragraph => push(&mut begin, "<p dir=\"auto\">", "</p>"),
            Tag::Heading { level, .. } => self.heading(*level, &mut begin),
            Tag::BlockQuote(_) => push(&mut begin, "<blockquote>", "</blockquote>"),
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                kind = ElementKind::Code;
                push(&mut begin, "<div class=\"c\" dir=\"auto\">", "</div>")
            }
            Tag::List(first) => {
                kind = ElementKind::Frame;
                match first {
                    None => push(&mut begin, "<ul>", "</ul>"),
                    Some(first) => push(&mut begin, &format!("<ol start=\"{first}\">"), "</ol>"),
                }
            }
            Tag::Item => push(&mut begin, "<li dir=\"auto\">", "</li>"),
            Tag::Table(_) => {
                kind = ElementKind::Frame;
                push(&mut begin, "<table>", "</tbody></table>")
            }
            Tag::TableHead => {
                kind = ElementKind::Frame;
                push(&mut begin, "<thead><tr>", HEAD_END)
            }
            Tag::TableRow => {
                kind = ElementKind::Frame;
                push(&mut begin, "<tr>", "</tr>")
            }
            Tag::TableCell if self.open.last().is_some_and(|row| row.end == HEAD_END) => {
                push(&mut begin, "<th scope=\"col\" dir=\"auto\">", "</th>")
            }
            Tag::TableCell => push(&mut begin, "<td dir=\"auto\">", "</td>"),
            Tag::Emphasis => push(&mut begin, "<em>", "</em>"),
            Tag::Strong => push(&mut begin, "<strong>", "</strong>"),
            Tag::Link { dest_url, .. } if is_safe(dest_url) => {
                kind = ElementKind::Link;
                begin.push_str("<a class=\"l\" rel=\"noreferrer nofollow\" href=\"");
                escape::plain(&mut begin, dest_url);
                push(&mut begin, "\">", "</a>")
            }
            Tag::Image { .. } => push(&mut begin, "<span class=\"im\">", "</span>"),
            // A link that leads nowhere is its text, and the options have nothing else.
            _ => "",
        };
        if self.is_in_link() {
            kind = ElementKind::Link;
        }
        self.out.tags(&begin);
        self.open.push(OpenElement { end, kind });
    }

    fn heading(&mut self, level: HeadingLevel, begin: &mut String) -> &'static str {
        const ENDS: [&str; 4] = ["</h3>", "</h4>", "</h5>", "</h6>"];
        let element = self.out.heading_level(level as usize);
        begin.push_str(&format!(
            "<h{element} class=\"h{}\" dir=\"auto\">",
            level as usize
        ));
        ENDS[element - 3]
    }

    fn end(&mut self, at: usize) {
        if self.kind() != ElementKind::Frame {
            self.write(at, Presentation::Markup);
        }
        if let Some(element) = self.open.pop() {
            self.out.tags(element.end);
        }
        if !self.is_in_link() {
            self.write_waiting();
        }
    }

    /// Writes a code span.
    fn code(&mut self, range: Range<usize>) {
        self.write(range.start, Presentation::Markup);
        let span = &self.text[range.clone()];
        let ticks = span.len() - span.trim_start_matches('`').len();
        self.out.tags("<code>");
        self.write(range.start + ticks, Presentation::Markup);
        self.write(range.end - ticks, Presentation::Text);
        self.write(range.end, Presentation::Markup);
        self.out.tags("</code>");
    }

    /// Writes a block as it is.
    fn verbatim(&mut self, range: Range<usize>) {
        self.write(range.start, Presentation::Markup);
        self.out.tags("<div class=\"c\" dir=\"auto\">");
        self.write(range.end, Presentation::Text);
        self.out.tags("</div>");
    }

    fn finish(mut self) {
        self.write(self.text.len(), Presentation::Markup);
        // No event has an offset after the end.
        while let Some((_, event)) = self.events.next() {
            self.pass(event);
        }
        self.write_waiting();
        self.out.end_piece();
    }

    /// Writes the text up to `end`, with the events in it.
    fn write(&mut self, end: usize, presentation: Presentation) {
        while self.at < end {
            self.pass_events();
            let next = self.events.peek().map_or(end, |(next, _)| (*next).min(end));
            let range = self.at..next;
            let is_code = self.kind() == ElementKind::Code;
            if presentation == Presentation::Markup
                && !is_code
                && self.text[range.clone()].trim().is_empty()
            {
                self.out.white_space(self.text, range);
            } else {
                self.out.text(self.text, range, presentation);
            }
            self.at = next;
        }
        self.pass_events();
    }

    fn pass_events(&mut self) {
        while let Some((_, event)) = self.events.next_if(|(at, _)| *at <= self.at) {
            self.pass(event);
        }
    }

    fn pass(&mut self, event: TextEvent) {
        match event {
            TextEvent::Open(mark) => self.out.open_mark(mark),
            TextEvent::Close(number) => self.out.close_mark(number),
            TextEvent::Note(note) if self.is_in_link() => self.waiting.push(note),
            TextEvent::Note(note) => self.out.reference(&note),
        }
    }

    fn is_in_link(&self) -> bool {
        self.kind() == ElementKind::Link
    }

    fn write_waiting(&mut self) {
        for note in std::mem::take(&mut self.waiting) {
            self.out.reference(&note);
        }
    }
}

fn push(html: &mut String, begin: &str, end: &'static str) -> &'static str {
    html.push_str(begin);
    end
}

/// Returns `true` if a link may lead there.
fn is_safe(url: &str) -> bool {
    let scheme = url
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "mailto"))
}
