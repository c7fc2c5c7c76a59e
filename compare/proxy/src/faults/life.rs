//! One process of the proxy, with its settings and its audit log.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::audit::Audit;
use crate::process::{Memory, Process, free_port};

/// How long responses in flight may take after SIGTERM, seconds.
pub const DRAIN: u64 = 1;

/// How long a process may take to end after SIGTERM: the responses, what the proxy waits for their connections, and a second.
const ENDS: Duration = Duration::from_secs(DRAIN + 2 + 1);

/// How long a proxy may take to be done with connections that its clients have closed.
const SETTLES: Duration = Duration::from_secs(10);

/// What all proxies of a run have in common.
#[derive(Clone, Debug)]
pub struct Common {
    /// The program `provstream`.
    pub program: PathBuf,
    /// A folder for settings and logs.
    pub work: PathBuf,
    /// The port of the upstream.
    pub upstream: u16,
    /// What the policy does with assertions that are not admitted.
    pub inadmissible: &'static str,
}

/// A proxy that runs.
#[derive(Debug)]
pub struct Life {
    common: Common,
    number: usize,
    process: Process,
    port: u16,
    admin: u16,
}

impl Life {
    /// Starts a proxy.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn start(common: &Common, number: usize) -> io::Result<Self> {
        let (port, admin) = (free_port()?, free_port()?);
        let file = common.work.join(format!("proxy-{number}.toml"));
        let audit = common.work.join(format!("audit-{number}.ndjson"));
        let _ = fs::remove_file(&audit);
        fs::write(&file, settings(common, (number, port, admin), "first"))?;
        let mut command = Command::new(&common.program);
        command.args(["proxy", "--config"]).arg(&file);
        let log = common.work.join(format!("proxy-{number}.log"));
        let mut process = Process::start(&mut command, &log)?;
        process.listens(port, SETTLES)?;
        Ok(Self {
            common: common.clone(),
            number,
            process,
            port,
            admin,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Its number in the run.
    #[must_use]
    pub const fn number(&self) -> usize {
        self.number
    }

    /// Its memory now.
    #[must_use]
    pub fn memory(&self) -> Memory {
        Memory::of(&[self.process.id()])
    }

    /// Has it read other settings: a policy of this version, or settings that are broken.
    ///
    /// # Errors
    ///
    /// The settings cannot be written, or the signal not be sent.
    pub fn reload(&self, version: Option<&str>) -> io::Result<()> {
        let text = match version {
            Some(version) => {
                let of = (self.number, self.port, self.admin);
                settings(&self.common, of, version)
            }
            None => "listen = 1\n".to_owned(),
        };
        let name = format!("proxy-{}.toml", self.number);
        fs::write(self.common.work.join(name), text)?;
        self.process.signal("HUP")
    }

    /// Waits until nothing is in flight; the gauges that are not 0 by then.
    ///
    /// # Errors
    ///
    /// The metrics cannot be read.
    pub fn settle(&self) -> io::Result<Vec<String>> {
        let start = Instant::now();
        loop {
            let text = get(self.admin, "/metrics")?;
            let gauges = [
                "provstream_connections",
                "provstream_requests_in_flight",
                "provstream_held_bytes",
            ];
            let lines: Vec<&str> = text.lines().collect();
            let is_left = |name: &&str| !lines.contains(&format!("{name} 0").as_str());
            let left: Vec<&str> = gauges.into_iter().filter(is_left).collect();
            if left.is_empty() || start.elapsed() > SETTLES {
                return Ok(left.into_iter().map(str::to_owned).collect());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sends SIGTERM.
    ///
    /// # Errors
    ///
    /// The process has ended.
    pub fn terminate(&self) -> io::Result<()> {
        self.process.signal("TERM")
    }

    /// Waits for the end after SIGTERM: what is wrong with it, if anything, and the audit log.
    ///
    /// # Errors
    ///
    /// The audit log cannot be read.
    pub fn end(mut self) -> io::Result<(Option<String>, Audit)> {
        let wrong = match self.process.wait(ENDS) {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("the proxy ended with {status}")),
            Err(_) => Some(format!("the proxy has not ended {ENDS:?} after SIGTERM")),
        };
        let path = audit_of(&self.common.work, self.number);
        let audit = Audit::read(&path)?;
        fs::remove_file(path)?;
        Ok((wrong, audit))
    }
}

fn audit_of(work: &Path, number: usize) -> PathBuf {
    work.join(format!("audit-{number}.ndjson"))
}

fn settings(common: &Common, (number, port, admin): (usize, u16, u16), version: &str) -> String {
    format!(
        "upstream = \"http://127.0.0.1:{}\"\nlisten = \"127.0.0.1:{port}\"\nadmin = \"127.0.0.1:{admin}\"\n\
         audit = \"audit-{number}.ndjson\"\nlog = false\n\n\
         [timeouts]\nidle = \"2s\"\nkeep_alive = \"1s\"\nclient = \"10s\"\ndrain = \"{DRAIN}s\"\n\n\
         [[route]]\npath = \"/*\"\naction = \"gate\"\n\n\
         [route.policy]\nversion = \"{version}\"\nfloor = 1\ndefault_window = \"36500d\"\ninadmissible = {}\n",
        common.upstream, common.inadmissible
    )
}

/// The body of a page of the admin listener.
fn get(port: u16, path: &str) -> io::Result<String> {
    let mut connection = TcpStream::connect(("127.0.0.1", port))?;
    connection.set_read_timeout(Some(SETTLES))?;
    write!(
        connection,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )?;
    let mut text = String::new();
    connection.read_to_string(&mut text)?;
    Ok(text)
}
