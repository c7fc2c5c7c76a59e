//! JSON is what `serde_json` accepts, and records are where it has them.

use provstream::{Event, Limits, Mode, Parser};
use serde_json::Value;

use super::super::case::Case;
use super::super::judges::{refused, refused_by_serde};

/// Checks that the parser agrees with `serde_json` about valid JSON, the offset of the first error,
/// and the asserted objects with their pointers, in mode `json` and, for one line, in mode
/// `ndjson`.
pub(super) fn check(data: &[u8]) {
    // Between brackets it is one value, unless it closes the first bracket itself.
    let input = [b"[", data, b"]"].concat();
    let expected = refused_by_serde(&input);
    for mode in [Mode::Json, Mode::Ndjson] {
        let is_one_line = !data.contains(&b'\n');
        if mode == Mode::Ndjson && !is_one_line {
            continue;
        }
        let mut parser = parser(mode);
        let whole = refused(&mut parser, [&input[..]]);
        let mut cuts = Case::new(data).cuts();
        let mut rest = &input[..];
        let pieces = std::iter::from_fn(|| {
            let (piece, later) = rest.split_at((!rest.is_empty()).then(|| cuts(rest.len()))?);
            rest = later;
            Some(piece)
        });
        assert_eq!(refused(&mut parser, pieces), whole, "{mode:?} in pieces");
        let closes = closed(&input).is_some_and(|end| end < input.len());
        if mode == Mode::Ndjson || !closes {
            assert_eq!(
                whole.is_none(),
                expected.is_none(),
                "{mode:?}: {whole:?}, {expected:?}"
            );
        }
        if let (Some(own), Some(serde)) = (whole, expected)
            && !is_in_escape(&input, own)
            && !closes
        {
            assert!(own.abs_diff(serde) <= 1, "{mode:?}: {own}, {serde}");
        }
        if whole.is_none() && expected.is_none() {
            check_records(mode, &input);
        }
    }
}

fn parser(mode: Mode) -> Parser {
    let limits = Limits::default()
        .with_max_depth(65_536)
        .and_then(|limits| limits.with_max_pointer(65_536))
        .expect("limits in their range");
    Parser::builder().mode(mode).limits(limits).build()
}

/// Finds the end of the first value, if it is complete.
fn closed(input: &[u8]) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_slice(input);
    values.disable_recursion_limit();
    let mut values = values.into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}

/// Returns `true` if the offending byte is one of the four after `\u`; `serde_json` reads all of
/// them before it reports an error.
fn is_in_escape(input: &[u8], at: usize) -> bool {
    (2..=6).any(|back| {
        at.checked_sub(back)
            .is_some_and(|start| input[start..].starts_with(b"\\u"))
    })
}

/// The asserted objects are those that `serde_json` has, each text at its pointer and in its span.
fn check_records(mode: Mode, input: &[u8]) {
    // What is not UTF-8, a lone surrogate or nested deeply has no value there.
    let Ok(value) = serde_json::from_slice::<Value>(input) else {
        return;
    };
    let mut found = Vec::new();
    let mut parser = parser(mode);
    let mut limited = false;
    let mut sink = |event: Event<'_>| match event {
        Event::Assertion(assertion) => found.push(assertion.into_owned()),
        Event::Diagnostic(diagnostic) => {
            // A repeated member is another one there, and what a limit left out is not there.
            limited |= diagnostic.code().as_str().starts_with("limit-")
                || diagnostic.code().as_str() == "duplicate-member";
        }
        _ => {}
    };
    parser.push(input, &mut sink);
    parser.finish(&mut sink);
    if limited || has_repeated_members(input, &value) {
        return;
    }
    assert_eq!(found.len(), asserted(&value));
    for assertion in found {
        let at = assertion.pointer().expect("no limit was hit");
        let text = value.pointer(at).and_then(Value::as_str);
        assert_eq!(text, Some(assertion.text()), "{at}");
        // With its quotes the span is the string that is there.
        let span = assertion.span();
        let string = &input[span.start() as usize - 1..=span.end() as usize];
        let read = serde_json::from_slice::<String>(string);
        assert_eq!(read.ok().as_deref(), text, "{span}");
    }
}

/// Returns `true` if an object repeats a member; a value keeps only one of them, so it has fewer
/// members than the input.
fn has_repeated_members(input: &[u8], value: &Value) -> bool {
    fn members(value: &Value) -> usize {
        match value {
            Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
            Value::Array(array) => array.iter().map(members).sum(),
            _ => 0,
        }
    }
    let mut in_string = false;
    let mut escaped = false;
    let colons = input.iter().filter(|&&byte| {
        let is_colon = byte == b':' && !in_string;
        in_string ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        is_colon
    });
    colons.count() != members(value)
}

/// Counts the objects with a string `assertion`.
fn asserted(value: &Value) -> usize {
    match value {
        Value::Object(object) => {
            let own = object.get("assertion").is_some_and(Value::is_string);
            usize::from(own) + object.values().map(asserted).sum::<usize>()
        }
        Value::Array(array) => array.iter().map(asserted).sum(),
        _ => 0,
    }
}
