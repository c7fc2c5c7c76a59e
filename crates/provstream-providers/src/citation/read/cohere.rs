//! Citations of Cohere v2 chat.

use std::sync::Arc;

use super::{CitationResult, ReadCitations};
use crate::citation::error::CitationError;
use crate::citation::model::{Citation, Extent, Part, Provider};
use crate::citation::node::Node;
use crate::citation::source::{CitedSource, SourceKind};
use crate::citation::unit::Unit;

pub(super) fn read(root: &Node<'_>, found: &mut ReadCitations) {
    let message = if root.says("type", "citation-start") {
        root.member("delta")
            .and_then(|delta| delta.member("message"))
    } else {
        root.member("message")
    };
    let Some(message) = message else { return };
    match message.member("citations") {
        // One in a stream, an array in a whole response.
        Some(one) if !one.is_array() => found.push(citation(&one)),
        _ => found.each(&message, "citations", |_, node| citation(node)),
    }
}

fn citation(node: &Node<'_>) -> CitationResult {
    if !node.is_object() {
        return Err(node.wrong_type("an object"));
    }
    let (part, place) = match node.text("type")?.as_deref() {
        None | Some("TEXT_CONTENT") => (
            node.count("content_index")?
                .map(|index| Part::new(index, None)),
            node.extent("start", "end", Unit::CodePoints)?,
        ),
        // A plan or thinking, which is no part of the answer.
        Some(_) => (None, Extent::Unknown),
    };
    let sources = node.list("sources")?;
    let sources = sources.map(|(_, node)| Ok(Arc::new(source(&node)?)));
    Ok(Some(Citation::new(
        Provider::Cohere,
        part,
        place,
        node.text("text")?,
        sources.collect::<Result<_, _>>()?,
    )))
}

fn source(node: &Node<'_>) -> Result<CitedSource, CitationError> {
    let kind = match node.form()? {
        "document" => SourceKind::Document,
        "tool" => SourceKind::Tool,
        _ => SourceKind::Other,
    };
    let source = CitedSource::new(kind).with_id(node.text("id")?);
    let document = node.member("document");
    // What is in a document is the caller's own.
    Ok(match document {
        Some(document) => source
            .with_title(document.text_if_any("title"))
            .with_url(document.text_if_any("url")),
        None => source,
    })
}
