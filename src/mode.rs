//! Modes of reading a stream.

use crate::names::names;

/// Mode of reading a stream. Source: wire profile, modes.
///
/// Brackets in the strings of JSON are not read as annotations in any mode but [`Text`](Self::Text). An archive of
/// transcripts, such as lines of `{"role": "assistant", "content": "It is so. [substrate.grep]"}`, therefore has no
/// assertions and no diagnostics in [`Json`](Self::Json), [`Ndjson`](Self::Ndjson) and [`Auto`](Self::Auto). Decode such a
/// string first and parse its text as a stream of its own; the command line does this with `--field /content`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Free text with bracketed annotations. JSON in it is text, and a bracket in a string may start an annotation.
    Text,
    /// Free text with bracketed annotations, and JSON values in it, also in fenced blocks; the default.
    ///
    /// A value is tried at a `{` that a name or `}` follows, and at a `[` that begins the stream or a fenced block. One
    /// that turns out not to be JSON is text, without a diagnostic. In what was read as JSON, a bracket is never an
    /// annotation.
    #[default]
    Auto,
    /// A sequence of JSON values, with or without whitespace between them. Anything else is reported as
    /// [`DiagnosticCode::JsonSyntax`](crate::DiagnosticCode::JsonSyntax), and reading goes on, mostly with the next line.
    Json,
    /// JSON values, one per line. Anything else on a line, a second value included, is reported as
    /// [`DiagnosticCode::JsonSyntax`](crate::DiagnosticCode::JsonSyntax), and reading continues
    /// with the next line.
    Ndjson,
}

names! {
    Mode, "mode", "The name that the command line uses: `text`, `json`, `ndjson` or `auto`.",
    Text => "text",
    Json => "json",
    Ndjson => "ndjson",
    Auto => "auto",
}
