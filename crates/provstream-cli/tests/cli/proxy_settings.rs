//! Settings of a proxy that do not go together.

use crate::common::{Files, run, sh};

const POLICY: &str = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";

/// A file that a log is appended to would no longer be what is read from it.
#[test]
fn the_audit_log_is_none_of_the_files_that_are_read() {
    let files = Files::new();
    let policy = files.write("policy.toml", POLICY);
    files.write("classes.toml", "version = \"1.1\"\n");
    let settings = files.path("proxy.toml");
    let settings = settings.to_str().expect("the path is UTF-8");
    let route = "[[route]]\npath = \"/v1\"\naction = \"gate\"\npolicy = \"policy.toml\"\n";
    for (audit, name) in [
        ("proxy.toml", "--config"),
        ("./policy.toml", "\"policy\""),
        ("classes.toml", "\"vocabulary\""),
        ("ca.pem", "\"upstream_ca\""),
    ] {
        let top = "upstream = \"http://127.0.0.1:9\"\nvocabulary = \"classes.toml\"\nupstream_ca = \"ca.pem\"\n";
        files.write("proxy.toml", format!("{top}audit = \"{audit}\"\n{route}"));
        let run = sh(
            &format!("proxy --config {settings} --listen 127.0.0.1:0"),
            "",
        );
        assert_eq!(run.status, 2, "{}", run.stderr);
        let start = format!(
            "provstream: {settings}: line 4, column 9: \"audit\": expected a file of its own, found "
        );
        let end = format!(", which is also {name}\n");
        assert!(run.stderr.starts_with(&start), "{}", run.stderr);
        assert!(run.stderr.ends_with(&end), "{}", run.stderr);
        assert!(!files.path("ca.pem").exists());
    }
    let unchanged = std::fs::read_to_string(policy).expect("a file");
    assert_eq!(unchanged, POLICY);
}

#[test]
fn two_listeners_need_two_addresses() {
    let files = Files::new();
    let address = "127.0.0.1:38217";
    let upstream = "upstream = \"http://127.0.0.1:9\"\n";
    let listen = format!("listen = \"{address}\"\n");
    let admin = format!("admin = \"{address}\"\n");
    let path = files.path("proxy.toml");
    let path = path.display();
    let of_file = |line, column| format!("{path}: line {line}, column {column}: ");
    for (keys, args, place) in [
        (format!("{listen}{admin}"), &[][..], of_file(3, 9)),
        (admin, &["--listen", address], of_file(2, 9)),
        (listen, &["--admin", address], of_file(2, 10)),
        (
            String::new(),
            &["--listen", address, "--admin", address],
            String::new(),
        ),
    ] {
        let settings = files.write("proxy.toml", format!("{upstream}{keys}"));
        let args = [&["proxy", "--config", &settings], args].concat();
        let found = run(&args, "");
        let message = format!(
            "provstream: {place}listen, admin: expected two addresses, found {address} for both\n"
        );
        assert_eq!((found.status, found.stderr), (2, message));
    }
}

#[test]
fn settings_that_cannot_be_read_have_the_status_of_other_files() {
    let found = run(&["proxy", "--config", "/nonexistent/proxy.toml"], "");
    assert_eq!(found.status, 1, "{}", found.stderr);
    let help = run(&["proxy", "--help"], "");
    assert!(
        help.stdout
            .contains("  1  the file of the settings cannot be read\n"),
        "{}",
        help.stdout
    );
}
