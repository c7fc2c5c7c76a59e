//! The program as its users see it.

mod admit;
mod advice;
mod common;
mod corpus;
mod defects;
mod emit;
mod extract;
mod fail;
mod features;
mod gate;
mod hints;
mod json;
mod marc;
mod marc_carry;
mod marc_deployment;
mod marc_hostile;
mod marc_messages;
mod marc_texts;
#[cfg(all(unix, feature = "proxy"))]
mod proxy;
#[cfg(all(unix, feature = "proxy"))]
mod proxy_notes;
#[cfg(feature = "proxy")]
mod proxy_settings;
mod reasons;
mod report;
mod streaming;
#[cfg(unix)]
mod terminal;
mod usage;
mod wire;
