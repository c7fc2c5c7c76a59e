//! Channels of events and MCP services that settings allow to ask.

mod http;
mod mcp;
mod settings;
mod sse;
mod transport;

use std::fmt;
use std::io;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

pub use self::settings::ServicesError;

use self::http::{HttpClient, http_client};
use self::mcp::Connections;
use self::settings::ServiceSettings;
use crate::substrate::{McpBrief, SseCount, SubstrateError};

/// Time for a connection and the head of a response.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Most time that the end of services may take.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Channels of server-sent events and MCP services that can be asked, with connections to the services.
///
/// A service that is a command is started when it is first asked, and ends when this value is dropped. Queries block the calling
/// thread, also in an asynchronous program.
pub struct Services {
    settings: ServiceSettings,
    client: HttpClient,
    connections: Connections,
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
}

impl Services {
    /// Reads settings in TOML: `urls` of the table `sse`, and a `[[service]]` table for each MCP service, with `name`, `tools`, and
    /// `command` or `url`; optional are `timeout` and `token_env`. docs/observations.md describes them.
    ///
    /// # Errors
    ///
    /// The position and cause of the first fault.
    pub fn from_toml(file: &[u8]) -> Result<Self, ServicesError> {
        let settings = ServiceSettings::parse(file)?;
        let start = || -> io::Result<_> {
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("services")
                .enable_all()
                .build()?;
            Ok((runtime, http_client()?))
        };
        let (runtime, client) = start().map_err(|error| ServicesError::start(&error))?;
        Ok(Self {
            connections: Connections::new(&settings),
            settings,
            client,
            runtime: Some(runtime),
        })
    }

    /// Returns the URLs of the channels.
    pub fn channels(&self) -> impl Iterator<Item = &str> {
        self.settings.urls.iter().map(String::as_str)
    }

    /// Returns the name of each MCP service, and the tools that can be called.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &[String])> {
        let services = self.settings.services.iter();
        services.map(|service| (service.name.as_str(), &*service.tools))
    }

    /// Counts the events of a channel.
    pub(crate) fn count(&self, query: &SseCount) -> Result<String, SubstrateError> {
        if !self.settings.urls.contains(&query.url) {
            return Err(SubstrateError::refused(format!(
                "url \"{}\": expected one of those in the settings, found another",
                short(&query.url)
            )));
        }
        let timeout = Duration::from_secs(query.seconds as u64) + 2 * CONNECT_TIMEOUT;
        self.wait(timeout, sse::count(self.client.clone(), query.clone()))
    }

    /// Calls a tool of an MCP service.
    pub(crate) fn ask(&self, query: &McpBrief) -> Result<String, SubstrateError> {
        let service = self.settings.service(&query.service)?;
        if !service.tools.contains(&query.tool) {
            return Err(SubstrateError::refused(format!(
                "service \"{}\": expected one of the tools in the settings, found \"{}\"",
                service.name,
                short(&query.tool)
            )));
        }
        let call = self
            .connections
            .call(service, self.client.clone(), query.clone());
        self.wait(service.timeout, call)
    }

    /// Runs a future to its end on a thread of its own, so that callers may be asynchronous.
    fn wait<T: Send + 'static>(
        &self,
        timeout: Duration,
        future: impl Future<Output = Result<T, SubstrateError>> + Send + 'static,
    ) -> Result<T, SubstrateError> {
        let (sender, receiver) = sync_channel(1);
        let Some(runtime) = &self.runtime else {
            return Err(SubstrateError::unreachable("the services have ended"));
        };
        let task = runtime.spawn(async move {
            // Nobody waits any more after a timeout.
            let _ = sender.send(future.await);
        });
        receiver.recv_timeout(timeout).unwrap_or_else(|error| {
            task.abort();
            Err(match error {
                RecvTimeoutError::Timeout => SubstrateError::limit(format!(
                    "expected a result within {timeout:?}, found none"
                )),
                RecvTimeoutError::Disconnected => {
                    SubstrateError::unreachable("the query ended without a result")
                }
            })
        })
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Processes of services end with their tasks. To wait in this thread would panic in an asynchronous program.
            let end = std::thread::spawn(move || runtime.shutdown_timeout(SHUTDOWN_TIMEOUT));
            let _ = end.join();
        }
    }
}

/// Shortens and escapes a name for a message.
fn short(name: &str) -> String {
    let name: String = name.chars().take(200).collect();
    name.escape_debug().to_string()
}
