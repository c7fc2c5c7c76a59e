//! Running the program.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The program, with its arguments.
pub(crate) fn provstream(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_provstream"));
    command.args(args);
    command
}

/// Result of running the program.
pub(crate) struct Run {
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The exit status.
    pub(crate) status: i32,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
            status: output.status.code().expect("the program was not killed"),
        }
    }
}

/// Runs the program with this on standard input.
pub(crate) fn run(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut child = provstream(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let input = input.as_ref().to_owned();
    // From another thread, or both sides would wait for each other once the pipes are full. Who is refused for usage
    // reads nothing, so that a pipe closed early is no failure of the test.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    output.into()
}

/// Runs the program with the words of a command line.
pub(crate) fn sh(line: &str, input: impl AsRef<[u8]>) -> Run {
    run(&line.split(' ').collect::<Vec<_>>(), input)
}

/// A folder with files, removed at the end.
pub(crate) struct Files(TempDir);

impl Files {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder can be made"))
    }

    /// Writes a file and gives its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).expect("the file can be written");
        path.to_str().expect("the path is UTF-8").to_owned()
    }

    /// The path of a file that need not exist.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
