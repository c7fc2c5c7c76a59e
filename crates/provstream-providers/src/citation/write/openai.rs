//! Annotations in the manner of OpenAI.

use super::{Commas, Link, linked};
use crate::citation::cited::Cited;
use crate::citation::unit::Unit;
use provstream::json::JsonString;
use provstream::provenance::Annotation;

/// In which of OpenAI's two interfaces an annotation is to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OpenAiShape {
    /// Chat completions: the members are in a member `url_citation`.
    Chat,
    /// Responses: the members are in the annotation itself.
    Responses,
}

/// Assertions as an `annotations` array in the manner of OpenAI: a `url_citation` for each annotation that has a link.
///
/// `start_index` and `end_index` count code points of the text that is shown, the end not included.
///
/// ```
/// use provstream::Span;
/// use provstream_providers::citation::{CleanText, Link, OpenAiShape, write_openai_annotations};
/// use provstream::provenance::{Annotation, Class};
///
/// let text = CleanText::new("🎉 It runs.");
/// let grep = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("7");
/// let cited = text.cite(Span::new(5, 13), [grep]);
/// let json = write_openai_annotations(&cited, OpenAiShape::Responses, |annotation| {
///     let id = annotation.observation_id()?;
///     Some(Link::new(format!("https://example.org/{id}"), annotation.class().as_str()))
/// });
/// assert_eq!(
///     json,
///     "[{\"type\":\"url_citation\",\"start_index\":2,\"end_index\":10,\
///       \"url\":\"https://example.org/7\",\"title\":\"substrate.grep\"}]"
/// );
/// ```
#[must_use]
pub fn write_openai_annotations<'c, 'a: 'c>(
    cited: impl IntoIterator<Item = &'c Cited<'a>>,
    shape: OpenAiShape,
    link: impl FnMut(&Annotation<'a>) -> Option<Link>,
) -> String {
    let mut written = Vec::new();
    for (cited, links) in linked(cited, link) {
        let place = cited.place(Unit::CodePoints);
        for Link { url, title } in links {
            let members = format!(
                "\"start_index\":{},\"end_index\":{},\"url\":{},\"title\":{}",
                place.start(),
                place.end(),
                JsonString(&url),
                JsonString(&title)
            );
            written.push(match shape {
                OpenAiShape::Chat => {
                    format!("{{\"type\":\"url_citation\",\"url_citation\":{{{members}}}}}")
                }
                OpenAiShape::Responses => format!("{{\"type\":\"url_citation\",{members}}}"),
            });
        }
    }
    format!("[{}]", Commas(&written))
}
