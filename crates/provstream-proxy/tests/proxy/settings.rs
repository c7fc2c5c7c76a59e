//! What is wrong with settings, and where.

use std::path::Path;

use provstream_proxy::{Config, Proxy};

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
fn two_routes_with_the_same_name_are_an_error() {
    let route = "[[route]]\npath = \"/a\"\naction = \"strip\"\n";
    assert_eq!(
        error_of(&route.repeat(2)),
        "line 6, column 8: expected a \"name\", because a route is named as its path and the route at line 2 has the name \"/a\""
    );
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
