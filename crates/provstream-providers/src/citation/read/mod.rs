//! Reading the citations in the events of providers.

mod anthropic;
mod cohere;
mod gemini;
mod openai;

use super::error::{CitationError, CitationErrorKind, MAX_EVENT};
use super::model::{Citation, Provider};
use super::node::Node;

/// The citations in one event of a provider's stream, in their order; each that is not as its form must be, as an error in
/// its place.
///
/// `event` is the JSON of the event: the data of a server-sent event. Whole responses, as they come without streaming, are
/// read as well. Events that are repeated in a stream to sum it up (`response.completed` and the like) are not, so that each
/// citation comes once.
///
/// | provider | event | where |
/// |---|---|---|
/// | Anthropic | `content_block_delta` | `/delta/citation`, where the delta's type is `citations_delta` |
/// | | `content_block_start` | `/content_block/citations` |
/// | | whole response | `/content/…/citations` |
/// | OpenAI | chat chunk, whole response | `/choices/…/delta/annotations`, `/choices/…/message/annotations` |
/// | | `response.output_text.annotation.added` | `/annotation` |
/// | | whole response (`object` is `response`) | `/output/…/content/…/annotations` |
/// | Gemini | any | `/candidates/…/groundingMetadata/groundingSupports`, `…/citationMetadata/citationSources`, on Vertex AI `citations` |
/// | Cohere | `citation-start` | `/delta/message/citations` |
/// | | whole response | `/message/citations` |
///
/// An object of an unknown form, an empty event and `[DONE]` give nothing. Any other event that is not JSON, nests deeper
/// than 127 levels or is longer than [`MAX_EVENT`] gives one error, with an empty pointer.
///
/// Unknown members and citations of an unknown type are ignored. Null counts as a missing member, and of a repeated member the
/// last one counts. Nothing is kept between events. The memory of the result is proportional to the event.
#[must_use]
pub fn read(provider: Provider, event: &[u8]) -> Vec<Result<Citation, CitationError>> {
    let error = |kind| vec![Err(CitationError::new(kind, ""))];
    if event.len() > MAX_EVENT {
        return error(CitationErrorKind::TooLong);
    }
    if matches!(event.trim_ascii(), b"" | b"[DONE]") {
        return Vec::new();
    }
    let value = serde_json::from_slice(event);
    let value = value.or_else(|error| {
        // A text that is cut within a character has one half in this event.
        serde_json::from_slice(&without_lone_surrogates(event)).map_err(|_| error)
    });
    let value = match value {
        Ok(value) => value,
        Err(found) => {
            return error(CitationErrorKind::Syntax {
                line: found.line(),
                column: found.column(),
            });
        }
    };
    let mut found = ReadCitations::default();
    let root = Node::root(&value);
    match provider {
        Provider::Anthropic => anthropic::read(&root, &mut found),
        Provider::OpenAi => openai::read(&root, &mut found),
        Provider::Gemini => gemini::read(&root, &mut found),
        Provider::Cohere => cohere::read(&root, &mut found),
    }
    found.0
}

/// Replaces escapes of surrogates without their other half, as the text of a delta may have at its ends, by that of U+FFFD.
fn without_lone_surrogates(json: &[u8]) -> Vec<u8> {
    let unit = |at: usize| {
        let escape = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(escape).ok()?, 16).ok()
    };
    let mut found = json.to_vec();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', json.get(at..).unwrap_or_default()) {
        at += next;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                found[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            _ => 2,
        };
    }
    found
}

/// A citation, none if it is of no known form.
type CitationResult = Result<Option<Citation>, CitationError>;

/// Citations and errors found so far.
#[derive(Default)]
struct ReadCitations(Vec<Result<Citation, CitationError>>);

impl ReadCitations {
    fn push(&mut self, reading: CitationResult) {
        self.0.extend(reading.transpose());
    }

    /// Reads the elements of a member.
    fn each(
        &mut self,
        parent: &Node<'_>,
        name: &str,
        mut read: impl FnMut(u64, &Node<'_>) -> CitationResult,
    ) {
        match parent.list(name) {
            Ok(list) => list.for_each(|(index, node)| self.push(read(index, &node))),
            Err(error) => self.push(Err(error)),
        }
    }
}
