//! Streamable HTTP, without sessions.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use provstream_cli::{input_error, print_note};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::server::Server;

/// Most connections.
const MAX_CONNECTIONS: usize = 64;
/// Time for the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest request in bytes.
const MAX_REQUEST: usize = 4 << 20;

/// Serves all clients until the process ends.
pub(super) async fn serve(server: Server, address: SocketAddr) -> anyhow::Result<()> {
    let cannot = |error| input_error(format_args!("--http {address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    // Hosts are names of this machine alone, by default.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_REQUEST)
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    print_note(format_args!("listening at http://{address}/mcp"));
    loop {
        let slot = Arc::clone(&slots).acquire_owned().await?;
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files: some will be closed.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let service = service.clone();
        tokio::spawn(async move {
            let answer = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                let service = service.clone();
                async move {
                    if request.uri().path() == "/mcp" {
                        return Ok(service.handle(request).await);
                    }
                    let mut response = hyper::Response::default();
                    *response.status_mut() = hyper::StatusCode::NOT_FOUND;
                    Ok::<_, std::convert::Infallible>(response)
                }
            });
            // A client that is gone is no error of the server.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .serve_connection(TokioIo::new(stream), answer)
                .await;
            drop(slot);
        });
    }
}
