//! Removes or gates provenance annotations in the responses of LLM providers as an external processor of Envoy.

mod conversation;
mod messages;
mod service;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use provstream::provenance::Vocabulary;
use provstream::settings::read_text;
use provstream_route::Routes;
use service::{Current, Processor};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

/// An external processor of Envoy that removes or gates provenance annotations in the responses of LLM providers.
///
/// Lines about responses go to standard error, the decisions of gates to standard output. SIGHUP reads the routes again;
/// SIGTERM and SIGINT wait for the streams in flight.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// The address to listen at; only Envoy should reach it, because it has no TLS
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9002", value_parser = address)]
    listen: SocketAddr,
    /// The file of routes
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "expected an IP address and a port such as 127.0.0.1:9002")
}

/// Reads the routes and their policy files.
fn read(path: &Path) -> Result<Routes, String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file =
        read_text(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let policy = |name: &str| {
        read_text(&folder.join(name)).map_err(|error| match error.is_missing() {
            true => format!("{error}; a relative one begins at the folder of the routes"),
            false => error.to_string(),
        })
    };
    Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), policy).map_err(|error| named(&error))
}

/// Describes the routes at startup. A file without routes is valid, but seldom intended.
fn summary(routes: &Routes, path: &Path) -> String {
    let path = path.display();
    let rest = "annotations are removed, and what cannot be inspected passes";
    match routes.iter().count() {
        0 => format!("{path} has no [[route]]: in all responses, {rest}"),
        1 => format!("1 route of {path}; in responses to other requests, {rest}"),
        count => format!("{count} routes of {path}; in responses to other requests, {rest}"),
    }
}

/// Serves until a signal ends the process.
async fn serve(args: &Args, current: Current) -> Result<(), Box<dyn std::error::Error>> {
    // Before anyone learns that it has started: a signal that is not waited for would end the process.
    let mut hangup = signal(SignalKind::hangup())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let listener = TcpListener::bind(args.listen).await.map_err(|error| {
        let address = args.listen;
        format!("cannot listen at {address}: {error}; choose another address with --listen")
    })?;
    eprintln!("{}", summary(&current.get(), &args.config));
    eprintln!("listening at {}", listener.local_addr()?);
    let (config, reloaded) = (args.config.clone(), current.clone());
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            match read(&config) {
                Ok(routes) => {
                    eprintln!("routes are read again: {}", summary(&routes, &config));
                    reloaded.set(routes);
                }
                Err(error) => eprintln!("the routes stay as they were: {error}"),
            }
        }
    });
    let ended = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    // Without it a small message waits for Envoy's acknowledgement of the one before. The server's own setting is only for
    // listeners that it opens itself.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    Server::builder()
        .serve_with_incoming_shutdown(Processor(current), incoming, ended)
        .await?;
    Ok(())
}

fn main() -> ExitCode {
    let args = Args::parse();
    let routes = match read(&args.config) {
        Ok(routes) => routes,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let run = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(serve(&args, Current::new(routes)))
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_name_what_was_expected() {
        let wrong = Args::try_parse_from(["x", "--config", "r.toml", "--listen", "9002"]);
        let message = wrong.expect_err("a port alone").to_string();
        let part = "'--listen <ADDRESS>': expected an IP address and a port such as 127.0.0.1:9002";
        assert!(message.contains(part), "{message}");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let message = read(folder).expect_err("a directory");
        let part = ", expected a file; give the path of a file";
        assert!(message.ends_with(part), "{message}");
    }

    #[test]
    fn files_of_routes_are_beside_them() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cited");
        let routes = read(&folder.join("routes.toml")).expect("valid routes");
        assert_eq!(routes.iter().count(), 1);
        let message = read(&folder.join("missing.toml")).expect_err("a missing list");
        let part = "missing.toml: line 5, column 11: sources \"none.json\": ";
        assert!(message.contains(part), "{message}");
        assert!(
            message.ends_with("a relative one begins at the folder of the routes"),
            "{message}"
        );
        let message = read(&folder.join("no-list.toml")).expect_err("a policy without a list");
        assert!(
            message.contains(
                "no-list.toml: line 7, column 1: expected \"dialects\" and \"sources\" for a policy"
            ),
            "{message}"
        );
    }

    #[test]
    fn the_summary_says_what_applies() {
        let routes = |file: &str| {
            let none = |_: &str| Err("no files");
            let routes = Routes::from_toml(file.as_bytes(), &Vocabulary::memo(), none);
            summary(&routes.expect("the file is right"), Path::new("r.toml"))
        };
        assert_eq!(
            routes("# nothing yet\n"),
            "r.toml has no [[route]]: in all responses, annotations are removed, and what cannot be inspected passes"
        );
        assert!(
            routes("[[route]]\npath = \"/\"\naction = \"pass\"\n")
                .starts_with("1 route of r.toml; ")
        );
    }
}
