//! Citations of Anthropic Messages: each is about the whole content block that it comes with.

use std::sync::Arc;

use super::{CitationResult, ReadCitations};
use crate::citation::error::CitationError;
use crate::citation::model::{Citation, Extent, Part, Provider};
use crate::citation::node::Node;
use crate::citation::source::{CitedSource, Passage, PassageUnit, SourceKind};

pub(super) fn read(root: &Node<'_>, found: &mut ReadCitations) {
    if root.says("type", "content_block_delta") {
        let delta = root.member("delta");
        if let Some(delta) = delta.filter(|delta| delta.says("type", "citations_delta")) {
            found.push(added(root, &delta));
        }
    } else if root.says("type", "content_block_start") {
        if let Some(block) = root.member("content_block") {
            match part(root) {
                Ok(part) => found.each(&block, "citations", |_, node| citation(node, part)),
                Err(error) => found.push(Err(error)),
            }
        }
    } else if root.says("type", "message") {
        for (index, block) in root.elements("content") {
            let part = Some(Part::new(index, None));
            found.each(&block, "citations", |_, node| citation(node, part));
        }
    }
}

fn part(root: &Node<'_>) -> Result<Option<Part>, CitationError> {
    Ok(root.count("index")?.map(|index| Part::new(index, None)))
}

fn added(root: &Node<'_>, delta: &Node<'_>) -> CitationResult {
    citation(&delta.required("citation")?, part(root)?)
}

fn citation(node: &Node<'_>, part: Option<Part>) -> CitationResult {
    let (kind, [start, end], unit) = match node.form()? {
        "char_location" => (
            SourceKind::Document,
            ["start_char_index", "end_char_index"],
            PassageUnit::Characters,
        ),
        "page_location" => (
            SourceKind::Document,
            ["start_page_number", "end_page_number"],
            PassageUnit::Pages,
        ),
        "content_block_location" => (
            SourceKind::Document,
            ["start_block_index", "end_block_index"],
            PassageUnit::Blocks,
        ),
        "search_result_location" => (
            SourceKind::SearchResult,
            ["start_block_index", "end_block_index"],
            PassageUnit::Blocks,
        ),
        "web_search_result_location" => {
            let source = CitedSource::new(SourceKind::Web)
                .with_url(node.required_text("url")?)
                .with_title(node.text("title")?)
                .with_quote(node.required_text("cited_text")?);
            return Ok(Some(whole(part, source)));
        }
        _ => return Ok(None),
    };
    let (start, end) = node.range(start, end)?;
    let source = CitedSource::new(kind)
        .with_quote(node.required_text("cited_text")?)
        .with_passage(Some(Passage::new(unit, start, end)));
    let source = if kind == SourceKind::Document {
        source
            .with_index(Some(node.required("document_index")?.number()?))
            .with_title(node.text("document_title")?)
            .with_id(node.text("file_id")?)
    } else {
        source
            .with_index(Some(node.required("search_result_index")?.number()?))
            .with_title(node.text("title")?)
            .with_url(node.required_text("source")?)
    };
    Ok(Some(whole(part, source)))
}

fn whole(part: Option<Part>, source: CitedSource) -> Citation {
    let sources = vec![Arc::new(source)];
    Citation::new(Provider::Anthropic, part, Extent::Whole, None, sources)
}
