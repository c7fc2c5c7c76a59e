//! Finds MARC records anywhere in JSON.

use serde_json::value::RawValue;

use super::read::{MAX_DEPTH, member_pointer};
use crate::{Document, MarcKind};

/// Members of a record that are scores.
const SCORES: [&str; 3] = ["pre_capability", "uncertainty", "post_answer_confidence"];

/// Returns the JSON Pointer to the first record in JSON, even if it is not complete; empty for the value itself.
///
/// A record is an object with scores of one, or what a carrier has in its place.
#[must_use]
pub fn find_misplaced_record(json: &str) -> Option<String> {
    walk(json, "", MAX_DEPTH, &|object, pointer| {
        let has = |name: &str| object.get(name).is_some();
        let is_record = object.kind() == Some(MarcKind::Core) && SCORES.into_iter().any(has);
        if is_record || has("pre_capability") {
            return Some(pointer.to_owned());
        }
        let is_place = |name: &str| name == "marc_core" || name.ends_with("/marc-core");
        let mut members = object.members();
        let place = members.find(|(name, json)| is_place(name) && *json != "null");
        place.map(|(name, _)| member_pointer(pointer, &name))
    })
}

/// Returns the JSON Pointer to the first MARC object in JSON; empty for the value itself.
#[must_use]
pub fn find_object(json: &str) -> Option<String> {
    walk(json, "", MAX_DEPTH, &|object, pointer| {
        object.kind().map(|_| pointer.to_owned())
    })
}

/// Returns the first result of `visit` for the objects in JSON, outer before inner ones.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_at_any_pointer() {
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
            assert_eq!(find_misplaced_record(json).as_deref(), place, "{json}");
        }
    }
}
