//! The MCP server over streamable HTTP: its tools, and the requests that it refuses.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::server::Site;

/// Server that ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(site: &Site) -> Self {
        let args = ["mcp", "--http", "127.0.0.1:0"];
        let mut command = site.program(&args);
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let errors = child.stderr.take().expect("standard error");
        BufReader::new(errors).read_line(&mut line).expect("a line");
        let (_, url) = line.split_once("http://").expect(&line);
        let address = url.trim().strip_suffix("/mcp").expect("a path").to_owned();
        Self { child, address }
    }

    /// Posts a message; returns the response.
    fn post(&self, path: &str, host: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).expect("written");
        // A request that is refused by its head is not read.
        let _ = stream.write_all(body.as_bytes());
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response);
        response
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[test]
fn other_hosts_and_web_pages_are_refused() {
    let Some(site) = Site::new() else { return };
    let server = Server::start(&site);
    let host = server.address.as_str();
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(5 << 20)
    );
    for (path, host, headers, body, status) in [
        ("/mcp", host, "", LIST, "200"),
        ("/mcp", "localhost:80", "", LIST, "200"),
        ("/mcp", "attacker.example", "", LIST, "403"),
        (
            "/mcp",
            host,
            "origin: http://attacker.example\r\n",
            LIST,
            "403",
        ),
        ("/mcp", host, "origin: null\r\n", LIST, "403"),
        ("/mcp", host, "origin: http://127.0.0.1\r\n", LIST, "200"),
        (
            "/mcp",
            host,
            "origin: http://localhost:5173\r\n",
            LIST,
            "200",
        ),
        ("/", host, "", LIST, "404"),
        ("/mcpx", host, "", LIST, "404"),
        ("/mcp", host, "", "nonsense", "4"),
        ("/mcp", host, "", &long, "413"),
    ] {
        let response = server.post(path, host, headers, body);
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status}")),
            "{path} {host} {headers}: {response}"
        );
    }
    assert!(server.post("/mcp", host, "", LIST).contains("read_file"));
}

#[test]
fn other_machines_are_not_served() {
    let Some(site) = Site::new() else { return };
    for address in ["0.0.0.0:0", "192.0.2.1:80", "[::]:0", "localhost", "8080"] {
        let output = site
            .program(&["mcp", "--http", address])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{address}: {output:?}");
    }
}

/// The agent's server asks another one over HTTP.
#[tokio::test]
async fn a_call_is_passed_on_over_http() {
    let Some(site) = Site::new() else { return };
    let server = Server::start(&site);
    let services = site.services(&format!(
        "[[service]]\nname = \"files\"\nurl = \"http://{}/mcp\"\ntools = [\"read_file\", \"verify\"]",
        server.address
    ));
    let client = site
        .connect(&["--services", services.to_str().expect("UTF-8")])
        .await;
    let ask = json!({ "service": "files", "tool": "read_file", "arguments": { "path": "b.rs" } });
    let cited = client.get("ask", ask).await;
    let content = cited["content"].as_str().expect("a text");
    assert!(content.starts_with("fn run() { stop() }\n"), "{content}");
    // The other server has recorded its own observation, which is cited as such.
    let (_, inner) = content.rsplit_once(": ").expect("an annotation");
    let ask = json!({ "service": "files", "tool": "verify", "arguments": { "answer": format!("It stops. {inner}") } });
    let verified = client.get("ask", ask).await;
    assert!(
        verified["content"]
            .as_str()
            .expect("a text")
            .starts_with("Annotations: 1 requeried.")
    );
    client.close().await;
}
