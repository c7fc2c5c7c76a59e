//! Starts Envoy with an example configuration.

use std::collections::HashSet;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::client;

/// Returns a free port of loopback that no other call in this process returns.
///
/// Envoy listens beside another one on the same port (`SO_REUSEPORT`) instead of failing, and each then gets requests for the other.
/// The system chooses a port again as soon as its listener is closed; ports below those of its choice stay free.
pub(crate) fn free_port() -> u16 {
    const PORTS: Range<u16> = 10_000..32_000;
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    // Tests of another checkout begin elsewhere.
    let first = std::process::id() as usize * 97;
    loop {
        let at = (first + NEXT.fetch_add(1, Ordering::Relaxed)) % PORTS.len();
        let port = PORTS.start + u16::try_from(at).expect("less than the number of ports");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

#[test]
fn a_free_port_is_given_once() {
    let ports: HashSet<u16> = (0..2_000).map(|_| free_port()).collect();
    assert_eq!(ports.len(), 2_000);
}

/// A process that ends with the value.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running Envoy.
pub(crate) struct Envoy {
    pub(crate) port: u16,
    pub(crate) admin: u16,
    log: PathBuf,
    process: Process,
}

/// A folder for the files of a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

impl Envoy {
    /// Starts the program with this configuration and these ports in it, and waits until it listens or has ended.
    pub(crate) fn start(
        program: &str,
        name: &str,
        config: &str,
        (port, admin): (u16, u16),
    ) -> Self {
        let folder = folder(name);
        let (file, log) = (folder.join("envoy.yaml"), folder.join("envoy.log"));
        fs::write(&file, config).expect("a writable folder");
        let to = fs::File::create(&log).expect("a writable folder");
        let mut command = Command::new(program);
        command
            .arg("-c")
            .arg(&file)
            .args([
                "--disable-hot-restart",
                "--concurrency",
                "1",
                "--component-log-level",
                "wasm:info",
            ])
            .stdout(Stdio::null())
            .stderr(to);
        let process = Process(command.spawn().expect("Envoy starts"));
        let mut envoy = Self {
            port,
            admin,
            log,
            process,
        };
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() && !envoy.has_ended() {
            assert!(
                Instant::now() < deadline,
                "Envoy does not listen: {}",
                envoy.log()
            );
            thread::sleep(Duration::from_millis(20));
        }
        envoy
    }

    /// Returns `true` if the process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.process
            .0
            .try_wait()
            .expect("a child process")
            .is_some()
    }

    /// Reads the log written so far.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("a readable log")
    }

    /// The value of a counter or gauge, 0 if it does not exist.
    pub(crate) fn stat(&self, name: &str) -> u64 {
        let all = client::request(self.admin, "GET", &format!("/stats?filter=^{name}$"));
        let text = all.text();
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.map_or(0, |value| value.parse().expect("a number"))
    }
}
