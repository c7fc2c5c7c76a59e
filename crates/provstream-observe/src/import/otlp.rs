//! Spans of OpenTelemetry in OTLP JSON, by the semantic conventions for generative AI.

use provstream::provenance::Timestamp;
use serde_json::{Map, Value};

use super::{ToolLogError, ToolResult, object, text};

/// Deepest nesting of an attribute's value.
const MAX_DEPTH: usize = 64;

/// Collects the results of all spans of the operation `execute_tool`; a span without a recorded result is left out.
pub(super) fn results(line: &Map<String, Value>) -> Vec<Result<ToolResult, ToolLogError>> {
    let mut results = Vec::new();
    for resource in list(line.get("resourceSpans")) {
        for scope in list(resource.get("scopeSpans")) {
            for span in list(scope.get("spans")) {
                results.extend(result(span).transpose());
            }
        }
    }
    results
}

fn result(span: &Value) -> Result<Option<ToolResult>, ToolLogError> {
    let attributes = list(span.get("attributes"));
    let attribute = |key: &str| {
        let found = attributes
            .iter()
            .find(|attribute| attribute.get("key").and_then(Value::as_str) == Some(key));
        found
            .and_then(|attribute| attribute.get("value"))
            .map(|value| plain(value, 0))
    };
    let word = |key: &str| match attribute(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    if word("gen_ai.operation.name").as_deref() != Some("execute_tool") {
        return Ok(None);
    }
    let Some(content) = attribute("gen_ai.tool.call.result") else {
        return Ok(None);
    };
    let Some(tool) = word("gen_ai.tool.name") else {
        return Err(ToolLogError::new(
            "span: expected a text in \"gen_ai.tool.name\", found none",
        ));
    };
    let status = span.get("status").and_then(|status| status.get("code"));
    Ok(Some(ToolResult {
        tool,
        call_id: word("gen_ai.tool.call.id"),
        arguments: attribute("gen_ai.tool.call.arguments")
            .as_ref()
            .and_then(object),
        content: text(&content),
        // The number is what the protocol asks for; some exporters write the name.
        is_error: attribute("error.type").is_some()
            || status.is_some_and(|code| *code == 2 || *code == "STATUS_CODE_ERROR"),
        time: time(span)?,
    }))
}

/// Reads the end of a span, in nanoseconds since 1970; as a text or as a number.
fn time(span: &Value) -> Result<Timestamp, ToolLogError> {
    let nanoseconds = match span.get("endTimeUnixNano") {
        Some(Value::String(text)) => text.parse().ok(),
        Some(value) => value.as_u64(),
        None => None,
    };
    let time = nanoseconds.and_then(|nanoseconds: u64| {
        let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
        Timestamp::from_unix(i64::try_from(seconds).ok()?, u32::try_from(rest).ok()?)
    });
    time.ok_or_else(|| {
        ToolLogError::new("span: expected nanoseconds in \"endTimeUnixNano\", found none")
    })
}

/// Turns the value of an attribute into plain JSON.
fn plain(value: &Value, depth: usize) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|value| value.iter().next()) else {
        return Value::Null;
    };
    if depth == MAX_DEPTH {
        return Value::Null;
    }
    match kind.as_str() {
        // 64-bit numbers are texts in JSON of protocol buffers.
        "intValue" => match inner.as_str().and_then(|text| text.parse::<i64>().ok()) {
            Some(number) => number.into(),
            None => inner.clone(),
        },
        "arrayValue" => {
            let values = list(inner.get("values"));
            values.iter().map(|value| plain(value, depth + 1)).collect()
        }
        "kvlistValue" => {
            let members = list(inner.get("values")).iter().filter_map(|member| {
                let key = member.get("key")?.as_str()?.to_owned();
                Some((key, plain(member.get("value")?, depth + 1)))
            });
            Value::Object(members.collect())
        }
        _ => inner.clone(),
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
