//! The proxy between raw clients and an upstream that does what a script says.

mod admin;
mod asks;
mod audits;
mod bodies;
mod cited;
mod completions;
mod deploy;
mod emissions;
mod encodings;
mod faults;
mod heads;
mod hostile;
mod lifetimes;
mod listener;
mod live;
mod long_events;
mod numbers;
mod settings;
mod support;
mod upgrades;
mod versions;
