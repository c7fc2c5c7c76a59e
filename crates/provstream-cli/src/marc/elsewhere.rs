//! MARC objects in an envelope that are not where its carrier puts them.

use std::collections::HashSet;

use provstream_marc::{NestedObject, visit_objects};

/// The JSON Pointer to the first MARC object in JSON text; empty for the text itself.
pub(crate) fn first_object(json: &str) -> Option<String> {
    first(json, |object| object.kind().and_then(|_| object.pointer()))
}

/// The JSON Pointer to the first member in JSON text that an object has a second time.
pub(crate) fn first_repeated(json: &str) -> Option<String> {
    first(json, |object| {
        let mut seen = HashSet::new();
        let mut names = object.members().map(|(name, _)| name);
        let repeated = names.find(|name| !seen.insert(*name))?;
        let name = repeated.replace('~', "~0").replace('/', "~1");
        Some(format!("{}/{name}", object.pointer()?))
    })
}

/// What is found in the first object for which something is, the outer before the inner ones.
fn first(json: &str, find: impl Fn(&NestedObject<'_, '_>) -> Option<String>) -> Option<String> {
    let mut first: Option<(usize, String)> = None;
    visit_objects(json.as_bytes(), |object| {
        let start = object.span().start;
        if let Some(found) = find(object) {
            first = Some((start, found))
                .filter(|_| first.as_ref().is_none_or(|(at, _)| start < *at))
                .or(first.take());
        }
    });
    first.map(|(_, found)| found)
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
