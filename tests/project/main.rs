//! The project itself: public API, requirements, licences, mutations.

mod api;
mod conformance;
mod layers;
mod events_schema;
mod first_use;
mod licences;
mod mutations;
