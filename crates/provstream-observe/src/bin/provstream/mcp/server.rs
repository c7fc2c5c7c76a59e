//! The protocol: lists tools, and calls them on threads that may wait.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::tools::{ToolKind, Tools, tool_error};

/// Most calls at a time; others wait.
const MAX_CALLS: usize = 8;

const INSTRUCTIONS: &str = "\
Each tool returns a result and an annotation in square brackets that cites it. Put the annotation, unchanged, directly after \
each sentence of an answer that the result supports. Never write an annotation that no tool has returned. Before you answer, \
call verify with the whole draft, and correct each sentence whose outcome is not observed or requeried.";

/// MCP server over the tools.
#[derive(Clone)]
pub(super) struct Server {
    tools: Arc<Tools>,
    list: Arc<Vec<Tool>>,
    calls: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(tools: Arc<Tools>) -> Self {
        let kinds = ToolKind::ALL.into_iter();
        let kinds = kinds.filter(|kind| kind.is_available(&tools));
        Self {
            list: Arc::new(kinds.map(|kind| definition(kind, &tools)).collect()),
            tools,
            calls: Arc::new(Semaphore::new(MAX_CALLS)),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("provstream", env!("CARGO_PKG_VERSION"))
                    .with_title("provstream: observations that can be cited and checked"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.list.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.list.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let kind = ToolKind::ALL
            .into_iter()
            .find(|kind| kind.name() == request.name);
        let Some(kind) = kind.filter(|kind| kind.is_available(&self.tools)) else {
            let name: String = request.name.chars().take(200).collect();
            let message = format!(
                "expected the name of a tool, found \"{}\"",
                name.escape_debug()
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let tools = Arc::clone(&self.tools);
        let arguments = request.arguments.unwrap_or_default();
        // The permit moves into the thread, since a call goes on if its client no longer waits.
        let permit = Arc::clone(&self.calls).acquire_owned().await;
        let call = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            tools.call(kind, arguments)
        });
        let result: CallToolResult = match call.await {
            Ok(result) => result,
            Err(error) => tool_error(&error),
        };
        Ok(result.into())
    }
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

fn definition(kind: ToolKind, tools: &Tools) -> Tool {
    let (properties, required) = parameters(kind);
    let input = object(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }));
    let output = match kind {
        ToolKind::Verify => json!({
            "type": "object",
            "properties": {
                "outcomes": { "type": "object", "description": "number of annotations of each outcome" },
                "assertions": { "type": "array", "items": { "type": "object" } },
                "diagnostics": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["outcomes", "assertions", "diagnostics"],
        }),
        _ => json!({
            "type": "object",
            "properties": {
                "content": { "type": "string", "description": "the result" },
                "annotation": { "type": "string", "description": "the annotation that cites it" },
                "class": { "type": "string" },
                "observation_id": { "type": "string" },
                "ts": { "type": "string", "description": "time of the observation, RFC 3339" },
                "seq": { "type": "integer", "description": "number of the entry in the ledger" },
            },
            "required": ["content", "annotation", "class", "observation_id", "ts", "seq"],
        }),
    };
    // Other services may do more than read, whatever the settings are meant to allow.
    let hints = ToolAnnotations::new();
    let hints = match kind {
        ToolKind::Ask => hints.open_world(true),
        ToolKind::SseCount => hints.read_only(true).open_world(true),
        _ => hints.read_only(true).open_world(false),
    };
    Tool::new(kind.name(), description(kind, tools), input)
        .with_raw_output_schema(object(output))
        .with_annotations(hints)
}

fn description(kind: ToolKind, tools: &Tools) -> String {
    let services = tools.substrates.services();
    match kind {
        ToolKind::GitLog => "Lists the commits that a reference reaches, the latest first.".to_owned(),
        ToolKind::Grep => "Searches a file, or the files of a folder, for a regular expression (Rust syntax). Returns each matching line as PATH:NUMBER:LINE.".to_owned(),
        ToolKind::ReadFile => "Reads a file, or some of its lines. Ask for the lines that you mean to cite.".to_owned(),
        ToolKind::FileMtime => "Returns the time at which a file was modified.".to_owned(),
        ToolKind::PeerCredentials => "Returns the process, user and group that listen on a Unix-domain socket.".to_owned(),
        ToolKind::SseCount => {
            let urls: Vec<_> = services.iter().flat_map(|services| services.channels()).collect();
            format!("Counts the server-sent events of a channel, and returns the data of the last one. Channels: {}", urls.join(", "))
        }
        ToolKind::Ask => {
            let list = services.iter().flat_map(|services| services.tools());
            let list: Vec<_> = list.map(|(name, tools)| format!("{name} ({})", tools.join(", "))).collect();
            format!("Calls a tool of another MCP service. Services and their tools: {}", list.join("; "))
        }
        ToolKind::Verify => "Checks the annotations of a draft answer: whether each cites an observation that was made, and whether its result is still the same. Call it with the whole draft before you answer.".to_owned(),
    }
}

/// Returns the parameters of a tool, and the names of those that are required.
fn parameters(kind: ToolKind) -> (Value, &'static [&'static str]) {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let number = |description: &str, max: u64| json!({ "type": "integer", "minimum": 1, "maximum": max, "description": description });
    match kind {
        ToolKind::GitLog => (
            json!({
                "repository": text("folder of the repository, . if not given"),
                "reference": text("reference, HEAD if not given, such as refs/heads/main"),
                "path": text("list only commits that change this path in the repository"),
                "limit": number("most commits, 20 if not given", 10_000),
            }),
            &[],
        ),
        ToolKind::Grep => (
            json!({
                "pattern": text("regular expression"),
                "path": text("file or folder, . if not given"),
                "ignore_case": { "type": "boolean", "description": "ignore letter case" },
                "limit": number("most matching lines, 200 if not given", 10_000),
            }),
            &["pattern"],
        ),
        ToolKind::ReadFile => (
            json!({
                "path": text("path below the root folder"),
                "offset": number("number of the first line", (1 << 53) - 1),
                "limit": number("number of lines", (1 << 53) - 1),
            }),
            &["path"],
        ),
        ToolKind::FileMtime => (
            json!({ "path": text("path below the root folder") }),
            &["path"],
        ),
        ToolKind::PeerCredentials => (
            json!({ "path": text("path of the socket below the root folder") }),
            &["path"],
        ),
        ToolKind::SseCount => (
            json!({
                "url": text("one of the channels"),
                "event": text("count only the events of this name"),
                "seconds": number("time after which the count ends, 10 if not given", 60),
                "limit": number("number of events after which the count ends, 200 if not given", 10_000),
            }),
            &["url"],
        ),
        ToolKind::Ask => (
            json!({
                "service": text("name of the service"),
                "tool": text("name of its tool"),
                "arguments": { "type": "object", "description": "arguments of the tool" },
            }),
            &["service", "tool"],
        ),
        ToolKind::Verify => (
            json!({
                "answer": text("the draft, with its annotations"),
                "requery": { "type": "boolean", "description": "repeat the queries; true if not given" },
            }),
            &["answer"],
        ),
    }
}
