//! Grounding and citation metadata of Gemini.

use std::sync::Arc;

use super::{CitationResult, ReadCitations};
use crate::citation::error::CitationError;
use crate::citation::model::{Citation, Extent, Part, Provider};
use crate::citation::node::Node;
use crate::citation::source::{CitedSource, SourceKind};
use crate::citation::unit::Unit;

pub(super) fn read(root: &Node<'_>, found: &mut ReadCitations) {
    for (position, candidate) in root.elements("candidates") {
        let index = match candidate.count("index") {
            Ok(index) => index.unwrap_or(position),
            Err(error) => {
                found.push(Err(error));
                continue;
            }
        };
        if let Some(grounding) = candidate.member("groundingMetadata") {
            match chunks(&grounding) {
                Ok(chunks) => found.each(&grounding, "groundingSupports", |_, node| {
                    support(node, index, &chunks)
                }),
                Err(error) => found.push(Err(error)),
            }
        }
        if let Some(metadata) = candidate.member("citationMetadata") {
            found.each(&metadata, "citationSources", |_, node| {
                attribution(node, index, place(node)?)
            });
            // On Vertex AI, where nothing says what the indices count.
            found.each(&metadata, "citations", |_, node| {
                attribution(node, index, Extent::Unknown)
            });
        }
    }
}

/// The grounding chunks, which supports refer to by their numbers.
fn chunks(grounding: &Node<'_>) -> Result<Vec<Arc<CitedSource>>, CitationError> {
    let chunks = grounding.list("groundingChunks")?;
    chunks
        .map(|(index, node)| Ok(Arc::new(chunk(&node)?.with_index(Some(index)))))
        .collect()
}

fn chunk(node: &Node<'_>) -> Result<CitedSource, CitationError> {
    for (name, kind) in [
        ("web", SourceKind::Web),
        ("maps", SourceKind::Web),
        ("retrievedContext", SourceKind::Document),
    ] {
        if let Some(inner) = node.member(name) {
            return Ok(CitedSource::new(kind)
                .with_url(inner.text("uri")?)
                .with_title(inner.text("title")?)
                .with_quote(inner.text("text")?));
        }
    }
    Ok(CitedSource::new(SourceKind::Other))
}

fn support(node: &Node<'_>, candidate: u64, chunks: &[Arc<CitedSource>]) -> CitationResult {
    let (part, extent, text) = match node.member("segment") {
        Some(segment) => (
            Some(segment.count("partIndex")?.unwrap_or(0)),
            place(&segment)?,
            segment.text("text")?,
        ),
        None => (None, Extent::Unknown, None),
    };
    let indices = node.list("groundingChunkIndices")?;
    let sources = indices.map(|(_, index)| {
        let number = index.number()?;
        let known = usize::try_from(number).ok().and_then(|at| chunks.get(at));
        Ok(known.cloned().unwrap_or_else(|| elsewhere(number)))
    });
    Ok(Some(Citation::new(
        Provider::Gemini,
        Some(Part::new(candidate, part)),
        extent,
        text,
        sources.collect::<Result<_, _>>()?,
    )))
}

/// A chunk that is not in this event.
fn elsewhere(number: u64) -> Arc<CitedSource> {
    Arc::new(CitedSource::new(SourceKind::Other).with_index(Some(number)))
}

fn attribution(node: &Node<'_>, candidate: u64, extent: Extent) -> CitationResult {
    let source = CitedSource::new(SourceKind::Web)
        .with_url(node.text("uri")?)
        .with_title(node.text("title")?);
    Ok(Some(Citation::new(
        Provider::Gemini,
        Some(Part::new(candidate, None)),
        extent,
        None,
        vec![Arc::new(source)],
    )))
}

/// The place that `startIndex` and `endIndex` are; a start of 0 is left out on the wire.
fn place(node: &Node<'_>) -> Result<Extent, CitationError> {
    if node.member("startIndex").is_some() {
        return node.extent("startIndex", "endIndex", Unit::Utf8Bytes);
    }
    let end = node.count("endIndex")?;
    Ok(end.map_or(Extent::Unknown, |end| {
        Extent::from_start(end, Unit::Utf8Bytes)
    }))
}
