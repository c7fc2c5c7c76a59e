//! provstream beside parsers of JSON.

mod readers;

pub(crate) use readers::{JSON_PEERS, JsonPeer, OWN};

use crate::beside::Compared;
use crate::document::{Document, Layout};
use crate::rounds::{Work, interleaved};
use crate::rows::Row;

/// All documents.
#[must_use]
pub(crate) fn documents() -> [Document; 3] {
    [Layout::Compact, Layout::Pretty, Layout::Lines].map(Document::new)
}

/// A document as text: all of it is ASCII.
#[must_use]
pub(crate) fn text(document: &Document) -> &str {
    std::str::from_utf8(&document.bytes).expect("ASCII")
}

/// provstream, and those that read chunks of this size: what needs the whole is only there beside the largest chunks.
pub(crate) fn peers(size: usize) -> impl Iterator<Item = &'static JsonPeer> {
    std::iter::once(&OWN)
        .chain(&JSON_PEERS)
        .filter(move |peer| !peer.whole || size == 1 << 16)
}

/// A parser reading a document, which is known to find what is in it.
fn work<'a>(peer: &JsonPeer, document: &'a Document, size: usize) -> Work<'a> {
    let size = peer.chunk(document, size);
    let (mut parser, text) = ((peer.make)(document), text(document));
    let found = parser.read(text, size);
    assert_eq!(
        found,
        (peer.expected)(document),
        "{}, {}, {size}",
        peer.name,
        document.layout
    );
    Work::new(text.len(), move || parser.read(text, size))
}

/// provstream and its peers in chunks of `size` bytes, provstream first.
#[must_use]
pub(crate) fn compare(document: &Document, size: usize, rounds: usize) -> Vec<Compared> {
    let mut works: Vec<Work<'_>> = peers(size).map(|peer| work(peer, document, size)).collect();
    let times = interleaved(rounds, &mut works);
    let own = times[0].clone();
    let compared = peers(size).zip(times).map(|(peer, times)| Compared {
        name: peer.name,
        streams: !peer.whole,
        shorter: None,
        ratio: own.times_as_fast_as(&times)[1],
        times,
    });
    compared.collect()
}

/// The rows of the project's targets that are about JSON.
#[must_use]
pub(crate) fn rows(rounds: usize) -> Vec<Row> {
    let document = Document::new(Layout::Compact);
    let targets = [
        (5, "jiter", 1 << 16, 0.95),
        (5, "serde_json", 1 << 16, 0.8),
        (6, "actson", 4, 2.4),
        (6, "actson", 64, 3.0),
    ];
    targets
        .into_iter()
        .filter_map(|(number, name, size, target)| {
            let peer = JSON_PEERS.iter().find(|peer| peer.name == name)?;
            let what = format!(
                "asserted objects in JSON, {size}-byte chunks: {name}, {}",
                if peer.whole {
                    "skipping the whole at once"
                } else {
                    "the same chunks"
                }
            );
            let beside = work(peer, &document, size);
            let own = work(&OWN, &document, size);
            Some(Row::measure((number, what, target), rounds, beside, own))
        })
        .collect()
}
