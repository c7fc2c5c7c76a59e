//! Messages of providers' errors.

use serde_json::Value;

/// Most bytes of an error whose message is looked for.
const MAX_ERROR: usize = 1 << 16;

/// The message of an error: a string, its member `message` or `detail`, the same in its member `error`, or else the JSON as it is. Of
/// nothing, it is `error`.
pub(super) fn of(error: &[u8]) -> String {
    if error.trim_ascii().is_empty() {
        return "error".to_owned();
    }
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
    let of = |value: &Value| {
        let mut texts = [Some(value), value.get("message"), value.get("detail")]
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let text = texts.find(|text| !text.is_empty())?;
        Some(text.to_owned())
    };
    inner
        .and_then(of)
        .or_else(|| of(&value))
        .unwrap_or_else(raw)
}
