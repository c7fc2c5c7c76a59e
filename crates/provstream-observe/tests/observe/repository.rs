//! A sample repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A folder with a repository of two commits: `a.rs` and `b.rs`, then a change of `b.rs`. `None` without git.
pub(crate) fn sample() -> Option<TempDir> {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("a.rs"), "fn main() {\n    run();\n}\n").expect("written");
    fs::write(dir.path().join("b.rs"), "fn run() {}\n").expect("written");
    if !git(dir.path(), &["init", "-q", "-b", "main"]) {
        eprintln!("SKIPPED: git is not installed");
        return None;
    }
    commit(dir.path(), "Add a program", 1);
    fs::write(dir.path().join("b.rs"), "fn run() { stop() }\n").expect("written");
    commit(dir.path(), "Stop\n\nIt ran on.", 2);
    Some(dir)
}

/// Commits all files, at a day of May 2026.
pub(crate) fn commit(dir: &Path, message: &str, day: u8) {
    assert!(git(dir, &["add", "-A"]));
    let date = format!("2026-05-{day:02}T12:00:00Z");
    let status = command(dir, &["commit", "-q", "-m", message])
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .status();
    assert!(status.expect("git").success());
}

pub(crate) fn git(dir: &Path, args: &[&str]) -> bool {
    command(dir, args)
        .status()
        .is_ok_and(|status| status.success())
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    command
}
