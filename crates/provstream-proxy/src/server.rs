//! Listeners, connections and graceful shutdown.

use core::fmt;
use core::sync::atomic::Ordering;
use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::admin;
use crate::config::{Config, ProxyLimits, Timeouts};
use crate::handle::Handle;
use crate::metrics::Metrics;
use crate::service;
use crate::shared::ProxyState;
use crate::stalled::{PREFACE, Stalled};
use crate::unread::StreamExecutor;

/// Time for clients to read the error that ends responses, before their connections are closed.
const CLOSE_DELAY: Duration = Duration::from_secs(2);

/// Most concurrent streams of an HTTP/2 connection.
const MAX_STREAMS: u32 = 256;

/// Most bytes of a stream of HTTP/2 that wait for a connection that the client does not read.
const MAX_UNSENT: usize = 1 << 16;

/// A proxy cannot start.
#[derive(Debug)]
pub struct StartError {
    what: String,
    error: io::Error,
}

impl StartError {
    pub(crate) fn new(what: &str, error: io::Error) -> Self {
        Self {
            what: what.to_owned(),
            error,
        }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.error)
    }
}

impl core::error::Error for StartError {}

/// A proxy with open listeners.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    admin: Option<TcpListener>,
    shared: Arc<ProxyState>,
}

impl Proxy {
    /// Opens the listeners.
    ///
    /// # Errors
    ///
    /// If an address cannot be bound, a file that the settings name cannot be used, or an upstream
    /// is the proxy itself.
    pub async fn bind(config: Config) -> Result<Self, StartError> {
        let unusable = |error| StartError {
            what: "cannot use the settings".to_owned(),
            error,
        };
        let asked: Vec<_> = core::iter::once(config.listen)
            .chain(config.admin)
            .collect();
        config.refuse_loops(&asked).map_err(unusable)?;
        let bind = async |address: SocketAddr| {
            let listener = TcpListener::bind(address).await;
            listener.map_err(|error| StartError {
                what: format!("cannot listen at {address}"),
                error: io::Error::new(
                    error.kind(),
                    format!("{error}; choose another address or port"),
                ),
            })
        };
        let listener = bind(config.listen).await?;
        let admin = match config.admin {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let found = core::iter::once(&listener).chain(&admin);
        let found: io::Result<Vec<_>> = found.map(TcpListener::local_addr).collect();
        let found = found.map_err(unusable)?;
        config.refuse_loops(&found).map_err(unusable)?;
        let shared = ProxyState::new(config, found).map_err(unusable)?;
        Ok(Self {
            listener,
            admin,
            shared: Arc::new(shared),
        })
    }

    /// Returns the address of the proxy, with the port that the system assigned for port 0.
    ///
    /// # Errors
    ///
    /// If the system does not report the address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Returns `true` if the settings have a certificate, so that clients connect with TLS.
    #[must_use]
    pub fn serves_tls(&self) -> bool {
        self.shared.loaded().tls.is_some()
    }

    /// Returns the address of the admin endpoints, if they are enabled.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref()?.local_addr().ok()
    }

    /// Returns a handle that reloads the settings and ends the proxy.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Serves until [`Handle::shutdown`] is called and all responses have ended, or the time of
    /// `drain` is over.
    pub async fn run(self) {
        let shared = self.shared;
        let admin = self
            .admin
            .map(|listener| tokio::spawn(admin::serve(listener, Arc::clone(&shared))));
        let graceful = GracefulShutdown::new();
        accept(&self.listener, &shared, &graceful).await;
        drop(self.listener);
        let drain = shared.loaded().config.timeouts.drain;
        let mut ended = core::pin::pin!(graceful.shutdown());
        if tokio::time::timeout(drain, &mut ended).await.is_err() {
            shared.ending.send_replace(true);
            // A client that does not read even now is cut off.
            let _ = tokio::time::timeout(CLOSE_DELAY, ended).await;
        }
        if let Some(admin) = admin {
            admin.abort();
        }
    }
}

/// Accepts connections until the proxy is shut down.
async fn accept(listener: &TcpListener, shared: &Arc<ProxyState>, graceful: &GracefulShutdown) {
    let permits = Arc::new(Semaphore::new(shared.loaded().config.limits.connections));
    let mut draining = shared.draining.subscribe();
    loop {
        let accepted = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            biased;
            _ = draining.wait_for(|drains| *drains) => return,
            accepted = accepted => accepted,
        };
        match (accepted, permit) {
            (Ok((stream, _)), Ok(permit)) => connect(stream, permit, shared, graceful),
            // Out of descriptors, most of the time: others have to be closed first.
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Serves a connection of a client, with TLS if the settings have a certificate.
fn connect(
    stream: TcpStream,
    permit: OwnedSemaphorePermit,
    shared: &Arc<ProxyState>,
    graceful: &GracefulShutdown,
) {
    // Without it a small event waits for the client's acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let loaded = shared.loaded();
    let connection = Connection {
        shared: Arc::clone(shared),
        timeouts: loaded.config.timeouts,
        limits: loaded.config.limits,
        watcher: graceful.watcher(),
    };
    let permit = ConnectionPermit::new(permit, &shared.metrics);
    let tls = loaded.tls.clone();
    tokio::spawn(async move {
        // Each future has memory of its own: one of a connection is kept as long as it, the others are not.
        match tls {
            None => {
                if let Some(version) = Box::pin(connection.version(&stream)).await {
                    Box::pin(connection.serve(stream, version)).await;
                }
            }
            Some(tls) => {
                if let Some(stream) = Box::pin(connection.handshake(stream, tls)).await {
                    let version = agreed_version(&stream);
                    Box::pin(connection.serve(stream, version)).await;
                }
            }
        }
        drop(permit);
    });
}

/// Returns the version of HTTP that a client has negotiated.
fn agreed_version(stream: &TlsStream<TcpStream>) -> FirstVersion {
    match stream.get_ref().1.alpn_protocol() {
        Some(b"h2") => FirstVersion::Http2,
        _ => FirstVersion::Http1,
    }
}

/// Version of HTTP of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstVersion {
    Http1,
    Http2,
    /// The first bytes are only a part of the preface of HTTP/2.
    Unknown,
}

impl FirstVersion {
    /// Returns the version that the first bytes of a client show.
    fn of(first: &[u8]) -> Self {
        match (first == PREFACE, PREFACE.starts_with(first)) {
            (true, _) => Self::Http2,
            (false, true) => Self::Unknown,
            (false, false) => Self::Http1,
        }
    }
}

/// Permit of a connection, which counts in the metrics until it is dropped.
struct ConnectionPermit {
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionPermit {
    fn new(permit: OwnedSemaphorePermit, metrics: &Arc<Metrics>) -> Self {
        metrics.connections.fetch_add(1, Ordering::Relaxed);
        Self {
            metrics: Arc::clone(metrics),
            _permit: permit,
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Connection of a client that has been accepted.
struct Connection {
    shared: Arc<ProxyState>,
    timeouts: Timeouts,
    limits: ProxyLimits,
    watcher: Watcher,
}

impl Connection {
    /// Waits for the first step of a client. Returns `None` if it fails or takes longer than the head
    /// of a request may, or if the proxy is ended meanwhile.
    async fn first<T>(&self, step: impl Future<Output = io::Result<T>>) -> Option<T> {
        let mut draining = self.shared.draining.subscribe();
        tokio::select! {
            done = tokio::time::timeout(self.timeouts.head, step) => done.ok()?.ok(),
            _ = draining.wait_for(|drains| *drains) => None,
        }
    }

    /// Determines the version of HTTP, without reading: hyper's own detection has it read twice, for
    /// which it doubles its buffer.
    async fn version(&self, stream: &TcpStream) -> Option<FirstVersion> {
        let mut first = [0; PREFACE.len()];
        let count = self.first(stream.peek(&mut first)).await?;
        (count > 0).then(|| FirstVersion::of(&first[..count]))
    }

    /// Negotiates TLS.
    async fn handshake(
        &self,
        stream: TcpStream,
        tls: Arc<ServerConfig>,
    ) -> Option<TlsStream<TcpStream>> {
        let accepted = self.first(TlsAcceptor::from(tls).accept(stream)).await;
        if accepted.is_none() {
            let metrics = &self.shared.metrics;
            metrics.count("provstream_tls_failures_total", &[], 1);
        }
        accepted
    }

    /// Serves requests until the connection ends.
    fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        version: FirstVersion,
    ) -> impl Future {
        let (timeouts, limits) = (self.timeouts, self.limits);
        let stream = Stalled::new(stream, timeouts.client).with_head(timeouts.head);
        let mut builder = auto::Builder::new(StreamExecutor {
            most: timeouts.client,
        });
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(timeouts.head)
            // The events of a stream are small: to copy each after the size of its chunk costs less than to write three pieces at
            // once.
            .writev(false)
            .max_buf_size(limits.header_bytes)
            .max_headers(limits.headers);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_send_buf_size(MAX_UNSENT)
            .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
            .keep_alive_interval(timeouts.client)
            .keep_alive_timeout(timeouts.client);
        let shared = self.shared;
        let service = service_fn(move |request| service::serve(Arc::clone(&shared), request));
        let builder = match version {
            FirstVersion::Http1 => builder.http1_only(),
            FirstVersion::Http2 => builder.http2_only(),
            FirstVersion::Unknown => builder,
        };
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = connection.into_owned();
        self.watcher.watch(connection)
    }
}
