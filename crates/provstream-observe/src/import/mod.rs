//! Results of tools in the logs of agents: OpenTelemetry spans, transcripts of Claude Code, rollouts of Codex.

mod otlp;
mod transcript;

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::fmt;

use provstream::provenance::Timestamp;
use serde_json::{Map, Value, json};

use crate::observation::{Observation, ObservationError};
use crate::query::{Query, QueryError, canonical};

/// Most calls that wait for their result; beyond, the oldest one is forgotten.
const MAX_OPEN: usize = 10_000;
/// Most bytes of the arguments of a call that are kept.
const MAX_ARGUMENTS: usize = 32 << 10;

/// Reads the lines of a log, one after the other, and pairs calls of tools with their results.
///
/// These lines are known: a JSON object of OTLP with `resourceSpans`, of which spans of the operation `execute_tool` count; a line of
/// a transcript of Claude Code with `tool_use` or `tool_result` blocks; and a line of a rollout of Codex with a function call or
/// its output. Other lines are left out.
#[derive(Debug, Default)]
pub struct ToolLogReader {
    /// Calls without a result so far, by id.
    open: HashMap<String, Call>,
    /// Ids of the calls, in the order in which they came.
    order: VecDeque<String>,
}

#[derive(Debug)]
struct Call {
    tool: String,
    arguments: Option<Map<String, Value>>,
}

/// Result of a tool, from a log.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// Name of the tool.
    pub tool: String,
    /// Id of the call, if it has one.
    pub call_id: Option<String>,
    /// Arguments of the call, if they were logged, are an object, and have at most 32 KiB.
    pub arguments: Option<Map<String, Value>>,
    /// Text of the result.
    pub content: String,
    /// `true` if the log says that the call has failed.
    pub is_error: bool,
    /// Time of the result.
    pub time: Timestamp,
}

impl ToolLogReader {
    /// Creates a reader.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a line. Returns the results that it has, in their order, and an error for each that lacks what is needed, or for a line
    /// that is not a JSON object. Later lines can still be read.
    pub fn line(&mut self, line: &[u8]) -> Vec<Result<ToolResult, ToolLogError>> {
        if line.trim_ascii().is_empty() {
            return Vec::new();
        }
        let line = match serde_json::from_slice(line) {
            Ok(Value::Object(line)) => line,
            Ok(_) => {
                let message = "expected a JSON object, found another value";
                return vec![Err(ToolLogError::new(message))];
            }
            Err(error) => return vec![Err(ToolLogError::new(error.to_string()))],
        };
        if line.contains_key("resourceSpans") {
            return otlp::results(&line);
        }
        match line.get("type").and_then(Value::as_str) {
            Some("assistant" | "user") => self.claude_code(&line),
            Some("response_item") => self.codex(&line),
            _ => Vec::new(),
        }
    }

    /// Remembers a call until its result comes.
    fn begin(&mut self, id: &str, tool: &str, arguments: Option<&Value>) {
        if self.order.len() == MAX_OPEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.open.remove(&oldest);
        }
        let call = Call {
            tool: tool.to_owned(),
            arguments: arguments.and_then(object),
        };
        if self.open.insert(id.to_owned(), call).is_none() {
            self.order.push_back(id.to_owned());
        }
    }

    /// Returns the call of a result.
    fn end(&mut self, id: &str) -> Result<Call, ToolLogError> {
        let Some(call) = self.open.remove(id) else {
            return Err(ToolLogError::new(format!(
                "expected the call of the result \"{}\" before it, found none",
                short(id)
            )));
        };
        self.order.retain(|other| other != id);
        Ok(call)
    }
}

impl ToolResult {
    /// Creates an observation of a class, with the id of the call if it has one. The query has the members `tool` and, if they were
    /// logged, `arguments`; no substrate can repeat it.
    ///
    /// # Errors
    ///
    /// The class, the time or the id cannot be recorded.
    pub fn observation(&self, class: &str) -> Result<Observation, ToolLogError> {
        let mut query = json!({ "tool": self.tool });
        if let Some(arguments) = &self.arguments {
            query["arguments"] = arguments.clone().into();
        }
        let content = self.content.as_str();
        let observation = Observation::new(class, Query::new(&query)?, content, self.time)?;
        Ok(match &self.call_id {
            Some(id) => observation.with_id(id)?,
            None => observation,
        })
    }
}

/// Reads arguments: an object, or a text that is one.
fn object(value: &Value) -> Option<Map<String, Value>> {
    let arguments = match value {
        Value::Object(arguments) => arguments.clone(),
        Value::String(text) if text.len() <= MAX_ARGUMENTS => serde_json::from_str(text).ok()?,
        _ => return None,
    };
    let query = Query::new(&arguments.clone().into()).ok()?;
    (query.as_str().len() <= MAX_ARGUMENTS).then_some(arguments)
}

/// Writes the content of a result: a text as it is; of a list, the text of each part, or the canonical JSON of a part without text,
/// with a line feed between two parts; the canonical JSON of other values.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts = parts.iter().map(|part| match part.get("text") {
                Some(Value::String(text)) => text.clone(),
                _ => canonical(part),
            });
            parts.collect::<Vec<_>>().join("\n")
        }
        other => canonical(other),
    }
}

/// Reads the time of a line.
fn timestamp(line: &Map<String, Value>) -> Result<Timestamp, ToolLogError> {
    let text = line.get("timestamp").and_then(Value::as_str);
    let text =
        text.ok_or_else(|| ToolLogError::new("expected a text in \"timestamp\", found none"))?;
    Timestamp::parse(text).map_err(|error| ToolLogError::new(format!("timestamp: {error}")))
}

/// Shortens and escapes a name for a message.
fn short(name: &str) -> String {
    let name: String = name.chars().take(200).collect();
    name.escape_debug().to_string()
}

/// Error in a line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolLogError(String);

impl ToolLogError {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl From<QueryError> for ToolLogError {
    fn from(error: QueryError) -> Self {
        Self(error.to_string())
    }
}

impl From<ObservationError> for ToolLogError {
    fn from(error: ObservationError) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for ToolLogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for ToolLogError {}
