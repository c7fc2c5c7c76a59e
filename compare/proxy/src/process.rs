//! Processes that are measured: started, looked at through `/proc`, ended.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A tick of `/proc/PID/stat`: 10 ms on every Linux that these programs run on (`getconf CLK_TCK` is 100).
const TICK: f64 = 0.01;

/// How long a process may take to end.
const ENDS: Duration = Duration::from_secs(10);

/// A port that is free now.
///
/// # Errors
///
/// No port is free.
pub fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// A process with its children, which ends when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
}

impl Process {
    /// Starts a program; what it prints goes to a file.
    ///
    /// # Errors
    ///
    /// It cannot be started, or the file not be written.
    pub fn start(command: &mut Command, log: &Path) -> io::Result<Self> {
        let log = File::options().append(true).create(true).open(log)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        Ok(Self { child })
    }

    /// The number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    ///
    /// # Errors
    ///
    /// The program `kill` cannot be started, or the process has ended.
    pub fn signal(&self, name: &str) -> io::Result<()> {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("kill -{name}: {status}")))
        }
    }

    /// Whether it has ended.
    ///
    /// # Errors
    ///
    /// The system does not say.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Waits until a port is listened at.
    ///
    /// # Errors
    ///
    /// The process ends before that, or takes longer than `most`.
    pub fn listens(&mut self, port: u16, most: Duration) -> io::Result<()> {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = self.child.try_wait()? {
                return Err(io::Error::other(format!("it ended: {status}")));
            }
            if start.elapsed() > most {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Waits for its end, at most for a time.
    ///
    /// # Errors
    ///
    /// It has not ended by then.
    pub fn wait(&mut self, most: Duration) -> io::Result<std::process::ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if start.elapsed() > most {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        let all = tree(self.child.id());
        let is_over = self.signal("TERM").is_ok() && self.wait(ENDS).is_ok();
        if !is_over {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        // Children of these processes may outlive them.
        for id in all.into_iter().skip(1) {
            if Path::new(&format!("/proc/{id}")).exists() {
                let _ = Command::new("kill")
                    .args(["-KILL", &id.to_string()])
                    .stderr(Stdio::null())
                    .status();
            }
        }
    }
}

/// A process and all its children, itself first.
#[must_use]
pub fn tree(root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        if let Some(id) = id
            && let Some(parent) = fields(id).and_then(|fields| fields.get(1)?.parse().ok())
        {
            children.entry(parent).or_default().push(id);
        }
    }
    let mut all = vec![root];
    let mut next = 0;
    while let Some(id) = all.get(next) {
        all.extend(children.remove(id).unwrap_or_default());
        next += 1;
    }
    all
}

/// The fields of `/proc/PID/stat` after the name, from the state on.
fn fields(id: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// CPU time that processes have used, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cpu {
    /// In all, from the scheduler's count of nanoseconds.
    pub all: f64,
    /// In user mode, in ticks of 10 ms.
    pub user: f64,
    /// In the kernel, in ticks of 10 ms.
    pub system: f64,
}

impl Cpu {
    /// What these processes have used, with all threads that they have now.
    #[must_use]
    pub fn of(processes: &[u32]) -> Self {
        let mut cpu = Self::default();
        for id in processes {
            let ticks = |at: usize| -> Option<f64> { fields(*id)?.get(at)?.parse().ok() };
            cpu.user += ticks(11).unwrap_or(0.0) * TICK;
            cpu.system += ticks(12).unwrap_or(0.0) * TICK;
            for thread in fs::read_dir(format!("/proc/{id}/task"))
                .into_iter()
                .flatten()
                .flatten()
            {
                let path = thread.path().join("schedstat");
                let text = fs::read_to_string(path).unwrap_or_default();
                let first = text
                    .split(' ')
                    .next()
                    .and_then(|text| text.parse::<f64>().ok());
                cpu.all += first.unwrap_or(0.0) / 1e9;
            }
        }
        cpu
    }

    /// What was used since.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            all: self.all - before.all,
            user: self.user - before.user,
            system: self.system - before.system,
        }
    }
}

/// Memory of processes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The proportional set size: what is shared counts in part.
    pub pss: u64,
    /// The resident set size.
    pub rss: u64,
}

impl Memory {
    /// The memory of these processes now.
    #[must_use]
    pub fn of(processes: &[u32]) -> Self {
        let mut memory = Self::default();
        for id in processes {
            let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap_or_default();
            let of = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                let kib = line.and_then(|rest| rest.trim().strip_suffix("kB"));
                kib.and_then(|kib| kib.trim().parse::<u64>().ok())
                    .unwrap_or(0)
                    * 1024
            };
            memory.pss += of("Pss:");
            memory.rss += of("Rss:");
        }
        memory
    }

    /// The greater of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            pss: self.pss.max(other.pss),
            rss: self.rss.max(other.rss),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_its_children_and_what_they_use() {
        let mut command = Command::new("sh");
        command.args(["-c", "sh -c 'while :; do :; done' & wait"]);
        let process = Process::start(&mut command, Path::new("/dev/null")).expect("a shell");
        std::thread::sleep(Duration::from_millis(400));
        let all = tree(process.id());
        assert_eq!(all.len(), 2, "{all:?}");
        let used = Cpu::of(&all);
        assert!(used.all > 0.02 && used.all < 2.0, "{used:?}");
        let memory = Memory::of(&all);
        assert!(
            memory.rss > 100 << 10 && memory.pss <= memory.rss,
            "{memory:?}"
        );
        drop(process);
        let is_there = |id: &u32| Path::new(&format!("/proc/{id}/exe")).exists();
        let start = Instant::now();
        // The kernel takes a moment after the signal.
        while all.iter().any(is_there) {
            assert!(start.elapsed() < ENDS, "{all:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
