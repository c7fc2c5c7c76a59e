//! Settings of channels and MCP services.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use provstream::provenance::parse_duration;
use provstream::settings::{Fault, File, FilePosition, Table, Value};

use super::short;
use crate::substrate::SubstrateError;

/// Time for a call, including the start of the service.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Most time for a call.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// Channels and MCP services of a settings file.
#[derive(Debug)]
pub(super) struct ServiceSettings {
    pub(super) urls: Vec<String>,
    pub(super) services: Vec<Service>,
}

/// MCP service.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) name: String,
    pub(super) endpoint: Endpoint,
    /// Tools that can be called.
    pub(super) tools: Vec<String>,
    pub(super) timeout: Duration,
}

/// Way to reach an MCP service.
#[derive(Clone, Debug)]
pub(super) enum Endpoint {
    /// Program and arguments; the service reads its standard input.
    Command(Vec<String>),
    /// URL for streamable HTTP, and the environment variable with a bearer token.
    Url(String, Option<String>),
}

impl ServiceSettings {
    pub(super) fn parse(file: &[u8]) -> Result<Self, ServicesError> {
        let file = File::parse(file)?;
        let root = file.root(&["sse", "service"])?;
        let urls = match root.get("sse") {
            Some(sse) => urls(&sse.table(&["urls"])?.need("urls")?)?,
            None => Vec::new(),
        };
        let mut services: Vec<Service> = Vec::new();
        if let Some(tables) = root.get("service") {
            let keys = ["name", "command", "url", "tools", "timeout", "token_env"];
            for table in tables.tables(&keys)? {
                let service = service(&table)?;
                if services.iter().any(|other| other.name == service.name) {
                    let message = format!(
                        "expected each service once, found \"{}\" again",
                        short(&service.name)
                    );
                    return Err(ServicesError::new(Some(table.place()), message));
                }
                services.push(service);
            }
        }
        Ok(Self { urls, services })
    }

    pub(super) fn service(&self, name: &str) -> Result<&Service, SubstrateError> {
        let service = self.services.iter().find(|service| service.name == name);
        service.ok_or_else(|| {
            SubstrateError::refused(format!(
                "expected a service of the settings, found \"{}\"",
                short(name)
            ))
        })
    }
}

fn service(table: &Table<'_>) -> Result<Service, ServicesError> {
    let name = table.need("name")?.string()?.to_owned();
    let endpoint = match (table.get("command"), table.get("url")) {
        (Some(command), None) => {
            let words = texts(&command)?;
            if words.is_empty() {
                return Err(ServicesError::at(
                    &command,
                    "expected a program, found none",
                ));
            }
            Endpoint::Command(words)
        }
        (None, Some(url)) => {
            let token = table.get("token_env");
            let token = token.map(|token| token.string().map(str::to_owned));
            Endpoint::Url(web_url(&url)?, token.transpose()?)
        }
        _ => {
            let message = "expected either \"command\" or \"url\", found both or neither";
            return Err(ServicesError::new(Some(table.place()), message));
        }
    };
    let timeout = match table.get("timeout") {
        None => DEFAULT_TIMEOUT,
        Some(value) => match parse_duration(value.string()?) {
            Ok(timeout) if !timeout.is_zero() && timeout <= MAX_TIMEOUT => timeout,
            Ok(_) => {
                let message = "expected a timeout above 0 and up to 10m, found another";
                return Err(ServicesError::at(&value, message));
            }
            Err(error) => return Err(ServicesError::at(&value, error.to_string())),
        },
    };
    Ok(Service {
        name,
        endpoint,
        tools: texts(&table.need("tools")?)?,
        timeout,
    })
}

fn urls(value: &Value<'_>) -> Result<Vec<String>, ServicesError> {
    value.items()?.map(|item| web_url(&item)).collect()
}

fn texts(value: &Value<'_>) -> Result<Vec<String>, ServicesError> {
    let items = value.items()?;
    items.map(|item| Ok(item.string()?.to_owned())).collect()
}

fn web_url(value: &Value<'_>) -> Result<String, ServicesError> {
    let text = value.string()?;
    let url = text.parse::<http::Uri>();
    let scheme = url.as_ref().ok().and_then(|url| url.scheme_str());
    match scheme {
        Some("http" | "https") => Ok(text.to_owned()),
        _ => Err(ServicesError::at(
            value,
            "expected a URL with http or https, found something else",
        )),
    }
}

/// Error in the settings of channels and MCP services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicesError {
    place: Option<FilePosition>,
    message: String,
}

impl ServicesError {
    /// Returns the position in the file, if the error has one.
    #[must_use]
    pub const fn place(&self) -> Option<FilePosition> {
        self.place
    }

    fn new(place: Option<FilePosition>, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { place, message }
    }

    fn at(value: &Value<'_>, message: impl Into<String>) -> Self {
        Self::new(Some(value.place()), message)
    }

    /// Creates the error of a thread or a client that could not be started.
    pub(super) fn start(error: &io::Error) -> Self {
        Self::new(None, format!("cannot start: {error}"))
    }
}

impl From<Fault> for ServicesError {
    fn from(fault: Fault) -> Self {
        Self::new(fault.place, fault.to_string())
    }
}

impl fmt::Display for ServicesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Error for ServicesError {}
