//! Annotations of OpenAI chat completions and Responses.

use std::sync::Arc;

use super::{CitationResult, ReadCitations};
use crate::citation::error::CitationError;
use crate::citation::model::{Citation, Extent, Part, Provider};
use crate::citation::node::Node;
use crate::citation::source::{CitedSource, SourceKind};
use crate::citation::unit::Unit;

/// The type of the event by which a stream of Responses adds an annotation, and how older clients spell it.
const ADDED: [&str; 2] = [
    "response.output_text.annotation.added",
    "response.output_text_annotation.added",
];

pub(super) fn read(root: &Node<'_>, found: &mut ReadCitations) {
    if ADDED.iter().any(|name| root.says("type", name)) {
        found.push(added(root));
    } else if root.says("object", "response") {
        for (output, item) in root.elements("output") {
            for (content, part) in item.elements("content") {
                let place = Some(Part::new(output, Some(content)));
                found.each(&part, "annotations", |_, node| annotation(node, place));
            }
        }
    } else {
        for (position, choice) in root.elements("choices") {
            match choice.count("index") {
                Ok(index) => read_choice(&choice, index.unwrap_or(position), found),
                Err(error) => found.push(Err(error)),
            }
        }
    }
}

fn read_choice(choice: &Node<'_>, index: u64, found: &mut ReadCitations) {
    let part = Some(Part::new(index, None));
    for name in ["delta", "message"] {
        if let Some(message) = choice.member(name) {
            found.each(&message, "annotations", |_, node| annotation(node, part));
        }
    }
}

fn added(root: &Node<'_>) -> CitationResult {
    let (output, content) = (root.count("output_index")?, root.count("content_index")?);
    let part = output.map(|output| Part::new(output, content));
    annotation(&root.required("annotation")?, part)
}

/// An annotation: with its members in itself (Responses), or in a member that is called like its type (chat completions).
fn annotation(node: &Node<'_>, part: Option<Part>) -> CitationResult {
    let form = node.form()?;
    let inner = node.member(form);
    let node = inner.as_ref().unwrap_or(node);
    let (extent, source) = match form {
        "url_citation" => {
            let source = CitedSource::new(SourceKind::Web)
                .with_url(node.required_text("url")?)
                .with_title(node.text("title")?)
                .with_quote(node.text("content")?);
            (extent(node)?, source)
        }
        "container_file_citation" => (extent(node)?, file(node)?),
        "file_citation" | "file_path" => {
            let source = file(node)?.with_index(node.count("index")?);
            (Extent::Unknown, source)
        }
        _ => return Ok(None),
    };
    let sources = vec![Arc::new(source)];
    Ok(Some(Citation::new(
        Provider::OpenAi,
        part,
        extent,
        None,
        sources,
    )))
}

fn extent(node: &Node<'_>) -> Result<Extent, CitationError> {
    node.extent("start_index", "end_index", Unit::CodePoints)
}

fn file(node: &Node<'_>) -> Result<CitedSource, CitationError> {
    Ok(CitedSource::new(SourceKind::File)
        .with_id(node.required_text("file_id")?)
        .with_title(node.text("filename")?))
}
