//! Messages about faulty settings, with their positions.

use std::path::Path;

use provstream_proxy::{Config, Proxy, Upstream};

use crate::support::config_at;

const UPSTREAM: &str = "upstream = \"http://127.0.0.1:1\"\n";

fn error_of(more: &str) -> String {
    let file = format!("{UPSTREAM}{more}");
    let found = Config::from_toml(file.as_bytes(), Path::new("."), None);
    found.expect_err("an error").to_string()
}

#[test]
fn to_sync_an_audit_that_is_not_written_is_an_error() {
    for value in ["true", "false"] {
        assert_eq!(
            error_of(&format!("log = false\naudit_sync = {value}\n")),
            "line 3, column 14: expected \"audit_sync\" only with \"audit\", found it without"
        );
    }
    let file = format!("{UPSTREAM}audit_sync = true\naudit = \"audit.ndjson\"\n");
    assert!(Config::from_toml(file.as_bytes(), Path::new("."), None).is_ok());
}

#[test]
fn a_route_that_no_request_reaches_is_an_error() {
    let route = "[[route]]\npath = \"/a\"\naction = \"strip\"\n";
    assert_eq!(
        error_of(&route.repeat(2)),
        "line 6, column 8: expected a route that requests reach, found \"/a\", which no request reaches, because the route at line 2 takes them all"
    );
}

#[test]
fn the_form_of_observation_ids_needs_a_log_and_a_salt() {
    for (more, expected) in [
        (
            "observation_ids = \"drop\"\n",
            "line 2, column 19: expected \"observation_ids\" only with \"audit\", found it without",
        ),
        (
            "salt = \"salt\"\n",
            "line 2, column 8: expected \"salt\" only with \"observation_ids\", found it without",
        ),
        (
            "audit = \"a\"\nobservation_ids = \"hash\"\n",
            "line 3, column 19: expected \"salt\", a file with a secret, with \"hash\", found it without",
        ),
        (
            "audit = \"a\"\nobservation_ids = \"drop\"\nsalt = \"salt\"\n",
            "line 4, column 8: expected \"salt\" only with observation_ids = \"hash\", found it without",
        ),
        (
            "audit = \"a\"\nobservation_ids = \"none\"\n",
            "line 3, column 19: expected one of \"keep\", \"drop\", \"hash\" for \"observation_ids\", found the string \"none\"",
        ),
        (
            "audit = \"a\"\nobservation_ids = \"hash\"\nsalt = \"/absent/salt\"\n",
            "line 4, column 8: salt \"/absent/salt\": No such file or directory (os error 2)",
        ),
    ] {
        assert_eq!(error_of(more), expected);
    }
}

#[test]
fn numbers_ports_and_paths_of_files_are_what_their_keys_can_have() {
    for (more, expected) in [
        (
            "[limits]\nheaders = \"100\"\n",
            "line 3, column 11: expected a whole number from 10 to 1000 for \"headers\", found the string \"100\"",
        ),
        (
            "[limits]\nconnections = -1\n",
            "line 3, column 15: expected a whole number from 1 to 1048576 for \"connections\", found -1",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"gate\"\npolicy = { preset = \"own-state\", default_window = \"1h\", inadmissible = { action = \"discard\" } }\nreemit = 1.5\n",
            "line 6, column 10: expected a whole number from 0 to 5 for \"reemit\", found 1.5",
        ),
        (
            "otlp = \"http://127.0.0.1:65536/v1/traces\"\n",
            "line 2, column 8: expected a URL with a port of at most 65535 for \"otlp\", found the string \"http://127.0.0.1:65536/v1/traces\"",
        ),
        (
            "[[route]]\npath = \"/\"\naction = \"strip\"\nupstream = \"http://[::1]:65536\"\n",
            "line 5, column 12: upstream: expected a URL with a port of at most 65535, found \"http://[::1]:65536\"",
        ),
        (
            "listen = \"localhost:8080\"\n",
            "line 2, column 10: expected an IP address and a port from 0 to 65535, such as \"127.0.0.1:8080\", for \"listen\", found the string \"localhost:8080\"",
        ),
        (
            "audit = \"\"\n",
            "line 2, column 9: expected the path of a file for \"audit\", found the string \"\"",
        ),
        (
            "upstream_ca = \"\"\n",
            "line 2, column 15: expected the path of a file for \"upstream_ca\", found the string \"\"",
        ),
    ] {
        assert_eq!(error_of(more), expected);
    }
    for url in ["http://[::1]", "http://[::1]:65535/a", "http://x.org:1"] {
        assert!(url.parse::<Upstream>().is_ok(), "{url}");
    }
}

#[test]
fn a_key_of_the_whole_file_after_a_line_in_brackets_is_explained() {
    let route = "[[route]]\npath = \"/a\"\naction = \"strip\"\n";
    let example = "such as upstream = \"https://api.openai.com\"";
    let missing = "line 1, column 1: missing key \"upstream\"";
    for (file, expected) in [
        (route.to_owned(), format!("{missing}, {example}")),
        (
            format!("{route}{UPSTREAM}"),
            format!(
                "{missing}; a key of the whole file goes before the first line in brackets, {example}"
            ),
        ),
        (
            format!("[timeouts]\n{UPSTREAM}"),
            format!(
                "{missing}; a key of the whole file goes before the first line in brackets, {example}"
            ),
        ),
    ] {
        let found = Config::from_toml(file.as_bytes(), Path::new("."), None);
        assert_eq!(found.expect_err("an error").to_string(), expected);
    }
}

#[test]
fn a_short_key_is_proposed_only_for_one_that_is_much_like_it() {
    let all = "expected one of \"connect\", \"idle\", \"total\", \"client\", \"head\", \"keep_alive\", \"drain\"; a key of the whole file goes before the first line in brackets";
    for (key, rest) in [
        ("read", all),
        ("idel", "did you mean \"idle\""),
        ("hed", "did you mean \"head\""),
        ("totals", "did you mean \"total\""),
        ("keepalive", "did you mean \"keep_alive\""),
    ] {
        assert_eq!(
            error_of(&format!("[timeouts]\n{key} = \"5s\"\n")),
            format!("line 3, column 1: unknown key \"{key}\" in \"timeouts\", {rest}")
        );
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_an_error_with_the_place_of_its_key() {
    let folder = std::env::temp_dir();
    let folder = folder.display();
    // A file without certificates.
    let none = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    // `config_at` has four lines before these.
    for (more, part) in [
        (
            format!("audit = \"{folder}\"\n"),
            "line 5, column 9: \"audit\", the file ",
        ),
        (
            "upstream_ca = \"/nowhere/ca.pem\"\n".to_owned(),
            "line 5, column 15: \"upstream_ca\", the file /nowhere/ca.pem: ",
        ),
        (
            format!(
                "audit_sync = true\naudit = \"/nowhere/audit.ndjson\"\nupstream_ca = \"{none}\"\n"
            ),
            "line 6, column 9: \"audit\", the file /nowhere/audit.ndjson: ",
        ),
        (
            format!("upstream_ca = \"{none}\"\n"),
            "line 5, column 15: \"upstream_ca\", the file ",
        ),
    ] {
        let config = config_at("http://127.0.0.1:1", &more);
        let error = Proxy::bind(config).await.expect_err("an error").to_string();
        assert!(error.contains(part), "{error}");
    }
}

/// An upstream that leads back to the proxy, or to its admin endpoints, in any spelling.
#[tokio::test]
async fn an_upstream_that_leads_back_is_refused() {
    for host in [
        "127.0.0.1",
        "[::ffff:127.0.0.1]",
        "127.1",
        "2130706433",
        "localhost",
    ] {
        for key in ["listen", "admin"] {
            let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            let port = free.local_addr().expect("an address").port();
            drop(free);
            let other = ["admin", "listen"][usize::from(key == "admin")];
            for is_route in [false, true] {
                let url = format!("http://{host}:{port}");
                let (upstream, route) = match is_route {
                    true => (
                        "http://127.0.0.1:1",
                        format!(
                            "[[route]]\npath = \"/x\"\naction = \"pass\"\nupstream = \"{url}\"\n"
                        ),
                    ),
                    false => (&*url, String::new()),
                };
                let file = format!(
                    "upstream = \"{upstream}\"\n{key} = \"127.0.0.1:{port}\"\n{other} = \"127.0.0.1:0\"\n{route}"
                );
                let config = Config::from_toml(file.as_bytes(), Path::new("."), None);
                let bound = Proxy::bind(config.expect("settings")).await;
                let error = bound.expect_err(&file).to_string();
                assert!(error.contains("other than the proxy itself"), "{error}");
                assert!(error.contains(&url), "{error}");
            }
        }
    }
}

/// A port that the system chooses is known only when the listeners are open, and settings may be reloaded after that.
#[tokio::test]
async fn a_reload_with_an_upstream_that_leads_back_is_refused() {
    let running = crate::support::run(config_at("http://127.0.0.1:1", "")).await;
    for address in [&running.address, &running.admin] {
        let port = address.rsplit(':').next().expect("a port");
        for host in ["127.0.0.1", "[::ffff:7f00:1]", "0x7f.1", "0177.0.0.1"] {
            let config = config_at(&format!("http://{host}:{port}"), "");
            let error = running.handle.reload(config).expect_err(host).to_string();
            assert!(error.contains("other than the proxy itself"), "{error}");
        }
    }
}

/// Names are not looked up, and other proxies may lead back: the request is known when it comes again.
#[tokio::test]
async fn a_request_that_comes_back_is_refused() {
    use crate::support::{Upstream, post, run, send, whole};
    let upstream = Upstream::start(|_| whole("200 OK", "text/plain", "hi")).await;
    let running = run(config_at(&upstream.url, "")).await;
    assert_eq!(post(&running.address, "/x", "{}").await.text(), "hi");
    let sent = upstream.seen(|seen| seen.requests[0].clone());
    let via = sent
        .lines()
        .find(|line| line.starts_with("via: "))
        .expect("Via");
    for (via, status) in [
        (via.to_owned(), 508),
        (via.replace("1.1 ", "1.0 fred, 2 ") + " (some proxy)", 508),
        (via.replace("via: ", "Via: 1.1 a, 1.1 b\r\nVia: "), 508),
        (via.replace("provstream-", "provstream-0"), 200),
        ("Via: 1.1 provstream".to_owned(), 200),
    ] {
        let request = format!("GET /x HTTP/1.1\r\nHost: x\r\n{via}\r\nConnection: close\r\n\r\n");
        let answer = send(&running.address, request.as_bytes()).await;
        assert_eq!(answer.status, status, "{via}: {}", answer.text());
        assert_eq!(answer.text().contains("\"code\":\"loop\""), status == 508);
    }
    let requests = upstream.seen(|seen| seen.requests.len());
    assert_eq!(requests, 3);
}

#[test]
fn names_of_hosts_are_names_without_ports() {
    for (more, expected) in [
        (
            "admin_hosts = [\"a.example:9090\"]\n",
            "line 2, column 16: expected the name of a host without a port, such as \"metrics.internal\", for \"admin_hosts\", found the string \"a.example:9090\"",
        ),
        (
            "admin_hosts = [\"\"]\n",
            "line 2, column 16: expected the name of a host without a port, such as \"metrics.internal\", for \"admin_hosts\", found the string \"\"",
        ),
    ] {
        assert_eq!(error_of(more), expected);
    }
}
