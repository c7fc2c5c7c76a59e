//! The program as its users see it.

mod admit;
mod cited_responses;
mod common;
mod corpus;
mod datasets;
mod defects;
mod dialects;
mod emit;
mod extract;
mod fail;
mod features;
mod gate;
mod json;
mod marc;
mod marc_carry;
mod marc_hostile;
mod marc_messages;
mod marc_texts;
mod messages;
mod observation_ids;
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
