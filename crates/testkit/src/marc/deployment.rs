//! The example of a description, and edits of it.

/// A description with all keys, which conforms.
pub const EXAMPLE: &str = include_str!("../../../../corpus/marc/deployment.toml");

/// One with none but those that must be there.
pub const MINIMAL: &str = include_str!("../../../../corpus/marc/deployment-minimal.toml");

/// Replaces a piece of the example that stands there once.
pub fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} stands there once");
    text.replacen(from, to, 1)
}

/// Cuts all from one piece up to another out of the example, each of which stands there once.
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
