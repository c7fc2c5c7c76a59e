//! Templates: texts with placeholders.

use super::part::WordingErrorKind;

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

/// The pieces of a template with their places. `{{` and `}}` stand for one brace. After an error there are none.
fn pieces(template: &str) -> impl Iterator<Item = Result<(usize, Piece<'_>), usize>> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let start = at;
        let rest = template.get(start..).filter(|rest| !rest.is_empty())?;
        let brace = rest.find(['{', '}']).unwrap_or(rest.len());
        let (len, piece) = if brace > 0 {
            (brace, Ok(Piece::Text(&rest[..brace])))
        } else if rest.starts_with("{{") || rest.starts_with("}}") {
            (2, Ok(Piece::Text(&rest[..1])))
        } else {
            match rest[1..].find(['{', '}']) {
                Some(len) if rest.starts_with('{') && rest[1 + len..].starts_with('}') => {
                    (len + 2, Ok(Piece::Placeholder(&rest[1..=len])))
                }
                _ => (rest.len(), Err(start)),
            }
        };
        at += len;
        Some(piece.map(|piece| (start, piece)))
    })
}

/// Checks that all placeholders are known and stand there once at most, and exactly once where `all` must.
pub(super) fn check(
    template: &str,
    known: &[&str],
    all: bool,
) -> Result<(), (WordingErrorKind, Option<usize>)> {
    let mut seen = Vec::new();
    for piece in pieces(template) {
        match piece {
            Err(at) => return Err((WordingErrorKind::UnbalancedBrace, Some(at))),
            Ok((at, Piece::Placeholder(name))) => {
                if !known.contains(&name) {
                    return Err((WordingErrorKind::UnknownPlaceholder, Some(at)));
                }
                if seen.contains(&name) {
                    return Err((WordingErrorKind::RepeatedPlaceholder, Some(at)));
                }
                seen.push(name);
            }
            Ok((_, Piece::Text(_))) => {}
        }
    }
    if all && seen.len() < known.len() {
        return Err((WordingErrorKind::MissingPlaceholder, None));
    }
    Ok(())
}

/// Puts values in the place of placeholders. A value is never looked at for placeholders.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    for (_, piece) in pieces(template).flatten() {
        filled.push_str(match piece {
            Piece::Text(text) => text,
            Piece::Placeholder(name) => values
                .iter()
                .find(|(known, _)| *known == name)
                .map_or("", |(_, value)| value),
        });
    }
    filled
}
