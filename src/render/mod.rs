//! Markers of citations written anew, such as links to their sources.

mod escape;
mod template;

use core::fmt::Write as _;
use std::sync::Arc;

pub use self::template::{Markup, Template, TemplateError};

use self::template::TemplatePiece;
use crate::handler::Replacement;
use crate::marker::{Marker, MarkerKind};
use crate::names::names;
use crate::sources::{Source, Sources};

/// Most markers around their assertion that may be open at once; of more, the oldest is forgotten.
const MOST_OPEN: usize = 8;

/// Treatment of an identifier that the list of sources does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Unlisted {
    /// Nothing.
    #[default]
    Strip,
    /// Keeps the marker, with its end tag if it is around its assertion, if none of its identifiers is listed. Otherwise writes
    /// the identifier in brackets.
    Keep,
    /// `[?]`.
    Mark,
}

names! {
    Unlisted, "treatment of identifiers that are not listed", "The name, such as `strip`.",
    Strip => "strip",
    Keep => "keep",
    Mark => "mark",
}

/// Writes something else in the place of each marker of a text, such as a link to its source.
///
/// The sources are numbered in the order in which the text cites them. What comes from their list is escaped, and only addresses
/// with `http`, `https` and `mailto` become links.
///
/// ```
/// use std::sync::Arc;
///
/// use provstream::render::{Markup, MarkerRenderer, Template};
/// use provstream::{
///     Dialects, Handler, Marker, Parser, Replacement, Rewriter, Source, Sources, TextChunk,
/// };
///
/// #[derive(Debug)]
/// struct Guide;
///
/// impl Sources for Guide {
///     fn find(&self, id: &str) -> Option<Source<'_>> {
///         (id == "7").then(|| {
///             let mut source = Source::new("7");
///             source.url = Some("https://example.org/guide (1)");
///             source
///         })
///     }
///
///     fn is_complete(&self) -> bool {
///         true
///     }
/// }
///
/// struct Links {
///     renderer: MarkerRenderer,
///     text: Vec<u8>,
/// }
///
/// impl Handler for Links {
///     fn text(&mut self, text: TextChunk<'_>) {
///         self.text.extend_from_slice(text.bytes());
///     }
///
///     fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
///         self.renderer.render(marker)
///     }
/// }
///
/// let template = Template::new("[{n}]({url})", Markup::Markdown)?;
/// let renderer = MarkerRenderer::new(template, Arc::new(Guide));
/// let mut links = Links { renderer, text: Vec::new() };
/// let dialects = Dialects::built_in(["numeric"])?;
/// let mut rewriter = Rewriter::new(Parser::with_dialects(dialects));
/// rewriter.push("It rains [7]. So it is [8].".as_bytes(), &mut links);
/// rewriter.finish(&mut links);
/// assert_eq!(links.text, b"It rains [1](https://example.org/guide%20%281%29). So it is.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MarkerRenderer {
    template: Template,
    unlisted: Unlisted,
    sources: Arc<dyn Sources>,
    /// Identifiers of the sources that were cited, by their numbers.
    cited: Vec<Box<str>>,
    /// Markers around their assertion that are open.
    open: Vec<OpenedMarker>,
    /// Stream offset after the last marker in whose place something was written.
    written_to: Option<u64>,
}

/// Marker around its assertion, whose identifiers are written at its end.
#[derive(Clone, Debug)]
struct OpenedMarker {
    dialect: Box<str>,
    name: Box<[u8]>,
    ids: Vec<Box<str>>,
    /// The marker is kept, and so is its end tag.
    is_kept: bool,
}

impl MarkerRenderer {
    /// Creates a renderer for one text.
    #[must_use]
    pub fn new(template: Template, sources: Arc<dyn Sources>) -> Self {
        Self {
            template,
            unlisted: Unlisted::Strip,
            sources,
            cited: Vec::new(),
            open: Vec::new(),
            written_to: None,
        }
    }

    /// Sets what is written for an identifier that the list does not have; by default nothing.
    #[must_use]
    pub const fn with_unlisted(mut self, unlisted: Unlisted) -> Self {
        self.unlisted = unlisted;
        self
    }

    /// Returns the list of sources.
    #[must_use]
    pub const fn sources(&self) -> &Arc<dyn Sources> {
        &self.sources
    }

    /// Replaces the list of sources, such as by an earlier [version](Sources::as_of) of it.
    pub fn set_sources(&mut self, sources: Arc<dyn Sources>) {
        self.sources = sources;
    }

    /// Returns what is written in the place of a marker: the template for each of its identifiers. A marker around its
    /// assertion is written where the assertion ends. After a `!`, a Markdown template that begins with `[` is set apart by a blank,
    /// since it would be an image.
    pub fn render(&mut self, marker: &Marker<'_>) -> Replacement {
        let mut written = self.written(marker);
        let (span, is_markdown) = (marker.span(), self.template.markup == Markup::Markdown);
        let is_after_text = marker.follows_exclamation() && self.written_to != Some(span.start());
        if let Replacement::Text(text) = &mut written
            && is_markdown
            && is_after_text
            && text.starts_with(b"[")
        {
            written = Replacement::from([b" ", &text[..]].concat());
        }
        if written != Replacement::Remove {
            self.written_to = Some(span.end());
        }
        written
    }

    fn written(&mut self, marker: &Marker<'_>) -> Replacement {
        let ids: Vec<&str> = marker.ids().collect();
        match marker.kind() {
            MarkerKind::After if self.keeps(&ids) => Replacement::Keep,
            MarkerKind::After => self.write(&ids),
            MarkerKind::Opening => {
                if self.open.len() == MOST_OPEN {
                    self.open.remove(0);
                }
                let is_kept = self.keeps(&ids);
                self.open.push(OpenedMarker {
                    dialect: marker.dialect().into(),
                    name: name(marker.raw()).into(),
                    ids: ids.into_iter().map(Into::into).collect(),
                    is_kept,
                });
                match is_kept {
                    true => Replacement::Keep,
                    false => Replacement::Remove,
                }
            }
            MarkerKind::End => {
                let (dialect, name) = (marker.dialect(), name(marker.raw()));
                let is_open =
                    |open: &OpenedMarker| *open.dialect == *dialect && *open.name == *name;
                match self.open.iter().rposition(is_open) {
                    Some(index) => {
                        let open = self.open.remove(index);
                        match open.is_kept {
                            true => Replacement::Keep,
                            false => self.write_open(&open),
                        }
                    }
                    None => Replacement::Remove,
                }
            }
        }
    }

    /// Returns what is written at the end of a text in the place of end tags that are missing.
    pub fn render_unclosed(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(open) = self.open.pop() {
            if !open.is_kept
                && let Replacement::Text(text) = self.write_open(&open)
            {
                // The text before it is not known, and may end with `!`.
                if out.is_empty()
                    && self.template.markup == Markup::Markdown
                    && text.starts_with(b"[")
                {
                    out.push(b' ');
                }
                out.extend_from_slice(&text);
            }
        }
        out
    }

    /// Writes a template for each source that was cited, one a line: footnotes for the end of a text. If the template has `{url}`
    /// and the source no address with `http`, `https` or `mailto`, its number in brackets and its title are written instead.
    /// Sources that the list no longer has are left out.
    #[must_use]
    pub fn notes(&self, template: &Template) -> String {
        let mut out = String::new();
        for (index, id) in self.cited.iter().enumerate() {
            let Some(source) = self.sources.find(id) else {
                continue;
            };
            let line = template.fill(index + 1, &source).unwrap_or_else(|| {
                let mut line = String::new();
                template.bracket(&mut line, &(index + 1).to_string());
                line.push(' ');
                template.text(&mut line, source.title.unwrap_or(source.id));
                line
            });
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Forgets what was cited, for the next text.
    pub fn reset(&mut self) {
        self.cited.clear();
        self.open.clear();
        self.written_to = None;
    }

    /// Returns `true` if a marker stays as it is.
    fn keeps(&self, ids: &[&str]) -> bool {
        let is_listed = |id: &&str| self.sources.find(id).is_some();
        self.unlisted == Unlisted::Keep && !ids.is_empty() && !ids.iter().any(is_listed)
    }

    fn write_open(&mut self, open: &OpenedMarker) -> Replacement {
        let ids: Vec<&str> = open.ids.iter().map(|id| &**id).collect();
        self.write(&ids)
    }

    fn write(&mut self, ids: &[&str]) -> Replacement {
        let sources = Arc::clone(&self.sources);
        if ids.is_empty() {
            return Replacement::Remove;
        }
        let mut out = String::new();
        for (index, id) in ids.iter().enumerate() {
            if ids[..index].contains(id) {
                continue;
            }
            match (sources.find(id), self.unlisted) {
                (Some(source), _) => {
                    let number = self.number(id);
                    match self.template.fill(number, &source) {
                        Some(text) => out.push_str(&text),
                        None => self.template.bracket(&mut out, &number.to_string()),
                    }
                }
                (None, Unlisted::Strip) => {}
                (None, Unlisted::Keep) => self.template.bracket(&mut out, id),
                (None, Unlisted::Mark) => self.template.bracket(&mut out, "?"),
            }
        }
        match out.is_empty() {
            true => Replacement::Remove,
            false => Replacement::from(out),
        }
    }

    /// Returns the number of a source; a new source gets the next one.
    fn number(&mut self, id: &str) -> usize {
        match self.cited.iter().position(|cited| **cited == *id) {
            Some(index) => index + 1,
            None => {
                self.cited.push(id.into());
                self.cited.len()
            }
        }
    }
}

/// Name of a tag.
fn name(tag: &[u8]) -> &[u8] {
    let start = tag
        .iter()
        .position(|byte| !matches!(byte, b'<' | b'/'))
        .unwrap_or(tag.len());
    let rest = &tag[start..];
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
    &rest[..end.unwrap_or(rest.len())]
}

impl Template {
    /// Fills in the values of a source; `None` if the template needs an address and the source has none that is a link.
    fn fill(&self, number: usize, source: &Source<'_>) -> Option<String> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                TemplatePiece::Literal(text) => out.push_str(text),
                TemplatePiece::Number => {
                    let _ = write!(out, "{number}");
                }
                TemplatePiece::Id => self.text(&mut out, source.id),
                TemplatePiece::Title => self.text(&mut out, source.title.unwrap_or(source.id)),
                TemplatePiece::Url => {
                    let link = source.url.and_then(escape::link)?;
                    escape::address(&mut out, &link, self.markup);
                }
            }
        }
        if self.may_end_a_link() && out.contains([':', '/']) {
            out.insert(0, '\\');
        }
        Some(out)
    }

    /// Returns `true` if a title or an identifier is the destination of a link where the text before the marker ends with a
    /// bracket, such as that of a marker that was kept.
    fn may_end_a_link(&self) -> bool {
        let is_open = matches!(self.pieces.first(), Some(TemplatePiece::Literal(text)) if text.starts_with('('));
        let is_text = matches!(
            self.pieces.get(1),
            Some(TemplatePiece::Id | TemplatePiece::Title)
        );
        self.markup == Markup::Markdown && is_open && is_text
    }

    /// Writes text that is not the template's own.
    fn text(&self, out: &mut String, text: &str) {
        match self.markup {
            Markup::Markdown => escape::markdown(out, text),
            Markup::Html => escape::html(out, text),
        }
    }

    /// Writes text in brackets that are no link.
    fn bracket(&self, out: &mut String, text: &str) {
        self.text(out, &format!("[{text}]"));
    }
}
