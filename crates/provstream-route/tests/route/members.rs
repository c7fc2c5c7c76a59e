//! Members that a route lets pass.

use provstream::provenance::Vocabulary;
use provstream_route::Routes;

use crate::{REPLACE, filter, route, sse, through};

const BODY: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is so.\",\"note\":{\"text\":\"SECRET\"}}}]}\n\ndata: [DONE]\n\n";

#[test]
fn members_that_pass_are_neither_emptied_nor_counted() {
    for action in ["strip", "gate"] {
        for (more, passes) in [
            ("", false),
            ("pass_members = []", false),
            ("pass_members = [\"choices[].delta.note\"]", true),
            (
                "pass_members = [\"x\", \"choices[].delta.note.text\"]",
                true,
            ),
            ("pass_members = [\"choices[].delta.notes\"]", false),
        ] {
            let routes = route(action, more, REPLACE);
            for size in [1, 7, usize::MAX] {
                let mut filter = filter(&routes, &sse("/"));
                let (out, _) = through(&mut filter, BODY.as_bytes(), size);
                let has_secret = String::from_utf8_lossy(&out).contains("SECRET");
                assert_eq!(has_secret, passes || action == "strip", "{action} {more}");
                assert_eq!(
                    filter.outcome().report().is_complete(),
                    passes,
                    "{action} {more}"
                );
            }
        }
    }
}

#[test]
fn paths_of_members_are_checked() {
    let error = |action: &str, members: &str| {
        let file =
            format!("[[route]]\npath = \"*\"\naction = \"{action}\"\npass_members = {members}\n");
        let none = |_: &str| Err("no files here");
        let found = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), none);
        found.expect_err("wrong").to_string()
    };
    let expected = "expected \"pass_members\" only with action \"strip\" or \"gate\"";
    assert!(error("pass", "[\"x\"]").contains(expected));
    for members in ["[\"\"]", "[\"a b\"]", "[\"x\", \"\\n\"]"] {
        let error = error("strip", members);
        assert!(error.contains("expected the paths of members"), "{error}");
        assert!(error.contains("line 4"), "{error}");
    }
    assert!(error("strip", "\"x\"").contains("line 4"));
    assert!(error("strip", "[1]").contains("line 4"));
}
