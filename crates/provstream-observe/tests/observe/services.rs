//! Channels of events and MCP services are asked only as the settings allow.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use provstream_observe::{
    Query, Services, SubstrateError, SubstrateErrorKind, SubstrateQuery, Substrates,
};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value, json};

/// Serves responses on a port, one after the other; returns the address.
fn serve(responses: Vec<&'static str>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let mut open = Vec::new();
        for response in responses {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a request");
                request.push(byte[0]);
            }
            stream.write_all(response.as_bytes()).expect("written");
            // The channel stays open.
            open.push(stream);
        }
        thread::sleep(Duration::from_secs(60));
    });
    address
}

fn substrates(settings: &str) -> (tempfile::TempDir, Substrates) {
    let dir = tempfile::tempdir().expect("a folder");
    let services = Services::from_toml(settings.as_bytes()).expect("settings");
    let substrates = Substrates::open(dir.path()).expect("a root");
    (dir, substrates.with_services(services))
}

fn ask(substrates: &Substrates, query: &SubstrateQuery) -> Result<String, SubstrateError> {
    // A query is repeated from its canonical form.
    let json = query.to_query().expect("a query");
    let again = SubstrateQuery::parse(query.class().as_str(), &json).expect("a known class");
    assert_eq!(&again.expect("read back"), query);
    let found = substrates.observe(query)?;
    Ok(String::from_utf8(found.content).expect("UTF-8"))
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

#[test]
fn events_are_counted_until_there_are_enough() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n\
        : hello\n\nevent: subscribers\ndata: 11\n\ndata: a\ndata: b\n\nevent: empty\n\n\
        event: subscribers\nid: 4\ndata: 12\n\n";
    let address = serve(vec![events, events, events, HEAD]);
    let url = format!("http://{address}/events");
    let (_dir, substrates) = substrates(&format!("[sse]\nurls = [\"{url}\"]"));
    let count = |event, seconds, limit| {
        let query = SubstrateQuery::sse_count(&url, event, Some(seconds), Some(limit));
        ask(&substrates, &query).expect("counted")
    };
    assert_eq!(count(None, 5, 2), "events 2\ndata a\ndata b\n");
    assert_eq!(count(Some("subscribers"), 5, 2), "events 2\ndata 12\n");
    let begin = Instant::now();
    assert_eq!(count(Some("message"), 1, 9), "events 1\ndata a\ndata b\n");
    assert!(
        begin.elapsed() >= Duration::from_secs(1),
        "the time was not over"
    );
    assert_eq!(count(None, 1, 9), "events 0\n");
}

/// Events without data do not count; an event with an empty name is called `message` (HTML standard, 9.2.6).
#[test]
fn events_without_data_or_name() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
        event: empty\n\nevent:\ndata: a\n\nevent: other\ndata: b\n\n";
    let address = serve(vec![events, events]);
    let url = format!("http://{address}/events");
    let (_dir, substrates) = substrates(&format!("[sse]\nurls = [\"{url}\"]"));
    for (event, expected) in [
        (None, "events 2\ndata b\n"),
        (Some("message"), "events 1\ndata a\n"),
    ] {
        let query = SubstrateQuery::sse_count(&url, event, Some(1), Some(9));
        assert_eq!(ask(&substrates, &query).expect("counted"), expected);
    }
}

#[test]
fn channels_that_are_none_are_errors() {
    let endless = Box::leak(format!("{HEAD}data: {}", "x".repeat(2 << 20)).into_boxed_str());
    for (response, kind, message) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n",
            SubstrateErrorKind::Unreachable,
            "text/html",
        ),
        (
            "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n",
            SubstrateErrorKind::Unreachable,
            "status 302",
        ),
        (
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            SubstrateErrorKind::Gone,
            "no such channel",
        ),
        (
            "HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n",
            SubstrateErrorKind::Gone,
            "no such channel",
        ),
        (
            "nonsense\r\n\r\n",
            SubstrateErrorKind::Unreachable,
            "http://127.0.0.1",
        ),
        (endless, SubstrateErrorKind::Unreachable, "length limit"),
    ] {
        let url = format!("http://{}/", serve(vec![response]));
        let (_dir, substrates) = substrates(&format!("[sse]\nurls = [\"{url}\"]"));
        let query = SubstrateQuery::sse_count(&url, None, Some(1), None);
        let error = ask(&substrates, &query).expect_err("an error");
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn nothing_is_asked_that_the_settings_do_not_name() {
    let settings = "[sse]\nurls = [\"http://127.0.0.1:1/a\"]\n\
        [[service]]\nname = \"s\"\ncommand = [\"/nonexistent\"]\ntools = [\"t\"]";
    let (_dir, substrates) = substrates(settings);
    for query in [
        SubstrateQuery::sse_count("http://127.0.0.1:1/b", None, None, None),
        SubstrateQuery::sse_count("http://127.0.0.1:1/a/", None, None, None),
        SubstrateQuery::mcp_brief("other", "t", Map::new()),
        SubstrateQuery::mcp_brief("s", "other", Map::new()),
    ] {
        let error = ask(&substrates, &query).expect_err("refused");
        assert_eq!(error.kind(), SubstrateErrorKind::Refused, "{error}");
    }
    for query in [
        SubstrateQuery::sse_count("http://127.0.0.1:1/a", None, None, None),
        SubstrateQuery::mcp_brief("s", "t", Map::new()),
    ] {
        let error = ask(&substrates, &query).expect_err("unreachable");
        assert_eq!(error.kind(), SubstrateErrorKind::Unreachable, "{error}");
    }
    let without = Substrates::open(".").expect("a root");
    let error = without.observe(&SubstrateQuery::mcp_brief("s", "t", Map::new()));
    assert_eq!(
        error.expect_err("refused").kind(),
        SubstrateErrorKind::Refused
    );
}

#[test]
fn faults_of_settings_have_places() {
    for (settings, message) in [
        (
            "[[service]]\nname = \"a\"\ntools = []",
            "line 1, column 1: expected either",
        ),
        (
            "[sse]\nurls = [\"ftp://a\"]",
            "line 2, column 9: expected a URL",
        ),
        (
            "[[service]]\nname = \"a\"\ncommand = []\ntools = []",
            "expected a program",
        ),
        (
            "[[service]]\nname = \"a\"\nurl = \"http://a\"",
            "missing key \"tools\"",
        ),
        (
            "[[service]]\nname = \"a\"\nurl = \"http://a\"\ntools = []\ntimeout = \"1h\"",
            "line 5, column 11: expected a timeout",
        ),
        (
            "[[service]]\nname = \"a\"\nurl = \"http://a\"\ntools = []\ntimeout = \"0s\"",
            "line 5, column 11: expected a timeout",
        ),
        ("[services]", "unknown key \"services\""),
        (
            "[[service]]\nname = \"a\"\nurl = \"http://a\"\ntools = []\n\
             [[service]]\nname = \"a\"\nurl = \"http://a\"\ntools = []",
            "found \"a\" again",
        ),
    ] {
        let error = Services::from_toml(settings.as_bytes()).expect_err(settings);
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn queries_have_limits() {
    for (class, query) in [
        (
            "substrate.do.sse-count",
            r#"{"url":"http://a","seconds":61}"#,
        ),
        (
            "substrate.do.sse-count",
            r#"{"url":"http://a","limit":10001}"#,
        ),
        ("substrate.do.sse-count", r#"{"url":"http://a","event":1}"#),
        (
            "substrate.mcp.brief",
            r#"{"service":"a","tool":"b","arguments":[]}"#,
        ),
        ("substrate.mcp.brief", r#"{"service":"a"}"#),
        ("substrate.unix.peercred", r#"{"path":"a","more":1}"#),
    ] {
        let parsed = SubstrateQuery::parse(class, &Query::parse(query).expect("JSON"));
        assert!(parsed.expect("a known class").is_err(), "{query}");
    }
}

/// Service whose tools return various contents.
#[derive(Clone)]
struct Desk;

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::from(request.arguments.unwrap_or_default());
        Ok(match &*request.name {
            "echo" => CallToolResult::success(vec![
                ContentBlock::text(format!("{arguments}\n")),
                ContentBlock::image("aGk=", "image/png"),
                ContentBlock::text("end"),
            ]),
            "structured" => {
                let mut result = CallToolResult::success(Vec::new());
                result.structured_content = Some(json!({ "b": 1, "a": [1.0] }));
                result
            }
            "fail" => CallToolResult::error(vec![ContentBlock::text("no such ticket")]),
            "slow" => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                CallToolResult::success(Vec::new())
            }
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        }
        .into())
    }
}

/// Serves [`Desk`] over HTTP, on a thread with a runtime of its own.
fn serve_desk(config: StreamableHttpServerConfig) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("set");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let sessions = Arc::new(LocalSessionManager::default());
            let service = StreamableHttpService::new(|| Ok(Desk), sessions, config);
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                let service = TowerToHyperService::new(service.clone());
                let http = hyper::server::conn::http1::Builder::new();
                tokio::spawn(http.serve_connection(TokioIo::new(stream), service));
            }
        });
    });
    address
}

#[test]
fn tools_of_services_are_called_over_http() {
    let stateful = StreamableHttpServerConfig::default();
    let stateless = stateful
        .clone()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    for config in [stateful, stateless] {
        let address = serve_desk(config);
        let (_dir, substrates) = substrates(&format!(
            "[[service]]\nname = \"desk\"\nurl = \"http://{address}/mcp\"\ntimeout = \"2s\"\n\
             tools = [\"echo\", \"structured\", \"fail\", \"slow\", \"none\"]"
        ));
        let call = |tool, arguments: Value| {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            ask(
                &substrates,
                &SubstrateQuery::mcp_brief("desk", tool, arguments),
            )
        };
        assert_eq!(
            call("echo", json!({ "id": 7 })).expect("called"),
            "{\"id\":7}\n{\"data\":\"aGk=\",\"mimeType\":\"image/png\",\"type\":\"image\"}\nend\n"
        );
        assert_eq!(
            call("structured", json!({})).expect("called"),
            "{\"a\":[1],\"b\":1}\n"
        );
        for (tool, kind, message) in [
            ("fail", SubstrateErrorKind::Unreachable, "no such ticket"),
            ("none", SubstrateErrorKind::Unreachable, "no such tool"),
            ("slow", SubstrateErrorKind::Limit, "within 2s"),
        ] {
            let error = call(tool, json!({})).expect_err(tool);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(message), "{error}");
        }
        assert!(
            call("echo", json!({})).is_ok(),
            "the service is asked again"
        );
    }
}

/// The token is the value of the environment variable; any one will do here.
#[test]
fn a_service_gets_its_token() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a request");
            head.push(byte[0]);
        }
        String::from_utf8(head).expect("UTF-8")
    });
    let settings = |variable: &str| {
        format!(
            "[[service]]\nname = \"a\"\nurl = \"http://{address}/\"\ntools = [\"t\"]\ntimeout = \"5s\"\ntoken_env = \"{variable}\""
        )
    };
    let query = SubstrateQuery::mcp_brief("a", "t", Map::new());
    let (_dir, without) = substrates(&settings("PROVSTREAM_ABSENT"));
    let error = ask(&without, &query).expect_err("no token").to_string();
    assert!(error.contains("PROVSTREAM_ABSENT"), "{error}");
    let (_dir, with) = substrates(&settings("PATH"));
    ask(&with, &query).expect_err("the connection is closed");
    let head = asked.join().expect("a request").to_ascii_lowercase();
    let path = std::env::var("PATH").expect("a variable");
    let expected = format!("authorization: bearer {}\r\n", path.to_ascii_lowercase());
    assert!(head.contains(&expected), "{head}");
}

#[test]
fn queries_work_in_asynchronous_programs() {
    let address = serve_desk(StreamableHttpServerConfig::default());
    let settings =
        format!("[[service]]\nname = \"desk\"\nurl = \"http://{address}/mcp\"\ntools = [\"echo\"]");
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime").block_on(async move {
        let (_dir, substrates) = substrates(&settings);
        let query = SubstrateQuery::mcp_brief("desk", "echo", Map::new());
        assert!(ask(&substrates, &query).is_ok());
    });
}
