//! W3C Web Annotations.

use super::Commas;
use crate::citation::cited::Cited;
use crate::citation::unit::Unit;
use provstream::json::JsonString;
use provstream::provenance::Annotation;

/// IRI prefix of the members that the W3C vocabulary does not have: their description in this crate's documentation.
pub const TERMS: &str =
    "https://docs.rs/provstream-providers/latest/provstream_providers/citation/index.html#";

/// The members of a body that are no words of the W3C.
const NAMES: [&str; 5] = [
    "substrate_class",
    "declared",
    "reason",
    "observation_id",
    "ts",
];

/// An assertion with all its annotations as a W3C Web Annotation, in JSON-LD.
///
/// `id` is the IRI of the Web Annotation that is written, `source` that of the text which is shown; neither is checked.
/// There is one body for each annotation, with the members that the [module](crate::citation#members-of-a-body) names,
/// and the motivation is `classifying`. The target is selected twice: by a text quote selector and by a text position selector, which counts code
/// points from the start of the text, the end not included.
///
/// Source: W3C Web Annotation Data Model, 3.1 (annotations), 3.2.4 (embedded textual body), 3.3.5 (motivation), 4.2.4 (text
/// quote selector), 4.2.5 (text position selector).
///
/// ```
/// use provstream::Span;
/// use provstream_providers::citation::{CleanText, write_web_annotation};
/// use provstream::provenance::{Annotation, Class};
///
/// let text = CleanText::new("🎉 It runs. Good.");
/// let grep = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("src/a.rs:7");
/// let json = text
///     .cite(Span::new(5, 13), [grep])
///     .map(|cited| write_web_annotation(&cited, "urn:example:a", "urn:example:answer"))
///     .unwrap_or_default();
/// assert!(json.ends_with(
///     "\"id\":\"urn:example:a\",\"type\":\"Annotation\",\"motivation\":\"classifying\",\
///      \"body\":[{\"type\":\"TextualBody\",\"value\":\"substrate.grep\",\"format\":\"text/plain\",\
///      \"purpose\":\"classifying\",\"substrate_class\":\"substrate.grep\",\"observation_id\":\"src/a.rs:7\"}],\
///      \"target\":{\"source\":\"urn:example:answer\",\"selector\":[\
///      {\"type\":\"TextQuoteSelector\",\"exact\":\"It runs.\",\"prefix\":\"🎉 \",\"suffix\":\" Good.\"},\
///      {\"type\":\"TextPositionSelector\",\"start\":2,\"end\":10}]}}"
/// ));
/// ```
#[must_use]
pub fn write_web_annotation(cited: &Cited<'_>, id: &str, source: &str) -> String {
    let terms = NAMES.map(|name| format!("\"{name}\":\"{TERMS}{name}\""));
    let bodies: Vec<_> = cited.annotations().iter().map(body).collect();
    let bodies = match bodies.as_slice() {
        [] => String::new(),
        bodies => format!("\"body\":[{}],", Commas(bodies)),
    };
    let around = cited.around().map(|(before, behind)| {
        let (before, behind) = (JsonString(before), JsonString(behind));
        format!(",\"prefix\":{before},\"suffix\":{behind}")
    });
    let place = cited.place(Unit::CodePoints);
    format!(
        "{{\"@context\":[\"http://www.w3.org/ns/anno.jsonld\",{{{}}}],\"id\":{},\"type\":\"Annotation\",\
         \"motivation\":\"classifying\",{}\"target\":{{\"source\":{},\"selector\":[\
         {{\"type\":\"TextQuoteSelector\",\"exact\":{}{}}},\
         {{\"type\":\"TextPositionSelector\",\"start\":{},\"end\":{}}}]}}}}",
        Commas(&terms),
        JsonString(id),
        bodies,
        JsonString(source),
        JsonString(cited.text()),
        around.unwrap_or_default(),
        place.start(),
        place.end()
    )
}

fn body(annotation: &Annotation<'_>) -> String {
    let class = annotation.class().as_str();
    let values = [
        Some(class),
        Some(annotation.declared()).filter(|&declared| declared != class),
        annotation.reason().map(|reason| reason.as_str()),
        annotation.observation_id(),
        annotation.ts(),
    ];
    let own: Vec<_> = NAMES
        .into_iter()
        .zip(values)
        .filter_map(|(name, value)| Some(format!("\"{name}\":{}", JsonString(value?))))
        .collect();
    format!(
        "{{\"type\":\"TextualBody\",\"value\":{},\"format\":\"text/plain\",\"purpose\":\"classifying\",{}}}",
        JsonString(class),
        Commas(&own)
    )
}
