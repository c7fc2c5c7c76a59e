//! Recorded events of a parser, for assertions about all of them.

use provstream::provenance::{Annotation, Assertion};
use provstream::{DiagnosticCode, Event, Parser, Span};

/// A contiguous part of the stream: text, or an annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Range in the stream.
    pub span: Span,
    /// Raw bytes of the range.
    pub bytes: Vec<u8>,
    /// Parsed annotation, and the length in bytes of the white space before it that is removed with
    /// it; `None` for text.
    pub annotation: Option<(Annotation<'static>, usize)>,
}

/// All events of a free-text stream.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Text and annotations in stream order.
    pub tiles: Vec<Tile>,
    /// Assertions in order of arrival.
    pub assertions: Vec<Assertion<'static>>,
    /// Codes and spans of the diagnostics in order of arrival.
    pub diagnostics: Vec<(DiagnosticCode, Span)>,
}

impl Seen {
    /// Records an event.
    pub fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.tiles.push(Tile {
                span: text.span(),
                bytes: text.bytes().to_vec(),
                annotation: None,
            }),
            Event::Annotation(found) => self.tiles.push(Tile {
                span: found.annotation().span(),
                bytes: found.raw().to_vec(),
                annotation: Some((found.annotation().into_owned(), found.whitespace_before())),
            }),
            Event::Assertion(assertion) => self.assertions.push(assertion.into_owned()),
            Event::Diagnostic(found) => self.diagnostics.push((found.code(), found.span())),
            other => panic!("an event that free text does not have: {other:?}"),
        }
    }

    /// Reads a whole stream in pieces and resets the parser.
    pub fn of<'a>(parser: &mut Parser, pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut seen = Self::default();
        for piece in pieces {
            parser.push(piece, |event: Event<'_>| seen.take(event));
        }
        parser.finish(|event: Event<'_>| seen.take(event));
        parser.reset();
        seen
    }

    /// Iterates over the annotations in stream order.
    pub fn annotations(&self) -> impl Iterator<Item = &Annotation<'static>> {
        self.tiles
            .iter()
            .filter_map(|tile| tile.annotation.as_ref())
            .map(|(annotation, _)| annotation)
    }

    /// Joins the raw bytes of all tiles; fails the test at a gap or an overlap.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for tile in &self.tiles {
            assert_eq!(tile.span.start(), bytes.len() as u64, "a gap or an overlap");
            assert_eq!(tile.span.len(), tile.bytes.len() as u64);
            bytes.extend_from_slice(&tile.bytes);
        }
        bytes
    }

    /// Computes the stripped text from the tiles.
    pub fn stripped(&self) -> Vec<u8> {
        let mut left = Vec::new();
        for tile in &self.tiles {
            match tile.annotation {
                None => left.extend_from_slice(&tile.bytes),
                Some((_, white)) => left.truncate(left.len() - white),
            }
        }
        left
    }

    /// Returns the tiles with contiguous text merged, so that differently chunked streams compare
    /// equal.
    pub fn merged(&self) -> Vec<Tile> {
        let mut merged: Vec<Tile> = Vec::new();
        for tile in &self.tiles {
            match merged.last_mut() {
                Some(last) if last.annotation.is_none() && tile.annotation.is_none() => {
                    last.bytes.extend_from_slice(&tile.bytes);
                    last.span = Span::new(last.span.start(), tile.span.end());
                }
                _ => merged.push(tile.clone()),
            }
        }
        merged
    }
}
