//! `provstream mcp`.

mod http;
mod server;
mod tools;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Command, CommandFactory as _, FromArgMatches as _, Parser};
use provstream_cli::input_error;
use provstream_observe::SubstrateLimits;
use rmcp::serve_server;
use rmcp::transport::stdio;

use self::server::Server;
use self::tools::Tools;
use crate::recording::RecordOptions;
use crate::verify::parse_window;
use crate::{LedgerOption, SubstrateOptions};

/// Serve observations to agents, as an MCP server (Model Context Protocol)
///
/// Its tools observe commits, searches, files, times of files and listeners of sockets, and with --services channels of
/// events and other MCP services. Each returns a result and the annotation that cites it, and records the observation.
/// One more tool, verify, checks the annotations of a draft answer. Without --http, messages are read from standard
/// input, as agents start servers:
///
///     claude mcp add provstream -- provstream mcp --ledger /home/ada/obs.db --root .
///
/// Paths are relative to --root and cannot leave it. Nothing is executed except the services that the
/// settings name as a command.
#[derive(Debug, Parser)]
#[command(name = "mcp", verbatim_doc_comment)]
struct McpCommand {
    #[command(flatten)]
    ledger: LedgerOption,
    #[command(flatten)]
    substrates: SubstrateOptions,
    #[command(flatten)]
    record: RecordOptions,
    /// Most age of an observation that verify accepts, such as 15m or 7d; an older one is stale
    #[arg(long, value_name = "DURATION", value_parser = parse_window)]
    window: Option<Duration>,
    /// Serve streamable HTTP at the path /mcp of an address, such as 127.0.0.1:8808; port 0 takes a free one
    ///
    /// The address must be one of this machine alone, since the server asks nobody who they are.
    /// Requests of web pages from elsewhere (Origin), and those for another Host are refused.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    http: Option<SocketAddr>,
}

/// Longest result in bytes: a model is not helped by more.
const MAX_RESULT: usize = 256 << 10;
/// Most threads that wait for queries.
const MAX_THREADS: usize = 16;

pub(crate) fn command() -> Command {
    McpCommand::command()
}

pub(crate) fn run(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let command = McpCommand::from_arg_matches(matches)?;
    let limits = SubstrateLimits {
        max_result: MAX_RESULT,
        ..SubstrateLimits::default()
    };
    let server = Server::new(Arc::new(Tools {
        substrates: command.substrates.open()?.with_limits(limits),
        recording: command.record.open()?,
        ledger: command.ledger.create()?,
        window: command.window,
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(MAX_THREADS)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async move {
        match command.http {
            Some(address) => http::serve(server, address).await,
            None => serve_stdio(server).await,
        }
    });
    // A thread may still wait for standard input.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// Serves one client until its messages end.
async fn serve_stdio(server: Server) -> anyhow::Result<()> {
    let running = serve_server(server, stdio()).await;
    let running = running.map_err(|error| input_error(format_args!("standard input: {error}")))?;
    running.waiting().await?;
    Ok(())
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    match text.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(address),
        Ok(_) => Err("expected an address of this machine alone, such as 127.0.0.1:8808; for others, put a proxy before it that asks who they are".to_owned()),
        Err(_) => Err("expected an IP address and a port, such as 127.0.0.1:8808".to_owned()),
    }
}
