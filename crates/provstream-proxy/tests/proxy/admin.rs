//! The admin endpoints answer only requests that name their host.

use crate::support::{proxy, send, whole};

async fn status(admin: &str, path: &str, lines: &str) -> u16 {
    let request = format!("GET {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
    send(admin, request.as_bytes()).await.status
}

#[tokio::test]
async fn names_that_a_page_may_have_made_its_own_are_refused() {
    let settings = "admin_hosts = [\"metrics.internal\", \"Prometheus\"]\n[live]\n";
    let (running, _) = proxy(settings, |_| whole("200 OK", "text/plain", "x")).await;
    let admin = &running.admin;
    for path in [
        "/metrics",
        "/healthz",
        "/readyz",
        "/_provstream/live",
        "/other",
    ] {
        for host in [
            "evil.example",
            "evil.example:9090",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "mylocalhost",
            "metrics.internal.evil.example",
            "x",
            "",
            "[::1",
            "127.0.0.1@evil.example",
            "0x7f.1",
        ] {
            let lines = format!("Host: {host}\r\n");
            assert_eq!(status(admin, path, &lines).await, 421, "{path} {host}");
        }
        for lines in ["", "Host: 127.0.0.1\r\nHost: evil.example\r\n"] {
            let status = status(admin, path, lines).await;
            assert!(matches!(status, 400 | 421), "{path} {lines}: {status}");
        }
        let absolute = format!("http://evil.example{path}");
        assert_eq!(
            status(admin, &absolute, &format!("Host: {admin}\r\n")).await,
            421
        );
    }
    for host in [
        admin.as_str(),
        "127.0.0.1",
        "127.0.0.1:1234",
        "10.1.2.3:9090",
        "[::1]:9090",
        "[fd00::1]",
        "localhost",
        "LOCALHOST:9090",
        "localhost.",
        "metrics.internal",
        "METRICS.internal:9090",
        "prometheus",
    ] {
        let lines = format!("Host: {host}\r\n");
        assert_eq!(status(admin, "/healthz", &lines).await, 200, "{host}");
    }
}

#[tokio::test]
async fn a_request_of_http_1_0_needs_no_host() {
    let (running, _) = proxy("", |_| whole("200 OK", "text/plain", "x")).await;
    let answer = send(&running.admin, b"GET /healthz HTTP/1.0\r\n\r\n").await;
    assert_eq!((answer.status, answer.text().as_str()), (200, "ok\n"));
}
