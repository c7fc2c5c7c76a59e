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

#[test]
fn what_is_not_utf8_stays_known_inside_and_outside() {
    let read = Document::parse(b"{\"a\":{\"b\":\"\xff\"},\"c\":{\"d\":1}}").unwrap();
    assert!(read.get_object("a").unwrap().is_ill_formed());
    assert!(!read.get_object("c").unwrap().is_ill_formed());
    let mut outer = document("{}");
    outer.set_object("inner", &read);
    assert!(outer.is_ill_formed());
    assert_eq!(outer.get_object("inner"), Some(read));
}

#[test]
fn an_array_is_extended_or_made() {
    for json in [r#"{"list":null}"#, r#"{"list":[]}"#, "{}"] {
        let mut list = document(json);
        list.append_str("list", "z");
        assert_eq!(list.to_json(), r#"{"list":["z"]}"#);
    }
}

#[test]
fn errors_give_place_and_reason() {
    for (json, text) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{\"a\":1,\n \"b\" 2}", "expected `:` at line 2 column 6"),
        ("{} {}", "trailing characters at line 1 column 4"),
        ("[1]", "expected a JSON object, found an array"),
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
