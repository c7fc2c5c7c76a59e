//! Admin endpoints, on a listener of their own.

use core::convert::Infallible;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use provstream_report::LivePage;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::config::is_localhost;
use crate::shared::ProxyState;
use crate::stalled::Stalled;

/// Most connections to the admin endpoints.
const MAX_CONNECTIONS: usize = 64;

/// Path of the page about streams in flight.
const LIVE: &str = "/_provstream/live";

/// Serves `/metrics`, `/healthz`, `/readyz`, and the page about streams in flight.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<ProxyState>) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(core::time::Duration::from_millis(50)).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let timeouts = shared.loaded().config.timeouts;
            let io = TokioIo::new(Stalled::new(stream, timeouts.client));
            let service = service_fn(|request| {
                let answer = answer(&request, &shared);
                async move { Ok::<_, Infallible>(answer) }
            });
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(timeouts.head);
            // A connection that breaks is the admin's.
            let _ = builder.serve_connection(io, service).await;
            drop(permit);
        });
    }
}

/// Returns `true` if the `Host` of a request names this host: an IP address, `localhost`, or one of
/// `names`. This protects against DNS rebinding, in which a web page's name resolves to the address
/// of the admin endpoints.
fn is_for_this_host(request: &Request<Incoming>, names: &[Box<str>]) -> bool {
    let known = |host: &str| {
        // Addresses of IPv6 have colons of their own.
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port),
            _ => (host, ""),
        };
        let inner = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let is_address = match inner {
            Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
            None => name.parse::<Ipv4Addr>().is_ok(),
        };
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let is_named = is_localhost(&name) || names.iter().any(|known| **known == *name);
        port.bytes().all(|byte| byte.is_ascii_digit()) && (is_address || is_named)
    };
    let mut hosts = request.headers().get_all(HOST).into_iter();
    let is_old = request.version() <= Version::HTTP_10;
    let own = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().is_ok_and(known),
        (None, None) => is_old,
        _ => false,
    };
    own && request
        .uri()
        .authority()
        .is_none_or(|host| known(host.as_str()))
}

fn answer(request: &Request<Incoming>, shared: &ProxyState) -> Response<Full<Bytes>> {
    if !is_for_this_host(request, &shared.loaded().config.admin_hosts) {
        let what = "expected an address, localhost or one of \"admin_hosts\" as the host\n";
        return plain(StatusCode::MISDIRECTED_REQUEST, what.to_owned());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "expected GET\n".to_owned());
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match request.uri().path() {
        "/metrics" => plain(StatusCode::OK, shared.metrics.text()),
        "/healthz" => plain(StatusCode::OK, "ok\n".to_owned()),
        "/readyz" if *shared.draining.borrow() => {
            plain(StatusCode::SERVICE_UNAVAILABLE, "draining\n".to_owned())
        }
        "/readyz" => plain(StatusCode::OK, "ok\n".to_owned()),
        LIVE => live(shared, request.uri().query() == Some("paused")),
        _ => plain(
            StatusCode::NOT_FOUND,
            "expected /metrics, /healthz, /readyz or /_provstream/live\n".to_owned(),
        ),
    }
}

fn live(shared: &ProxyState, is_paused: bool) -> Response<Full<Bytes>> {
    let loaded = shared.loaded();
    let Some(settings) = loaded.config.live else {
        let what = "expected a table [live] in the settings, found none\n";
        return plain(StatusCode::NOT_FOUND, what.to_owned());
    };
    let mut response = plain(StatusCode::OK, loaded.live.page(settings, is_paused));
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = LivePage::content_security_policy().parse() {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn plain(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
