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
/// address with `http`, `https` or `mailto`.
///
/// ```
/// use provstream::render::{Markup, Template};
///
/// assert!(Template::new("[{n}]({url})", Markup::Markdown).is_ok());
/// assert!(Template::new("<a href=\"{url}\">{title}</a>", Markup::Html).is_ok());
/// assert!(Template::new("<a href={url}>{title}</a>", Markup::Html).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(super) pieces: Vec<Piece>,
    pub(super) markup: Markup,
}

/// Part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
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
    /// be safe: in a tag without quotes around it, in a tag of Markdown, or in code of Markdown.
    pub fn new(text: &str, markup: Markup) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut place = Place::default();
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
                    let piece = Piece::from_str(name)?;
                    place.check(name, markup)?;
                    if !literal.is_empty() {
                        pieces.push(Piece::Literal(core::mem::take(&mut literal).into()));
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
        if pieces.is_empty() {
            return Err(TemplateError(format!(
                "expected a template with {{n}}, {{id}}, {{title}} or {{url}}, found `{text}`"
            )));
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal.into()));
        }
        Ok(Self { pieces, markup })
    }
}

impl core::str::FromStr for Piece {
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
struct Place {
    is_in_tag: bool,
    quote: Option<char>,
    is_in_code: bool,
}

impl Place {
    fn pass(&mut self, found: char) {
        match (found, self.quote) {
            ('<', _) if !self.is_in_tag => self.is_in_tag = true,
            ('"' | '\'', None) if self.is_in_tag => self.quote = Some(found),
            (_, Some(quote)) if found == quote => self.quote = None,
            ('>', None) => self.is_in_tag = false,
            ('`', _) => self.is_in_code = !self.is_in_code,
            _ => {}
        }
    }

    /// Checks that a value is safe here.
    fn check(&self, name: &str, markup: Markup) -> Result<(), TemplateError> {
        let message = match markup {
            Markup::Html if self.is_in_tag && self.quote.is_none() => {
                format!("expected quotes around {{{name}}} in a tag")
            }
            Markup::Markdown if self.is_in_tag => {
                format!(
                    "expected {{{name}}} outside of tags in Markdown; the markup `html` has tags"
                )
            }
            Markup::Markdown if self.is_in_code => {
                format!("expected {{{name}}} outside of code")
            }
            _ => return Ok(()),
        };
        Err(TemplateError(message))
    }
}
