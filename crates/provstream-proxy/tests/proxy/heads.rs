//! Which requests go where.

use crate::support::{Upstream, config, config_at, post, run, whole};

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
async fn admin_endpoints_are_on_their_own_listener() {
    let upstream = Upstream::start(|_| whole("200 OK", "text/plain", "of the upstream")).await;
    let running = run(config(&upstream, "")).await;
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
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
