//! Reads a file of routes.

use core::fmt::Display;
use core::str::FromStr;
use std::sync::Arc;

use provstream::provenance::Vocabulary;
use provstream::settings::{File, Table, Value, quoted_piece};
use provstream::{Action, Disposition, Rules, ready_policy};
use provstream_providers::{DEFAULT_MAX_EVENT, Format, PassMembers, Reasoning};

use crate::error::{RouteError, SHOWN};
use crate::pattern::PathPattern;
use crate::route::{DEFAULT_MAX_HELD, Route, RouteAction, Routes};
use crate::settings::{Act, FilterSettings};

#[cfg(feature = "dialects")]
mod citing;

/// Keys of a route in settings files.
pub const ROUTE_KEYS: &[&str] = &[
    "path",
    "method",
    "name",
    "action",
    "policy",
    "language",
    "format",
    "reasoning",
    "fail",
    "pass_members",
    "plain_encodings",
    "max_event",
    "max_held",
    #[cfg(feature = "dialects")]
    "dialects",
    #[cfg(feature = "dialects")]
    "sources",
    #[cfg(feature = "dialects")]
    "sources_class",
    #[cfg(feature = "dialects")]
    "render",
    #[cfg(feature = "dialects")]
    "render_as",
    #[cfg(feature = "dialects")]
    "unlisted",
];

/// Content encodings that clients decode (the registry of RFC 9110 16.6.1).
const ENCODINGS: [&str; 12] = [
    "aes128gcm",
    "br",
    "compress",
    "dcb",
    "dcz",
    "deflate",
    "exi",
    "gzip",
    "pack200-gzip",
    "x-compress",
    "x-gzip",
    "zstd",
];

/// Methods of requests that a proxy forwards.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Most routes of a file. Metrics have one label value more, for the default route.
const MAX_ROUTES: usize = 256;

impl Routes {
    /// Reads a TOML file that has only routes, each after a line `[[route]]`.
    ///
    /// `read` reads the files of policies by their names in the file. A filter without access to
    /// files returns an error; its routes have their policies in a table `[route.policy]`.
    ///
    /// # Errors
    ///
    /// Fails with the line and column if the file is larger than 1 MiB, not UTF-8 or not TOML, if a
    /// key is missing or unknown, if a value is invalid for its key, if a policy cannot be read, or
    /// if a route is unreachable because an earlier one matches all its requests.
    pub fn from_toml<E: Display>(
        file: &[u8],
        vocabulary: &Vocabulary,
        read: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Self, RouteError> {
        let file = File::parse(file)?;
        let root = file.root(&["route"])?;
        match root.get("route") {
            Some(routes) => Self::from_value(&routes, &[], vocabulary, read),
            None => Ok(Self::strip_all(vocabulary)),
        }
    }

    /// Reads the routes of a larger file from the value of its key `route`. The tables may have
    /// further keys, `others`, which the caller reads.
    ///
    /// # Errors
    ///
    /// As [`from_toml`](Self::from_toml).
    pub fn from_value<E: Display>(
        routes: &Value<'_>,
        others: &[&str],
        vocabulary: &Vocabulary,
        mut read: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Self, RouteError> {
        let known: Vec<&str> = ROUTE_KEYS.iter().chain(others).copied().collect();
        let tables = routes.tables(&known)?;
        if tables.len() > MAX_ROUTES {
            let message = format!(
                "expected at most {MAX_ROUTES} routes, found {}",
                tables.len()
            );
            return Err(RouteError::new(routes.place(), &message));
        }
        let mut all = Self::strip_all(vocabulary);
        for table in &tables {
            let mut route = route(table, vocabulary, &mut read)?;
            check_reach(table, &route, &all, &tables)?;
            check_name(table, &route, &all, &tables)?;
            route.index = Some(all.routes.len());
            all.routes.push(route);
        }
        Ok(all)
    }
}

/// Fails if an earlier route matches all requests of this one. The first matching route applies.
fn check_reach(
    table: &Table<'_>,
    route: &Route,
    before: &Routes,
    tables: &[Table<'_>],
) -> Result<(), RouteError> {
    let mut earlier = before.routes.iter().zip(tables);
    let Some((_, first)) = earlier.find(|(other, _)| other.covers(route)) else {
        return Ok(());
    };
    let line = first.place().line();
    let path = table.need("path")?;
    let found = quoted_piece(path.string()?, SHOWN);
    let message = format!(
        "expected a route that requests reach, found \"{found}\", which no request reaches, because the route at line {line} takes them all"
    );
    Err(RouteError::new(path.place(), &message))
}

/// Fails if another route has the same name, except routes for different methods of one path. Logs
/// and metrics identify routes by name.
fn check_name(
    table: &Table<'_>,
    route: &Route,
    before: &Routes,
    tables: &[Table<'_>],
) -> Result<(), RouteError> {
    let place_of = |key| table.get(key).map_or(table.place(), |value| value.place());
    let name = quoted_piece(&route.name, SHOWN);
    let is_named = |table: &Table<'_>| table.get("name").is_some();
    if route.name == before.default.name {
        let expected = "another \"name\" than that of the built-in route";
        let message = format!("expected {expected}, found \"{name}\"");
        return Err(RouteError::new(place_of("name"), &message));
    }
    let same = before.routes.iter().zip(tables).find(|(other, of)| {
        let are_methods = !is_named(table) && !is_named(of) && other.method != route.method;
        other.name == route.name && !are_methods
    });
    let Some((_, other)) = same else {
        return Ok(());
    };
    let line = other.place().line();
    if is_named(table) {
        let expected = format!("another \"name\" than that of the route at line {line}");
        let message = format!("expected {expected}, found \"{name}\"");
        return Err(RouteError::new(place_of("name"), &message));
    }
    let message = format!(
        "expected a \"name\", because a route is named as its path and the route at line {line} has the name \"{name}\""
    );
    Err(RouteError::new(place_of("path"), &message))
}

fn route<E: Display>(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
    read: &mut impl FnMut(&str) -> Result<String, E>,
) -> Result<Route, RouteError> {
    let path = table.need("path")?;
    let pattern = path.string()?;
    if !pattern.starts_with(['/', '*']) {
        let expected = "a path that begins with / or *";
        return Err(RouteError::value(path.place(), "path", expected, pattern));
    }
    if pattern.contains(['?', '#']) {
        let expected = "a path without ? and #, since queries are not compared,";
        return Err(RouteError::value(path.place(), "path", expected, pattern));
    }
    let method = method(table)?;
    let name = table.get("name").map(|value| value.string()).transpose()?;
    let action: RouteAction = {
        let value = table.need("action")?;
        named(&value, "one of \"pass\", \"strip\", \"gate\"")?
    };
    let act = match action {
        RouteAction::Gate => Act::Gate(Arc::new(policy(table, vocabulary, read)?)),
        _ => {
            for key in ["policy", "language", "max_held"] {
                if let Some(value) = table.get(key) {
                    let message = format!(
                        "expected \"{key}\" only with action \"gate\", found it with action \"{action}\""
                    );
                    return Err(RouteError::new(value.place(), &message));
                }
            }
            Act::Strip
        }
    };
    check_needs_sources(table, &act)?;
    check_needs_ledger(table, &act)?;
    #[cfg(feature = "dialects")]
    let citations = citing::citations(table, action, vocabulary, read)?;
    let settings = FilterSettings {
        vocabulary: vocabulary.clone(),
        observations: None,
        #[cfg(feature = "dialects")]
        citations,
        format: format(table)?,
        reasoning: reasoning(table, action)?,
        is_closed: is_closed(table, action)?,
        pass_members: pass_members(table, action)?,
        plain_encodings: plain_encodings(table, action)?,
        max_event: number(
            table,
            "max_event",
            1 << 10..=DEFAULT_MAX_EVENT,
            DEFAULT_MAX_EVENT,
        )?,
        max_held: number(table, "max_held", 1 << 10..=1 << 20, DEFAULT_MAX_HELD)?,
        act,
    };
    Ok(Route {
        index: None,
        name: name.unwrap_or(pattern).into(),
        path: PathPattern::new(pattern),
        method: method.map(Into::into),
        action,
        settings: Arc::new(settings),
    })
}

/// Reads the method of a route. Unknown methods are errors, because their requests would reach the
/// next route.
fn method<'a>(table: &Table<'a>) -> Result<Option<&'a str>, RouteError> {
    let Some(value) = table.get("method") else {
        return Ok(None);
    };
    let name = value.string()?;
    if METHODS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return Ok(Some(name));
    }
    let expected =
        "one of \"GET\", \"HEAD\", \"POST\", \"PUT\", \"PATCH\", \"DELETE\", \"OPTIONS\"";
    Err(RouteError::value(value.place(), "method", expected, name))
}

/// Reads a value that is one of several names.
fn named<T: FromStr>(value: &Value<'_>, expected: &str) -> Result<T, RouteError> {
    let name = value.string()?;
    name.parse()
        .map_err(|_| RouteError::value(value.place(), value.key(), expected, name))
}

fn policy<E: Display>(
    table: &Table<'_>,
    vocabulary: &Vocabulary,
    read: &mut impl FnMut(&str) -> Result<String, E>,
) -> Result<Rules, RouteError> {
    let value = table.need("policy")?;
    let rules = match value.string() {
        Ok("") => return Err(value.wrong_type("the name of a file or a table").into()),
        Ok(name) => {
            let ready = ready_policy(name).map(str::to_owned);
            let text = ready.map_or_else(|| read(name), Ok).map_err(|error| {
                let message = format!("the policy \"{name}\" cannot be read: {error}");
                RouteError::new(value.place(), &message)
            })?;
            Rules::from_toml(text.as_bytes(), vocabulary).map_err(|error| {
                RouteError::new(value.place(), &format!("policy \"{name}\": {error}"))
            })?
        }
        Err(_) if value.free_table().is_ok() => {
            Rules::from_table(&value, vocabulary).map_err(RouteError::of_table)?
        }
        Err(_) => return Err(value.wrong_type("the name of a file or a table").into()),
    };
    let Some(language) = table.get("language") else {
        return Ok(rules);
    };
    let name = language.string()?;
    if rules.languages().any(|known| known == name) {
        return Ok(rules.with_language(name));
    }
    let known: Vec<String> = rules
        .languages()
        .map(|name| format!("\"{name}\""))
        .collect();
    let expected = match known.is_empty() {
        true => "a policy whose texts have languages, such as text = { en = \"…\" },".to_owned(),
        false => format!("a language of the policy, {},", known.join(", ")),
    };
    let place = language.place();
    Err(RouteError::value(place, "language", &expected, name))
}

/// Fails if the policy has a rule about sources that would never apply, without a list of them or without dialects.
fn check_needs_sources(table: &Table<'_>, act: &Act) -> Result<(), RouteError> {
    let dialects = table.get("dialects");
    let dialects = dialects.as_ref().map(Value::items).transpose()?;
    let has_dialects = dialects.is_some_and(|mut items| items.next().is_some());
    let sources = table.get("sources");
    if let Some(sources) = &sources
        && !has_dialects
    {
        let message = "expected \"sources\" only with \"dialects\", found it alone";
        return Err(RouteError::new(sources.place(), message));
    }
    match act {
        Act::Gate(rules) if rules.needs_sources() && sources.is_none() => {
            let message = "expected \"dialects\" and \"sources\" for a policy with the rules [unknown_source] or [listed_source], which need a list of sources";
            Err(RouteError::new(table.need("policy")?.place(), message))
        }
        Act::Gate(rules)
            if !has_dialects && rules.action(Disposition::NoSourceList) != Action::Release =>
        {
            let message = "expected \"dialects\" for a policy with the rule [no_source_list], which is about citations";
            Err(RouteError::new(table.need("policy")?.place(), message))
        }
        _ => Ok(()),
    }
}

/// Fails if the policy has a rule or a level about observations, which needs a ledger. The key is one that the caller reads.
fn check_needs_ledger(table: &Table<'_>, act: &Act) -> Result<(), RouteError> {
    let Act::Gate(rules) = act else {
        return Ok(());
    };
    let message = if rules.needs_observations() && table.get("ledger").is_none() {
        "expected \"ledger\" for a policy with levels or rules about observations, which need a ledger (`provstream proxy` of provstream-observe has it)"
    } else if rules.needs_requery() && table.get("requery").is_none() {
        "expected \"requery\" for a policy with the level \"requeried\" or the rules [changed], [gone], [moved] or [not_requeryable]"
    } else {
        return Ok(());
    };
    Err(RouteError::new(table.need("policy")?.place(), message))
}

fn format(table: &Table<'_>) -> Result<Option<Format>, RouteError> {
    let Some(value) = table.get("format") else {
        return Ok(None);
    };
    if value.string()? == "auto" {
        return Ok(None);
    }
    let names: Vec<String> = Format::ALL
        .iter()
        .map(|format| format!("\"{format}\""))
        .collect();
    let expected = format!("\"auto\" or one of {}", names.join(", "));
    named(&value, &expected).map(Some)
}

fn reasoning(table: &Table<'_>, action: RouteAction) -> Result<Reasoning, RouteError> {
    let Some(value) = table.get("reasoning") else {
        return Ok(Reasoning::Leave);
    };
    match (value.string()?, action) {
        (_, RouteAction::Pass) => {
            let message = "expected \"reasoning\" only with action \"strip\" or \"gate\", found it with action \"pass\"";
            Err(RouteError::new(value.place(), message))
        }
        ("leave", _) => Ok(Reasoning::Leave),
        ("rewrite", RouteAction::Strip) | ("gate", RouteAction::Gate) => Ok(Reasoning::Rewrite),
        ("drop", _) => Ok(Reasoning::Drop),
        (other, _) => {
            let expected = match action {
                RouteAction::Gate => "one of \"leave\", \"gate\", \"drop\" with action \"gate\"",
                _ => "one of \"leave\", \"rewrite\", \"drop\" with action \"strip\"",
            };
            Err(RouteError::value(
                value.place(),
                "reasoning",
                expected,
                other,
            ))
        }
    }
}

fn pass_members(table: &Table<'_>, action: RouteAction) -> Result<PassMembers, RouteError> {
    let Some(value) = table.get("pass_members") else {
        return Ok(PassMembers::default());
    };
    if action == RouteAction::Pass {
        let message = "expected \"pass_members\" only with action \"strip\" or \"gate\", found it with action \"pass\"";
        return Err(RouteError::new(value.place(), message));
    }
    let mut paths = Vec::new();
    for item in value.items()? {
        let path = item.string()?;
        if path.is_empty() || path.contains(char::is_whitespace) {
            let expected = "the paths of members, such as \"choices[].delta.note\",";
            return Err(RouteError::value(
                item.place(),
                "pass_members",
                expected,
                path,
            ));
        }
        paths.push(path);
    }
    Ok(paths.into_iter().collect())
}

fn plain_encodings(table: &Table<'_>, action: RouteAction) -> Result<Vec<Box<str>>, RouteError> {
    let Some(value) = table.get("plain_encodings") else {
        return Ok(Vec::new());
    };
    if action == RouteAction::Pass {
        let message = "expected \"plain_encodings\" only with action \"strip\" or \"gate\", found it with action \"pass\"";
        return Err(RouteError::new(value.place(), message));
    }
    let names = value.items()?.map(|item| {
        let name = item.string()?;
        // RFC 9110 5.6.2.
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let is_decoded = ENCODINGS.iter().any(|one| one.eq_ignore_ascii_case(name));
        if name.is_empty() || is_decoded || !name.bytes().all(is_token) {
            let expected = "the names of encodings that no client decodes, such as \"utf-8\",";
            let (place, key) = (item.place(), "plain_encodings");
            return Err(RouteError::value(place, key, expected, name));
        }
        Ok(name.into())
    });
    names.collect()
}

fn is_closed(table: &Table<'_>, action: RouteAction) -> Result<bool, RouteError> {
    let Some(value) = table.get("fail") else {
        return Ok(action == RouteAction::Gate);
    };
    match (value.string()?, action) {
        (_, RouteAction::Pass) => {
            let message = "expected \"fail\" only with action \"strip\" or \"gate\", found it with action \"pass\"";
            Err(RouteError::new(value.place(), message))
        }
        ("open", _) => Ok(false),
        ("closed", _) => Ok(true),
        (other, _) => {
            let expected = "one of \"open\", \"closed\"";
            Err(RouteError::value(value.place(), "fail", expected, other))
        }
    }
}

fn number(
    table: &Table<'_>,
    key: &'static str,
    range: core::ops::RangeInclusive<usize>,
    default: usize,
) -> Result<usize, RouteError> {
    let Some(value) = table.get(key) else {
        return Ok(default);
    };
    let found = value.unsigned().ok();
    let fits = found
        .and_then(|found| usize::try_from(found).ok())
        .filter(|found| range.contains(found));
    fits.ok_or_else(|| {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        value.wrong_type(&expected).into()
    })
}
