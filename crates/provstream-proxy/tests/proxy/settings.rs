//! What is wrong with settings, and where.

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
