//! The project itself: public API, requirements, licences, mutations.

mod api;
mod conformance;
mod layers;
mod licences;
mod mutations;
