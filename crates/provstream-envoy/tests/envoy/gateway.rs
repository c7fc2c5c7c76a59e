//! Envoy with the filter or the external processor, in front of the scripted upstream.

use std::env;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::envoy::{Envoy, Process, folder, free_port};
use crate::upstream::Upstream;

const FILTER: &str = include_str!("../../config/wasm.yaml");
const PROCESSOR: &str = include_str!("../../../provstream-ext-proc/config/ext-proc.yaml");
pub(crate) const ROUTES: &str = include_str!("routes.toml");

/// Component that inspects responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Filter,
    /// The filter, with heads that wait for the body.
    WaitingFilter,
    Processor,
}

/// The programs, by the environment.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) envoy: String,
    filter: String,
    processor: String,
}

impl Programs {
    /// `None`, and a line that says so, if they are not there.
    pub(crate) fn find() -> Option<Self> {
        let get = |name: &str| env::var(name).ok();
        let found = get("PROVSTREAM_ENVOY")
            .zip(get("PROVSTREAM_FILTER"))
            .zip(get("PROVSTREAM_EXT_PROC"));
        if found.is_none() {
            println!(
                "SKIPPED: PROVSTREAM_ENVOY, PROVSTREAM_FILTER and PROVSTREAM_EXT_PROC are not set; .ci/envoy sets them"
            );
        }
        let ((envoy, filter), processor) = found?;
        Some(Self {
            envoy,
            filter,
            processor,
        })
    }

    /// Replaces the filter module.
    pub(crate) fn with_filter(mut self, module: &Path) -> Self {
        self.filter = module.display().to_string();
        self
    }
}

/// A gateway with its upstream.
pub(crate) struct Gateway {
    pub(crate) kind: Kind,
    pub(crate) upstream: Upstream,
    pub(crate) envoy: Envoy,
    /// The external processor.
    processor: Option<Process>,
    name: String,
}

impl Gateway {
    /// Starts the example with these routes, after a change to its text.
    pub(crate) fn start(
        programs: &Programs,
        kind: Kind,
        name: &str,
        routes: &str,
        change: impl Fn(String) -> String,
    ) -> Self {
        let upstream = Upstream::start();
        let (port, admin, side) = (free_port(), free_port(), free_port());
        let mut processor = None;
        let example = if kind == Kind::Processor {
            processor = Some(start_processor(programs, name, routes, side));
            PROCESSOR.to_owned()
        } else {
            let config = with_routes(FILTER, routes);
            if kind == Kind::WaitingFilter {
                config
            } else {
                without_waiting(&config)
            }
        };
        let config = example
            .replace("port_value: 10000", &format!("port_value: {port}"))
            .replace("port_value: 9901", &format!("port_value: {admin}"))
            .replace(
                "port_value: 8081",
                &format!("port_value: {}", upstream.port),
            )
            .replace("port_value: 9002", &format!("port_value: {side}"))
            .replace("/etc/envoy/provstream_envoy.wasm", &programs.filter);
        let envoy = Envoy::start(&programs.envoy, name, &change(config), (port, admin));
        Self {
            kind,
            upstream,
            envoy,
            processor,
            name: name.to_owned(),
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.envoy.port
    }

    pub(crate) const fn is_filter(&self) -> bool {
        self.processor.is_none()
    }

    /// The lines about responses, and those of the audit log.
    pub(crate) fn lines(&self) -> String {
        if self.is_filter() {
            return self.envoy.log();
        }
        let read =
            |file| fs::read_to_string(folder(&self.name).join(file)).expect("a readable log");
        read("processor.err") + &read("processor.out")
    }
}

/// The routes of both examples.
pub(crate) fn example_routes() -> &'static str {
    let routes = include_str!("../../../provstream-ext-proc/config/routes.toml");
    assert_eq!(
        with_routes(FILTER, routes),
        FILTER,
        "both examples have the same routes"
    );
    routes
}

/// The example with other routes.
fn with_routes(example: &str, routes: &str) -> String {
    let (before, rest) = example.split_once("value: |\n").expect("the routes");
    let is_routes = |line: &&str| line.is_empty() || line.starts_with(&" ".repeat(20));
    let after: Vec<&str> = rest.lines().skip_while(is_routes).collect();
    let mut config = format!("{before}value: |\n");
    for line in routes.lines() {
        let indent = if line.is_empty() { 0 } else { 20 };
        config += &format!("{}{line}\n", " ".repeat(indent));
    }
    config + &after.join("\n") + "\n"
}

/// The example as it is for gateways that have no filters wait with heads.
fn without_waiting(example: &str) -> String {
    let is_about_it = |line: &&str| {
        ![
            "allow_on_headers_stop_iteration",
            "environment_variables",
            "PROVSTREAM_WAIT",
        ]
        .iter()
        .any(|word| line.contains(word))
    };
    example
        .lines()
        .filter(is_about_it)
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}

fn start_processor(programs: &Programs, name: &str, routes: &str, port: u16) -> Process {
    let folder = folder(name);
    let file = |name: &str| fs::File::create(folder.join(name)).expect("a writable folder");
    let config = folder.join("routes.toml");
    fs::write(&config, routes).expect("a writable folder");
    let mut command = Command::new(&programs.processor);
    command
        .args(["--listen", &format!("127.0.0.1:{port}"), "--config"])
        .arg(config)
        .stdin(Stdio::null())
        .stdout(file("processor.out"))
        .stderr(file("processor.err"));
    let mut process = Process(command.spawn().expect("the processor starts"));
    let deadline = Instant::now() + Duration::from_secs(30);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = process.0.try_wait().expect("a child process");
        if ended.is_some() {
            break;
        }
        assert!(Instant::now() < deadline, "the processor does not listen");
        thread::sleep(Duration::from_millis(20));
    }
    process
}
