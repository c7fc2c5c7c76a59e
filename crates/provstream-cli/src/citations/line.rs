//! Citations as lines of JSON.

use provstream_providers::citation::{Citation, Extent, Passage, PassageUnit, Source, SourceKind};
use serde::{Serialize, Serializer};

/// One line.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum CitationLine<'a> {
    /// A citation.
    Citation {
        provider: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        extent: Option<ExtentFields>,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a str>,
        sources: Vec<SourceFields<'a>>,
    },
    /// Something that is not as it should be.
    Diagnostic {
        code: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        message: String,
    },
    /// The totals.
    End { citations: u64, diagnostics: u64 },
}

impl<'a> CitationLine<'a> {
    pub(super) fn of(citation: &'a Citation) -> Self {
        Self::Citation {
            provider: citation.provider().map_or("", |provider| provider.as_str()),
            part: citation.part().map(|part| part.to_string()),
            extent: match citation.extent() {
                Extent::Span(span) => Some(ExtentFields::Range {
                    start: span.start(),
                    end: span.end(),
                    unit: span.unit().as_str(),
                }),
                Extent::Whole => Some(ExtentFields::Whole),
                _ => None,
            },
            text: citation.text(),
            sources: citation.sources().map(SourceFields::from).collect(),
        }
    }
}

/// How much of a text a citation is about.
#[derive(Debug)]
pub(super) enum ExtentFields {
    Whole,
    Range {
        start: u64,
        end: u64,
        unit: &'static str,
    },
}

impl Serialize for ExtentFields {
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

/// What is cited.
#[derive(Debug, Serialize)]
pub(super) struct SourceFields<'a> {
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
    passage: Option<PassageFields>,
}

impl<'a> From<&'a Source> for SourceFields<'a> {
    fn from(source: &'a Source) -> Self {
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
            passage: source.passage().map(PassageFields::from),
        }
    }
}

/// The part of a source that is cited.
#[derive(Debug, Serialize)]
struct PassageFields {
    start: u64,
    end: u64,
    unit: &'static str,
}

impl From<Passage> for PassageFields {
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
