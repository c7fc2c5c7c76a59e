//! The settings of a proxy.

mod emit;
mod read;
mod upstream;

use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use http::Uri;
use provstream::provenance::Vocabulary;
use provstream::settings::FilePosition;
use provstream_route::{Route, Routes};

pub(crate) use self::read::{refuse_other_kinds, unread};
pub(crate) use self::upstream::is_localhost;
pub use self::upstream::{Upstream, UpstreamError};
use crate::emission::Emission;

/// The settings of a proxy, as its file and the command line give them.
///
/// ```
/// use std::path::Path;
/// use provstream_proxy::Config;
///
/// let file = b"upstream = \"https://api.example.com\"\nlisten = \"127.0.0.1:8080\"\n[limits]\nconnection = 5\n";
/// let error = Config::from_toml(file, Path::new("."), None).expect_err("an unknown key");
/// assert_eq!(
///     error.to_string(),
///     "line 4, column 1: unknown key \"connection\" in \"limits\", did you mean \"connections\""
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// What messages call the file.
    pub(crate) source: Option<Box<str>>,
    pub(crate) upstream: Upstream,
    /// Where the file has the upstream.
    pub(crate) upstream_place: Option<FilePosition>,
    pub(crate) listen: SocketAddr,
    pub(crate) listen_place: Option<FilePosition>,
    pub(crate) admin: Option<SocketAddr>,
    pub(crate) admin_place: Option<FilePosition>,
    /// Names by which the admin endpoints may be asked for, in lower case.
    pub(crate) admin_hosts: Vec<Box<str>>,
    pub(crate) routes: Routes,
    pub(crate) extras: Vec<Extras>,
    pub(crate) timeouts: Timeouts,
    pub(crate) limits: ProxyLimits,
    pub(crate) audit: Option<NamedFile>,
    pub(crate) audit_sync: bool,
    /// The other files that the settings name, each with its key.
    pub(crate) files: Vec<(&'static str, PathBuf)>,
    pub(crate) log: bool,
    /// Certificates, in PEM, of authorities that are trusted instead of those of the web.
    pub(crate) upstream_ca: Option<NamedFile>,
    /// Where spans are sent.
    pub(crate) collector: Option<Uri>,
    /// What the page about streams in flight shows, if there is one.
    pub(crate) live: Option<LiveSettings>,
}

/// A file that the settings name.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    pub(crate) path: PathBuf,
    /// Where the settings name it.
    pub(crate) place: FilePosition,
}

/// What the proxy does on a route beside what is done with its responses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// Another upstream than that of the proxy, and where the file has it.
    pub(crate) upstream: Option<(Upstream, FilePosition)>,
    /// What is added to requests so that models write annotations.
    pub(crate) emission: Emission,
    /// How often the upstream is asked once more for the rest of an answer that a policy suspends.
    pub(crate) reemit: u32,
}

/// What the page about streams in flight shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveSettings {
    /// Most streams that are listed.
    pub(crate) streams: usize,
    /// Most streams that have ended that are listed.
    pub(crate) ended: usize,
    /// Bytes of each text that are shown: the last ones.
    pub(crate) text: usize,
    /// How often a browser loads the page again.
    pub(crate) refresh: Duration,
}

impl Default for LiveSettings {
    fn default() -> Self {
        Self {
            streams: 100,
            ended: 0,
            text: 0,
            refresh: Duration::from_secs(2),
        }
    }
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    pub(crate) connect: Duration,
    /// Nothing comes from the upstream.
    pub(crate) idle: Duration,
    /// From a request to the end of its response.
    pub(crate) total: Duration,
    /// The client sends or reads nothing.
    pub(crate) client: Duration,
    /// The head of a request.
    pub(crate) head: Duration,
    /// After this time without a byte for the client, a comment is sent.
    pub(crate) keep_alive: Duration,
    /// Between the signal to end and the end.
    pub(crate) drain: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            total: Duration::from_secs(3_600),
            client: Duration::from_secs(60),
            head: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            drain: Duration::from_secs(30),
        }
    }
}

/// How much there may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProxyLimits {
    pub(crate) header_bytes: usize,
    pub(crate) headers: usize,
    pub(crate) request_bytes: usize,
    pub(crate) connections: usize,
}

impl Default for ProxyLimits {
    fn default() -> Self {
        Self {
            header_bytes: 1 << 16,
            headers: 100,
            request_bytes: 32 << 20,
            connections: 4_096,
        }
    }
}

impl Config {
    /// The settings without a file: everything that is known is stripped, everything else passes.
    #[must_use]
    pub fn new(upstream: Upstream, listen: SocketAddr) -> Self {
        Self {
            source: None,
            upstream,
            upstream_place: None,
            listen,
            listen_place: None,
            admin: None,
            admin_place: None,
            admin_hosts: Vec::new(),
            routes: Routes::strip_all(&Vocabulary::memo()),
            extras: Vec::new(),
            timeouts: Timeouts::default(),
            limits: ProxyLimits::default(),
            audit: None,
            audit_sync: false,
            files: Vec::new(),
            log: true,
            upstream_ca: None,
            collector: None,
            live: None,
        }
    }

    /// The same, read from a file that messages call this.
    #[must_use]
    pub fn with_source(mut self, name: &str) -> Self {
        self.source = Some(name.into());
        self
    }

    /// The same that listens here, whatever the file says.
    #[must_use]
    pub const fn with_listen(mut self, listen: SocketAddr) -> Self {
        self.listen = listen;
        self.listen_place = None;
        self
    }

    /// The same whose admin endpoints listen here, whatever the file says.
    #[must_use]
    pub const fn with_admin(mut self, admin: SocketAddr) -> Self {
        self.admin = Some(admin);
        self.admin_place = None;
        self
    }

    /// The same with or without a line on standard error for each request.
    #[must_use]
    pub const fn with_log(mut self, log: bool) -> Self {
        self.log = log;
        self
    }

    /// Where the proxy listens.
    #[must_use]
    pub const fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// Where the file has the address that the proxy listens at; `None` for one that is not from the file.
    #[must_use]
    pub const fn listen_place(&self) -> Option<FilePosition> {
        self.listen_place
    }

    /// Where the file has the address of the admin endpoints; `None` for one that is not from the file.
    #[must_use]
    pub const fn admin_place(&self) -> Option<FilePosition> {
        self.admin_place
    }

    /// Where the admin endpoints listen.
    #[must_use]
    pub const fn admin(&self) -> Option<SocketAddr> {
        self.admin
    }

    /// The file of the audit log, and where the settings name it.
    #[must_use]
    pub fn audit(&self) -> Option<(&Path, FilePosition)> {
        let named = self.audit.as_ref()?;
        Some((&named.path, named.place))
    }

    /// The files that the settings name and that are read, each with its key: policies, the vocabulary and certificates. The
    /// audit log must not be one of them.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.files.iter().map(|(key, path)| (*key, path.as_path()))
    }

    /// The upstream.
    #[must_use]
    pub const fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    /// Refuses an upstream that is the proxy itself, or its admin endpoints, listening here: each request would come back.
    pub(crate) fn refuse_loops(&self, listeners: &[SocketAddr]) -> io::Result<()> {
        let own = (&self.upstream, self.upstream_place);
        let of_routes = self.extras.iter().filter_map(|extras| {
            let (upstream, place) = extras.upstream.as_ref()?;
            Some((upstream, Some(*place)))
        });
        let loops = core::iter::once(own)
            .chain(of_routes)
            .find_map(|(upstream, place)| {
                let listen = listeners.iter().find(|listen| upstream.is_at(**listen))?;
                Some((upstream, place, listen))
            });
        let Some((upstream, place, listen)) = loops else {
            return Ok(());
        };
        let source = self.source.as_deref().filter(|_| place.is_some());
        let source = source.map_or_else(String::new, |source| format!("{source}: "));
        let place = place.map_or_else(String::new, |place| format!("{place}: "));
        let message = format!(
            "{source}{place}expected an \"upstream\" other than the proxy itself, which listens at {listen}, found \"{upstream}\""
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }

    /// The keys that differ from other settings and are read only when a proxy starts.
    pub(crate) fn fixed_changes(&self, other: &Self) -> Vec<&'static str> {
        let is_changed = [
            ("listen", self.listen != other.listen),
            ("admin", self.admin != other.admin),
            (
                "limits.connections",
                self.limits.connections != other.limits.connections,
            ),
        ];
        let changed = is_changed.into_iter().filter(|(_, is_changed)| *is_changed);
        changed.map(|(key, _)| key).collect()
    }

    pub(crate) fn extras(&self, route: &Route) -> Option<&Extras> {
        self.extras.get(route.index()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file that says nothing more has, which the guide lists.
    #[test]
    fn what_is_not_set_has_its_default() {
        let read = |more: &str| {
            let file = format!("upstream = \"https://api.example.com\"\n{more}");
            Config::from_toml(file.as_bytes(), Path::new("/etc"), None).expect("settings")
        };
        let config = read("audit = \"audit.ndjson\"\n[live]\n");
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!((config.admin, config.admin_hosts.len()), (None, 0));
        assert_eq!(
            config.audit.map(|named| named.path),
            Some("/etc/audit.ndjson".into())
        );
        assert!(!config.audit_sync && config.log);
        assert!(config.upstream_ca.is_none() && config.collector.is_none());
        let times = config.timeouts;
        let seconds = [
            times.connect,
            times.head,
            times.client,
            times.idle,
            times.total,
            times.keep_alive,
            times.drain,
        ];
        let seconds = seconds.map(|time| time.as_secs());
        assert_eq!(seconds, [10, 30, 60, 300, 3_600, 15, 30]);
        let limits = config.limits;
        let numbers = [
            limits.header_bytes,
            limits.headers,
            limits.request_bytes,
            limits.connections,
        ];
        assert_eq!(numbers, [65_536, 100, 33_554_432, 4_096]);
        let live = config.live.expect("a page");
        let numbers = (live.streams, live.ended, live.text, live.refresh.as_secs());
        assert_eq!(numbers, (100, 0, 0, 2));
        assert!(read("").live.is_none() && read("").audit.is_none());
        assert!(read("audit = \"a\"\naudit_sync = true\n").audit_sync);
        assert!(!read("log = false\n").log);
        let route = read("[[route]]\npath = \"/\"\naction = \"strip\"\n");
        let extras = &route.extras[0];
        assert!(extras.upstream.is_none() && extras.reemit == 0 && !extras.emission.is_some());
        let route = route.routes.iter().next().expect("a route");
        assert!(!route.fails_closed());
    }
}
