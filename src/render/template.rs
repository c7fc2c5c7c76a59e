//! Templates with values of a source.

use core::error::Error;
use core::fmt;
use core::str::FromStr as _;

use crate::names::names;

/// Languages in which a template is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Markup {
    /// Markdown, as in `CommonMark`.
    #[default]
    Markdown,
    /// HTML.
    Html,
}

names! {
    Markup, "markup", "The name, such as `markdown`.",
    Markdown => "markdown",
    Html => "html",
}

/// Template of what is written for a source: text with `{n}` (its number), `{id}`, `{title}` (or else the identifier) and `{url}`.
///
/// `{{` and `}}` are braces. In the place of a template with `{url}`, the number is written in brackets if the source has no
/// address with `http`, `https` or `mailto`. Identifiers and titles are text, and never addresses.
///
/// ```
/// use provstream::render::{Markup, Template};
///
/// assert!(Template::new("[{n}]({url})", Markup::Markdown).is_ok());
/// assert!(Template::new("<a href=\"{url}\">{title}</a>", Markup::Html).is_ok());
/// assert!(Template::new("<a href={url}>{title}</a>", Markup::Html).is_err());
/// assert!(Template::new("[{n}]({title})", Markup::Markdown).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(super) pieces: Vec<TemplatePiece>,
    pub(super) markup: Markup,
}

/// Part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TemplatePiece {
    Literal(Box<str>),
    Number,
    Id,
    Title,
    Url,
}

/// Error in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError(String);

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for TemplateError {}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    ///
    /// The template has a brace without its counterpart, an unknown value, or no value; or a value is in a place where it would not
    /// be safe: in a tag without quotes around it, in a tag or in code of Markdown, or an identifier or a title where an
    /// address, a script or a style may be (HTML), or in the destination of a link (Markdown). Or one of Markdown begins with `[` and ends
    /// with `!`, so that two of them would be an image.
    pub fn new(text: &str, markup: Markup) -> Result<Self, TemplateError> {
        let has = |tag: &str| text.to_ascii_lowercase().contains(tag);
        if markup == Markup::Html && (has("<script") || has("<style")) {
            let message = "expected a template without scripts and styles";
            return Err(TemplateError(message.to_owned()));
        }
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut place = TemplatePlace::default();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let after = &rest[first.len_utf8()..];
            match first {
                '{' | '}' if after.starts_with(first) => {
                    literal.push(first);
                    rest = &after[1..];
                }
                '{' => {
                    let Some((name, later)) = after.split_once('}') else {
                        return Err(TemplateError("expected `}` after `{`".to_owned()));
                    };
                    let piece = TemplatePiece::from_str(name)?;
                    place.check(&piece, name, markup)?;
                    place.pass_value(&piece);
                    if !literal.is_empty() {
                        pieces.push(TemplatePiece::Literal(core::mem::take(&mut literal).into()));
                    }
                    pieces.push(piece);
                    rest = later;
                }
                '}' => return Err(TemplateError("expected `{` before `}`".to_owned())),
                _ => {
                    place.pass(first);
                    literal.push(first);
                    rest = after;
                }
            }
        }
        if markup == Markup::Markdown && text.starts_with('[') && text.ends_with('!') {
            let message = "expected a template that ends without `!`: the next one, which begins with `[`, would be an image";
            return Err(TemplateError(message.to_owned()));
        }
        if pieces.is_empty() {
            return Err(TemplateError(format!(
                "expected a template with {{n}}, {{id}}, {{title}} or {{url}}, found `{text}`"
            )));
        }
        if !literal.is_empty() {
            pieces.push(TemplatePiece::Literal(literal.into()));
        }
        Ok(Self { pieces, markup })
    }
}

impl core::str::FromStr for TemplatePiece {
    type Err = TemplateError;

    fn from_str(name: &str) -> Result<Self, TemplateError> {
        Ok(match name {
            "n" => Self::Number,
            "id" => Self::Id,
            "title" => Self::Title,
            "url" => Self::Url,
            _ => {
                return Err(TemplateError(format!(
                    "expected {{n}}, {{id}}, {{title}} or {{url}}, found `{{{name}}}`"
                )));
            }
        })
    }
}

/// Place in a template.
#[derive(Default)]
struct TemplatePlace {
    is_in_tag: bool,
    quote: Option<char>,
    is_in_code: bool,
    /// Name of the attribute in whose value the place is, in lower case.
    attribute: String,
    /// Text of the line before the place, with `0` for each value.
    line: String,
    /// The place is in the destination of a link in Markdown.
    is_in_destination: bool,
}

/// Attributes of HTML that are shown as text, so that any value is safe in them.
const TEXT_ATTRIBUTES: [&str; 4] = ["title", "alt", "aria-label", "aria-description"];

impl TemplatePlace {
    fn pass(&mut self, found: char) {
        match (found, self.quote) {
            ('<', _) if !self.is_in_tag => self.is_in_tag = true,
            ('"' | '\'', None) if self.is_in_tag => {
                self.quote = Some(found);
                let name = self.line.trim_end().strip_suffix('=').unwrap_or_default();
                let ends =
                    |found: char| found.is_whitespace() || matches!(found, '<' | '"' | '\'' | '/');
                let name = name.trim_end().rsplit(ends).next();
                self.attribute = name.unwrap_or_default().to_ascii_lowercase();
            }
            (_, Some(quote)) if found == quote => self.quote = None,
            ('>', None) => self.is_in_tag = false,
            ('`', _) => self.is_in_code = !self.is_in_code,
            ('(', None) if self.line.ends_with(']') => self.is_in_destination = true,
            (')', None) => self.is_in_destination = false,
            _ => {}
        }
        match found {
            // The destination may be on the next line.
            '\n' | '\r' if self.is_defined() => {}
            '\n' | '\r' => self.line.clear(),
            _ => self.line.push(found),
        }
    }

    fn pass_value(&mut self, piece: &TemplatePiece) {
        self.line.push('0');
        // After an address with a scheme, no value changes the scheme.
        self.is_in_destination &= !matches!(piece, TemplatePiece::Url);
    }

    /// Returns `true` if what comes next may be the destination of a link reference definition (`CommonMark` 4.7).
    fn is_defined(&self) -> bool {
        let line = self.line.trim_end();
        line.ends_with("]:") && !line.ends_with("\\]:")
    }

    /// Checks that a value is safe here.
    fn check(
        &self,
        piece: &TemplatePiece,
        name: &str,
        markup: Markup,
    ) -> Result<(), TemplateError> {
        let is_text = matches!(piece, TemplatePiece::Id | TemplatePiece::Title);
        let message = match markup {
            Markup::Html if self.is_in_tag && self.quote.is_none() => {
                format!("expected quotes around {{{name}}} in a tag")
            }
            Markup::Html
                if self.is_in_tag
                    && is_text
                    && !TEXT_ATTRIBUTES.contains(&self.attribute.as_str())
                    && !self.attribute.starts_with("data-") =>
            {
                format!(
                    "expected {{{name}}} in text or in an attribute such as `title`, found `{}`",
                    self.attribute
                )
            }
            Markup::Markdown if self.is_in_tag => {
                format!(
                    "expected {{{name}}} outside of tags in Markdown; the markup `html` has tags"
                )
            }
            Markup::Markdown if self.is_in_code => {
                format!("expected {{{name}}} outside of code")
            }
            Markup::Markdown if is_text && self.is_in_destination => {
                format!("expected {{url}} as the destination of a link, found {{{name}}}")
            }
            Markup::Markdown if is_text && self.is_defined() => {
                format!(
                    "expected {{url}} as the destination of a link, found {{{name}}} after `]:`; `\\[{{n}}\\]:` is text"
                )
            }
            _ => return Ok(()),
        };
        Err(TemplateError(message))
    }
}
