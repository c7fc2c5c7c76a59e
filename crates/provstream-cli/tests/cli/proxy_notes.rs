//! Messages of `provstream proxy` about itself on standard error.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Files, provstream};
use crate::proxy::{PATIENCE, Proxy};

/// The next line that has this member.
fn next(proxy: &Proxy, member: &str) -> Value {
    loop {
        let line = proxy.lines.recv_timeout(PATIENCE).expect("a line");
        if let Ok(line) = serde_json::from_str::<Value>(&line)
            && line.get(member).is_some()
        {
            return line;
        }
    }
}

#[test]
fn a_reload_names_the_changes_that_need_a_restart() {
    let files = Files::new();
    let settings = |more: &str| {
        let file = format!("upstream = \"http://127.0.0.1:1\"\nlog = false\n{more}");
        files.write("proxy.toml", file)
    };
    let proxy = Proxy::start(&settings("listen = \"127.0.0.1:0\"\n"));
    for (more, expected) in [
        (
            "listen = \"127.0.0.1:0\"\n[timeouts]\nidle = \"7s\"\n",
            "the settings are reloaded",
        ),
        (
            "listen = \"127.0.0.1:1\"\n",
            "the settings are reloaded; to change \"listen\", restart the proxy",
        ),
        // It is compared with what the proxy began with.
        (
            "listen = \"127.0.0.1:1\"\nadmin = \"127.0.0.1:2\"\n[limits]\nconnections = 9\n",
            "the settings are reloaded; to change \"listen\" and \"admin\" and \"limits.connections\", restart the proxy",
        ),
        ("listen = \"127.0.0.1:0\"\n", "the settings are reloaded"),
    ] {
        settings(more);
        proxy.signal("-HUP");
        assert_eq!(next(&proxy, "note")["note"], expected);
    }
}

/// An upstream that reads a request, sends this, and closes the connection.
fn upstream(sent: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream: TcpStream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(sent);
        }
    });
    address.to_string()
}

/// A gate fails closed if its log cannot be written, and says why.
#[cfg(target_os = "linux")]
#[test]
fn an_audit_log_on_a_full_disk_ends_gated_responses_with_the_cause_in_the_log() {
    let files = Files::new();
    let sent = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is SECRET. [substrate.grep] So.\"}}]}\n\ndata: [DONE]\n\n";
    let upstream = upstream(sent);
    let config = files.write(
        "proxy.toml",
        format!(
            "upstream = \"http://{upstream}\"\nlisten = \"127.0.0.1:0\"\naudit = \"/dev/full\"\n\
             [[route]]\npath = \"/\"\naction = \"gate\"\n\
             policy = {{ floor = 1, default_window = \"1h\", inadmissible = {{ action = \"discard\" }} }}\n"
        ),
    );
    let proxy = Proxy::start(&config);
    let mut client = TcpStream::connect(&proxy.address).unwrap();
    let request = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    client.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\"code\":\"audit_failed\""), "{answer}");
    assert!(!answer.contains("SECRET"), "{answer}");
    let line = next(&proxy, "request");
    assert_eq!(line["end"], "audit_failed", "{line}");
    let cause = line["cause"].as_str().unwrap_or_else(|| panic!("{line}"));
    assert!(cause.starts_with("the audit log: No space left"), "{cause}");
}

#[test]
fn the_live_page_needs_no_settings() {
    let args = "proxy --upstream http://127.0.0.1:9 --listen 127.0.0.1:0 --admin 127.0.0.1:0";
    let words: Vec<_> = args.split(' ').collect();
    let child = provstream(&words).stderr(Stdio::piped()).spawn().unwrap();
    let proxy = Proxy::of(child);
    let note = proxy.lines.recv_timeout(PATIENCE).unwrap();
    let (_, metrics) = note.split_once("metrics at http://").unwrap();
    let (admin, _) = metrics.split_once('/').unwrap();
    let answer = get(admin, "/_provstream/live");
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

fn ask(proxy: &Proxy, path: &str) -> String {
    get(&proxy.address, path)
}

fn get(address: &str, path: &str) -> String {
    let mut client = TcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(unix)]
fn pipe(path: &std::path::Path) {
    let status = std::process::Command::new("mkfifo").arg(path).status();
    assert!(status.unwrap().success());
}

/// Settings, or a file that they name, that cannot be read to their end stop no request.
#[cfg(unix)]
#[test]
fn a_reload_that_blocks_stops_no_request() {
    let files = Files::new();
    let upstream =
        upstream(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nhi");
    let settings = |more: &str| {
        let file = format!(
            "upstream = \"http://{upstream}\"\nlisten = \"127.0.0.1:0\"\nlog = false\n{more}"
        );
        // An earlier reload may read the file at the same time.
        let written = files.write("proxy.toml.new", file);
        std::fs::rename(written, files.path("proxy.toml")).unwrap();
        files.path("proxy.toml").to_str().unwrap().to_owned()
    };
    let proxy = Proxy::start(&settings(""));
    pipe(&files.path("pipe"));
    let route = "[[route]]\npath = \"/x\"\naction = \"gate\"\npolicy = \"pipe\"\n";
    for (more, part) in [
        (
            route,
            "policy \"pipe\" cannot be read: expected a regular file, found a pipe",
        ),
        (
            "vocabulary = \"pipe\"\n",
            "vocabulary \"pipe\": expected a regular file, found a pipe",
        ),
        (
            "upstream_ca = \"pipe\"\n",
            "expected a regular file, found a pipe",
        ),
        (
            "vocabulary = \"/dev/zero\"\n",
            "expected a regular file, found a pipe",
        ),
    ] {
        settings(more);
        proxy.signal("-HUP");
        let note = next(&proxy, "note");
        let note = note["note"].as_str().unwrap();
        assert!(
            note.starts_with("the settings stay as they are: ") && note.contains(part),
            "{note}"
        );
        assert!(ask(&proxy, "/a").contains("\r\nhi\r\n"));
    }
    // To open it for writing takes until someone reads it.
    settings("audit = \"pipe\"\n");
    proxy.signal("-HUP");
    for _ in 0..3 {
        assert!(ask(&proxy, "/a").contains("\r\nhi\r\n"));
    }
    // Later settings do not wait for it.
    settings("");
    proxy.signal("-HUP");
    assert_eq!(next(&proxy, "note")["note"], "the settings are reloaded");
    std::fs::remove_file(files.path("proxy.toml")).unwrap();
    pipe(&files.path("proxy.toml"));
    proxy.signal("-HUP");
    assert!(ask(&proxy, "/a").contains("\r\nhi\r\n"));
    // The reload that was to wait may have read the later settings.
    let mut note = next(&proxy, "note")["note"].to_string();
    if note == r#""the settings are reloaded""# {
        note = next(&proxy, "note")["note"].to_string();
    }
    assert!(
        note.contains("expected a regular file, found another kind at "),
        "{note}"
    );
    settings_again(&files, &upstream);
    proxy.signal("-HUP");
    assert_eq!(next(&proxy, "note")["note"], "the settings are reloaded");
}

#[cfg(unix)]
fn settings_again(files: &Files, upstream: &str) {
    std::fs::remove_file(files.path("proxy.toml")).unwrap();
    let file = format!("upstream = \"http://{upstream}\"\nlisten = \"127.0.0.1:0\"\n");
    files.write("proxy.toml", file);
}

/// The end of a reload that waits is not waited for.
#[cfg(unix)]
#[test]
fn a_reload_that_blocks_does_not_delay_the_end() {
    let files = Files::new();
    let settings = |more: &str| {
        let file = format!("upstream = \"http://127.0.0.1:1\"\nlisten = \"127.0.0.1:0\"\n{more}");
        files.write("proxy.toml", file)
    };
    let mut proxy = Proxy::start(&settings(""));
    pipe(&files.path("pipe"));
    settings("audit = \"pipe\"\n");
    proxy.signal("-HUP");
    thread::sleep(Duration::from_millis(200));
    let since = Instant::now();
    proxy.signal("-TERM");
    while proxy.child.try_wait().unwrap().is_none() {
        assert!(
            since.elapsed() < Duration::from_secs(8),
            "the reload is waited for"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// A file that may not grow (`ulimit -f`) is like a full disk: the gate withholds, and the proxy goes on.
#[cfg(target_os = "linux")]
#[test]
fn an_audit_log_at_the_largest_size_of_a_file_does_not_end_the_program() {
    use std::process::Command;
    let files = Files::new();
    let policy = files.write(
        "policy.toml",
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n",
    );
    let text = "It is so. [unverified-inference] ".repeat(40) + "The end.";
    let input = files.write("input.txt", text);
    let audit = files.path("audit.ndjson");
    let limited = "ulimit -f 2; exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_provstream")])
        .args(["gate", "--policy", &policy, "--audit"])
        .args([audit.to_str().unwrap(), &input])
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("File too large"), "{stderr}");
    let before = std::fs::read_to_string(&audit).unwrap();
    assert!(!before.ends_with('\n'), "{before}");
    // With room again, the next line is one of its own.
    let run = crate::common::run(
        &[
            "gate",
            "--policy",
            &policy,
            "--audit",
            audit.to_str().unwrap(),
        ],
        "It is so. [unverified-inference] The end.",
    );
    assert_eq!(run.stdout, "The end.");
    let after = std::fs::read_to_string(&audit).unwrap();
    let last = after.strip_prefix(&before).unwrap();
    assert!(last.starts_with('\n'), "{last}");
    let last: Value = serde_json::from_str(last.trim()).unwrap();
    assert_eq!(last["action"], "discard");

    let sent = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is SECRET. [substrate.grep] So.\"}}]}\n\ndata: [DONE]\n\n";
    let upstream = upstream(sent);
    let config = files.write(
        "proxy.toml",
        format!(
            "upstream = \"http://{upstream}\"\nlisten = \"127.0.0.1:0\"\naudit = \"proxy.ndjson\"\n\
             [[route]]\npath = \"/\"\naction = \"gate\"\n\
             policy = {{ floor = 1, default_window = \"1h\", inadmissible = {{ action = \"discard\" }} }}\n"
        ),
    );
    let child = Command::new("sh")
        .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_provstream")])
        .args(["proxy", "--config", &config])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let proxy = Proxy::of(child);
    let failed = (0..20).find(|_| {
        let answer = ask(&proxy, "/v1/chat/completions");
        assert!(!answer.contains("SECRET"), "{answer}");
        answer.contains("\"code\":\"audit_failed\"")
    });
    assert!(failed.is_some_and(|count| count > 0), "{failed:?}");
    assert!(ask(&proxy, "/v1/chat/completions").contains("audit_failed"));
}
