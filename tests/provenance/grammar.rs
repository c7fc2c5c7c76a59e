//! The bracketed encoding's grammar, wire profile 1.

use proptest::prelude::*;
use provstream::provenance::{Bracketed, Malformation, parse_annotation};

fn values(parsed: &Bracketed<'_>) -> Vec<(String, String)> {
    parsed
        .parameters()
        .iter()
        .map(|parameter| {
            let value = parameter.value().unwrap_or_default();
            (
                parameter.name().to_owned(),
                String::from_utf8_lossy(&value).into_owned(),
            )
        })
        .collect()
}

/// PA-33 to PA-36, PA-39; OP-22, OP-24
#[test]
fn well_formed() {
    for (text, identifier, expected) in [
        ("[x]", "x", &[][..]),
        ("[substrate.grep]", "substrate.grep", &[]),
        ("[ \t\r\n x \r\n ]", "x", &[]),
        ("[1.0.substrate.grep]", "1.0.substrate.grep", &[]),
        (
            "[0001.99999999999999999999.a-b_c.D9]",
            "0001.99999999999999999999.a-b_c.D9",
            &[],
        ),
        ("[x;]", "x", &[]),
        ("[x \n ; \n ]", "x", &[]),
        ("[x;a=b]", "x", &[("a", "b")]),
        ("[x;a=b;]", "x", &[("a", "b")]),
        ("[x; a = b ; c = d ; ]", "x", &[("a", "b"), ("c", "d")]),
        (
            "[x;\n a\t=\tb\t\r\n;\nc=d\n]",
            "x",
            &[("a", "b"), ("c", "d")],
        ),
        ("[x; a-1_b.c=1]", "x", &[("a-1_b.c", "1")]),
        ("[x; a=b c\td ]", "x", &[("a", "b c\td")]),
        ("[x; a=b=c]", "x", &[("a", "b=c")]),
        ("[x; a==]", "x", &[("a", "=")]),
        ("[x; a=b\"c\"]", "x", &[("a", "b\"c\"")]),
        ("[x; a=\\n\\]", "x", &[("a", "\\n\\")]),
        (
            "[x; a=\u{e9}\u{2028}\u{85}]",
            "x",
            &[("a", "\u{e9}\u{2028}\u{85}")],
        ),
        ("[x; a=\"b\"]", "x", &[("a", "b")]),
        ("[x; a=\"[;]\" ]", "x", &[("a", "[;]")]),
        ("[x; a=\" b\t\"\n;c=d]", "x", &[("a", " b\t"), ("c", "d")]),
        ("[x; a=\"\\\"\\\\\"]", "x", &[("a", "\"\\")]),
        (
            "[x; a=\"\\\\\"; b=\"\\\"\"]",
            "x",
            &[("a", "\\"), ("b", "\"")],
        ),
        ("[x; a=1; a=2]", "x", &[("a", "1"), ("a", "2")]),
        (
            "[x; Ts=1; ts=2; TS=3]",
            "x",
            &[("Ts", "1"), ("ts", "2"), ("TS", "3")],
        ),
        (
            "[substrate.code.read; observation-id=sha256:e3b0c4...;\n ts=2026-05-28T11:40:00Z]",
            "substrate.code.read",
            &[
                ("observation-id", "sha256:e3b0c4..."),
                ("ts", "2026-05-28T11:40:00Z"),
            ],
        ),
    ] {
        let parsed =
            parse_annotation(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(parsed.malformation(), None, "{text:?}");
        assert_eq!(parsed.identifier(), identifier, "{text:?}");
        let found = values(&parsed);
        let found: Vec<_> = found
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }
    let bytes = parse_annotation(b"[x; observation_id=\xff\x80]").unwrap();
    assert_eq!(bytes.observation_id().as_deref(), Some(&b"\xff\x80"[..]));
}

#[test]
fn malformed() {
    use Malformation::{
        EmptyParameter, NoEqualsSign, NoValue, RepeatedParameter, TooManyParameters,
    };
    let of = |count: usize| format!("[x{}]", "; a=b".repeat(count));
    let (sixteen, seventeen) = (of(16), of(17));
    for (text, why) in [
        ("[x; a]", NoEqualsSign),
        ("[x; a ]", NoEqualsSign),
        ("[x; ts; observation-id=a]", NoEqualsSign),
        ("[x; a=]", NoValue),
        ("[x; a= \n ]", NoValue),
        ("[x; a=; b=c]", NoValue),
        ("[x; a=\"\"]", NoValue),
        ("[x; ts=\"\" ; ]", NoValue),
        ("[x;;]", EmptyParameter),
        ("[x; ; a=b]", EmptyParameter),
        ("[x;\n;a=b]", EmptyParameter),
        ("[x; a=b;;]", EmptyParameter),
        ("[x; a=b; ; c]", EmptyParameter),
        ("[x; ts=1; ts=1]", RepeatedParameter),
        ("[x; observation-id=a; observation_id=b]", RepeatedParameter),
        (
            "[x; observation_id=a; ts=1; observation_id=a]",
            RepeatedParameter,
        ),
        ("[x; ts=1; ts]", RepeatedParameter),
        ("[x; a; ts=1; ts=2]", NoEqualsSign),
        (&seventeen, TooManyParameters),
    ] {
        let parsed =
            parse_annotation(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(parsed.malformation(), Some(why), "{text:?}");
        assert_eq!(parsed.identifier(), "x");
        assert!(!why.to_string().is_empty());
    }
    assert_eq!(
        parse_annotation(sixteen.as_bytes()).unwrap().malformation(),
        None
    );
    let trailing = sixteen.replace(']', " ;]");
    assert_eq!(
        parse_annotation(trailing.as_bytes())
            .unwrap()
            .malformation(),
        None
    );
}

#[test]
fn neither() {
    for (text, offset) in [
        ("", 0),
        ("x", 0),
        ("[", 1),
        ("[]", 1),
        ("[ \n\nx]", 3),
        ("[1]", 2),
        ("[1.]", 3),
        ("[1.0]", 4),
        ("[1.0.]", 5),
        ("[1.0.1.x]", 5),
        ("[1.x]", 3),
        ("[-a]", 1),
        ("[_a]", 1),
        ("[.a]", 1),
        ("[a.]", 3),
        ("[a..b]", 3),
        ("[a.1]", 3),
        ("[\u{e9}]", 1),
        ("[a\u{e9}]", 2),
        ("[a b]", 3),
        ("[a,b]", 2),
        ("[a=b]", 2),
        ("[a\n\n]", 3),
        ("[a\0]", 2),
        ("[a\u{b}]", 2),
        ("[[a]]", 1),
        ("[a[", 2),
        ("[a; b c=d]", 6),
        ("[a; =b]", 4),
        ("[a; 1=b]", 4),
        ("[a; b\n=c]", 6),
        ("[a; b=\nc]", 7),
        ("[a; b=c\nd]", 8),
        ("[a; b=c\rd]", 8),
        ("[a; b=c[d]]", 7),
        ("[a; b=[c]]", 6),
        ("[a; b=c\0d]", 7),
        ("[a; b=\u{7f}]", 6),
        ("[a; b=\"c\nd\"]", 8),
        ("[a; b=\"c\\d\"]", 9),
        ("[a; b=\"c\"d]", 9),
        ("[a; b=\"c\" d]", 10),
        ("[a; b=\"\"c]", 8),
        ("[a;\n\nb=c]", 4),
        ("[a \n;\n b=c \n\n]", 12),
        ("[a; \n ; \n \n]", 10),
        ("[a] ", 3),
        ("[a]]", 3),
        (" [a]", 0),
    ] {
        let error = parse_annotation(text.as_bytes()).expect_err(text);
        assert_eq!(error.offset(), offset, "{text:?}");
        assert_eq!(error.is_incomplete(), offset == text.len(), "{text:?}");
        assert!(error.to_string().ends_with(&format!("(at byte {offset})")));
    }
}

#[test]
fn cut_short_is_incomplete_wherever_it_is_cut() {
    let text = "[ 1.0.substrate.a-b \r\n ; a.b = \" [\\\\\\\"] \" ;;\n c ; ts=x y\t\n; ]";
    assert!(parse_annotation(text.as_bytes()).is_ok());
    for end in 0..text.len() {
        let error = parse_annotation(&text.as_bytes()[..end]).unwrap_err();
        assert_eq!(
            (error.offset(), error.is_incomplete()),
            (end, true),
            "{}",
            &text[..end]
        );
    }
}

proptest! {
    /// The offset of an error is the first byte with which nothing can continue: the bytes before it can, it cannot.
    #[test]
    fn errors_are_at_the_first_impossible_byte(text in "\\[[ \n1.ab]{0,5}[ ;=\"\\\\\\[\\]\n.a1ts]{0,16}") {
        let bytes = text.as_bytes();
        if let Err(error) = parse_annotation(bytes) {
            let before = parse_annotation(&bytes[..error.offset()]);
            if let Err(before) = before {
                prop_assert!(before.is_incomplete());
            }
            let completions = ["a]", "]", "0.a]", ".0.a]", "\"]", "=a]", "\\\"]", "\"\"]"];
            let live = |prefix: &[u8]| completions.iter().any(|end| parse_annotation(&[prefix, end.as_bytes()].concat()).is_ok());
            if error.is_incomplete() {
                prop_assert!(live(bytes), "{text:?}");
            } else {
                prop_assert!(!live(&bytes[..=error.offset()]), "{text:?}");
            }
        }
    }

    #[test]
    fn any_bytes_are_judged_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let bracketed = [b"[a;ts=".as_slice(), &bytes, b"]"].concat();
        for input in [&bytes, &bracketed] {
            match parse_annotation(input) {
                Ok(parsed) => for parameter in parsed.parameters() {
                    let raw = parameter.raw().unwrap_or_default();
                    prop_assert_eq!(raw, &input[parameter.raw_range()]);
                },
                Err(error) => prop_assert!(error.offset() <= input.len()),
            }
        }
    }
}
