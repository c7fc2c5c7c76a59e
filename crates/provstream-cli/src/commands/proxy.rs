//! `provstream proxy`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use provstream_proxy::{Config, Proxy, Upstream, demo, run as serve, run_demo};

use crate::error::usage_error;
use crate::ledger::support;
use crate::messages::print_note;
use crate::output::refuse_input_as_output;
use crate::settings;

/// Serve an HTTP proxy that strips or gates the responses of a provider
///
/// Clients change their base URL to that of the proxy. Requests go to one upstream. Annotations
/// are removed from responses of known formats, streamed or not; everything else passes
/// unchanged. With --config, the responses of each path can pass, be stripped, or go through a
/// policy as with `provstream gate`:
///
///     upstream = "https://api.openai.com"
///
///     [[route]]
///     path = "/v1/chat/completions"
///     action = "gate"
///     policy = "policy.toml"
///
/// On SIGHUP, the proxy reads its settings again without ending a stream; on SIGTERM, it lets
/// streams end and stops. docs/proxy.md has all keys. To try it: provstream proxy --demo
#[derive(Clone, Debug, Args)]
#[command(verbatim_doc_comment, after_long_help = EXIT_STATUS)]
pub(crate) struct ProxyOptions {
    /// Upstream of requests, such as `https://api.openai.com`; instead of that of the settings
    #[arg(long, value_name = "URL", required_unless_present_any = ["config", "demo"])]
    upstream: Option<Upstream>,
    /// Address to listen at [default: that of the settings, or 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Address of /metrics, /healthz, /readyz and /_provstream/live [default: that of the settings, or none]
    ///
    /// Without --config, the page /_provstream/live is served there, which shows the latest texts.
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<SocketAddr>,
    /// The settings, a TOML file: routes, limits, time-outs, TLS
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Start an upstream with an annotated answer and one that cites sources, and a page that shows them raw, stripped and gated
    #[arg(long, conflicts_with_all = ["upstream", "config"])]
    demo: bool,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  ended by SIGTERM or SIGINT
  1  the file of the settings cannot be read
  2  an argument or the settings are wrong, a file that they name cannot be used, or the proxy
     cannot listen";

/// Runs the command.
pub(crate) fn run(options: &ProxyOptions) -> anyhow::Result<ExitCode> {
    let ended = if options.demo {
        let configure = |config| with_addresses(config, options);
        run_demo(configure, |proxy| announce(proxy, true))
    } else {
        let own = options.clone();
        let reload = move || {
            refuse_pipe(own.config.as_deref())?;
            load(&own).map_err(|error| format!("{error:#}"))
        };
        serve(load(options)?, reload, |proxy| announce(proxy, false))
    };
    ended.map(|()| ExitCode::SUCCESS).map_err(usage_error)
}

/// Refuses to read settings again from a pipe, which has no second text and may never end.
fn refuse_pipe(path: Option<&Path>) -> Result<(), String> {
    match path.map(|path| (path, path.metadata())) {
        Some((path, Ok(metadata))) if !metadata.is_file() && !metadata.is_dir() => Err(format!(
            "expected a regular file, found another kind at {}",
            path.display()
        )),
        _ => Ok(()),
    }
}

/// Loads the settings, with what the options replace, and checks them as a whole.
fn load(options: &ProxyOptions) -> anyhow::Result<Config> {
    let config = read(options)?;
    if let (Some((audit, place)), Some(settings)) = (config.audit(), &options.config) {
        let files = config.files().map(|(key, path)| (format!("{key:?}"), path));
        let files: Vec<_> = files.collect();
        let files = files.iter().map(|(key, path)| (key.as_str(), Some(*path)));
        let files = files.chain([("--config", Some(settings.as_path()))]);
        let option = format!("{}: {place}: \"audit\"", settings.display());
        refuse_input_as_output(&option, Some(audit), files)?;
    }
    let listen = config.listen();
    if listen.port() != 0 && config.admin() == Some(listen) {
        let place = config.admin_place().or(config.listen_place());
        let place = match (&options.config, place) {
            (Some(settings), Some(place)) => format!("{}: {place}: ", settings.display()),
            _ => String::new(),
        };
        return Err(usage_error(format_args!(
            "{place}listen, admin: expected two addresses, found {listen} for both"
        )));
    }
    Ok(config)
}

fn read(options: &ProxyOptions) -> anyhow::Result<Config> {
    let upstream = || options.upstream.clone();
    let config = match &options.config {
        Some(path) => {
            let folder = path.parent().unwrap_or(Path::new("."));
            settings::load("--config", path, |file| {
                Config::from_toml_with(file, folder, upstream(), support())
                    .map(|config| config.with_source(&path.display().to_string()))
            })?
        }
        None => {
            // Somebody who asks for the admin listener alone has no file to ask for its page in.
            let settings: &[u8] = match options.admin {
                Some(_) => b"[live]",
                None => b"",
            };
            Config::from_toml(settings, Path::new("."), upstream()).map_err(usage_error)?
        }
    };
    Ok(with_addresses(config, options))
}

fn with_addresses(mut config: Config, options: &ProxyOptions) -> Config {
    if let Some(listen) = options.listen {
        config = config.with_listen(listen);
    }
    match options.admin {
        Some(admin) => config.with_admin(admin),
        None => config,
    }
}

fn announce(proxy: &Proxy, is_demo: bool) {
    let Ok(address) = proxy.address() else {
        return;
    };
    let scheme = match proxy.serves_tls() {
        true => "https",
        false => "http",
    };
    print_note(format_args!("listening at {scheme}://{address}"));
    if let Some(admin) = proxy.admin_address() {
        print_note(format_args!("metrics at http://{admin}/metrics"));
    }
    if is_demo {
        print_note(format_args!(
            "open http://{address}{} to see two answers as they are, stripped and gated",
            demo::PAGE
        ));
    }
    let commands = [
        ("/raw", "as the model writes it"),
        ("", "without annotations"),
        ("/gated", "only what a policy releases"),
        ("/raw/cited", "an answer that cites sources"),
        (
            "/cited",
            "without the sentence that cites an unknown source",
        ),
    ];
    for (prefix, what) in commands.iter().filter(|_| is_demo) {
        print_note(format_args!(
            "{what}: curl -N http://{address}{prefix}/v1/chat/completions"
        ));
    }
}
