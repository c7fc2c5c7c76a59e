//! MARC objects in an envelope that are not where its carrier puts them.

use std::collections::HashSet;

use provstream_marc::{Document, MarcKind};
use serde_json::value::RawValue;

use super::objects::{MAX_DEPTH, member_pointer};

/// The members of a record that are scores.
const SCORES: [&str; 3] = ["pre_capability", "uncertainty", "post_answer_confidence"];

/// The JSON Pointer to the first record in JSON text, also to one that is not complete; empty for the text itself.
///
/// A record is an object with scores of one, or what a carrier has in the place of one.
pub(crate) fn first_record(json: &str) -> Option<String> {
    walk(json, "", MAX_DEPTH, &|object, pointer| {
        let has = |name: &str| object.get(name).is_some();
        let is_record = object.kind() == Some(MarcKind::Core) && SCORES.into_iter().any(has);
        if is_record || has("pre_capability") {
            return Some(pointer.to_owned());
        }
        let is_place = |name: &str| name == "marc_core" || name.ends_with("/marc-core");
        let mut places = object.members();
        let place = places.find(|(name, json)| is_place(name) && *json != "null");
        place.map(|(name, _)| member_pointer(pointer, &name))
    })
}

/// The JSON Pointer to the first MARC object in JSON text; empty for the text itself.
pub(crate) fn first_object(json: &str) -> Option<String> {
    walk(json, "", MAX_DEPTH, &|object, pointer| {
        object.kind().map(|_| pointer.to_owned())
    })
}

/// The JSON Pointer to the first member in JSON text that an object has a second time.
pub(crate) fn first_repeated(json: &str) -> Option<String> {
    walk(json, "", MAX_DEPTH, &|object, pointer| {
        let mut seen = HashSet::new();
        let mut names = object.members().map(|(name, _)| name);
        let repeated = names.find(|name| !seen.insert(name.clone()));
        repeated.map(|name| member_pointer(pointer, &name))
    })
}

/// What `visit` gives for the first object in JSON text for which it gives something, the outer before the inner ones.
fn walk(
    json: &str,
    pointer: &str,
    depth: usize,
    visit: &dyn Fn(&Document, &str) -> Option<String>,
) -> Option<String> {
    if json.starts_with('{') {
        let object = Document::parse(json.as_bytes()).ok()?;
        return visit(&object, pointer).or_else(|| {
            let depth = depth.checked_sub(1)?;
            let mut members = object.members();
            members
                .find_map(|(name, json)| walk(json, &member_pointer(pointer, &name), depth, visit))
        });
    }
    if json.starts_with('[') {
        let depth = depth.checked_sub(1)?;
        let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        let mut items = items.into_iter().enumerate();
        return items.find_map(|(index, item)| {
            walk(item.get(), &format!("{pointer}/{index}"), depth, visit)
        });
    }
    None
}

/// The carrier that puts objects at a place, with the options that name it: `mcp --prefix com.example`.
pub(crate) fn carrier_of(pointer: &str) -> Option<String> {
    let mut names = pointer.split('/').skip(1);
    let names = [names.next()?, names.next().unwrap_or_default()];
    let name = names[1].replace("~1", "/").replace("~0", "~");
    let before = |kinds: [&str; 2]| kinds.iter().find_map(|kind| name.strip_suffix(kind));
    match (names, pointer.matches('/').count()) {
        (["marc_core" | "marc_disclosure", _], 1) => Some("audit-log".to_owned()),
        (["metadata", "marc_core" | "marc_disclosure"], 2) => Some("response-metadata".to_owned()),
        (["_meta", _], 2) => {
            let prefix = before(["/marc-core", "/marc-disclosure"])?;
            Some(format!("mcp --prefix {prefix}"))
        }
        (["metadata", _], 2) => {
            let uri = before(["/core", "/disclosure"])?;
            Some(format!("a2a --uri {uri}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_wherever_they_are() {
        for (json, place) in [
            (r#"{"pre_capability":1}"#, Some("")),
            (r#"{"marc_version":"1.0","uncertainty":{}}"#, Some("")),
            (r#"{"a/b":[0,{"pre_capability":null}]}"#, Some("/a~1b/1")),
            (
                r#"{"_meta":{"com.example/marc-core":7}}"#,
                Some("/_meta/com.example~1marc-core"),
            ),
            (
                r#"{"answer":"x","confidence_band":"low","x":{"marc_core":[]}}"#,
                Some("/x/marc_core"),
            ),
            (
                r#"{"marc_core":null,"decision_id":"a","selected_action":"ANSWER"}"#,
                None,
            ),
            (
                r#"{"metadata":{"marc_disclosure":{"answer":"x"}},"uncertainty":2}"#,
                None,
            ),
            ("\"pre_capability\"", None),
        ] {
            assert_eq!(first_record(json).as_deref(), place, "{json}");
        }
    }

    #[test]
    fn places_of_carriers_are_known() {
        for (pointer, carrier) in [
            ("/marc_core", Some("audit-log")),
            ("/metadata/marc_disclosure", Some("response-metadata")),
            (
                "/_meta/com.example~1marc-core",
                Some("mcp --prefix com.example"),
            ),
            (
                "/metadata/https:~1~1e.org~1v1~1disclosure",
                Some("a2a --uri https://e.org/v1"),
            ),
            ("/result/_meta/com.example~1marc-core", None),
            ("/metadata/marc_core/x", None),
            ("", None),
        ] {
            assert_eq!(carrier_of(pointer).as_deref(), carrier, "{pointer}");
        }
    }

    #[test]
    fn repeated_members_are_found() {
        for (json, place) in [
            (r#"{"a":1,"b":[{"c":{},"d":2,"c":3}]}"#, Some("/b/0/c")),
            (r#"{"a":1,"b":{"a":1}}"#, None),
            (r#"{"a":1,"\u0061":1}"#, Some("/a")),
        ] {
            assert_eq!(first_repeated(json).as_deref(), place, "{json}");
        }
    }
}
