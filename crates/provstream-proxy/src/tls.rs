//! Connections to upstreams.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::config::Timeouts;
use crate::outgoing::Outgoing;

/// HTTP client for upstreams. Verifies their certificates.
pub(crate) type Client =
    hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Outgoing>;

/// Largest read buffer, which also bounds the head of a response.
const MAX_READ: usize = 1 << 17;

/// Longest time that an idle connection is kept.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// Creates a client that trusts these authorities, or those of the web.
pub(crate) fn client(timeouts: &Timeouts, authorities: Option<&[u8]>) -> io::Result<Client> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let invalid = |error: &dyn std::error::Error| io::Error::other(error.to_string());
    let builder = HttpsConnectorBuilder::new();
    let builder = match authorities {
        None => builder
            .with_provider_and_webpki_roots(provider)
            .map_err(|error| invalid(&error))?,
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate = certificate.map_err(|error| invalid(&error))?;
                roots.add(certificate).map_err(|error| invalid(&error))?;
            }
            if roots.is_empty() {
                let message = "expected certificates in PEM, found none; convert one in DER first, as with `openssl x509 -inform der`";
                return Err(io::Error::other(message));
            }
            let config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .map_err(|error| invalid(&error))?
                .with_root_certificates(roots)
                .with_no_client_auth();
            builder.with_tls_config(config)
        }
    };
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(timeouts.connect));
    let connector = builder
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(connector);
    Ok(
        hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(MAX_IDLE)
            .timer(TokioTimer::new())
            .http1_max_buf_size(MAX_READ)
            // A request that was not begun to be written may go through another connection: the upstream has not seen it.
            .retry_canceled_requests(true)
            .build(connector),
    )
}
