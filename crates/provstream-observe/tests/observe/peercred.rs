//! Credentials of the process that listens on a socket.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixDatagram, UnixListener};

use provstream_observe::{SubstrateErrorKind, SubstrateQuery, Substrates};

#[test]
fn the_listener_is_reported() {
    let dir = tempfile::tempdir().expect("a folder");
    // Longer than an address of a socket may be.
    let deep = dir.path().join("x".repeat(120));
    fs::create_dir(&deep).expect("created");
    let listener = UnixListener::bind(dir.path().join("app.sock")).expect("a socket");
    fs::rename(dir.path().join("app.sock"), deep.join("app.sock")).expect("moved");
    symlink(deep.join("app.sock"), dir.path().join("out")).expect("a link");
    let path = format!("{}/app.sock", "x".repeat(120));
    symlink(&path, dir.path().join("link")).expect("a link");
    let substrates = Substrates::open(dir.path()).expect("a root");

    let status = fs::metadata("/proc/self").expect("metadata");
    let owner = {
        use std::os::unix::fs::MetadataExt as _;
        (status.uid(), status.gid())
    };
    let expected = format!(
        "pid {}\nuid {}\ngid {}\n",
        std::process::id(),
        owner.0,
        owner.1
    );
    for path in [&path, "link"] {
        let found = substrates
            .observe(&SubstrateQuery::peercred(path))
            .expect("observed");
        assert_eq!(String::from_utf8_lossy(&found.content), expected, "{path}");
    }

    drop(listener);
    let _datagram = UnixDatagram::bind(dir.path().join("datagram")).expect("a socket");
    fs::write(dir.path().join("file"), "").expect("written");
    for (path, kind) in [
        (path.as_str(), SubstrateErrorKind::Gone),
        ("none", SubstrateErrorKind::Gone),
        ("file", SubstrateErrorKind::Refused),
        (".", SubstrateErrorKind::Refused),
        ("datagram", SubstrateErrorKind::Refused),
        ("out", SubstrateErrorKind::Refused),
        ("../app.sock", SubstrateErrorKind::Refused),
        ("/run/app.sock", SubstrateErrorKind::Refused),
    ] {
        let error = substrates
            .observe(&SubstrateQuery::peercred(path))
            .expect_err(path);
        assert_eq!(error.kind(), kind, "{path}: {error}");
    }
}

/// A listener that accepts nothing cannot block a query.
#[test]
fn a_full_queue_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("app.sock");
    let socket = rustix::net::socket(
        rustix::net::AddressFamily::UNIX,
        rustix::net::SocketType::STREAM,
        None,
    );
    let socket = socket.expect("a socket");
    let address = rustix::net::SocketAddrUnix::new(&path).expect("an address");
    rustix::net::bind(&socket, &address).expect("bound");
    rustix::net::listen(&socket, 0).expect("listening");
    let substrates = Substrates::open(dir.path()).expect("a root");
    let query = SubstrateQuery::peercred("app.sock");
    let mut results = (0..4).map(|_| substrates.observe(&query));
    let error = results.find_map(Result::err).expect("a full queue");
    assert_eq!(error.kind(), SubstrateErrorKind::Unreachable, "{error}");
}
