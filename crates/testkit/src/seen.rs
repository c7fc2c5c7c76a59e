//! What came out of a parser, kept so that a test can look at all of it.

use provstream::provenance::{Annotation, Assertion};
use provstream::{DiagnosticCode, Event, Parser, Span};

/// A piece of the stream: text, or an annotation with the white space that goes with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Where it stands.
    pub span: Span,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it says and how much white space before it is removed with it, if it is an annotation.
    pub annotation: Option<(Annotation<'static>, usize)>,
}

/// All events of a stream.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Texts and annotations in the order they came.
    pub tiles: Vec<Tile>,
    /// The assertions in the order they came.
    pub assertions: Vec<Assertion<'static>>,
    /// The diagnostics in the order they came.
    pub diagnostics: Vec<(DiagnosticCode, Span)>,
}

impl Seen {
    /// Keeps an event.
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

    /// All of a stream fed in pieces, its end included; the parser is then ready for another.
    pub fn of<'a>(parser: &mut Parser, pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut seen = Self::default();
        for piece in pieces {
            parser.push(piece, |event: Event<'_>| seen.take(event));
        }
        parser.finish(|event: Event<'_>| seen.take(event));
        parser.reset();
        seen
    }

    /// The annotations in the order of the stream.
    pub fn annotations(&self) -> impl Iterator<Item = &Annotation<'static>> {
        self.tiles
            .iter()
            .filter_map(|tile| tile.annotation.as_ref())
            .map(|(annotation, _)| annotation)
    }

    /// The bytes of the stream as they were handed on, after a check that the pieces follow one another without a gap.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for tile in &self.tiles {
            assert_eq!(tile.span.start(), bytes.len() as u64, "a gap or an overlap");
            assert_eq!(tile.span.len(), tile.bytes.len() as u64);
            bytes.extend_from_slice(&tile.bytes);
        }
        bytes
    }

    /// The bytes that stripping leaves, worked out from the pieces.
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

    /// The same with touching texts merged, so that streams cut in different places compare equal.
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
