//! What is compared: each case is what clients connect to.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::process::{Process, free_port, tree};

/// How long a gateway may take to listen. Python has much to import.
const STARTS: Duration = Duration::from_secs(120);

/// The policy of the gate that releases everything.
const RELEASE: &str = "action = \"gate\"\n\n[route.policy]\nfloor = 1\ndefault_window = \"36500d\"\ninadmissible = { action = \"release\" }\n";

/// What clients connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// The upstream itself.
    Direct,
    /// nginx as a plain proxy.
    Nginx,
    /// Envoy as a plain proxy.
    Envoy,
    /// `provstream proxy` with a route that passes.
    Pass,
    /// `provstream proxy` with a route that strips.
    Strip,
    /// `provstream proxy` with a gate whose policy releases everything.
    Gate,
    /// Envoy with the filter, which strips.
    Filter,
    /// Envoy with the external processor, which strips.
    Processor,
    /// LiteLLM's proxy.
    LiteLlm,
}

impl Case {
    /// All cases.
    pub const ALL: [Self; 9] = [
        Self::Direct,
        Self::Nginx,
        Self::Envoy,
        Self::Pass,
        Self::Strip,
        Self::Gate,
        Self::Filter,
        Self::Processor,
        Self::LiteLlm,
    ];

    /// The name in the data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Nginx => "nginx",
            Self::Envoy => "envoy",
            Self::Pass => "pass",
            Self::Strip => "strip",
            Self::Gate => "gate",
            Self::Filter => "envoy-filter",
            Self::Processor => "envoy-processor",
            Self::LiteLlm => "litellm",
        }
    }

    /// The name on the page.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Direct => "upstream, no proxy",
            Self::Nginx => "nginx",
            Self::Envoy => "Envoy",
            Self::Pass => "provstream, `pass`",
            Self::Strip => "provstream, `strip`",
            Self::Gate => "provstream, `gate` that releases",
            Self::Filter => "Envoy with the filter, `strip`",
            Self::Processor => "Envoy with the external processor, `strip`",
            Self::LiteLlm => "LiteLLM",
        }
    }

    /// Whether clients read text without annotations.
    #[must_use]
    pub const fn is_clean(self) -> bool {
        matches!(
            self,
            Self::Strip | Self::Gate | Self::Filter | Self::Processor
        )
    }

    /// The variables of the environment with the files that it needs.
    const fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Direct => &[],
            Self::Nginx => &["NGINX"],
            Self::Envoy => &["ENVOY"],
            Self::Pass | Self::Strip | Self::Gate => &["PROVSTREAM"],
            Self::Filter => &["ENVOY", "PROVSTREAM_FILTER"],
            Self::Processor => &["ENVOY", "PROVSTREAM_EXT_PROC"],
            Self::LiteLlm => &["LITELLM"],
        }
    }

    /// What is missing, if anything is.
    #[must_use]
    pub fn missing(self) -> Option<&'static str> {
        let is_missing = |name: &&&str| file(name).is_none_or(|file| !file.exists());
        self.needs().iter().find(is_missing).copied()
    }
}

/// The file that a variable of the environment names.
fn file(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

fn program(name: &str) -> OsString {
    file(name).unwrap_or_default().into_os_string()
}

/// What a case needs to start.
#[derive(Clone, Debug)]
pub struct Place {
    /// A folder for settings and logs.
    pub work: PathBuf,
    /// The port of the upstream.
    pub upstream: u16,
}

/// A case that runs.
#[derive(Debug)]
pub struct Gateway {
    /// Where clients connect.
    pub port: u16,
    processes: Vec<Process>,
}

impl Gateway {
    /// Starts what clients connect to.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn start(case: Case, place: &Place) -> io::Result<Self> {
        let port = free_port()?;
        let started = match case {
            Case::Direct => {
                return Ok(Self {
                    port: place.upstream,
                    processes: Vec::new(),
                });
            }
            Case::Nginx => nginx(place, port),
            Case::Envoy => envoy(place, port, ""),
            Case::Pass => provstream(place, port, "action = \"pass\"\n"),
            Case::Strip => provstream(place, port, "action = \"strip\"\n"),
            Case::Gate => provstream(place, port, RELEASE),
            Case::Filter => {
                let filter = include_str!("../config/filter.yaml");
                let file = program("PROVSTREAM_FILTER");
                envoy(
                    place,
                    port,
                    &filter.replace("FILTER", &file.to_string_lossy()),
                )
            }
            Case::Processor => processor(place, port),
            Case::LiteLlm => litellm(place, port),
        };
        let mut processes = started?;
        if let Some(first) = processes.first_mut() {
            first.listens(port, STARTS)?;
        }
        Ok(Self { port, processes })
    }

    /// All its processes.
    #[must_use]
    pub fn processes(&self) -> Vec<u32> {
        let trees = self.processes.iter().map(|process| tree(process.id()));
        trees.flatten().collect()
    }
}

/// Writes settings with their ports.
fn settings(
    place: &Place,
    (name, text): (&str, &str),
    ports: &[(&str, u16)],
) -> io::Result<PathBuf> {
    let mut text = text
        .replace("WORK", &place.work.to_string_lossy())
        .replace("UPSTREAM", &place.upstream.to_string());
    for (name, port) in ports {
        text = text.replace(name, &port.to_string());
    }
    let path = place.work.join(name);
    fs::write(&path, text)?;
    Ok(path)
}

fn start(place: &Place, command: &mut Command, name: &str) -> io::Result<Vec<Process>> {
    Ok(vec![Process::start(
        command,
        &place.work.join(format!("{name}.log")),
    )?])
}

fn nginx(place: &Place, port: u16) -> io::Result<Vec<Process>> {
    let text = include_str!("../config/nginx.conf");
    let path = settings(place, ("nginx.conf", text), &[("PORT", port)])?;
    let mut command = Command::new(program("NGINX"));
    let errors = place.work.join("nginx-errors.log");
    command.arg("-e").arg(errors).arg("-c").arg(path);
    start(place, &mut command, "nginx")
}

fn envoy(place: &Place, port: u16, filters: &str) -> io::Result<Vec<Process>> {
    let text = include_str!("../config/envoy.yaml");
    let processor = if filters.contains("ext_proc") {
        free_port()?
    } else {
        1
    };
    let mut processes = Vec::new();
    if processor > 1 {
        let routes = place.work.join("routes.toml");
        fs::write(&routes, "[[route]]\npath = \"/*\"\naction = \"strip\"\n")?;
        let mut command = Command::new(program("PROVSTREAM_EXT_PROC"));
        let address = format!("127.0.0.1:{processor}");
        command.args(["--listen", &address, "--config"]).arg(routes);
        processes = start(place, &mut command, "processor")?;
        processes[0].listens(processor, STARTS)?;
    }
    let ports = [
        ("PORT", port),
        ("ADMIN", free_port()?),
        ("PROCESSOR", processor),
    ];
    let text = text.replace("FILTERS\n", filters);
    let path = settings(place, ("envoy.yaml", &text), &ports)?;
    let mut command = Command::new(program("ENVOY"));
    command.arg("-c").arg(path).args([
        "--disable-hot-restart",
        "--concurrency",
        "2",
        "--log-level",
        "error",
    ]);
    let mut all = start(place, &mut command, "envoy")?;
    all.append(&mut processes);
    Ok(all)
}

fn processor(place: &Place, port: u16) -> io::Result<Vec<Process>> {
    envoy(place, port, include_str!("../config/processor.yaml"))
}

fn provstream(place: &Place, port: u16, route: &str) -> io::Result<Vec<Process>> {
    let text = include_str!("../config/proxy.toml").replace("ROUTE\n", route);
    let path = settings(place, ("proxy.toml", &text), &[("PORT", port)])?;
    let mut command = Command::new(program("PROVSTREAM"));
    command.args(["proxy", "--config"]).arg(path);
    start(place, &mut command, "provstream")
}

fn litellm(place: &Place, port: u16) -> io::Result<Vec<Process>> {
    let text = include_str!("../config/litellm.yaml");
    let path = settings(place, ("litellm.yaml", text), &[])?;
    let mut command = Command::new(program("LITELLM"));
    command.arg("--config").arg(path).args([
        "--host",
        "127.0.0.1",
        "--port",
        &port.to_string(),
        "--num_workers",
        "2",
        "--telemetry",
        "False",
    ]);
    // Prices come from the package and not from the network. Without a key it has no users to look up, which is the least work.
    command
        .env(
            "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY",
            "true",
        )
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("LITELLM_LOG", "ERROR")
        .current_dir(&place.work);
    start(place, &mut command, "litellm")
}

/// What is measured, with its version: the first line that says one.
#[must_use]
pub fn versions() -> Vec<(&'static str, String)> {
    let of = |variable: &str, argument: &str| {
        let mut command = Command::new(program(variable));
        command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
        let output = command.arg(argument).output().ok()?;
        let text = [output.stdout, output.stderr].concat();
        version_in(&String::from_utf8_lossy(&text))
    };
    let programs = [
        ("nginx", "NGINX", "-v"),
        ("Envoy", "ENVOY", "--version"),
        ("LiteLLM", "LITELLM", "--version"),
        ("provstream", "PROVSTREAM", "--version"),
    ];
    let found = programs
        .into_iter()
        .filter_map(|(name, variable, argument)| {
            file(variable).filter(|file| Path::exists(file))?;
            Some((name, of(variable, argument)?))
        });
    found.collect()
}

/// The first number with two dots.
fn version_in(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'));
    words.find_map(|word| {
        let is_version = word.split('.').count() == 3
            && word.starts_with(|c: char| c.is_ascii_digit())
            && word.split('.').all(|part| !part.is_empty());
        is_version.then(|| word.to_owned())
    })
}
