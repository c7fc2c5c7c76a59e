//! State that all connections share.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::{Context, Poll};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use provstream::settings::{FileError, read_file};
use provstream_route::{AuditFile, AuditSink};
use rustls::ServerConfig;
use tokio::sync::watch;

use crate::certificate::server_config;
use crate::config::{Config, NamedFile, TlsFiles, refuse_other_kinds, unread};
use crate::live::Live;
use crate::metrics::Metrics;
use crate::spans::Spans;
use crate::tls::{Client, client};
use crate::waits::Armed;

/// Largest file of certificates or of a key, in bytes; many times the authorities of the web.
const MAX_PEM: usize = 16 << 20;

/// Active settings and the state built from them.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) config: Config,
    pub(crate) client: Client,
    /// Settings of TLS for new connections of clients, if the proxy serves TLS.
    pub(crate) tls: Option<Arc<ServerConfig>>,
    pub(crate) audit: Option<SharedAudit>,
    pub(crate) spans: Option<Arc<Spans>>,
    /// Streams in flight, which continue across reloads.
    pub(crate) live: Arc<Live>,
}

impl Loaded {
    pub(crate) fn new(config: Config) -> io::Result<Self> {
        let audit = match &config.audit {
            None => None,
            Some(named) => {
                let file = AuditFile::open(&named.path, config.audit_sync);
                let file = file.map_err(|error| {
                    unusable("audit", named, &config, &unopened(&named.path, error))
                })?;
                Some(SharedAudit(Arc::new(Mutex::new(file))))
            }
        };
        let client = match &config.upstream_ca {
            None => client(&config.timeouts, None)?,
            Some(named) => {
                let authorities = read_pem("upstream_ca", named, &config)?;
                client(&config.timeouts, Some(&authorities))
                    .map_err(|error| unusable("upstream_ca", named, &config, &error.to_string()))?
            }
        };
        let tls = config.tls.as_ref();
        let tls = tls.map(|files| listener_tls(files, &config)).transpose()?;
        let collector = config.collector.clone();
        let spans = collector.map(|collector| Arc::new(Spans::new(client.clone(), collector)));
        Ok(Self {
            client,
            tls,
            audit,
            spans,
            live: Arc::default(),
            config,
        })
    }
}

/// Reads the certificate and the key of the listener.
fn listener_tls(files: &TlsFiles, config: &Config) -> io::Result<Arc<ServerConfig>> {
    let cert = read_pem("cert", &files.cert, config)?;
    let key = read_pem("key", &files.key, config)?;
    let built = server_config(&cert, &key).map_err(|error| match error.is_of_key {
        true => unusable("key", &files.key, config, &error.found),
        false => unusable("cert", &files.cert, config, &error.found),
    });
    built.map(Arc::new)
}

/// Reads a file of certificates or of a key that a key of the settings names.
fn read_pem(key: &str, named: &NamedFile, config: &Config) -> io::Result<Vec<u8>> {
    let unusable = |found: &str| unusable(key, named, config, found);
    refuse_other_kinds(&named.path).map_err(|found| unusable(&found))?;
    read_file(&named.path, MAX_PEM).map_err(|error| unusable(&unread(&error)))
}

/// Creates an error about a file that a key of the settings names.
fn unusable(key: &str, named: &NamedFile, config: &Config, found: &str) -> io::Error {
    let (place, path) = (named.place, named.path.display());
    let source = config.source.as_deref();
    let source = source.map_or_else(String::new, |source| format!("{source}: "));
    let message = format!("{source}{place}: \"{key}\", the file {path}: {found}");
    io::Error::other(message)
}

/// Describes the reason why the audit log cannot be opened.
fn unopened(path: &Path, error: io::Error) -> String {
    let error = FileError::new(path, error);
    match path.parent() {
        Some(folder) if error.is_missing() && !folder.exists() => format!(
            "the directory {} does not exist; create it, or name another file; a relative path begins at the folder of the settings file",
            folder.display()
        ),
        _ => error.to_string(),
    }
}

/// Audit log of all responses.
#[derive(Clone, Debug)]
pub(crate) struct SharedAudit(Arc<Mutex<AuditFile>>);

impl AuditSink for SharedAudit {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.line(line)
    }
}

/// State that all connections share.
#[derive(Debug)]
pub(crate) struct ProxyState {
    loaded: RwLock<Arc<Loaded>>,
    /// Addresses of the proxy and its admin endpoints. Reloads do not change them.
    pub(crate) listeners: Vec<SocketAddr>,
    pub(crate) metrics: Arc<Metrics>,
    /// `true` once responses must end.
    pub(crate) ending: watch::Sender<bool>,
    /// `true` once new connections are no longer accepted.
    pub(crate) draining: watch::Sender<bool>,
    /// Start of all request identifiers of this process.
    seed: u64,
    requests: AtomicU64,
}

impl ProxyState {
    pub(crate) fn new(config: Config, listeners: Vec<SocketAddr>) -> io::Result<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Ok(Self {
            loaded: RwLock::new(Arc::new(Loaded::new(config)?)),
            listeners,
            metrics: Arc::default(),
            ending: watch::Sender::new(false),
            draining: watch::Sender::new(false),
            seed: since.map_or(0, |since| since.as_nanos() as u64),
            requests: AtomicU64::new(0),
        })
    }

    pub(crate) fn loaded(&self) -> Arc<Loaded> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&loaded)
    }

    pub(crate) fn replace(&self, mut loaded: Loaded) {
        let mut current = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        loaded.live = Arc::clone(&current.live);
        *current = Arc::new(loaded);
    }

    /// Returns an identifier for a request, for logs and a header of its response.
    pub(crate) fn next_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}-{number:x}", self.seed)
    }

    /// Returns the proxy's name in `Via` headers of requests, by which it detects loops.
    pub(crate) fn pseudonym(&self) -> String {
        format!("provstream-{:016x}", self.seed)
    }

    pub(crate) fn ending(&self) -> Ending {
        let mut ending = self.ending.subscribe();
        let seen = ending.clone();
        let ends = Box::pin(async move {
            // Without a sender nobody ends anything.
            if ending.wait_for(|ends| *ends).await.is_err() {
                core::future::pending::<()>().await;
            }
        });
        Ending {
            ends,
            seen,
            armed: Armed::default(),
        }
    }
}

/// Future that completes when responses must end.
pub(crate) struct Ending {
    ends: Pin<Box<dyn Future<Output = ()> + Send + Sync>>,
    /// Checks cheaply that `ends` cannot have completed.
    seen: watch::Receiver<bool>,
    armed: Armed,
}

impl fmt::Debug for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ending")
    }
}

impl Ending {
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.armed.is_for(cx) && matches!(self.seen.has_changed(), Ok(false)) {
            return Poll::Pending;
        }
        let poll = self.ends.as_mut().poll(cx);
        if poll.is_pending() {
            self.armed.arm(cx);
        }
        poll
    }

    pub(crate) async fn wait(&mut self) {
        core::future::poll_fn(|cx| self.poll(cx)).await;
    }
}
