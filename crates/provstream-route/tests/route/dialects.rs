//! Citation dialects of a route.

use provstream::provenance::Vocabulary;
use provstream_route::Routes;

use crate::{REPLACE, filter, route, sse, through};

const BODY: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Paris [1\"}}]}\n\n\
                    data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"] is big【4:0†a.pdf】.\"}}]}\n\n\
                    data: [DONE]\n\n";

#[test]
fn markers_are_removed_in_the_dialects_of_the_route() {
    for (more, texts) in [
        ("", ["Paris", " [1] is big【4:0†a.pdf】."]),
        ("dialects = []", ["Paris", " [1] is big【4:0†a.pdf】."]),
        (
            "dialects = [\"numeric\"]",
            ["Paris", " is big【4:0†a.pdf】."],
        ),
        (
            "dialects = [\"numeric\", \"openai-file\"]",
            ["Paris", " is big."],
        ),
    ] {
        let routes = route("strip", more, REPLACE);
        for size in [1, 7, usize::MAX] {
            let mut filter = filter(&routes, &sse("/"));
            let (out, _) = through(&mut filter, BODY.as_bytes(), size);
            let expected = BODY
                .replace("Paris [1", texts[0])
                .replace("] is big【4:0†a.pdf】.", texts[1]);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{more} by {size}");
        }
    }
}

#[test]
fn a_dialect_may_be_a_file() {
    let file = "[[route]]\npath = \"*\"\naction = \"strip\"\ndialects = [\"own.toml\"]\n";
    let own = "name = \"own\"\n[[marker]]\nopen = '\\{'\nid = '[0-9]+'\nclose = '\\}'\n";
    let read = |name: &str| match name {
        "own.toml" => Ok(own.to_owned()),
        _ => Err("it is not there"),
    };
    let routes = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), read).expect("routes");
    let mut filter = filter(&routes, &sse("/"));
    let body = BODY.replace("[1", "{1").replace("] is", "} is");
    let (out, _) = through(&mut filter, body.as_bytes(), 7);
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(
        out.contains("\"Paris\"") && out.contains("\" is big"),
        "{out}"
    );
}

#[test]
fn wrong_dialects_are_errors_with_their_place() {
    let error = |action: &str, dialects: &str| {
        let file =
            format!("[[route]]\npath = \"*\"\naction = \"{action}\"\ndialects = {dialects}\n");
        let none = |_: &str| Err("no files here");
        let found = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), none);
        found.expect_err("wrong").to_string()
    };
    assert_eq!(
        error("strip", "[\"numeric\", \"numbers\"]"),
        "line 4, column 24: expected one of \"openai-file\", \"openai-web\", \"file-token\", \"numeric\", \"doc\", \"citation\", \
         \"cohere\", \"cite-tag\", \"nova\", or the path of a file, for \"dialects\", found \"numbers\""
    );
    assert_eq!(
        error("pass", "[\"numeric\"]"),
        "line 4, column 12: expected \"dialects\" only with action \"strip\", found it with action \"pass\""
    );
    assert_eq!(
        error("strip", "[\"own.toml\"]"),
        "line 4, column 13: dialect \"own.toml\": no files here"
    );
    assert!(error("strip", "\"numeric\"").contains("line 4"));
    assert!(error("strip", "[1]").contains("line 4"));
}
