//! Grounding metadata in the manner of Gemini.

use std::collections::HashMap;

use super::{Commas, Link, linked};
use crate::citation::cited::Cited;
use crate::citation::unit::Unit;
use provstream::json::JsonString;
use provstream::provenance::Annotation;

/// Assertions as a `groundingMetadata` object in the manner of Gemini: a grounding support for each assertion of which an
/// annotation has a link, and a grounding chunk for each different link.
///
/// `startIndex` and `endIndex` count bytes of UTF-8 within the part with the number `part`, the end not included; the text
/// in which the assertions are cited must be that part's.
///
/// ```
/// use provstream::Span;
/// use provstream_providers::citation::{CleanText, Link, write_gemini_grounding};
/// use provstream::provenance::{Annotation, Class};
///
/// let text = CleanText::new("🎉 It runs.");
/// let cited = text.cite(Span::new(5, 13), [Annotation::new(Class::GREP, "substrate.grep")]);
/// let json = write_gemini_grounding(&cited, 0, |annotation| {
///     Some(Link::new("https://example.org/", annotation.class().as_str()))
/// });
/// assert_eq!(
///     json,
///     "{\"groundingChunks\":[{\"web\":{\"uri\":\"https://example.org/\",\"title\":\"substrate.grep\"}}],\
///       \"groundingSupports\":[{\"segment\":{\"partIndex\":0,\"startIndex\":5,\"endIndex\":13,\"text\":\"It runs.\"},\
///       \"groundingChunkIndices\":[0]}]}"
/// );
/// ```
#[must_use]
pub fn write_gemini_grounding<'c, 'a: 'c>(
    cited: impl IntoIterator<Item = &'c Cited<'a>>,
    part: u64,
    link: impl FnMut(&Annotation<'a>) -> Option<Link>,
) -> String {
    let (mut chunks, mut supports) = (Vec::new(), Vec::new());
    let mut numbers: HashMap<Link, usize> = HashMap::new();
    for (cited, links) in linked(cited, link) {
        let mut indices = Vec::new();
        for link in links {
            let next = chunks.len();
            let number = *numbers
                .entry(link)
                .or_insert_with_key(|Link { url, title }| {
                    chunks.push(format!(
                        "{{\"web\":{{\"uri\":{},\"title\":{}}}}}",
                        JsonString(url),
                        JsonString(title)
                    ));
                    next
                });
            if !indices.contains(&number) {
                indices.push(number);
            }
        }
        if !indices.is_empty() {
            let place = cited.place(Unit::Utf8Bytes);
            supports.push(format!(
                "{{\"segment\":{{\"partIndex\":{part},\"startIndex\":{},\"endIndex\":{},\"text\":{}}},\
                 \"groundingChunkIndices\":[{}]}}",
                place.start(),
                place.end(),
                JsonString(cited.text()),
                Commas(&indices)
            ));
        }
    }
    format!(
        "{{\"groundingChunks\":[{}],\"groundingSupports\":[{}]}}",
        Commas(&chunks),
        Commas(&supports)
    )
}
