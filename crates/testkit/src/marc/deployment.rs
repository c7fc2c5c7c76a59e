//! Example deployment descriptions, and textual edits of them.

/// A conforming description with every key.
pub const EXAMPLE: &str = include_str!("../../../../corpus/marc/deployment.toml");

/// A conforming description with the required keys only.
pub const MINIMAL: &str = include_str!("../../../../corpus/marc/deployment-minimal.toml");

/// Replaces `from`, which must occur exactly once in the example, by `to`.
pub fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} stands there once");
    text.replacen(from, to, 1)
}

/// Removes the text from `from` up to `up_to`, each of which must occur exactly once in the
/// example.
pub fn cut(text: &str, from: &str, up_to: &str) -> String {
    let at = |piece: &str| {
        assert_eq!(
            text.matches(piece).count(),
            1,
            "{piece:?} stands there once"
        );
        text.find(piece).unwrap_or_default()
    };
    format!("{}{}", &text[..at(from)], &text[at(up_to)..])
}
