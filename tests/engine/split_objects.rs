//! Objects in JSON that are read in each of three ways: at once, from what was found before their end, and token by token.

use provstream::{Event, Mode, Parser, Rewriter};

/// Members of an object; `@` is an annotation.
const MEMBERS: [&str; 21] = [
    r#""assertion":"It is so.""#,
    r#""assertion" : "It \"is\" so.""#,
    r#""assertion":"""#,
    r#""assertion":1"#,
    r#""assertion":null"#,
    r#""assertion":["It is so."]"#,
    r#""\u0061ssertion":"It is so.""#,
    r#""provenance":@"#,
    r#""provenance":{}"#,
    r#""provenance":[{"substrate_class":"substrate.grep"}]"#,
    r#""provenance":"substrate.grep""#,
    r#""provenance":false"#,
    r#""id":-1.5e+3"#,
    r#""weight":0.25"#,
    r#""ts":"now""#,
    r#""substrate_class":"substrate.grep""#,
    r#""note":"caf\u00e9\n""#,
    r#""":true"#,
    r#""inner":{"assertion":"within"}"#,
    r#""answer":"a""#,
    "\"note\":\"\u{e9}\u{4e2d}\"",
];

/// Members of an annotation.
const PARTS: [&str; 17] = [
    r#""substrate_class":"substrate.grep""#,
    r#""substrate_class":"substrate.none""#,
    r#""substrate_class":"substrate.\u0067rep""#,
    r#""substrate_class":7"#,
    r#""observation_id":"sha256:00""#,
    r#""observation-id" :"caf\u00e9""#,
    r#""observation_id":"""#,
    "\"observation_id\":\"\u{e9}\"",
    r#""ts":"2026-05-28T11:40:00Z""#,
    r#""ts":"2026-05-28""#,
    r#""ts":"2026-05-28T11:40:00\u005a""#,
    r#""ts":null"#,
    r#""note":"x\t""#,
    r#""note":-0"#,
    r#""note":{}"#,
    r#""assertion":"within""#,
    r#""t\u0073":"2026-05-28T11:40:00Z""#,
];

/// An array or object is not read in a quick way, so that this last member leaves only the way by tokens.
const BY_TOKENS: &str = r#","last":[]"#;

/// All events of a document but text, and a check that the text is the document.
fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut parser = Parser::builder().mode(Mode::Json).build();
    let (mut found, mut end) = (Vec::new(), 0);
    let mut sink = |event: Event<'_>| match event {
        Event::Text(text) => {
            assert_eq!(text.span().start(), end, "a gap or an overlap");
            end = text.span().end();
        }
        Event::Assertion(assertion) => {
            let annotations: Vec<_> = assertion.annotations().collect();
            found.push(format!("{assertion:?} {annotations:?}"));
        }
        other => found.push(format!("{other:?}")),
    };
    for piece in pieces {
        parser.push(piece, &mut sink);
    }
    parser.finish(&mut sink);
    found
}

/// A document with the object of these members.
fn document(members: &str) -> Vec<u8> {
    format!(r#"[{{{members}}},{{"assertion":"next"}}  {:70}]"#, "").into_bytes()
}

fn check(members: &str, everywhere: bool) {
    let document = document(members);
    let whole = events([&document[..]]);
    let by_tokens = self::document(&format!("{members}{BY_TOKENS}"));
    let shift = BY_TOKENS.len();
    // The assertion after the object has other offsets there.
    let (own, tokens) = (&whole[..whole.len() - 1], events([&by_tokens[..]]));
    assert_eq!(own, &tokens[..tokens.len() - 1], "{members}, {shift} more");
    for size in [1, 2, 3, 4, 5, 8, 9, 17] {
        assert_eq!(events(document.chunks(size)), whole, "{members} by {size}");
    }
    if everywhere {
        for at in 1..document.len() {
            let (before, after) = document.split_at(at);
            assert_eq!(events([before, after]), whole, "{members} at {at}");
        }
    }
}

#[test]
fn objects_of_two_members_are_the_same_however_they_are_cut() {
    let annotation = r#"{"substrate_class":"substrate.grep","ts":"2026-05-28T11:40:00Z"}"#;
    for first in MEMBERS {
        for second in MEMBERS {
            check(&format!("{first},{second}").replace('@', annotation), true);
        }
    }
}

#[test]
fn annotations_of_two_members_are_the_same_however_they_are_cut() {
    for first in PARTS {
        for second in PARTS {
            let provenance = format!(r#""provenance":{{{first},{second}}}"#);
            check(&format!(r#""assertion":"It is so.",{provenance}"#), false);
            check(&format!(r#"{provenance},"assertion":"\"""#), false);
        }
    }
}

/// A chunk that is not taken unchanged is pushed, also if it ends an object.
#[test]
fn chunks_that_may_be_written_unchanged_are_written_as_the_document_is() {
    let annotation = r#"{"substrate_class":"substrate.grep"}"#;
    for (first, second) in MEMBERS
        .iter()
        .flat_map(|first| MEMBERS.map(|second| (first, second)))
    {
        let document = document(&format!("{first},{second}").replace('@', annotation));
        let mut whole = Vec::new();
        let mut rewriter = Rewriter::new(Parser::builder().mode(Mode::Json).build());
        rewriter.push(&document, &mut whole);
        rewriter.finish(&mut whole);
        for size in [1, 2, 3, 4, 5, 6, 7, 8, 9] {
            let mut out = Vec::new();
            rewriter.reset();
            for chunk in document.chunks(size) {
                match rewriter.push_unchanged(chunk) {
                    Some(_) => out.extend_from_slice(chunk),
                    None => rewriter.push(chunk, &mut out),
                }
            }
            rewriter.finish(&mut out);
            assert_eq!(out, whole, "{first},{second} by {size}");
        }
    }
}
