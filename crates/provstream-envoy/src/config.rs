//! Configuration of the filter and the external processor.

use core::fmt;
use std::collections::BTreeMap;

use provstream::provenance::Vocabulary;
use provstream_route::{RouteError, Routes};
use serde::Deserialize;

/// Error in a configuration. The message has the position, and the expected and found values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(Box<str>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for ConfigError {}

impl From<RouteError> for ConfigError {
    fn from(error: RouteError) -> Self {
        Self(error.to_string().into())
    }
}

/// JSON form of a configuration, for control planes that support only JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonConfig {
    /// Routes in TOML.
    routes: String,
    /// Texts of the files that the routes name: policies, lists of sources, dialects.
    #[serde(default, alias = "policies")]
    files: BTreeMap<String, String>,
}

/// Parses the configuration that Envoy passes to a filter.
///
/// The configuration is a file of routes in TOML, or a JSON object with the text of such a file as
/// `routes`. Since a filter has no files, the policies, sources and dialects that routes name must be in the object's member
/// `files`, by their names. The member may also be called `policies`.
///
/// # Errors
///
/// Fails with the line, column and key.
///
/// ```
/// use provstream_envoy::read_routes;
///
/// let toml = "[[route]]\npath = \"/v1/*\"\naction = \"strip\"\n";
/// assert_eq!(read_routes(toml.as_bytes())?.iter().count(), 1);
/// let error = read_routes(b"[[route]]\npath = \"/v1/*\"\naction = \"stirp\"\n").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 3, column 10: expected one of \"pass\", \"strip\", \"gate\" for \"action\", found \"stirp\""
/// );
/// # Ok::<(), provstream_envoy::ConfigError>(())
/// ```
pub fn read_routes(config: &[u8]) -> Result<Routes, ConfigError> {
    let vocabulary = Vocabulary::memo();
    if config.trim_ascii_start().first() != Some(&b'{') {
        let no_files = |_: &str| {
            Err(
                "a filter has no files; write the policy as a table [route.policy] and the sources as a list of identifiers, or pass a JSON object with \"files\"",
            )
        };
        return Ok(Routes::from_toml(config, &vocabulary, no_files)?);
    }
    let wrapped: JsonConfig = serde_json::from_slice(config).map_err(|error| {
        let expected = "expected a JSON object with \"routes\" and \"files\"";
        ConfigError(format!("{expected}: {error}").into())
    })?;
    let files = &wrapped.files;
    let read = |name: &str| {
        let names = || files.keys().map(String::as_str).collect::<Vec<_>>();
        files.get(name).cloned().ok_or_else(|| match &names()[..] {
            [] => "expected it in \"files\", found none there".to_owned(),
            names => format!("expected one of \"files\", found {}", names.join(", ")),
        })
    };
    Ok(Routes::from_toml(
        wrapped.routes.as_bytes(),
        &vocabulary,
        read,
    )?)
}

#[cfg(test)]
mod tests {
    use super::read_routes;

    const GATE: &str = "[[route]]\npath = \"/v1/*\"\naction = \"gate\"\npolicy = \"strict\"\n";
    const POLICY: &str =
        "floor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"discard\" }\n";

    fn wrapped(routes: &str, policies: &[(&str, &str)]) -> String {
        let policies: serde_json::Map<_, _> = policies
            .iter()
            .map(|(name, policy)| ((*name).to_owned(), (*policy).into()))
            .collect();
        serde_json::json!({"routes": routes, "policies": policies}).to_string()
    }

    fn error(config: &str) -> String {
        read_routes(config.as_bytes())
            .expect_err("an error")
            .to_string()
    }

    #[test]
    fn policies_are_in_the_routes_or_beside_them() {
        let named = wrapped(GATE, &[("strict", POLICY)]);
        assert!(read_routes(named.as_bytes()).is_ok());
        let own = GATE.replace("policy = \"strict\"\n", "") + "[route.policy]\n" + POLICY;
        assert!(read_routes(own.as_bytes()).is_ok());
        assert!(read_routes(b"").is_ok());
    }

    #[test]
    fn errors_name_the_place_and_what_was_found() {
        assert!(
            error(GATE).starts_with("line 4, column 10: "),
            "{}",
            error(GATE)
        );
        assert!(
            error(GATE).contains("a filter has no files"),
            "{}",
            error(GATE)
        );
        let other = error(&wrapped(GATE, &[("lax", POLICY)]));
        assert!(
            other.contains("line 4") && other.contains("expected one of \"files\", found lax"),
            "{other}"
        );
        let broken = error(&wrapped(GATE, &[("strict", "floor = 0\n")]));
        assert!(
            broken.contains("strict") && broken.contains("line 1"),
            "{broken}"
        );
        let unknown = error("{\"route\":\"\"}");
        assert!(
            unknown.contains("\"routes\"") && unknown.contains("`route`"),
            "{unknown}"
        );
    }
}
