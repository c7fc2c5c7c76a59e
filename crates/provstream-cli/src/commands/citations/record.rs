//! Lines about citations.

use provstream_providers::citation::{
    Citation, CitedSource, Extent, Passage, PassageUnit, SourceKind,
};
use serde::{Serialize, Serializer};

/// Line about a citation.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum CitationRecord<'a> {
    Citation {
        provider: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        extent: Option<ExtentRecord>,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a str>,
        sources: Vec<SourceRecord<'a>>,
    },
    Diagnostic {
        code: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        message: String,
    },
    End {
        citations: u64,
        diagnostics: u64,
    },
}

impl<'a> CitationRecord<'a> {
    /// Creates the record of a citation.
    pub(super) fn of(citation: &'a Citation) -> Self {
        Self::Citation {
            provider: citation.provider().map_or("", |provider| provider.as_str()),
            part: citation.part().map(|part| part.to_string()),
            extent: match citation.extent() {
                Extent::Span(span) => Some(ExtentRecord::Range {
                    start: span.start(),
                    end: span.end(),
                    unit: span.unit().as_str(),
                }),
                Extent::Whole => Some(ExtentRecord::Whole),
                _ => None,
            },
            text: citation.text(),
            sources: citation.sources().map(SourceRecord::from).collect(),
        }
    }
}

/// Extent of a citation: a range, or `whole`.
#[derive(Debug)]
pub(super) enum ExtentRecord {
    Whole,
    Range {
        start: u64,
        end: u64,
        unit: &'static str,
    },
}

impl Serialize for ExtentRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Range {
            start: u64,
            end: u64,
            unit: &'static str,
        }
        match *self {
            Self::Whole => serializer.serialize_str("whole"),
            Self::Range { start, end, unit } => Range { start, end, unit }.serialize(serializer),
        }
    }
}

/// Cited source.
#[derive(Debug, Serialize)]
pub(super) struct SourceRecord<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passage: Option<PassageRecord>,
}

impl<'a> From<&'a CitedSource> for SourceRecord<'a> {
    fn from(source: &'a CitedSource) -> Self {
        Self {
            kind: match source.kind() {
                SourceKind::Web => "web",
                SourceKind::Document => "document",
                SourceKind::SearchResult => "search-result",
                SourceKind::File => "file",
                SourceKind::Tool => "tool",
                SourceKind::Observation => "observation",
                _ => "other",
            },
            url: source.url(),
            title: source.title(),
            id: source.id(),
            index: source.index(),
            quote: source.quote(),
            passage: source.passage().map(PassageRecord::from),
        }
    }
}

/// Cited part of a source.
#[derive(Debug, Serialize)]
struct PassageRecord {
    start: u64,
    end: u64,
    unit: &'static str,
}

impl From<Passage> for PassageRecord {
    fn from(passage: Passage) -> Self {
        Self {
            start: passage.start(),
            end: passage.end(),
            unit: match passage.unit() {
                PassageUnit::Characters => "characters",
                PassageUnit::Pages => "pages",
                _ => "blocks",
            },
        }
    }
}
