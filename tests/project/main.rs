//! The project itself: public API, requirements, licences, mutations.

mod api;
mod conformance;
mod events_schema;
mod first_use;
mod layers;
mod licences;
mod mutations;
