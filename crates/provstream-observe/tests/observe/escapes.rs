//! Attempts to read what is not below the root, or is not a stored file. Each is refused with an error that says why.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use provstream_observe::{SubstrateErrorKind, SubstrateLimits, SubstrateQuery, Substrates};
use tempfile::TempDir;

use crate::repository;

const SECRET: &str = "the secret outside";

/// A folder with `root` and, beside it, `secret` and the folder `outside` with `secret`.
fn outside() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name);
    fs::create_dir_all(path("root/sub")).expect("created");
    fs::create_dir(path("outside")).expect("created");
    fs::write(path("secret"), SECRET).expect("written");
    fs::write(path("outside/secret"), SECRET).expect("written");
    fs::write(path("root/file"), "inside").expect("written");
    for (name, target) in [
        ("link", "../secret"),
        ("absolute", path("secret").to_str().expect("UTF-8")),
        ("dir", "../outside"),
        ("up", ".."),
        ("updir", "sub/../../outside"),
        ("chain1", "chain2"),
        ("chain2", "link"),
        ("loop", "loop"),
        ("loop1", "loop2"),
        ("loop2", "loop1"),
        ("sub/back", "../../secret"),
        ("proc", "/proc/self/environ"),
        ("fd", "/proc/self/fd/0"),
        ("cwd", "/proc/self/cwd"),
        ("rootdir", "/proc/self/root"),
        ("etc", "/etc"),
        ("dev", "/dev"),
        ("null", "/dev/null"),
        ("dangling", "../nothing"),
        ("self", "../root/file"),
    ] {
        symlink(target, path("root").join(name)).expect("linked");
    }
    assert!(
        Command::new("mkfifo")
            .arg(path("root/fifo"))
            .status()
            .expect("mkfifo")
            .success()
    );
    assert!(
        Command::new("mkfifo")
            .arg(path("root/sub/.gitignore"))
            .status()
            .expect("mkfifo")
            .success()
    );
    std::mem::forget(UnixListener::bind(path("root/socket")).expect("a socket"));
    let sparse = fs::File::create(path("root/sparse")).expect("created");
    sparse.set_len(1 << 40).expect("set");
    fs::write(path("root/huge"), vec![b'x'; 3000]).expect("written");
    dir
}

/// Paths that leave the root of [`outside`], or are not regular files.
const REFUSED: [&str; 64] = [
    "",
    "..",
    "../secret",
    "./../secret",
    "../root/file",
    "sub/../../secret",
    "sub/../file",
    "sub/..",
    "sub/../../../../../../../../../etc/passwd",
    "./.././secret",
    "..//secret",
    ".//..//secret",
    "file/../../secret",
    "nothing/../../secret",
    "/",
    "/etc/passwd",
    "//etc/passwd",
    "///etc/passwd",
    "/proc/self/environ",
    "/proc/self/root/etc/passwd",
    "/dev/null",
    "/dev/zero",
    "/../etc/passwd",
    "file\0",
    "\0",
    "../secret\0.txt",
    "link",
    "./link",
    "sub/../link",
    "absolute",
    "dir/secret",
    "dir/../secret",
    "dir/",
    "up/secret",
    "up/root/file",
    "updir/secret",
    "chain1",
    "chain2",
    "loop",
    "loop1",
    "loop/file",
    "sub/back",
    "proc",
    "fd",
    "cwd/file",
    "cwd/../secret",
    "rootdir/etc/passwd",
    "etc/passwd",
    "etc/shadow",
    "dev/null",
    "dev/zero",
    "dev/stdin",
    "dev/fd/0",
    "null",
    "dangling",
    "self",
    "fifo",
    "./fifo",
    "sub/.gitignore",
    "socket",
    "sub",
    ".",
    "sub/",
    "./sub/.",
];

fn substrates(root: &Path) -> Substrates {
    let limits = SubstrateLimits {
        max_file: 2000,
        ..SubstrateLimits::default()
    };
    Substrates::open(root).expect("a root").with_limits(limits)
}

#[test]
fn every_path_that_leaves_the_root_is_refused() {
    let dir = outside();
    let root = dir.path().join("root");
    let substrates = substrates(&root);
    let absolute = dir.path().join("secret");
    let inside = root.join("file");
    let (refused, limit) = (SubstrateErrorKind::Refused, SubstrateErrorKind::Limit);
    let long = "a/".repeat(3000);
    let made = [
        absolute.to_str().expect("UTF-8"),
        inside.to_str().expect("UTF-8"),
        &long,
    ];
    let paths = REFUSED.into_iter().chain(made).map(|path| (path, refused));
    let paths: Vec<_> = paths.chain([("sparse", limit), ("huge", limit)]).collect();
    assert!(paths.len() >= 60);
    let start = Instant::now();
    for (path, kind) in paths {
        let error = substrates.observe(&SubstrateQuery::code_read(path, None));
        let error = error.expect_err(path);
        assert_eq!(error.kind(), kind, "{path:?}: {error}");
        let message = error.to_string();
        assert!(
            !message.contains(SECRET) && !message.contains('\0'),
            "{message}"
        );
        assert!(
            message.contains("expected") && message.contains("found"),
            "{message}"
        );
        for query in [
            SubstrateQuery::grep("secret", path, false, None),
            SubstrateQuery::git_log(path, "HEAD", None, None),
        ] {
            // Folders and long files can be searched.
            if let Ok(found) = substrates.observe(&query) {
                let text = String::from_utf8_lossy(&found.content);
                assert!(!text.contains(SECRET), "{query:?}: {text}");
            }
        }
        let is_stored = ["sub", ".", "sub/", "./sub/.", "sparse", "huge"].contains(&path);
        let time = substrates.observe(&SubstrateQuery::fs_mtime(path));
        assert_eq!(time.is_ok(), is_stored, "{path:?}: {time:?}");
    }
    let inside = substrates.observe(&SubstrateQuery::code_read("file", None));
    assert_eq!(inside.expect("read").content, b"inside");
    assert!(start.elapsed() < Duration::from_secs(60), "nothing blocks");
}

#[test]
fn links_that_stay_below_the_root_are_followed() {
    let dir = outside();
    symlink("../file", dir.path().join("root/sub/inside")).expect("linked");
    let substrates = substrates(&dir.path().join("root"));
    let found = substrates.observe(&SubstrateQuery::code_read("sub/inside", None));
    assert_eq!(found.expect("read").content, b"inside");
}

#[test]
fn a_search_follows_no_link_and_opens_no_pipe() {
    let dir = outside();
    let substrates = substrates(&dir.path().join("root"));
    let query = SubstrateQuery::grep("secret|inside|PATH", ".", false, None);
    let found = substrates.observe(&query).expect("searched");
    // The sparse and the huge file are too long.
    assert_eq!(
        String::from_utf8_lossy(&found.content),
        "file:1:inside\n2 files and folders left out\n"
    );
}

#[test]
fn names_that_are_not_utf_8_are_left_out_and_counted() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join(OsStr::from_bytes(b"bad\xff")), "secret").expect("written");
    fs::write(dir.path().join("good"), "secret").expect("written");
    let substrates = Substrates::open(dir.path()).expect("a root");
    let found = substrates
        .observe(&SubstrateQuery::grep("secret", ".", false, None))
        .expect("searched");
    assert_eq!(
        String::from_utf8_lossy(&found.content),
        "good:1:secret\n1 files and folders left out\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn files_of_the_kernel_are_refused() {
    let substrates = Substrates::open("/").expect("a root");
    for path in [
        "proc/self/environ",
        "proc/self/cmdline",
        "proc/version",
        "sys/kernel/uevent_seqnum",
        "proc/self/root/etc/passwd",
        "proc/self/cwd/Cargo.toml",
    ] {
        if !Path::new("/").join(path).exists() {
            continue;
        }
        let error = substrates
            .observe(&SubstrateQuery::code_read(path, None))
            .expect_err(path);
        assert_eq!(error.kind(), SubstrateErrorKind::Refused, "{path}: {error}");
    }
    for query in [
        SubstrateQuery::grep("Name:", "proc/self", false, None),
        SubstrateQuery::grep("Name:", "proc", false, None),
        SubstrateQuery::fs_mtime("proc/1/status"),
        SubstrateQuery::fs_mtime("proc/self"),
    ] {
        let error = substrates.observe(&query).expect_err("refused");
        assert_eq!(
            error.kind(),
            SubstrateErrorKind::Refused,
            "{query:?}: {error}"
        );
    }
}

/// While another thread swaps a file, and a folder, for links that leave the root, no read sees anything outside.
#[test]
fn a_link_that_is_swapped_in_is_not_followed() {
    let dir = outside();
    let root = dir.path().join("root");
    fs::create_dir(root.join("swapdir")).expect("created");
    fs::write(root.join("swapdir/secret"), "harmless").expect("written");
    fs::write(root.join("swap"), "harmless").expect("written");
    symlink("../secret", root.join("swap.link")).expect("linked");
    symlink("../outside", root.join("swapdir.link")).expect("linked");
    let substrates = substrates(&root);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for name in ["swap", "swapdir"] {
                    let (path, link) = (root.join(name), root.join(format!("{name}.link")));
                    let aside = root.join(format!("{name}.aside"));
                    for (from, to) in [
                        (&path, &aside),
                        (&link, &path),
                        (&path, &link),
                        (&aside, &path),
                    ] {
                        fs::rename(from, to).expect("renamed");
                    }
                }
            }
        });
        let end = Instant::now() + Duration::from_millis(1500);
        let mut read = 0;
        while Instant::now() < end {
            for query in [
                SubstrateQuery::code_read("swap", None),
                SubstrateQuery::code_read("swapdir/secret", None),
                SubstrateQuery::grep("secret|harmless", ".", false, None),
                SubstrateQuery::grep("secret|harmless", "swapdir", false, None),
            ] {
                if let Ok(found) = substrates.observe(&query) {
                    let text = String::from_utf8_lossy(&found.content).into_owned();
                    assert!(!text.contains(SECRET), "{query:?}: {text}");
                    read += 1;
                }
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(read > 0);
    });
}

#[test]
fn a_repository_that_is_not_all_below_the_root_is_refused() {
    let log = SubstrateQuery::git_log("repo", "HEAD", None, None);
    let refused = |change: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().expect("a folder");
        let Some(sample) = repository::sample() else {
            return;
        };
        let repo = dir.path().join("root/repo");
        fs::create_dir(dir.path().join("root")).expect("created");
        fs::rename(sample.keep(), &repo).expect("moved");
        let substrates = Substrates::open(dir.path().join("root")).expect("a root");
        substrates.observe(&log).expect("observed");
        change(&repo);
        let error = substrates.observe(&log).expect_err("refused");
        assert_eq!(error.kind(), SubstrateErrorKind::Refused, "{error}");
    };
    let out = |repo: &Path| repo.join("../../out");
    let move_out = |repo: &Path, name: &str| {
        fs::rename(repo.join(name), out(repo)).expect("moved");
        symlink("../../../out", repo.join(name))
            .or_else(|_| symlink(out(repo), repo.join(name)))
            .expect("linked");
    };
    for name in [
        ".git",
        ".git/objects",
        ".git/refs",
        ".git/HEAD",
        ".git/config",
        ".git/refs/heads",
        ".git/refs/heads/main",
    ] {
        refused(&|repo| move_out(repo, name));
    }
    refused(&|repo| {
        let objects = fs::read_dir(repo.join(".git/objects")).expect("objects");
        let names = objects.map(|entry| entry.expect("an entry").file_name());
        let name = names
            .filter_map(|name| name.into_string().ok())
            .find(|name| name.len() == 2);
        move_out(repo, &format!(".git/objects/{}", name.expect("a folder")));
    });
    for name in [".git/refs/heads/pipe", ".git/objects/pack/pipe"] {
        refused(&|repo| {
            let made = Command::new("mkfifo").arg(repo.join(name)).status();
            assert!(made.expect("mkfifo").success());
        });
    }
    refused(&|repo| {
        fs::rename(repo.join(".git"), out(repo)).expect("moved");
        fs::write(repo.join(".git"), "gitdir: ../../out\n").expect("written");
    });
    refused(&|repo| {
        fs::create_dir_all(repo.join(".git/objects/info")).expect("created");
        fs::write(repo.join(".git/objects/info/alternates"), "/tmp\n").expect("written");
    });
    refused(&|repo| fs::write(repo.join(".git/commondir"), "/tmp\n").expect("written"));
}

#[test]
fn a_file_beside_the_references_is_no_pipe_and_not_huge() {
    let Some(sample) = repository::sample() else {
        return;
    };
    let git = sample.path().join(".git");
    let made = Command::new("mkfifo").arg(git.join("PIPE_HEAD")).status();
    assert!(made.expect("mkfifo").success());
    let substrates = substrates(sample.path());
    let kind = |reference: &str| {
        let query = SubstrateQuery::git_log(".", reference, None, None);
        let found = substrates.observe(&query);
        found.map(drop).map_err(|error| error.kind())
    };
    assert_eq!(kind("PIPE_HEAD"), Err(SubstrateErrorKind::Refused));
    assert_eq!(kind("NO_HEAD"), Err(SubstrateErrorKind::Gone));
    assert_eq!(kind("main"), Ok(()));
    for (target, expected) in [
        ("PIPE_HEAD", Err(SubstrateErrorKind::Refused)),
        ("refs/heads/loop", Err(SubstrateErrorKind::Refused)),
        ("refs/heads/none", Err(SubstrateErrorKind::Gone)),
        ("refs/heads/main", Ok(())),
    ] {
        let link = format!("ref: {target}\n");
        fs::write(git.join("refs/heads/loop"), link).expect("written");
        assert_eq!(kind("loop"), expected, "{target}");
    }
    let packed = fs::File::create(git.join("packed-refs")).expect("created");
    packed.set_len(1 << 40).expect("set");
    assert_eq!(kind("main"), Err(SubstrateErrorKind::Limit));
}

/// A byte that is not UTF-8, or a byte order mark, spoils one rule alone.
#[test]
fn ignore_files_in_other_encodings_are_read() {
    for (rules, hidden) in [
        (&b"# caf\xe9\nhidden\n"[..], true),
        (b"caf\xe9\nhidden\n", true),
        (b"\xef\xbb\xbfhidden\n", true),
        (b"hid\xe9en\n", false),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join(".gitignore"), rules).expect("written");
        fs::write(dir.path().join("hidden"), "secret").expect("written");
        let substrates = Substrates::open(dir.path()).expect("a root");
        let found = substrates.observe(&SubstrateQuery::grep("secret", ".", false, None));
        assert_eq!(
            found.expect("searched").content.is_empty(),
            hidden,
            "{rules:?}"
        );
    }
}
