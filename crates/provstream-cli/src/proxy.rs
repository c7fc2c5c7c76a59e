//! `provstream proxy`.

use std::path::Path;
use std::process::ExitCode;

use provstream_proxy::{Config, Proxy, StartError, run as serve, run_demo};

use crate::args::ProxyArgs;
use crate::failure::{Failure, note};
use crate::own_file;
use crate::settings;

/// Runs the command.
pub(crate) fn run(args: &ProxyArgs) -> Result<ExitCode, Failure> {
    let ended = if args.demo {
        run_demo(
            |config| with_addresses(config, args),
            |proxy| announce(proxy, true),
        )
    } else {
        let config = load(args)?;
        let own = args.clone();
        let reload = move || {
            if let Some(path) = &own.config {
                refuse_pipe(path)?;
            }
            load(&own).map_err(|failure| match failure {
                Failure::Usage(message) => message,
                Failure::Read(name, error) => format!("cannot read {name}: {error}"),
                _ => "cannot be read".to_owned(),
            })
        };
        serve(config, reload, |proxy| announce(proxy, false))
    };
    let failed = |error: StartError| Failure::Usage(error.to_string());
    ended.map(|()| ExitCode::SUCCESS).map_err(failed)
}

/// Refuses settings that are read again and are not in a regular file: a pipe has no second text, and may never have an end.
fn refuse_pipe(path: &Path) -> Result<(), String> {
    match path.metadata() {
        Ok(about) if !about.is_file() && !about.is_dir() => Err(format!(
            "expected a regular file, found another kind at {}",
            path.display()
        )),
        _ => Ok(()),
    }
}

/// The settings, with what the command line says, as far as they go together.
fn load(args: &ProxyArgs) -> Result<Config, Failure> {
    let config = read(args)?;
    if let (Some((audit, place)), Some(settings)) = (config.audit(), &args.config) {
        let files = config.files();
        let files: Vec<_> = files
            .map(|(key, path)| (format!("{key:?}"), path))
            .collect();
        let files = files.iter().map(|(key, path)| (key.as_str(), Some(*path)));
        let files = files.chain([("--config", Some(settings.as_path()))]);
        let option = format!("{}: {place}: \"audit\"", settings.display());
        own_file::check(&option, audit, files)?;
    }
    let listen = config.listen();
    if listen.port() != 0 && config.admin() == Some(listen) {
        let place = config.admin_place().or(config.listen_place());
        let place = match (&args.config, place) {
            (Some(settings), Some(place)) => format!("{}: {place}: ", settings.display()),
            _ => String::new(),
        };
        return Err(Failure::Usage(format!(
            "{place}listen, admin: expected two addresses, found {listen} for both; give one of them another port"
        )));
    }
    Ok(config)
}

fn read(args: &ProxyArgs) -> Result<Config, Failure> {
    let upstream = || args.upstream.clone();
    let config = match &args.config {
        Some(path) => {
            let folder = path.parent().unwrap_or(Path::new("."));
            settings::load_toml("--config", path, |file| {
                Config::from_toml(file, folder, upstream())
                    .map(|config| config.with_source(&path.display().to_string()))
            })?
        }
        None => Config::from_toml(b"", Path::new("."), upstream())
            .map_err(|error| Failure::Usage(error.to_string()))?,
    };
    Ok(with_addresses(config, args))
}

fn with_addresses(config: Config, args: &ProxyArgs) -> Config {
    let config = match args.listen {
        Some(listen) => config.with_listen(listen),
        None => config,
    };
    match args.admin {
        Some(admin) => config.with_admin(admin),
        None => config,
    }
}

fn announce(proxy: &Proxy, is_demo: bool) {
    let Ok(address) = proxy.address() else {
        return;
    };
    note(format!("listening at http://{address}"));
    if let Some(admin) = proxy.admin_address() {
        note(format!("metrics at http://{admin}/metrics"));
    }
    if is_demo {
        for (prefix, what) in [
            ("/raw", "as the model writes it"),
            ("", "without annotations"),
            ("/gated", "only what a policy releases"),
        ] {
            note(format!(
                "{what}: curl -N http://{address}{prefix}/v1/chat/completions"
            ));
        }
    }
}
