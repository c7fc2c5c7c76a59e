//! Routing of requests by path and headers.

use crate::support::{Upstream, WITHHOLD, chat, config, config_at, gate, post, run, whole};

#[tokio::test]
async fn a_route_may_have_an_upstream_of_its_own() {
    let one = Upstream::start(|_| whole("200 OK", "text/plain", "one")).await;
    let two = Upstream::start(|_| whole("200 OK", "text/plain", "two")).await;
    let file = format!(
        "[[route]]\npath = \"/two\"\naction = \"pass\"\nupstream = \"{}/base/\"\n",
        two.url
    );
    let running = run(config(&one, &file)).await;
    assert_eq!(post(&running.address, "/one", "{}").await.text(), "one");
    assert_eq!(post(&running.address, "/two/x?y", "{}").await.text(), "two");
    let request = two.seen(|seen| seen.requests[0].clone());
    assert!(
        request.starts_with("POST /base/two/x?y HTTP/1.1\r\n"),
        "{request}"
    );
}

#[tokio::test]
async fn an_upstream_that_is_not_there_is_an_error_in_the_shape_of_the_api() {
    let running = run(config_at("http://127.0.0.1:1", "")).await;
    for (path, start) in [
        (
            "/v1/chat/completions",
            "{\"error\":{\"message\":\"the upstream could not be reached\"",
        ),
        (
            "/v1/messages",
            "{\"type\":\"error\",\"error\":{\"type\":\"api_error\"",
        ),
        ("/api/chat", "{\"error\":\"the upstream"),
    ] {
        let answer = post(&running.address, path, "{}").await;
        assert_eq!(answer.status, 502);
        assert!(
            answer.text().starts_with(start),
            "{path}: {}",
            answer.text()
        );
        assert_eq!(answer.header("content-type"), Some("application/json"));
    }
}

#[tokio::test]
async fn a_response_of_known_length_that_passes_is_complete() {
    let upstream = Upstream::start(|_| whole("404 Not Found", "application/json", "{}")).await;
    let running = run(config(&upstream, "")).await;
    let answer = post(&running.address, "/v1/chat/completions", "{}").await;
    assert_eq!((answer.status, &*answer.text()), (404, "{}"));
    let found = crate::support::metrics(&running.admin).await;
    let line = "provstream_requests_total{route=\"default\",action=\"strip\",status=\"4xx\",end=\"complete\"} 1";
    assert!(found.lines().any(|found| found == line), "{found}");
}

#[tokio::test]
async fn admin_endpoints_are_on_their_own_listener() {
    let upstream = Upstream::start(|_| whole("200 OK", "text/plain", "of the upstream")).await;
    let running = run(config(&upstream, "")).await;
    let get =
        |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    for path in ["/metrics", "/healthz", "/_provstream/live"] {
        let answer = crate::support::send(&running.address, get(path).as_bytes()).await;
        assert_eq!(answer.text(), "of the upstream");
    }
    let answer = crate::support::send(&running.admin, get("/metrics").as_bytes()).await;
    let line = "provstream_requests_total{route=\"default\",action=\"strip\",status=\"2xx\",end=\"complete\"} 3";
    assert!(
        answer.text().lines().any(|found| found == line),
        "{}",
        answer.text()
    );
    let uninspected = "provstream_uninspected_total{route=\"default\",reason=\"unknown_format\"} 3";
    assert!(answer.text().contains(uninspected), "{}", answer.text());
    assert_eq!(
        crate::support::send(&running.admin, get("/readyz").as_bytes())
            .await
            .status,
        200
    );
    assert_eq!(
        crate::support::send(&running.admin, get("/v1/x").as_bytes())
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn each_request_has_a_span_at_the_collector() {
    let collector = Upstream::start(|_| whole("200 OK", "application/json", "{}")).await;
    let upstream = Upstream::start(|_| {
        whole(
            "200 OK",
            "text/event-stream",
            &chat(&["It rains. It pours. [unverified-inference] So."]),
        )
    })
    .await;
    let file = format!("otlp = \"{}/v1/traces\"\n{}", collector.url, gate(WITHHOLD));
    let running = run(config(&upstream, &file)).await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let request = crate::support::request("/v1/chat/completions?key=sk-query", "{}");
    let request = request.replace(
        "Host:",
        &format!("traceparent: 00-{trace}-b7ad6b7169203331-01\r\nHost:"),
    );
    let _ = crate::support::send(&running.address, request.as_bytes()).await;
    collector.wait_for(|seen| !seen.requests.is_empty()).await;
    let sent = collector.seen(|seen| seen.requests[0].clone());
    assert!(sent.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{sent}");
    assert!(!sent.contains("sk-") && !sent.contains("pours"), "{sent}");
    let body: serde_json::Value =
        serde_json::from_str(sent.split_once("\r\n\r\n").expect("a body").1).expect("JSON");
    let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert_eq!(
        (span["traceId"].as_str(), span["parentSpanId"].as_str()),
        (Some(trace), Some("b7ad6b7169203331"))
    );
    assert_eq!(span["name"], "POST *");
    let value = |key: &str| {
        let mut attributes = span["attributes"].as_array().expect("attributes").iter();
        attributes
            .find(|one| one["key"] == key)
            .map(|one| one["value"].clone())
            .unwrap_or_default()
    };
    assert_eq!(value("gen_ai.operation.name")["stringValue"], "chat");
    assert_eq!(value("http.response.status_code")["intValue"], "200");
    assert_eq!(value("provstream.inspected")["boolValue"], true);
    assert_eq!(value("provstream.withheld_bytes")["intValue"], "9");
    assert!(
        value("gen_ai.response.time_to_first_chunk")["doubleValue"]
            .as_f64()
            .expect("seconds")
            > 0.0
    );
    let events = span["events"].as_array().expect("events");
    let evaluated: Vec<_> = events.iter().map(evaluation).collect();
    assert_eq!(
        evaluated,
        [[
            "gen_ai.evaluation.result",
            "provstream.admissibility",
            "terminal",
            "0.0",
            "replace",
            "1"
        ]]
    );
    let asked = upstream.seen(|seen| seen.requests[0].clone());
    let span = span["spanId"].as_str().expect("a span");
    assert!(
        asked.contains(&format!("traceparent: 00-{trace}-{span}-01")),
        "{asked}"
    );
}

/// Name, evaluation, label, score, action and count of an event of a span.
fn evaluation(event: &serde_json::Value) -> [String; 6] {
    let keys = [
        ("gen_ai.evaluation.name", "stringValue"),
        ("gen_ai.evaluation.score.label", "stringValue"),
        ("gen_ai.evaluation.score.value", "doubleValue"),
        ("provstream.action", "stringValue"),
        ("provstream.count", "intValue"),
    ];
    let text = |value: &serde_json::Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let mut attributes = event["attributes"].as_array().expect("attributes").iter();
    let values = keys.map(|(key, kind)| {
        let found = attributes.next().expect("an attribute");
        assert_eq!(found["key"], key);
        text(&found["value"][kind])
    });
    let [evaluation, label, score, action, count] = values;
    let name = text(&event["name"]);
    [name, evaluation, label, score, action, count]
}
