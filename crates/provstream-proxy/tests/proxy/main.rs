//! The proxy between raw clients and an upstream that does what a script says.

mod asks;
mod audits;
mod bodies;
mod emissions;
mod faults;
mod heads;
mod hostile;
mod lifetimes;
mod live;
mod settings;
mod support;
mod upgrades;
mod versions;
