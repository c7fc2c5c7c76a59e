//! The project itself: public API, requirements, licences, mutations, Rust blocks of the pages.

mod api;
mod conformance;
mod events_schema;
mod first_use;
mod layers;
mod licences;
mod mutations;
mod pages;
