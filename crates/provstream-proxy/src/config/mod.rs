//! Settings of a proxy.

mod emit;
mod ledger;
mod observation_ids;
mod read;
mod upstream;
mod values;

use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http::Uri;
use provstream::provenance::Vocabulary;
use provstream::settings::FilePosition;
use provstream_route::{ObservationIds, Route, Routes, ToolResultRecorder};

pub(crate) use self::read::{refuse_other_kinds, unread};
pub(crate) use self::upstream::is_localhost;
pub use self::upstream::{Upstream, UpstreamError};
use crate::emission::Emission;

/// Settings of a proxy, from its file and the command line.
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
    /// Name of the settings file in messages.
    pub(crate) source: Option<Box<str>>,
    pub(crate) upstream: Upstream,
    /// Position of the upstream in the file.
    pub(crate) upstream_place: Option<FilePosition>,
    pub(crate) listen: SocketAddr,
    pub(crate) listen_place: Option<FilePosition>,
    /// Certificate and key of the proxy, if it serves TLS.
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) admin: Option<SocketAddr>,
    pub(crate) admin_place: Option<FilePosition>,
    /// Host names of the admin endpoints, in lower case.
    pub(crate) admin_hosts: Vec<Box<str>>,
    pub(crate) routes: Routes,
    pub(crate) extras: Vec<Extras>,
    pub(crate) timeouts: Timeouts,
    pub(crate) limits: ProxyLimits,
    pub(crate) audit: Option<NamedFile>,
    pub(crate) audit_sync: bool,
    /// Form of the observation ids in the audit log.
    pub(crate) observation_ids: ObservationIds,
    /// Further files that the settings name, each with its key.
    pub(crate) files: Vec<(&'static str, PathBuf)>,
    pub(crate) log: bool,
    /// PEM file with certificate authorities that replace those of the web.
    pub(crate) upstream_ca: Option<NamedFile>,
    /// URL of the collector of spans.
    pub(crate) collector: Option<Uri>,
    /// Settings of the page about streams in flight, if it is enabled.
    pub(crate) live: Option<LiveSettings>,
}

/// A file that the settings name.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    pub(crate) path: PathBuf,
    /// Position of the name in the settings.
    pub(crate) place: FilePosition,
}

/// Files of the certificate that the proxy shows to its clients.
#[derive(Clone, Debug)]
pub(crate) struct TlsFiles {
    /// PEM file with the chain of certificates, the proxy's first.
    pub(crate) cert: NamedFile,
    /// PEM file with the private key.
    pub(crate) key: NamedFile,
}

/// Settings of a route for requests and their upstream. Settings for responses are in `Routes`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// Upstream of the route, if it differs from that of the proxy, and its position in the file.
    pub(crate) upstream: Option<(Upstream, FilePosition)>,
    /// Additions to requests that make models write annotations.
    pub(crate) emission: Emission,
    /// Most repetitions of a request for the rest of an answer that a policy suspends.
    pub(crate) reemit: u32,
    /// Recorder of results of tools in requests.
    pub(crate) recorder: Option<Arc<dyn ToolResultRecorder>>,
}

/// Settings of the page about streams in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveSettings {
    /// Most listed streams in flight.
    pub(crate) streams: usize,
    /// Most listed streams that have ended.
    pub(crate) ended: usize,
    /// Bytes shown from the end of each text.
    pub(crate) text: usize,
    /// Interval after which a browser reloads the page.
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

/// Longest times for connections, requests and shutdown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    pub(crate) connect: Duration,
    /// Longest time without data from the upstream.
    pub(crate) idle: Duration,
    /// Longest time from a request to the end of its response.
    pub(crate) total: Duration,
    /// Longest time in which the client neither sends nor reads.
    pub(crate) client: Duration,
    /// Longest time for the head of a request.
    pub(crate) head: Duration,
    /// Time without data for the client after which a comment is sent.
    pub(crate) keep_alive: Duration,
    /// Longest time from the signal to end until the end.
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

/// Limits of requests and connections.
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
    /// Creates settings without a file: annotations of known formats are stripped, and all other
    /// responses pass.
    #[must_use]
    pub fn new(upstream: Upstream, listen: SocketAddr) -> Self {
        Self {
            source: None,
            upstream,
            upstream_place: None,
            listen,
            listen_place: None,
            tls: None,
            admin: None,
            admin_place: None,
            admin_hosts: Vec::new(),
            routes: Routes::strip_all(&Vocabulary::memo()),
            extras: Vec::new(),
            timeouts: Timeouts::default(),
            limits: ProxyLimits::default(),
            audit: None,
            audit_sync: false,
            observation_ids: ObservationIds::Keep,
            files: Vec::new(),
            log: true,
            upstream_ca: None,
            collector: None,
            live: None,
        }
    }

    /// Sets the name of the settings file in messages.
    #[must_use]
    pub fn with_source(mut self, name: &str) -> Self {
        self.source = Some(name.into());
        self
    }

    /// Sets the address of the proxy, replacing that of the file.
    #[must_use]
    pub const fn with_listen(mut self, listen: SocketAddr) -> Self {
        self.listen = listen;
        self.listen_place = None;
        self
    }

    /// Sets the address of the admin endpoints, replacing that of the file.
    #[must_use]
    pub const fn with_admin(mut self, admin: SocketAddr) -> Self {
        self.admin = Some(admin);
        self.admin_place = None;
        self
    }

    /// Enables or disables the line on standard error for each request.
    #[must_use]
    pub const fn with_log(mut self, log: bool) -> Self {
        self.log = log;
        self
    }

    /// Returns the address of the proxy.
    #[must_use]
    pub const fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// Returns the position of the proxy's address in the file, or `None` if the address is not
    /// from the file.
    #[must_use]
    pub const fn listen_place(&self) -> Option<FilePosition> {
        self.listen_place
    }

    /// Returns the position of the admin endpoints' address in the file, or `None` if the address
    /// is not from the file.
    #[must_use]
    pub const fn admin_place(&self) -> Option<FilePosition> {
        self.admin_place
    }

    /// Returns the address of the admin endpoints.
    #[must_use]
    pub const fn admin(&self) -> Option<SocketAddr> {
        self.admin
    }

    /// Returns the path of the audit log, and its position in the settings.
    #[must_use]
    pub fn audit(&self) -> Option<(&Path, FilePosition)> {
        let named = self.audit.as_ref()?;
        Some((&named.path, named.place))
    }

    /// Iterates over the files that the proxy reads, each with its key: policies, the vocabulary
    /// and certificates. The audit log must not be one of them.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.files.iter().map(|(key, path)| (*key, path.as_path()))
    }

    /// Returns the upstream.
    #[must_use]
    pub const fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    /// Fails if an upstream is one of the proxy's own listeners, to which each request would
    /// return.
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

    /// Returns the keys that differ from `other` and take effect only when a proxy starts.
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
        assert!(config.tls.is_none());
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
