//! Listeners, connections and graceful shutdown.

use core::convert::Infallible;
use core::fmt;
use core::sync::atomic::Ordering;
use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admin;
use crate::config::Config;
use crate::handle::Handle;
use crate::service;
use crate::shared::ProxyState;
use crate::stalled::Stalled;

/// Time for clients to read the error that ends responses, before their connections are closed.
const CLOSE_DELAY: Duration = Duration::from_secs(2);

/// Most concurrent streams of an HTTP/2 connection.
const MAX_STREAMS: u32 = 256;

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

fn connect(
    stream: TcpStream,
    permit: OwnedSemaphorePermit,
    shared: &Arc<ProxyState>,
    graceful: &GracefulShutdown,
) {
    let config = shared.loaded();
    let (timeouts, limits) = (config.config.timeouts, config.config.limits);
    // Without it a small event waits for the client's acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Stalled::new(stream, timeouts.client).with_head(timeouts.head));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(timeouts.head)
        // The events of a stream are small: to copy each after the size of its chunk costs less than to write three pieces at once.
        .writev(false)
        .max_buf_size(limits.header_bytes)
        .max_headers(limits.headers);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
        .keep_alive_interval(timeouts.client)
        .keep_alive_timeout(timeouts.client);
    let own = Arc::clone(shared);
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = service::serve(Arc::clone(&own), request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    let connection = builder.serve_connection(io, service).into_owned();
    let connection = graceful.watch(connection);
    let metrics = Arc::clone(&shared.metrics);
    tokio::spawn(async move {
        metrics.connections.fetch_add(1, Ordering::Relaxed);
        // A connection that breaks is the client's; its requests are logged.
        let _ = connection.await;
        metrics.connections.fetch_sub(1, Ordering::Relaxed);
        drop(permit);
    });
}
