//! `substrate.unix.peercred`: the process that listens on a Unix-domain socket.

use super::query::Peercred;
use super::{FoundResult, QueryWork, SubstrateError};

/// Connects, has the kernel report who listens, and closes the connection.
#[cfg(target_os = "linux")]
pub(super) fn observe(
    work: QueryWork<'_>,
    query: &Peercred,
) -> Result<FoundResult, SubstrateError> {
    use std::os::fd::{AsFd as _, AsRawFd as _};

    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    use rustix::io::Errno;
    use rustix::net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
    };

    let socket = work.root.socket(&query.path)?;
    let path = query.path.escape_debug();
    let fail = |error: Errno| match error {
        Errno::CONNREFUSED => SubstrateError::gone(format!("{path}: nobody listens on the socket")),
        Errno::AGAIN => SubstrateError::unreachable(format!(
            "{path}: expected a socket that accepts connections, found one with too many that wait"
        )),
        Errno::PROTOTYPE => SubstrateError::refused(format!(
            "{path}: expected a stream socket, found one of another type"
        )),
        _ => SubstrateError::unreachable(format!("{path}: {error}")),
    };
    // With the open file and not the path, a link that has come meanwhile leads nowhere.
    let address = SocketAddrUnix::new(format!("/proc/self/fd/{}", socket.as_raw_fd()));
    let address = address.map_err(fail)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let connection = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
    let connection = connection.map_err(fail)?;
    connect(&connection, &address).map_err(fail)?;
    // rustix cannot represent a process of another PID namespace, which has the number 0.
    let peer = getsockopt(&connection.as_fd(), PeerCredentials);
    let peer = peer.map_err(|error| SubstrateError::unreachable(format!("{path}: {error}")))?;
    Ok(FoundResult::of(format!(
        "pid {}\nuid {}\ngid {}\n",
        peer.pid(),
        peer.uid(),
        peer.gid()
    )))
}

/// Refuses: other kernels have no `SO_PEERCRED`.
#[cfg(not(target_os = "linux"))]
pub(super) fn observe(
    work: QueryWork<'_>,
    query: &Peercred,
) -> Result<FoundResult, SubstrateError> {
    work.root.relative(&query.path)?;
    Err(SubstrateError::unreachable(
        "expected Linux for the credentials of a peer, found another system",
    ))
}
