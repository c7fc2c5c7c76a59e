//! Reads the settings file of a proxy.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use http::Uri;
use provstream::provenance::Vocabulary;
use provstream::settings::{File, FileError, Table, Value};
use provstream_route::{LedgerSupport, ROUTE_KEYS, RouteError, Routes};

use super::emit::emission;
use super::ledger;
use super::observation_ids::observation_ids;
use super::upstream::has_port;
use super::values::{duration, file_named_by, wrong};
use super::{Config, Extras, LiveSettings, NamedFile, ProxyLimits, Timeouts, TlsFiles, Upstream};

const KEYS: [&str; 17] = [
    "upstream",
    "listen",
    "admin",
    "admin_hosts",
    "audit",
    "audit_sync",
    "observation_ids",
    "salt",
    "log",
    "vocabulary",
    "upstream_ca",
    "otlp",
    "tls",
    "timeouts",
    "limits",
    "live",
    "route",
];

/// Keys of a route that the proxy reads itself.
const OWN_KEYS: [&str; 4] = ["upstream", "emit", "engine", "reemit"];

/// Most repetitions of a request after suspensions.
const MAX_REEMIT: u64 = 5;

impl Config {
    /// Reads a settings file. `folder` is the base of relative paths in it. `upstream` replaces the
    /// upstream of the file.
    ///
    /// # Errors
    ///
    /// [`RouteError`] with the line and column of the fault, what was expected and what was found.
    pub fn from_toml(
        file: &[u8],
        folder: &Path,
        upstream: Option<Upstream>,
    ) -> Result<Self, RouteError> {
        Self::from_toml_with(file, folder, upstream, None)
    }

    /// Reads a settings file, as [`from_toml`](Self::from_toml). Its routes may have ledgers, which `ledgers` opens.
    ///
    /// # Errors
    ///
    /// [`RouteError`] with the line and column of the fault, what was expected and what was found.
    pub fn from_toml_with(
        file: &[u8],
        folder: &Path,
        upstream: Option<Upstream>,
        ledgers: Option<&dyn LedgerSupport>,
    ) -> Result<Self, RouteError> {
        let file = File::parse(file)?;
        let root = file.root(&KEYS)?;
        let (upstream, upstream_place) = match upstream {
            Some(upstream) => (upstream, None),
            None => {
                let value = root.need("upstream")?;
                (read_upstream(&value)?, Some(value.place()))
            }
        };
        let listen = match root.get("listen") {
            Some(value) => address(&value)?,
            None => SocketAddr::from(([127, 0, 0, 1], 8080)),
        };
        let mut config = Self::new(upstream, listen);
        config.upstream_place = upstream_place;
        config.listen_place = root.get("listen").map(|value| value.place());
        config.admin = root.get("admin").map(|value| address(&value)).transpose()?;
        config.admin_place = root.get("admin").map(|value| value.place());
        config.admin_hosts = admin_hosts(&root)?;
        config.tls = tls(&root, folder)?;
        if let Some(tls) = &config.tls {
            let files = [
                ("cert", tls.cert.path.clone()),
                ("key", tls.key.path.clone()),
            ];
            config.files.extend(files);
        }
        config.audit = named_file(&root, "audit", folder)?;
        config.upstream_ca = named_file(&root, "upstream_ca", folder)?;
        if let Some(value) = root.get("audit_sync") {
            config.audit_sync = value.boolean()?;
            if config.audit.is_none() {
                let message = "expected \"audit_sync\" only with \"audit\", found it without";
                return Err(RouteError::new(value.place(), message));
            }
        }
        config.observation_ids = observation_ids(&root, folder)?;
        config.files.extend(file_of(&root, "salt", folder));
        if let Some(value) = root.get("log") {
            config.log = value.boolean()?;
        }
        config.collector = collector(&root)?;
        let vocabulary = vocabulary(&root, folder)?;
        for key in ["vocabulary", "upstream_ca"] {
            config.files.extend(file_of(&root, key, folder));
        }
        config.routes = Routes::strip_all(&vocabulary);
        if let Some(routes) = root.get("route") {
            config.read_routes(&routes, folder, &vocabulary, ledgers)?;
        }
        config.timeouts = timeouts(&root)?;
        config.limits = limits(&root)?;
        config.live = root.get("live").map(|value| live(&value)).transpose()?;
        Ok(config)
    }

    fn read_routes(
        &mut self,
        routes: &Value<'_>,
        folder: &Path,
        vocabulary: &Vocabulary,
        ledgers: Option<&dyn LedgerSupport>,
    ) -> Result<(), RouteError> {
        let own: Vec<&str> = OWN_KEYS.into_iter().chain(ledger::KEYS).collect();
        let read = |name: &str| read_named(&folder.join(name));
        self.routes = Routes::from_value(routes, &own, vocabulary, read)?;
        let all: Vec<&str> = ROUTE_KEYS.iter().copied().chain(own).collect();
        for (index, table) in routes.tables(&all)?.iter().enumerate() {
            self.files.extend(files_of(table, folder));
            let ledger = ledger::open(table, folder, vocabulary, ledgers)?;
            self.extras.push(Extras {
                recorder: ledger.recorder,
                ..extras(table, vocabulary)?
            });
            if let Some(observations) = ledger.observations {
                self.routes.set_observations(index, observations);
            }
        }
        Ok(())
    }
}

fn read_upstream(value: &Value<'_>) -> Result<Upstream, RouteError> {
    let url = value.string()?;
    url.parse()
        .map_err(|error: super::upstream::UpstreamError| {
            RouteError::new(value.place(), &format!("{}: {error}", value.key()))
        })
}

fn address(value: &Value<'_>) -> Result<SocketAddr, RouteError> {
    let text = value.string()?;
    let expected = "an IP address and a port from 0 to 65535, such as \"127.0.0.1:8080\",";
    text.parse().map_err(|_| wrong(value, expected))
}

/// Reads the host names of the admin endpoints.
fn admin_hosts(root: &Table<'_>) -> Result<Vec<Box<str>>, RouteError> {
    let Some(value) = root.get("admin_hosts") else {
        return Ok(Vec::new());
    };
    let names = value.items()?.map(|item| {
        let name = item.string()?;
        let is_name = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.');
        match !name.is_empty() && name.chars().all(is_name) {
            true => Ok(name.trim_end_matches('.').to_ascii_lowercase().into()),
            false => Err(wrong(
                &item,
                "the name of a host without a port, such as \"metrics.internal\",",
            )),
        }
    });
    names.collect()
}

fn tls(root: &Table<'_>, folder: &Path) -> Result<Option<TlsFiles>, RouteError> {
    let Some(value) = root.get("tls") else {
        return Ok(None);
    };
    let table = value.table(&["cert", "key"])?;
    Ok(Some(TlsFiles {
        cert: file_named_by(&table.need("cert")?, folder)?,
        key: file_named_by(&table.need("key")?, folder)?,
    }))
}

/// Reads the URL of the collector of spans.
fn collector(root: &Table<'_>) -> Result<Option<Uri>, RouteError> {
    let Some(value) = root.get("otlp") else {
        return Ok(None);
    };
    let expected = "the URL of a collector such as \"http://127.0.0.1:4318/v1/traces\"";
    let url = value.string()?.parse::<Uri>().ok();
    let url = url.filter(|url| matches!(url.scheme_str(), Some("http" | "https")));
    let url = url.ok_or_else(|| wrong(&value, expected))?;
    match url.authority().is_none_or(has_port) {
        true => Ok(Some(url)),
        false => Err(wrong(&value, "a URL with a port of at most 65535")),
    }
}

fn named_file(
    root: &Table<'_>,
    key: &'static str,
    folder: &Path,
) -> Result<Option<NamedFile>, RouteError> {
    let value = root.get(key);
    value.map(|value| file_named_by(&value, folder)).transpose()
}

/// Returns the file that a key names, if its value is a path.
fn file_of(table: &Table<'_>, key: &'static str, folder: &Path) -> Option<(&'static str, PathBuf)> {
    let value = table.get(key)?;
    Some((key, folder.join(value.string().ok()?)))
}

/// Returns the files that a route names. The names of built-in dialects have neither a `/` nor a `.`.
fn files_of(table: &Table<'_>, folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let mut files: Vec<_> = ["policy", "ledger"]
        .into_iter()
        .filter_map(|key| file_of(table, key, folder))
        .collect();
    let sources = table.get("sources");
    if sources.is_some_and(|value| !matches!(value.string(), Ok("request"))) {
        files.extend(file_of(table, "sources", folder));
    }
    let Some(value) = table.get("dialects") else {
        return files;
    };
    let items = value.items().into_iter().flatten();
    let names = items.filter_map(|item| item.string().ok());
    let paths = names.filter(|name| name.contains(['/', '.', '\\']));
    files.extend(paths.map(|name| ("dialects", folder.join(name))));
    files
}

/// Reads the text of a file that the settings name.
fn read_named(path: &Path) -> Result<String, String> {
    refuse_other_kinds(path)?;
    provstream::settings::read_text(path).map_err(|error| unread(&error))
}

/// Fails for pipes, sockets and devices, because reading one may never end.
pub(crate) fn refuse_other_kinds(path: &Path) -> Result<(), String> {
    match path.metadata() {
        Ok(about) if !about.is_file() && !about.is_dir() => Err(
            "expected a regular file, found a pipe, a socket or a device; write its text to a file"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Describes the reason why a file that the settings name cannot be read.
pub(crate) fn unread(error: &FileError) -> String {
    let hint = match error.is_missing() {
        true => "; a relative one begins at the folder of the settings file",
        false => "",
    };
    format!("{error}{hint}")
}

fn vocabulary(root: &Table<'_>, folder: &Path) -> Result<Vocabulary, RouteError> {
    let Some(value) = root.get("vocabulary") else {
        return Ok(Vocabulary::memo());
    };
    let name = value.string()?;
    if name.is_empty() {
        return Err(wrong(&value, "the path of a file"));
    }
    let error =
        |found: String| RouteError::new(value.place(), &format!("vocabulary \"{name}\": {found}"));
    let file = read_named(&folder.join(name)).map_err(error)?;
    Vocabulary::from_toml(file.as_bytes()).map_err(|found| error(found.to_string()))
}

fn extras(table: &Table<'_>, vocabulary: &Vocabulary) -> Result<Extras, RouteError> {
    let upstream = table
        .get("upstream")
        .map(|value| Ok::<_, RouteError>((read_upstream(&value)?, value.place())));
    Ok(Extras {
        upstream: upstream.transpose()?,
        emission: emission(table, vocabulary)?,
        reemit: reemit(table)?,
        recorder: None,
    })
}

fn reemit(table: &Table<'_>) -> Result<u32, RouteError> {
    let Some(value) = table.get("reemit") else {
        return Ok(0);
    };
    let is_gate = table
        .get("action")
        .is_some_and(|action| action.string().is_ok_and(|name| name == "gate"));
    if !is_gate {
        let message = "expected \"reemit\" only with action \"gate\", found it with another action";
        return Err(RouteError::new(value.place(), message));
    }
    let found = value.unsigned().ok().filter(|found| *found <= MAX_REEMIT);
    let fits = found.and_then(|found| u32::try_from(found).ok());
    fits.ok_or_else(|| wrong(&value, &format!("a whole number from 0 to {MAX_REEMIT}")))
}

fn timeouts(root: &Table<'_>) -> Result<Timeouts, RouteError> {
    let mut timeouts = Timeouts::default();
    let Some(value) = root.get("timeouts") else {
        return Ok(timeouts);
    };
    let keys = [
        "connect",
        "idle",
        "total",
        "client",
        "head",
        "keep_alive",
        "drain",
    ];
    let table = value.table(&keys)?;
    for (key, place) in [
        ("connect", &mut timeouts.connect),
        ("idle", &mut timeouts.idle),
        ("total", &mut timeouts.total),
        ("client", &mut timeouts.client),
        ("head", &mut timeouts.head),
        ("keep_alive", &mut timeouts.keep_alive),
        ("drain", &mut timeouts.drain),
    ] {
        if let Some(value) = table.get(key) {
            *place = duration(&value)?;
        }
    }
    Ok(timeouts)
}

fn limits(root: &Table<'_>) -> Result<ProxyLimits, RouteError> {
    let mut limits = ProxyLimits::default();
    let Some(value) = root.get("limits") else {
        return Ok(limits);
    };
    let table = value.table(&["header_bytes", "headers", "request_bytes", "connections"])?;
    for (key, range, place) in [
        ("header_bytes", 8_192..=1 << 20, &mut limits.header_bytes),
        ("headers", 10..=1_000, &mut limits.headers),
        ("request_bytes", 1_024..=1 << 30, &mut limits.request_bytes),
        ("connections", 1..=1 << 20, &mut limits.connections),
    ] {
        let Some(value) = table.get(key) else {
            continue;
        };
        *place = number(&value, range)?;
    }
    Ok(limits)
}

/// Reads a number in a range.
fn number(value: &Value<'_>, range: core::ops::RangeInclusive<usize>) -> Result<usize, RouteError> {
    let found = value.unsigned().ok();
    let found = found.and_then(|found| usize::try_from(found).ok());
    found.filter(|found| range.contains(found)).ok_or_else(|| {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        wrong(value, &expected)
    })
}

fn live(value: &Value<'_>) -> Result<LiveSettings, RouteError> {
    let mut live = LiveSettings::default();
    let table = value.table(&["streams", "ended", "text", "refresh"])?;
    for (key, range, place) in [
        ("streams", 1..=1_024, &mut live.streams),
        ("ended", 0..=1_024, &mut live.ended),
        ("text", 0..=4_096, &mut live.text),
    ] {
        if let Some(value) = table.get(key) {
            *place = number(&value, range)?;
        }
    }
    if let Some(value) = table.get("refresh") {
        live.refresh = duration(&value)?;
    }
    Ok(live)
}
