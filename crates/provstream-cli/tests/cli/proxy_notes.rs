//! What `provstream proxy` writes about itself on standard error.

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

/// What a proxy writes that does not start.
fn refused(args: &[&str]) -> String {
    let mut child = provstream(args).stderr(Stdio::piped()).spawn().unwrap();
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn an_upstream_that_is_the_proxy_itself_is_refused() {
    let files = Files::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let listen = format!("127.0.0.1:{port}");
    let url = format!("http://localhost:{port}");
    let error = refused(&["proxy", "--upstream", &url, "--listen", &listen]);
    let expected = format!(
        "expected an \"upstream\" other than the proxy itself, which listens at {listen}, found \"{url}\""
    );
    assert!(error.contains(&expected), "{error}");
    let config = files.write(
        "proxy.toml",
        format!(
            "upstream = \"http://127.0.0.1:1\"\nlisten = \"{listen}\"\n[[route]]\npath = \"/a\"\naction = \"pass\"\nupstream = \"{url}\"\n"
        ),
    );
    let error = refused(&["proxy", "--config", &config]);
    let expected = format!("{config}: line 6, column 12: {expected}");
    assert!(error.contains(&expected), "{error}");
    // A reload that makes a loop leaves the settings as they are.
    let settings = |upstream: &str| {
        let file = format!("upstream = \"{upstream}\"\nlisten = \"127.0.0.1:0\"\nlog = false\n");
        files.write("reloaded.toml", file)
    };
    let proxy = Proxy::start(&settings("http://127.0.0.1:1"));
    settings(&format!("http://{}", proxy.address));
    proxy.signal("-HUP");
    let note = next(&proxy, "note")["note"].to_string();
    assert!(
        note.contains("the settings stay as they are: ") && note.contains("line 1, column 12"),
        "{note}"
    );
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

#[test]
fn the_log_has_the_cause_of_an_upstream_that_cannot_be_reached_or_is_cut_off() {
    let files = Files::new();
    let refused = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let cut = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab";
    for (upstream, end, parts) in [
        (
            format!("http://{refused}"),
            "upstream_unreachable",
            ["client error (Connect)", "Connection refused"],
        ),
        (
            "http://no-such-host.invalid".to_owned(),
            "upstream_unreachable",
            ["http://no-such-host.invalid: ", "dns error"],
        ),
        (
            format!("https://{}", upstream(b"not TLS at all")),
            "upstream_unreachable",
            ["client error (Connect)", "InvalidContentType"],
        ),
        (
            format!("http://{}", upstream(b"not HTTP at all\r\n\r\n")),
            "upstream_unreachable",
            ["client error (SendRequest)", "HTTP"],
        ),
        (
            format!("http://{}", upstream(cut)),
            "upstream_cut",
            [
                "error reading a body",
                "end of file before message length reached",
            ],
        ),
    ] {
        let config = files.write(
            "proxy.toml",
            format!("upstream = \"{upstream}\"\nlisten = \"127.0.0.1:0\"\n"),
        );
        let proxy = Proxy::start(&config);
        let mut client = TcpStream::connect(&proxy.address).unwrap();
        let request = "POST /v1/chat/completions?key=SECRET HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer SECRET\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        client.write_all(request.as_bytes()).unwrap();
        let _ = client.read_to_end(&mut Vec::new());
        let line = next(&proxy, "request");
        assert_eq!(line["end"], end, "{line}");
        let cause = line["cause"].as_str().unwrap_or_else(|| panic!("{line}"));
        for part in parts {
            assert!(cause.contains(part), "{part}: {cause}");
        }
        assert!(!line.to_string().contains("SECRET"), "{line}");
    }
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
