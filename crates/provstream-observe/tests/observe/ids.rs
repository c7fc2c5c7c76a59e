//! Ids are those that Python computes from the documentation.

use provstream::provenance::Timestamp;
use provstream_observe::{IdKey, Observation, Query};
use serde_json::{Value, json};

use crate::{noon, numbered};

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors.json")).expect("JSON")
}

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

#[test]
fn ids_are_those_of_an_independent_computation() {
    let vectors = vectors();
    let key = IdKey::new(&bytes(vectors["key"].as_str().expect("a key"))).expect("a key");
    let list = vectors["vectors"].as_array().expect("a list");
    assert_eq!(list.len(), 5);
    for vector in list {
        let text = |name: &str| vector[name].as_str().expect("a string");
        let query = Query::new(&vector["query"]).expect("a query");
        let time = Timestamp::parse(text("time")).expect("a time");
        let observation = Observation::new(text("class"), query, text("content"), time);
        let observation = observation.expect("an observation");
        assert_eq!(observation.id(), text("id"));
        assert_eq!(observation.with_key(&key).id(), text("keyed"));
    }
}

#[test]
fn an_id_depends_on_each_part_and_on_nothing_else() {
    let query = |path: &str| Query::new(&json!({ "path": path })).expect("a query");
    let id = |class: &str, path: &str, content: &str, time| {
        let observation = Observation::new(class, query(path), content, time);
        observation.expect("an observation").id().to_owned()
    };
    let base = id("substrate.grep", "a", "b", noon());
    let later = crate::time("2026-05-28T12:00:00.000000001Z");
    for other in [
        id("substrate.gre", "a", "b", noon()),
        id("substrate.grep", "b", "b", noon()),
        id("substrate.grep", "a", "a", noon()),
        id("substrate.grep", "a", "b", later),
    ] {
        assert_ne!(base, other);
    }
    let spaced = Query::parse(" {\"path\" :\"\\u0061\"}").expect("a query");
    let same = Observation::new("substrate.grep", spaced, "b", noon()).expect("an observation");
    let same = same.with_expiry(later).expect("a time").without_content();
    assert_eq!(same.id(), base);
}

#[test]
fn queries_that_readers_would_change_are_refused() {
    for query in [
        "[]",
        "7",
        "{",
        "{\"a\": 9007199254740992}",
        "{\"a\": [-9007199254740992]}",
        "{\"a\": 2.5e17}",
        "{\"a\": -9007199254740992.0}",
    ] {
        assert!(Query::parse(query).is_err(), "{query}");
    }
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(65_536));
    assert!(Query::parse(&long).is_err());
    let query = Query::parse("{\"b\": 1.50, \"a\": 9007199254740991}").expect("a query");
    assert_eq!(query.as_str(), "{\"a\":9007199254740991,\"b\":1.5}");
    for (query, canonical) in [
        ("{\"a\": 9007199254740991.0}", "{\"a\":9007199254740991}"),
        ("{\"a\": 1e21}", "{\"a\":1e+21}"),
        ("{\"a\": 2e-7}", "{\"a\":2e-7}"),
    ] {
        let query = Query::parse(query).expect("a query");
        assert_eq!(query.as_str(), canonical);
        assert_eq!(Query::parse(canonical).as_ref(), Ok(&query));
    }
}

#[test]
fn ids_and_classes_are_one_line() {
    for id in [
        "",
        "a\nb",
        "\u{202e}a",
        "\u{7f}",
        "sha256:e3b0",
        "hmac-sha256:",
        &"x".repeat(939),
    ] {
        assert!(numbered(1).with_id(id).is_err(), "{id:?}");
    }
    for id in ["call_0aF", "toolu_01 x", "【4:0†source】", &"x".repeat(938)] {
        assert_eq!(numbered(1).with_id(id).expect("an id").id(), id);
    }
    let query = || Query::parse("{}").expect("a query");
    for class in ["", "a\tb", &"x".repeat(257)] {
        assert!(
            Observation::new(class, query(), "", noon()).is_err(),
            "{class:?}"
        );
    }
    assert!(Observation::new("a", query(), "", Timestamp::MAX).is_err());
    assert!(IdKey::new(&[0; 15]).is_err());
    let debug = format!("{:?}", IdKey::new(b"0123456789abcdef"));
    assert_eq!(debug, "Ok(Key(..))");
}
