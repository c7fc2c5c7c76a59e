//! What an error of a provider says.

use serde_json::Value;

/// Most bytes of an error whose message is looked for.
const MAX_ERROR: usize = 1 << 16;

/// The message of an error: a string, its member `message`, the same in its member `error`, or else the JSON as it is.
pub(super) fn of(error: &[u8]) -> String {
    let raw = || String::from_utf8_lossy(error).into_owned();
    if error.len() > MAX_ERROR || !error.starts_with(b"{") {
        // Of a string only the content was captured.
        let escaped = error.contains(&b'\\');
        return provstream::json::decode(error, escaped).text.into_owned();
    }
    let Ok(value) = serde_json::from_slice::<Value>(error) else {
        return raw();
    };
    let inner = value.get("error").filter(|inner| !inner.is_null());
    let of = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        value => value
            .get("message")
            .and_then(Value::as_str)
            .map(str::to_owned),
    };
    inner
        .and_then(of)
        .or_else(|| of(&value))
        .unwrap_or_else(raw)
}
