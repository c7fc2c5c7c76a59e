//! Documents, and what of them was not UTF-8.

use super::*;

#[track_caller]
fn document(json: &str) -> Document {
    json.parse().unwrap()
}

#[test]
fn nothing_but_white_space_is_lost() {
    let json = "{\"z\" : 1.0 ,\r\n\t\"a\": [ -0 , 1E+2 , 1e9999 , \" \\\" \\\\\" ] , \"z\":{ \"z\" : null , \"z\":2},\
        \"\\u00e9\\ud800\":\"\\u00E9\\/\\ud83d\\uDE80\\udc00\", \"\":true }";
    let written = document(json).to_json();
    assert_eq!(
        written,
        "{\"z\":1.0,\"a\":[-0,1E+2,1e9999,\" \\\" \\\\\"],\"z\":{\"z\":null,\"z\":2},\
        \"\\u00e9\\ud800\":\"\\u00E9\\/\\ud83d\\uDE80\\udc00\",\"\":true}"
    );
    assert_eq!(document(&written).to_json(), written);
}

#[test]
fn names_are_compared_decoded() {
    let read = document(r#"{"\u0061b":1,"ab":2,"é\ud800":3}"#);
    assert_eq!(read.get("ab"), Some("1"));
    assert_eq!(read.get("é\u{fffd}"), Some("3"));
    assert_eq!(read.get("b"), None);
}

#[test]
fn members_are_set_in_their_place() {
    let mut read = document(r#"{"a":1,"b":2,"a":3,"c":4}"#);
    read.set("a", " [ 5 ] ").unwrap();
    read.set_str("d", "\"\n");
    read.set_str_after("b", "e", "x");
    read.set_str_after("b", "c", "y");
    assert_eq!(
        read.to_json(),
        r#"{"a":[5],"b":2,"e":"x","c":"y","d":"\"\n"}"#
    );
    assert_eq!(read.remove("b").as_deref(), Some("2"));
    assert_eq!(read.remove("b"), None);
    assert_eq!(read.len(), 4);
    assert!(read.set("f", "1 2").is_err());
    assert!(read.set("f", "").is_err());
    assert_eq!(read.len(), 4);
}

#[test]
fn what_is_not_utf8_is_known() {
    let read = Document::parse(b"{\"a\":\"\xff\"}").unwrap();
    assert!(read.is_ill_formed());
    assert_eq!(read.get("a"), Some("\"\u{fffd}\""));
    assert!(!document("{\"a\":\"\u{fffd}\"}").is_ill_formed());
}

/// Ill-formed: `b`, the second string in `c`, the name of the last member.
const DAMAGED: &[u8] =
    b"{\"a\":\"\xef\xbf\xbd\",\"b\":\"\xff\",\"c\" : [ {\"\xef\xbf\xbd\" : \"\xe2\x82x\"} ],\
    \"d\":{\"x\":\"\xef\xbf\xbd\"},\"\xff\":1}";

#[test]
fn removing_all_that_is_not_utf8_leaves_a_document_as_any_other() {
    let mut read = Document::parse(DAMAGED).unwrap();
    for (name, ill_formed) in [("b", true), ("c", true), ("\u{fffd}", false)] {
        read.remove(name).unwrap();
        assert_eq!(read.is_ill_formed(), ill_formed, "{name}");
    }
    assert_eq!(read, document(&read.to_json()));
    let mut read = Document::parse(DAMAGED).unwrap();
    read.set("b", "1").unwrap();
    read.set_str("c", "\u{fffd}");
    assert!(read.is_ill_formed());
    // The value is another one, and the name stays as it was read.
    read.set("\u{fffd}", "2").unwrap();
    assert!(read.is_ill_formed());
}

#[test]
fn what_is_not_utf8_is_known_member_by_member_also_inside() {
    let read = Document::parse(DAMAGED).unwrap();
    let mut outer = document("{\"y\":\"\u{fffd}\"}");
    outer.set_object("inner", &read);
    outer.append_str("list", "z");
    assert!(outer.is_ill_formed());
    let inner = outer.get_object("inner").unwrap();
    assert_eq!(inner, read);
    assert!(!inner.get_object("d").unwrap().is_ill_formed());
    assert_ne!(inner, document(&read.to_json()));
    let mut list = Document::parse(b"{\"list\":[\"\xff\"]}").unwrap();
    list.append_str("list", "\u{fffd}");
    assert_eq!(
        list,
        Document::parse(b"{\"list\":[\"\xff\",\"\xef\xbf\xbd\"]}").unwrap()
    );
    for json in [r#"{"list":null}"#, r#"{"list":[]}"#, "{}"] {
        let mut list = document(json);
        list.append_str("list", "z");
        assert_eq!(list.to_json(), r#"{"list":["z"]}"#);
    }
}

#[test]
fn errors_give_place_expectation_and_what_was_found() {
    for (json, text) in [
        (
            "",
            "line 1, column 0: expected the rest of a JSON value, found the end of the text",
        ),
        (
            "{\"a\":1,\n \"b\" 2}",
            "line 2, column 6: expected `:` after the name of a member, found '2'",
        ),
        (
            "{} {}",
            "line 1, column 4: expected nothing after the value, found '{'",
        ),
    ] {
        let error = Document::parse(json.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), text, "{json:?}");
    }
    for json in ["[]", "1", "null", "\"a\"", "{", "{\"a\":}", "{1:2}"] {
        assert!(Document::parse(json.as_bytes()).is_err(), "{json}");
    }
}

#[test]
fn depth_does_not_matter() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(60_000), "]".repeat(60_000));
    assert_eq!(document(&deep).to_json(), deep);
}
