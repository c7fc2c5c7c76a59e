//! A server on a sample repository, and a client.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::serve_client;
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::transport::TokioChildProcess;
use serde_json::Value;
use tempfile::TempDir;

use crate::repository;

/// A folder with a sample repository, and a ledger beside it.
pub(crate) struct Site {
    pub(crate) dir: TempDir,
    pub(crate) root: PathBuf,
}

impl Site {
    /// `None` without git.
    pub(crate) fn new() -> Option<Self> {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().join("root");
        fs::rename(repository::sample()?.keep(), &root).expect("moved");
        Some(Self { dir, root })
    }

    pub(crate) fn ledger(&self) -> PathBuf {
        self.dir.path().join("obs.db")
    }

    /// Writes settings of channels and services.
    pub(crate) fn services(&self, settings: &str) -> PathBuf {
        let path = self.dir.path().join("services.toml");
        fs::write(&path, settings).expect("written");
        path
    }

    /// The program with the ledger and the root in its environment.
    pub(crate) fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_provstream"));
        command
            .args(args)
            .current_dir(&self.root)
            .env("PROVSTREAM_LEDGER", self.ledger());
        command
    }

    /// Starts `provstream mcp`, and connects to it over its standard input and output.
    pub(crate) async fn connect(&self, args: &[&str]) -> Client {
        let command = self.program(&[&["mcp", "--keep", "content"], args].concat());
        let mut command = tokio::process::Command::from(command);
        command.kill_on_drop(true);
        let transport = TokioChildProcess::new(command).expect("the program starts");
        Client(serve_client((), transport).await.expect("a server"))
    }
}

/// Client of a server.
pub(crate) struct Client(pub(crate) RunningService<RoleClient, ()>);

impl Client {
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ServiceError> {
        let call = CallToolRequestParams::new(tool.to_owned());
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.0
            .peer()
            .call_tool(call.with_arguments(arguments))
            .await
    }

    /// Calls a tool that succeeds; returns its structured content.
    pub(crate) async fn get(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await.expect("a result");
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.expect("structured content")
    }

    /// Makes an observation; returns the annotation.
    pub(crate) async fn cite(&self, tool: &str, arguments: Value) -> String {
        let result = self.get(tool, arguments).await;
        result["annotation"]
            .as_str()
            .expect("an annotation")
            .to_owned()
    }

    /// The outcome of each annotation of a draft, with its explanation.
    pub(crate) async fn verify(&self, answer: &str) -> Vec<(String, String)> {
        let result = self
            .get("verify", serde_json::json!({ "answer": answer }))
            .await;
        outcomes(result["assertions"].as_array().expect("a list").iter())
    }

    pub(crate) async fn close(self) {
        self.0.cancel().await.expect("the server ends");
    }
}

/// Collects the outcomes of assertions, with their explanations.
pub(crate) fn outcomes<'a>(assertions: impl Iterator<Item = &'a Value>) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    assertions
        .flat_map(|assertion| assertion["outcomes"].as_array().expect("a list"))
        .map(|outcome| (text(&outcome["outcome"]), text(&outcome["detail"])))
        .collect()
}

/// Writes a file of the repository.
pub(crate) fn write(root: &Path, name: &str, text: &str) {
    fs::write(root.join(name), text).expect("written");
}
