//! Arguments of `provstream proxy`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ArgGroup;
use provstream_proxy::Upstream;

/// Arguments of `provstream proxy`.
#[derive(Clone, Debug, ArgGroup)]
pub(crate) struct ProxyArgs {
    /// Where requests are sent, such as `https://api.openai.com`; instead of the upstream of the settings
    #[arg(long, value_name = "URL", required_unless_present_any = ["config", "demo"], value_parser = upstream)]
    pub(crate) upstream: Option<Upstream>,
    /// Where to listen [default: that of the settings, or 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Where to listen for /metrics, /healthz, /readyz and /_provstream/live [default: that of the settings, or nowhere]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) admin: Option<SocketAddr>,
    /// The settings, a TOML file: routes, limits, time-outs
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Start an upstream that always gives the same annotated answer, and show how to ask it
    #[arg(long, conflicts_with_all = ["upstream", "config"])]
    pub(crate) demo: bool,
}

fn upstream(url: &str) -> Result<Upstream, String> {
    url.parse()
        .map_err(|error: provstream_proxy::UpstreamError| error.to_string())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "expected an IP address and a port such as 127.0.0.1:8080".to_owned())
}
