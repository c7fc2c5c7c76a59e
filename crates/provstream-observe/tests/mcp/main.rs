//! `provstream mcp`: an agent reads a repository through its tools, cites what it read, and has its answer checked.

mod http;
mod server;
mod story;
mod tools;

#[path = "../observe/repository.rs"]
mod repository;
