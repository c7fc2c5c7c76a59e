//! Objects put into a carrier come out unchanged, and nothing else in the carrier changes.

use proptest::prelude::*;
use proptest::sample::select;
use provstream::{Event, Mode, Parser};
use provstream_marc::carry::{
    Carrier, CarrierNameErrorKind, CarryError, CarryErrorKind, from_sse, sse_event,
};
use provstream_marc::{Core, Disclosure, Document, Draft, MarcKind, Profile};

const URI: &str = "https://example.com/marc/v1";
const KINDS: [MarcKind; 2] = [MarcKind::Core, MarcKind::Disclosure];

/// A record and a disclosure of -02.
const RECORD: &str = include_str!("../../../../corpus/marc/tv-m2-2.json");
const DISCLOSURE: &str = include_str!("../../../../corpus/marc/tv-m2-3.json");

fn carriers() -> Vec<Carrier> {
    vec![
        Carrier::response_metadata(),
        Carrier::mcp("com.example").unwrap(),
        Carrier::a2a(URI).unwrap(),
        Carrier::audit_line(),
    ]
}

#[track_caller]
fn document(json: &str) -> Document {
    json.parse().unwrap()
}

/// M2-144, M2-181
#[test]
fn each_carrier_has_the_places_that_are_documented() {
    let places = |carrier: &Carrier| KINDS.map(|kind| carrier.pointer(kind));
    let all: Vec<_> = carriers().iter().map(places).collect();
    assert_eq!(
        all,
        [
            ["/metadata/marc_core", "/metadata/marc_disclosure"],
            [
                "/_meta/com.example~1marc-core",
                "/_meta/com.example~1marc-disclosure"
            ],
            [
                "/metadata/https:~1~1example.com~1marc~1v1~1core",
                "/metadata/https:~1~1example.com~1marc~1v1~1disclosure"
            ],
            ["/marc_core", "/marc_disclosure"],
        ]
    );
    let carrier = Carrier::a2a("urn:a~b").unwrap();
    assert_eq!(carrier.pointer(MarcKind::Core), "/metadata/urn:a~0b~1core");
}

/// M2-144
#[test]
fn a_deployment_can_have_another_place() {
    let handover = Carrier::new(Some("handover"), "core", "disclosure");
    let mut envelope = document(r#"{"to":"desk 4"}"#);
    handover
        .put(&mut envelope, MarcKind::Core, &document("{\"a\":1.0}"))
        .unwrap();
    assert_eq!(
        envelope.to_json(),
        r#"{"to":"desk 4","handover":{"core":{"a":1.0}}}"#
    );
}

#[test]
fn what_is_null_counts_as_missing() {
    for carrier in carriers() {
        for kind in KINDS {
            let mut envelope = document(
                r#"{"metadata":null,"_meta":null,"extensions":null,"marc_core":null,"marc_disclosure":null}"#,
            );
            assert_eq!(carrier.take(&envelope, kind), Ok(None));
            let put = document(r#"{"a":1}"#);
            carrier.put(&mut envelope, kind, &put).unwrap();
            assert_eq!(carrier.take(&envelope, kind), Ok(Some(put)));
            assert_eq!(envelope.len(), 5);
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn an_envelope_that_is_not_what_it_must_be_stays_as_it_is() {
    use CarryErrorKind::{NotAnArray, NotAnObject, Repeated};
    let [metadata, mcp, a2a, audit]: [Carrier; 4] = carriers().try_into().ok().unwrap();
    let record = document("{}");
    for (carrier, json, error) in [
        (
            &metadata,
            r#"{"metadata":[]}"#,
            NotAnObject("/metadata".into()),
        ),
        (
            &metadata,
            r#"{"metadata":{},"metadata":{}}"#,
            Repeated("/metadata".into()),
        ),
        (
            &metadata,
            r#"{"metadata":null,"\u006detadata":{}}"#,
            Repeated("/metadata".into()),
        ),
        (&mcp, r#"{"_meta":"x"}"#, NotAnObject("/_meta".into())),
        (&mcp, r#"{"_meta":{},"_meta":1}"#, Repeated("/_meta".into())),
        (&a2a, r#"{"metadata":1}"#, NotAnObject("/metadata".into())),
    ] {
        let mut envelope = document(json);
        assert_eq!(
            carrier.put(&mut envelope, MarcKind::Core, &record),
            Err(error.clone().into()),
            "{json}"
        );
        assert_eq!(
            carrier.take(&envelope, MarcKind::Core),
            Err(error.clone().into()),
            "{json}"
        );
        assert_eq!(
            carrier.strip_core(&mut envelope),
            Err(error.into()),
            "{json}"
        );
        assert_eq!(envelope, document(json));
    }
    // What is put or removed replaces whatever was there; only reading it needs to know what it is.
    for (carrier, at, json) in [
        (
            &metadata,
            "/metadata/marc_core",
            r#"{"metadata":{"a":1,"marc_core":V}}"#,
        ),
        (
            &mcp,
            "/_meta/com.example~1marc-core",
            r#"{"_meta":{"a":1,"com.example/marc-core":V}}"#,
        ),
        (&audit, "/marc_core", r#"{"a":1,"marc_core":V}"#),
    ] {
        let twice = json.replace(
            'V',
            r#"{},"marc\u005fcore":{},"com.example/marc\u002dcore":{}"#,
        );
        for (json, error) in [
            (json.replace('V', "[1]"), NotAnObject(at.into())),
            (twice, Repeated(at.into())),
        ] {
            let envelope = document(&json);
            assert_eq!(
                carrier.take(&envelope, MarcKind::Core),
                Err(error.into()),
                "{json}"
            );
            let (mut put, mut stripped) = (envelope.clone(), envelope);
            carrier.put(&mut put, MarcKind::Core, &record).unwrap();
            assert_eq!(
                carrier.take(&put, MarcKind::Core),
                Ok(Some(record.clone())),
                "{json}"
            );
            // What is in the place of another carrier is a record as well.
            if carrier.strip_core(&mut stripped) == Ok(true) {
                assert_eq!(carrier.take(&stripped, MarcKind::Core), Ok(None));
                assert!(stripped.to_json().contains("\"a\":1"));
            } else {
                assert!(json.contains("com.example/marc\\u002dcore"), "{json}");
            }
        }
    }
    let json = r#"{"metadata":{},"extensions":{}}"#;
    let mut envelope = document(json);
    let error = NotAnArray("/extensions".into());
    assert_eq!(
        a2a.put(&mut envelope, MarcKind::Core, &record),
        Err(error.into())
    );
    assert_eq!(envelope, document(json));
    assert_eq!(a2a.take(&envelope, MarcKind::Core), Ok(None));
    assert_eq!(a2a.remove(&mut envelope, MarcKind::Core), Ok(false));
}

#[test]
fn errors_tell_their_place() {
    let message = |kind: CarryErrorKind| CarryError::from(kind).to_string();
    assert_eq!(
        message(CarryErrorKind::NotAnObject("/a".into())),
        "/a: expected an object"
    );
    assert_eq!(
        message(CarryErrorKind::NotAnArray("/a".into())),
        "/a: expected an array"
    );
    assert_eq!(
        message(CarryErrorKind::Repeated("/a".into())),
        "/a: expected one member of this name, found several"
    );
    let error = from_sse("marc-core", "[]").unwrap_err();
    assert!(matches!(error.kind(), CarryErrorKind::Data(_)));
    assert_eq!(
        error.to_string(),
        "the data of an event are not a JSON object: expected a JSON object, found an array"
    );
}

/// Source: MCP specification, revision 2025-11-25, basic, `_meta`
#[test]
fn the_prefix_of_a_domain_is_one_of_mcp_that_is_not_reserved() {
    for prefix in [
        "com.example",
        "com.example.mcp",
        "com.example.mcp.tools",
        "de.my-firm.a1",
        "x",
        "mcp",
        "mcp.example",
        "com.mcps",
    ] {
        assert!(Carrier::mcp(prefix).is_ok(), "{prefix}");
    }
    for (prefix, label) in [
        ("", ""),
        ("com.", ""),
        (".com", ""),
        ("com.1a", "1a"),
        ("com.a-", "a-"),
        ("com.-a", "-a"),
        ("com.a_b", "a_b"),
        ("com.example/", "example/"),
        ("com.exämple", "exämple"),
    ] {
        assert_eq!(
            Carrier::mcp(prefix),
            Err(CarrierNameErrorKind::Label(label.into()).into()),
            "{prefix}"
        );
    }
    for prefix in [
        "io.modelcontextprotocol",
        "dev.mcp",
        "org.modelcontextprotocol.api",
        "com.mcp.tools",
        "com.MCP",
    ] {
        let error = Carrier::mcp(prefix).unwrap_err();
        assert_eq!(error.kind(), &CarrierNameErrorKind::Reserved(prefix.into()));
        assert!(error.to_string().ends_with("is reserved for MCP"));
    }
}

/// Source: RFC 3986 4.3
#[test]
fn an_extension_has_an_absolute_uri() {
    for uri in [
        URI,
        "urn:example:marc:1",
        "urn:a//b",
        "https://example.com/marc?v=1/2?%20",
        "https://example.com/a%20b/a:@!$&'()*+,;=~",
        "https://user:a%40@example.com:8080/",
        "https://example.com:",
        "https://example.com?a",
        "https://[::1]:80/a",
        "https://[2001:db8::192.0.2.1]",
        "https://[v1f.a:b]/",
        "file:///a",
        "x:/",
        "x:?a",
        "a1+-.:b",
    ] {
        assert_eq!(Carrier::a2a(uri).unwrap().uri(), Some(uri));
    }
    for uri in [
        "",
        "marc",
        "https:",
        ":a",
        "1a:b",
        "//example.com/a",
        "https://example.com/a b",
        "a_b:c",
        "https://example.com/marc#a",
        "https://example.com/marc#",
        "a:#",
        "a:b\n",
        "a:\u{3000}",
    ] {
        assert_eq!(
            Carrier::a2a(uri),
            Err(CarrierNameErrorKind::Uri(uri.into()).into()),
            "{uri}"
        );
    }
}

/// A declaration may be the agent's own, so putting adds one only where there is none, and removing leaves all.
#[test]
fn the_uri_of_an_extension_is_declared_once_and_no_declaration_is_lost() {
    let carrier = Carrier::a2a(URI).unwrap();
    let escaped = URI.replace('/', "\\/");
    for (extensions, declared) in [
        (
            r#"["urn:a",[1.0],"urn:a"]"#.to_owned(),
            format!(r#"["urn:a",[1.0],"urn:a","{URI}"]"#),
        ),
        // A longer URI is another one, also if it begins as this one does.
        (format!(r#"["{URI}0"]"#), format!(r#"["{URI}0","{URI}"]"#)),
        ("[]".into(), format!(r#"["{URI}"]"#)),
        ("null".into(), format!(r#"["{URI}"]"#)),
        // As an escaped string it is the same URI.
        (
            format!(r#"["{escaped}","{URI}",1]"#),
            format!(r#"["{escaped}","{URI}",1]"#),
        ),
    ] {
        let json = format!(r#"{{"extensions":{extensions},"metadata":{{"{URI}":2}}}}"#);
        let mut message = document(&json);
        for kind in KINDS {
            carrier.put(&mut message, kind, &document("{}")).unwrap();
            assert_eq!(message.get("extensions"), Some(&*declared));
        }
        for kind in KINDS {
            assert_eq!(carrier.remove(&mut message, kind), Ok(true));
            assert_eq!(carrier.remove(&mut message, kind), Ok(false));
        }
        let mut expected = document(&json);
        expected.set("extensions", &declared).unwrap();
        assert_eq!(message, expected);
    }
}

/// Members created to hold an object stay when the object is removed, as they may belong to the
/// protocol.
#[test]
fn what_was_made_for_a_place_stays_without_it() {
    let uri = format!(r#"{{"metadata":{{}},"extensions":["{URI}"]}}"#);
    let left = [r#"{"metadata":{}}"#, r#"{"_meta":{}}"#, &uri, "{}"];
    for (carrier, left) in carriers().iter().zip(left) {
        let mut envelope = document("{}");
        let record = document(RECORD);
        carrier.put(&mut envelope, MarcKind::Core, &record).unwrap();
        assert_eq!(carrier.strip_core(&mut envelope), Ok(true));
        assert_eq!(envelope.to_json(), left);
    }
}

/// M2-143
#[test]
fn a_record_is_removed_before_an_envelope_goes_to_a_user() {
    for carrier in carriers() {
        let mut envelope = document("{}");
        let record = document(RECORD);
        let disclosure = document(DISCLOSURE);
        carrier.put(&mut envelope, MarcKind::Core, &record).unwrap();
        carrier
            .put(&mut envelope, MarcKind::Disclosure, &disclosure)
            .unwrap();
        assert_eq!(carrier.strip_core(&mut envelope), Ok(true));
        assert!(!envelope.to_json().contains("pre_capability"));
        assert_eq!(
            carrier.take(&envelope, MarcKind::Disclosure),
            Ok(Some(disclosure))
        );
        assert_eq!(carrier.strip_core(&mut envelope), Ok(false));
    }
}

/// M2-142, M2-143: what is at the place of a kind is not of the other, and a disclosure has no scores.
#[test]
fn the_place_tells_the_kind() {
    let shown = r#"{"answer":"x","confidence_band":"low","uncertainty_source":"safety"}"#;
    let deep = format!("{{\"x\":{}{}", "[".repeat(900), RECORD) + &"]".repeat(900) + "}";
    let scored = shown.replace('}', ",\"post_answer_confidence\":1}");
    for carrier in carriers() {
        for (kind, other, json) in [
            (MarcKind::Disclosure, MarcKind::Core, RECORD),
            (MarcKind::Disclosure, MarcKind::Core, &deep),
            (MarcKind::Disclosure, MarcKind::Core, &scored),
            (
                MarcKind::Disclosure,
                MarcKind::Core,
                r#"{"pre_capability":1}"#,
            ),
            (MarcKind::Core, MarcKind::Disclosure, shown),
        ] {
            let mut envelope = document("{}");
            carrier.put(&mut envelope, kind, &document(json)).unwrap();
            assert_eq!(carrier.take(&envelope, other), Ok(None), "{json}");
            let error = carrier.take(&envelope, kind).unwrap_err().to_string();
            assert!(error.starts_with(&carrier.pointer(kind)), "{error}");
            if kind == MarcKind::Disclosure {
                let before = envelope.clone();
                assert!(carrier.strip_core(&mut envelope).is_err(), "{json}");
                assert_eq!(envelope, before);
            }
        }
    }
}

#[test]
fn what_is_not_utf8_stays_known_through_an_envelope() {
    for carrier in carriers() {
        let damaged = Document::parse(b"{\"marc_version\":\"1.0\xff\"}").unwrap();
        let mut envelope = document(r#"{"a":"b"}"#);
        carrier
            .put(&mut envelope, MarcKind::Core, &damaged)
            .unwrap();
        assert_eq!(carrier.take(&envelope, MarcKind::Core), Ok(Some(damaged)));
    }
}

/// A JSON value as text, with white space here and there.
fn value() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        select(vec!["null", "true", "false", "\"\"", "\"metadata\""]).prop_map(str::to_owned),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?",
        string(),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|elements| format!("[ {} ]", elements.join(" ,\n"))),
            members(inner).prop_map(|members| format!("{{{members} }}")),
        ]
    })
    .boxed()
}

/// A JSON string: escapes, surrogates alone and in pairs, and what needs none.
fn string() -> impl Strategy<Value = String> {
    let pieces = select(vec![
        "a",
        " ",
        "é",
        "\u{2028}",
        "\u{7f}",
        "🚀",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u00e9",
        "\\uD83D\\ude80",
        "\\ud800",
        "{",
        "}",
        ":",
        ",",
        "data: ",
        "\u{fffd}",
    ]);
    prop::collection::vec(pieces, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// Members of an object, some names more than once, none that a carrier uses.
fn members(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let name = prop_oneof![
        select(vec![
            "\"a\"",
            "\"\\u0061\"",
            "\"x_trace\"",
            "\"\"",
            "\"a/b~c\"",
            "\"toString\"",
            "\"é\"",
            "\"core\"",
        ])
        .prop_map(str::to_owned),
        string(),
    ];
    prop::collection::vec((name, value), 0..4).prop_map(|members| {
        let members: Vec<_> = members
            .iter()
            .map(|(name, value)| format!("{name} : {value}"))
            .collect();
        members.join(",")
    })
}

fn object() -> impl Strategy<Value = Document> {
    members(value()).prop_map(|members| document(&format!("{{{members}}}")))
}

/// An envelope, in which the objects and the array that carriers use are there, null or missing.
fn envelope() -> impl Strategy<Value = Document> {
    let part = |name: &'static str, value: BoxedStrategy<String>| {
        prop_oneof![
            Just(None),
            Just(Some(format!("\"{name}\": null"))),
            value.prop_map(move |value| Some(format!("\"{name}\": {value}"))),
        ]
    };
    let container = || {
        members(value())
            .prop_map(|members| format!("{{{members}}}"))
            .boxed()
    };
    let list = prop::collection::vec(string(), 0..3)
        .prop_map(|elements| format!("[{}]", elements.join(" , ")))
        .boxed();
    let parts = (
        members(value()).prop_map(|members| Some(members).filter(|members| !members.is_empty())),
        part("metadata", container()),
        part("_meta", container()),
        part("extensions", list),
        members(value()).prop_map(|members| Some(members).filter(|members| !members.is_empty())),
    );
    parts
        .prop_map(|(first, metadata, meta, extensions, last)| {
            vec![first, metadata, meta, extensions, last]
        })
        .prop_shuffle()
        .prop_map(|parts| {
            let parts: Vec<_> = parts.into_iter().flatten().collect();
            document(&format!("{{ {} }}", parts.join(" , ")))
        })
}

/// All members of a document but for some names, as written.
fn others(document: &Document, but: &[&str]) -> Vec<(String, String)> {
    document
        .members()
        .filter(|(name, _)| !but.contains(&&**name))
        .map(|(name, value)| (name.into_owned(), value.to_owned()))
        .collect()
}

/// The names that a carrier may touch in an envelope, and those in its containers.
const TOUCHED: [&str; 5] = [
    "metadata",
    "_meta",
    "extensions",
    "marc_core",
    "marc_disclosure",
];
const KEYS: [&str; 6] = [
    "marc_core",
    "marc_disclosure",
    "com.example/marc-core",
    "com.example/marc-disclosure",
    "https://example.com/marc/v1/core",
    "https://example.com/marc/v1/disclosure",
];

fn kind() -> impl Strategy<Value = MarcKind> {
    select(KINDS.to_vec())
}

fn other(kind: MarcKind) -> MarcKind {
    match kind {
        MarcKind::Core => MarcKind::Disclosure,
        _ => MarcKind::Core,
    }
}

proptest! {
    /// M2-140, M2-145, M2-147, M2-181: what is put is taken as it was, and nothing else has changed.
    #[test]
    fn what_is_put_is_taken_with_the_same_bytes(envelope in envelope(), put in object(), kind in kind()) {
        for carrier in carriers() {
            let mut carried = envelope.clone();
            carrier.put(&mut carried, kind, &put).unwrap();
            // Over the wire.
            let read = document(&carried.to_json());
            prop_assert_eq!(&read, &carried);
            let taken = carrier.take(&read, kind).unwrap().unwrap();
            prop_assert_eq!(taken.to_json(), put.to_json());
            prop_assert_eq!(carrier.take(&read, other(kind)).unwrap(), None);
            prop_assert_eq!(others(&read, &TOUCHED), others(&envelope, &TOUCHED));
            for name in ["metadata", "_meta"] {
                let inside = |document: &Document| others(&document.get_object(name).unwrap_or_default(), &KEYS);
                prop_assert_eq!(inside(&read), inside(&envelope));
            }
            // Members that were there stay where they were; new ones are behind them.
            let names = |document: &Document| -> Vec<_> { document.members().map(|(name, _)| name.into_owned()).collect() };
            prop_assert!(names(&read).starts_with(&names(&envelope)));
        }
    }

    /// M2-141, M2-181: the mapping is reversible.
    #[test]
    fn what_is_taken_and_put_back_changes_nothing(envelope in envelope(), put in object(), kind in kind()) {
        for carrier in carriers() {
            let mut carried = envelope.clone();
            carrier.put(&mut carried, kind, &put).unwrap();
            let before = carried.to_json();
            let taken = carrier.take(&carried, kind).unwrap().unwrap();
            carrier.put(&mut carried, kind, &taken).unwrap();
            prop_assert_eq!(carried.to_json(), before);
        }
    }

    #[test]
    fn putting_twice_replaces(envelope in envelope(), first in object(), second in object(), kind in kind()) {
        for carrier in carriers() {
            let mut once = envelope.clone();
            carrier.put(&mut once, kind, &second).unwrap();
            let mut twice = envelope.clone();
            carrier.put(&mut twice, kind, &first).unwrap();
            carrier.put(&mut twice, kind, &second).unwrap();
            prop_assert_eq!(twice.to_json(), once.to_json());
        }
    }

    /// M2-142, M2-143
    #[test]
    fn the_two_kinds_do_not_touch_each_other(envelope in envelope(), one in object(), two in object(), kind in kind()) {
        for carrier in carriers() {
            let mut alone = envelope.clone();
            carrier.put(&mut alone, kind, &one).unwrap();
            let mut both = alone.clone();
            carrier.put(&mut both, other(kind), &two).unwrap();
            prop_assert_eq!(carrier.take(&both, kind).unwrap(), Some(one.clone()));
            prop_assert_eq!(carrier.take(&both, other(kind)).unwrap(), Some(two.clone()));
            prop_assert!(carrier.remove(&mut both, other(kind)).unwrap());
            prop_assert_eq!(both.to_json(), alone.to_json());
        }
    }

    /// If the carrier already had the enclosing objects and the URI, putting and removing an object
    /// restores the envelope.
    #[test]
    fn what_is_put_and_removed_leaves_no_trace(envelope in envelope(), put in object(), kind in kind()) {
        let mut envelope = envelope;
        for (name, empty) in [("metadata", "{}"), ("_meta", "{}"), ("extensions", "[]")] {
            if envelope.get(name).is_none_or(|value| value == "null") {
                envelope.set(name, empty).unwrap();
            }
        }
        let array = envelope.get("extensions").unwrap().strip_suffix(']').unwrap();
        let comma = if array == "[" { "" } else { "," };
        let declared = format!("{array}{comma}\"{URI}\"]");
        envelope.set("extensions", &declared).unwrap();
        for carrier in carriers() {
            let mut carried = envelope.clone();
            carrier.put(&mut carried, kind, &put).unwrap();
            prop_assert!(carrier.remove(&mut carried, kind).unwrap());
            prop_assert_eq!(carried.to_json(), envelope.to_json());
            prop_assert!(!carrier.remove(&mut carried, kind).unwrap());
        }
    }

    /// M2-142, M2-144: a parser that reads the envelope as a stream finds the same object at the same place.
    #[test]
    fn a_parser_finds_what_is_carried(envelope in envelope(), private in value(), kind in kind(), chunk in 1..200_usize) {
        let (text, profile) = match kind {
            MarcKind::Core => (RECORD, Profile::new(Draft::Draft02).strict()),
            _ => (DISCLOSURE, Profile::new(Draft::Draft02).strict()),
        };
        let mut carried = document(text);
        carried.set("x_private", &private).unwrap();
        match kind {
            MarcKind::Core => prop_assert!(Core::new(carried.clone(), profile).is_ok()),
            _ => prop_assert!(Disclosure::new(carried.clone(), profile).is_ok()),
        }
        for carrier in carriers() {
            let mut message = envelope.clone();
            carrier.put(&mut message, kind, &carried).unwrap();
            let mut found = Vec::new();
            let mut sink = |event: Event<'_>| {
                if let Event::Marc(object) = event {
                    found.push(object.into_owned());
                }
            };
            let mut parser = Parser::builder().mode(Mode::Json).build();
            for bytes in message.to_json().as_bytes().chunks(chunk) {
                parser.push(bytes, &mut sink);
            }
            parser.finish(&mut sink);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(found[0].kind(), kind);
            let json = carried.to_json();
            prop_assert_eq!(found[0].raw(), Some(json.as_bytes()));
            let pointer = carrier.pointer(kind);
            prop_assert_eq!(found[0].pointer(), Some(&*pointer));
        }
    }

    /// M2-144, M2-181
    #[test]
    fn a_log_has_one_line_for_each_event(events in prop::collection::vec((envelope(), object(), kind()), 0..4)) {
        let mut log = String::new();
        for (event, put, kind) in &events {
            let mut event = event.clone();
            Carrier::audit_line().put(&mut event, *kind, put).unwrap();
            log.push_str(&format!("{event}\n"));
        }
        let lines: Vec<_> = log.split_terminator('\n').collect();
        prop_assert_eq!(lines.len(), events.len());
        for (line, (_, put, kind)) in lines.iter().zip(&events) {
            let taken = Carrier::audit_line().take(&document(line), *kind).unwrap().unwrap();
            prop_assert_eq!(taken.to_json(), put.to_json());
        }
    }

    /// M2-142, M2-144, M2-181
    #[test]
    fn a_stream_of_server_sent_events_reads_back(events in prop::collection::vec((object(), kind()), 0..4), end in select(vec!["\n", "\r\n", "\r"])) {
        let mut stream = String::from(": begin\n\nevent: message\ndata: {\"marc_version\":\ndata: 1}\n\ndata: x\n\n");
        for (put, kind) in &events {
            stream.push_str(&sse_event(*kind, put));
        }
        let read: Vec<_> = received(&stream.replace('\n', end))
            .iter()
            .filter_map(|(event_type, data)| from_sse(event_type, data).unwrap())
            .collect();
        let expected: Vec<_> = events.into_iter().map(|(put, kind)| (kind, put)).collect();
        prop_assert_eq!(read, expected);
    }
}

/// The events of a stream: type and data. Source: HTML Living Standard 9.2.6.
fn received(stream: &str) -> Vec<(String, String)> {
    let (mut events, mut event_type, mut data) = (Vec::new(), String::new(), Vec::new());
    for line in stream
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .split_terminator('\n')
    {
        if line.is_empty() {
            let event_type = core::mem::take(&mut event_type);
            if !data.is_empty() {
                events.push((event_type, data.join("\n")));
            }
            data.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => event_type = value.into(),
            "data" => data.push(value.to_owned()),
            _ => {}
        }
    }
    events
}
