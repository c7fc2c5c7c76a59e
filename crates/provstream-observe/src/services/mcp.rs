//! `substrate.mcp.brief`: tools of MCP services.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock};
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ServiceError, serve_client};
use tokio::process::Command;
use tokio::sync::Mutex;

use super::http::HttpClient;
use super::settings::{Endpoint, Service, ServiceSettings};
use super::transport::ServiceClient;
use crate::query::canonical;
use crate::substrate::{McpBrief, SubstrateError};

/// Most bytes of a response or an event of a service.
const MAX_RESPONSE: usize = 4 << 20;

/// Connection to a service, once it was asked.
type ServiceConnection = Arc<Mutex<Option<RunningService<RoleClient, ()>>>>;

/// Connections to all services, by name.
pub(super) struct Connections(HashMap<String, ServiceConnection>);

impl Connections {
    pub(super) fn new(settings: &ServiceSettings) -> Self {
        let names = settings.services.iter().map(|service| &service.name);
        Self(names.map(|name| (name.clone(), Arc::default())).collect())
    }

    /// Calls a tool. A call is not repeated, since it could have had effects; a connection that is closed is opened again for the
    /// next one.
    pub(super) fn call(
        &self,
        service: &Service,
        client: HttpClient,
        query: McpBrief,
    ) -> impl Future<Output = Result<String, SubstrateError>> + Send + 'static {
        let connection = self.0.get(&service.name).cloned().unwrap_or_default();
        let service = service.clone();
        async move {
            let peer = connected(&connection, &service, client).await?;
            let call = CallToolRequestParams::new(query.tool.clone());
            let answer = peer
                .call_tool_once(call.with_arguments(query.arguments))
                .await;
            let fail = |what: &dyn Display| {
                let tool = &query.tool;
                SubstrateError::unreachable(format!(
                    "service {}, tool {tool}: {what}",
                    service.name
                ))
            };
            match answer {
                Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
                    Err(fail(&canonical_text(&result).trim_end()))
                }
                Ok(CallToolResponse::Complete(result)) => Ok(canonical_text(&result)),
                Ok(_) => Err(fail(&"expected a result, found a question or a task")),
                Err(ServiceError::McpError(error)) => Err(fail(&error.message)),
                Err(error) => Err(fail(&error)),
            }
        }
    }
}

/// Returns the connection to a service, and opens it if there is none.
async fn connected(
    connection: &ServiceConnection,
    service: &Service,
    client: HttpClient,
) -> Result<Peer<RoleClient>, SubstrateError> {
    let mut connection = connection.lock().await;
    if let Some(open) = connection.as_ref()
        && !open.is_closed()
        && !open.peer().is_transport_closed()
    {
        return Ok(open.peer().clone());
    }
    let fail = |error: &dyn Display| {
        SubstrateError::unreachable(format!("service {}: cannot connect: {error}", service.name))
    };
    let opened = match &service.endpoint {
        Endpoint::Command(words) => {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]).kill_on_drop(true);
            let transport = TokioChildProcess::new(command).map_err(|error| fail(&error))?;
            serve_client((), transport).await
        }
        Endpoint::Url(url, token_env) => {
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
            config.max_sse_event_size = MAX_RESPONSE;
            config.max_json_response_size = MAX_RESPONSE;
            if let Some(name) = token_env {
                let token =
                    std::env::var(name).map_err(|error| fail(&format_args!("{name}: {error}")))?;
                config = config.auth_header(token);
            }
            let transport =
                StreamableHttpClientTransport::with_client(ServiceClient(client), config);
            serve_client((), transport).await
        }
    };
    let opened = opened.map_err(|error| fail(&error))?;
    let peer = opened.peer().clone();
    *connection = Some(opened);
    Ok(peer)
}

/// Writes the content of a result: the text of text blocks, and the canonical JSON of others without `_meta` and `annotations`,
/// each with a line feed at its end; without blocks, the canonical JSON of the structured content.
fn canonical_text(result: &CallToolResult) -> String {
    let mut text = String::new();
    for block in &result.content {
        match block {
            ContentBlock::Text(block) => text.push_str(&block.text),
            block => {
                // A block that was read from JSON can be written as such.
                let mut value = serde_json::to_value(block).unwrap_or_default();
                if let Some(members) = value.as_object_mut() {
                    members.remove("_meta");
                    members.remove("annotations");
                }
                text.push_str(&canonical(&value));
            }
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if let (true, Some(structured)) = (result.content.is_empty(), &result.structured_content) {
        text = canonical(structured);
        text.push('\n');
    }
    text
}
