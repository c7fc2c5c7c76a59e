//! Templates: texts with placeholders.

use super::part::{WordingErrorKind, WordingPart};

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordingPiece<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

/// Iterates over the pieces of a template with their byte offsets. `{{` and `}}` stand for one
/// brace. The iterator ends after an error.
fn pieces(template: &str) -> impl Iterator<Item = Result<(usize, WordingPiece<'_>), usize>> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let start = at;
        let rest = template.get(start..).filter(|rest| !rest.is_empty())?;
        let brace = rest.find(['{', '}']).unwrap_or(rest.len());
        let (len, piece) = if brace > 0 {
            (brace, Ok(WordingPiece::Text(&rest[..brace])))
        } else if rest.starts_with("{{") || rest.starts_with("}}") {
            (2, Ok(WordingPiece::Text(&rest[..1])))
        } else {
            match rest[1..].find(['{', '}']) {
                Some(len) if rest.starts_with('{') && rest[1 + len..].starts_with('}') => {
                    (len + 2, Ok(WordingPiece::Placeholder(&rest[1..=len])))
                }
                _ => (rest.len(), Err(start)),
            }
        };
        at += len;
        Some(piece.map(|piece| (start, piece)))
    })
}

/// Checks the placeholders of a part's template: each once at most, and all of them in the unit.
pub(super) fn check(part: WordingPart, template: &str) -> Result<(), WordingErrorKind> {
    let known = part.placeholders();
    let mut seen = Vec::new();
    for piece in pieces(template) {
        match piece.map_err(WordingErrorKind::UnbalancedBrace)? {
            (at, WordingPiece::Placeholder(name)) if !known.contains(&name) => {
                return Err(WordingErrorKind::UnknownPlaceholder(at));
            }
            (at, WordingPiece::Placeholder(name)) if seen.contains(&name) => {
                return Err(WordingErrorKind::RepeatedPlaceholder(at));
            }
            (_, WordingPiece::Placeholder(name)) => seen.push(name),
            (_, WordingPiece::Text(_)) => {}
        }
    }
    match known.iter().find(|name| !seen.contains(name)) {
        Some(name) if part == WordingPart::Unit => Err(WordingErrorKind::MissingPlaceholder(name)),
        _ => Ok(()),
    }
}

/// Replaces placeholders by values. Placeholders within a value are not replaced.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    for (_, piece) in pieces(template).flatten() {
        filled.push_str(match piece {
            WordingPiece::Text(text) => text,
            WordingPiece::Placeholder(name) => values
                .iter()
                .find(|(known, _)| *known == name)
                .map_or("", |(_, value)| value),
        });
    }
    filled
}
