//! Transcripts of Claude Code (`~/.claude/projects/…/*.jsonl`), and rollouts of Codex (`~/.codex/sessions/…/rollout-*.jsonl`).

use serde_json::{Map, Value};

use super::{ToolLogError, ToolLogReader, ToolResult, text, timestamp};

impl ToolLogReader {
    /// Reads a message with blocks `tool_use` and `tool_result`.
    pub(super) fn claude_code(
        &mut self,
        line: &Map<String, Value>,
    ) -> Vec<Result<ToolResult, ToolLogError>> {
        let content = line
            .get("message")
            .and_then(|message| message.get("content"));
        let blocks = content
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let results = blocks.iter().map(|block| self.block(line, block));
        results.filter_map(Result::transpose).collect()
    }

    fn block(
        &mut self,
        line: &Map<String, Value>,
        block: &Value,
    ) -> Result<Option<ToolResult>, ToolLogError> {
        match block.get("type").and_then(Value::as_str) {
            Some("tool_use") => {
                let (id, tool) = (word(block, "id")?, word(block, "name")?);
                self.begin(id, tool, block.get("input"));
                Ok(None)
            }
            Some("tool_result") => {
                let id = word(block, "tool_use_id")?;
                let content = block.get("content").map_or_else(String::new, text);
                let is_error = block.get("is_error") == Some(&Value::Bool(true));
                self.result(line, id, content, is_error).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Reads a call of a function or of a tool of the client's own, or its output.
    pub(super) fn codex(
        &mut self,
        line: &Map<String, Value>,
    ) -> Vec<Result<ToolResult, ToolLogError>> {
        let item = line.get("payload").map(|item| self.item(line, item));
        item.and_then(Result::transpose).into_iter().collect()
    }

    fn item(
        &mut self,
        line: &Map<String, Value>,
        item: &Value,
    ) -> Result<Option<ToolResult>, ToolLogError> {
        match item.get("type").and_then(Value::as_str) {
            Some("function_call" | "custom_tool_call") => {
                let (id, tool) = (word(item, "call_id")?, word(item, "name")?);
                self.begin(id, tool, item.get("arguments"));
                Ok(None)
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                let id = word(item, "call_id")?;
                let output = item.get("output").unwrap_or(&Value::Null);
                // Older versions wrote an object with the content and whether the call succeeded.
                let content = output.get("content").unwrap_or(output);
                let is_error = output.get("success") == Some(&Value::Bool(false));
                self.result(line, id, text(content), is_error).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn result(
        &mut self,
        line: &Map<String, Value>,
        id: &str,
        content: String,
        is_error: bool,
    ) -> Result<ToolResult, ToolLogError> {
        let call = self.end(id)?;
        Ok(ToolResult {
            tool: call.tool,
            call_id: Some(id.to_owned()),
            arguments: call.arguments,
            content,
            is_error,
            time: timestamp(line)?,
        })
    }
}

fn word<'a>(value: &'a Value, name: &str) -> Result<&'a str, ToolLogError> {
    let word = value.get(name).and_then(Value::as_str);
    word.ok_or_else(|| ToolLogError::new(format!("expected a text in \"{name}\", found none")))
}
