//! Markers written anew by a route (`render`).

use provstream::provenance::Vocabulary;
use provstream_route::{Plan, Routes};
use serde_json::{Value, json};

use crate::{filter, sse, through};

const SOURCES: &str = "[{\"id\": \"1\", \"title\": \"Cities\", \"url\": \"https://a.example/1\"}, {\"id\": \"2\", \"url\": \"javascript:x\"}]";

fn read(more: &str, action: &str) -> Result<Routes, String> {
    let file = format!(
        "[[route]]\npath = \"*\"\naction = \"{action}\"\ndialects = [\"numeric\", \"cohere\"]\n{more}\n"
    );
    let files = |name: &str| match name {
        "sources.json" => Ok(SOURCES.to_owned()),
        _ => Err("it is not there"),
    };
    Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), files)
        .map_err(|error| error.to_string())
}

fn chat(choice: usize, text: &str) -> String {
    let event = json!({"choices": [{"index": choice, "delta": {"content": text}}]});
    format!("data: {event}\n\n")
}

/// The text of a choice that a client reads.
fn text_of(out: &[u8], choice: usize) -> String {
    let out = core::str::from_utf8(out).expect("UTF-8");
    let data = out.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    events
        .filter(|event| event["choices"][0]["index"] == choice)
        .filter_map(|event| Some(event["choices"][0]["delta"]["content"].as_str()?.to_owned()))
        .collect()
}

#[test]
fn markers_are_written_as_the_route_says() {
    let body = [
        chat(0, "It rains ["),
        chat(1, "Other [1]."),
        chat(0, "2]. <co: 1>Big</co: 1> [1][7"),
        chat(0, "]. So [9]."),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    let sources = "sources = \"sources.json\"\n";
    for (more, expected) in [
        (
            "render = \"[{n}]({url})\"",
            "It rains \\[1\\]. Big[2](https://a.example/1) [2](https://a.example/1). So.",
        ),
        (
            "render = \"<sup title='{title}'>{n}</sup>\"\nrender_as = \"html\"\nunlisted = \"mark\"",
            "It rains <sup title='2'>1</sup>. Big<sup title='Cities'>2</sup> <sup title='Cities'>2</sup>&#91;?&#93;. So &#91;?&#93;.",
        ),
        (
            "render = \"({n})\"\nunlisted = \"keep\"",
            "It rains (1). Big(2) (2)\\[7\\]. So [9].",
        ),
    ] {
        let routes = read(&format!("{sources}{more}"), "strip").expect("routes");
        for size in [1, 7, usize::MAX] {
            let mut filter = filter(&routes, &sse("/"));
            let (out, _) = through(&mut filter, body.as_bytes(), size);
            assert_eq!(text_of(&out, 0), expected, "{more} by {size}");
            assert!(!text_of(&out, 1).contains("[1]."), "{more} by {size}");
        }
    }
}

#[test]
fn the_sources_of_a_request_have_titles_and_addresses() {
    let routes = read(
        "sources = \"request\"\nrender = \"[{title}]({url})\"",
        "strip",
    )
    .expect("routes");
    let content = "[1] Cities - https://a.example/1\n[2]: Rivers\n\nSo?";
    let request = json!({"messages": [{"role": "user", "content": content}]});
    let route = routes
        .route("POST", "/")
        .with_request(request.to_string().as_bytes());
    let Plan::Filter(mut one) = route.response(&sse("/")) else {
        panic!("expected a filter");
    };
    let body = chat(0, "Big [1]. Wet [2]. Seven [7].");
    let (out, _) = through(&mut one, body.as_bytes(), 7);
    assert_eq!(
        text_of(&out, 0),
        "Big [Cities](https://a.example/1). Wet \\[2\\]. Seven."
    );
    // Without a request, nothing is known.
    let (out, _) = through(&mut filter(&routes, &sse("/")), body.as_bytes(), 7);
    assert_eq!(text_of(&out, 0), "Big. Wet. Seven.");
}

#[test]
fn wrong_renderings_are_errors_with_their_place() {
    let sources = "sources = [\"1\"]\n";
    for (more, expected) in [
        (
            "render = \"[{n}]({title})\"",
            "line 6, column 10: render: expected {url} as the destination of a link, found {title}",
        ),
        (
            "render = \"{n}\"\nrender_as = \"tex\"",
            "line 7, column 13: expected one of \"markdown\", \"html\" for \"render_as\", found \"tex\"",
        ),
        (
            "render = \"{n}\"\nunlisted = \"drop\"",
            "line 7, column 12: expected one of \"strip\", \"keep\", \"mark\" for \"unlisted\", found \"drop\"",
        ),
        (
            "unlisted = \"mark\"",
            "line 6, column 12: expected \"unlisted\" only with \"render\"",
        ),
        (
            "sources_class = \"substrate.grep\"",
            "line 6, column 17: expected \"sources_class\" only with sources = \"request\"",
        ),
    ] {
        assert_eq!(
            read(&format!("{sources}{more}"), "strip").expect_err("wrong"),
            expected
        );
    }
    let only = "expected \"render\" only with action \"strip\", \"dialects\" and \"sources\"";
    let alone = read("render = \"{n}\"", "strip").expect_err("wrong");
    assert_eq!(alone, format!("line 5, column 10: {only}"));
    let policy = "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"release\" }";
    let gated = read(&format!("{sources}render = \"{{n}}\"\n{policy}"), "gate").expect_err("wrong");
    assert_eq!(gated, format!("line 6, column 10: {only}"));
    for (class, expected) in [
        (
            "\"substrate.nope\"",
            "line 6, column 17: expected a class of the vocabulary that is not a terminal for \"sources_class\", found \"substrate.nope\"",
        ),
        (
            "{ look = \"unverified-inference\" }",
            "line 6, column 26: expected a class of the vocabulary that is not a terminal for \"sources_class\", found \"unverified-inference\"",
        ),
    ] {
        let more = format!("sources = \"request\"\nsources_class = {class}");
        assert_eq!(read(&more, "strip").expect_err("wrong"), expected);
    }
    let wrong = read("sources = \"request\"\nsources_class = 7", "strip").expect_err("wrong");
    assert!(
        wrong.starts_with("line 6, column 17: expected a class, or a table"),
        "{wrong}"
    );
}
