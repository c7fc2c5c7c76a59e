//! Answers that cite the sources of their requests.

use serde_json::json;

use crate::asks::stream;
use crate::support::{metrics, post, proxy, text_of};

const SETTINGS: &str = r#"
[[route]]
path = "/strip"
action = "strip"
dialects = ["numeric"]
sources = "request"

[[route]]
path = "*"
action = "gate"
dialects = ["numeric"]
sources = "request"
[route.policy]
floor = 1
default_window = "1h"
inadmissible = { action = "release" }
unknown_source = { action = "replace", text = "(withheld)" }
"#;

#[tokio::test]
async fn an_answer_is_compared_with_the_sources_of_its_request() {
    let answer = "It is big [1]. It rains [7]. So values[7].";
    let (running, upstream) = proxy(SETTINGS, move |_| stream(answer)).await;
    let ask = async |path: &str, content: &str| {
        let body = json!({"stream": true, "messages": [{"role": "user", "content": content}]});
        let answer = post(&running.address, path, &body.to_string()).await;
        assert!(answer.is_complete, "{}", answer.text());
        text_of(&answer.text())
    };
    let path = "/v1/chat/completions";
    let labelled = "[1] Cities\n[2] Rivers\n\nIs it big?";
    assert_eq!(
        ask(path, labelled).await,
        "It is big. (withheld) So values[7]."
    );
    // Another request, another list.
    let more = format!("[7] Weather\n{labelled}");
    assert_eq!(ask(path, &more).await, "It is big. It rains. So values.");
    assert_eq!(
        ask(path, "Is it big?").await,
        "It is big. It rains. So values."
    );
    // With a list, what is attached to a word and not in the list is text.
    let strip = "/strip/v1/chat/completions";
    assert_eq!(
        ask(strip, labelled).await,
        "It is big. It rains. So values[7]."
    );
    let found = metrics(&running.admin).await;
    for (route, source, count) in [
        ("*", "listed", 4),
        ("*", "unknown-source", 1),
        ("*", "no-source-list", 3),
        ("/strip", "unknown-source", 1),
        ("/strip", "listed", 1),
    ] {
        let line = format!(
            "provstream_cited_ids_total{{route=\"{route}\",source=\"{source}\"}} {count}\n"
        );
        assert!(found.contains(&line), "{line}{found}");
    }
    // The upstream gets the request as it is.
    let requests = upstream.seen(|seen| seen.requests.clone());
    let body = json!({"stream": true, "messages": [{"role": "user", "content": labelled}]});
    assert!(requests[0].ends_with(&body.to_string()), "{}", requests[0]);
}

#[tokio::test]
async fn requests_with_incomplete_lists_are_counted_by_reason() {
    let (running, _upstream) = proxy(SETTINGS, |_| stream("It is big [1].")).await;
    let labelled = json!([{"role": "user", "content": "[1] Cities\n\nIs it big?"}]);
    let tool = json!([{"type": "web_search"}]);
    let with = |content: serde_json::Value| json!([{"role": "user", "content": content}]);
    for (request, reason) in [
        (json!({"messages": labelled}), None),
        (
            json!({"messages": with("Is it big?".into())}),
            Some("no_label"),
        ),
        (json!([]), Some("not_an_object")),
        (json!({"messages": labelled, "tools": tool}), Some("tool")),
        (
            json!({"messages": labelled, "previous_response_id": "r"}),
            Some("member"),
        ),
        (
            json!({"messages": with(json!([{"type": "text", "text": "[1] A"}, {"type": "image_url", "image_url": {}}]))}),
            Some("content"),
        ),
    ] {
        let body = request.to_string();
        let answer = post(&running.address, "/v1/chat/completions", &body).await;
        assert_eq!(answer.status, 200);
        let found = metrics(&running.admin).await;
        let counts = |reason: &str| {
            let line = format!(
                "provstream_incomplete_sources_total{{route=\"*\",reason=\"{reason}\"}} 1\n"
            );
            found.contains(&line)
        };
        assert!(reason.is_none_or(counts), "{reason:?}: {found}");
        if reason.is_none() {
            assert!(
                !found.contains("provstream_incomplete_sources_total{"),
                "{found}"
            );
        }
    }
}
