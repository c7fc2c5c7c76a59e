//! The project itself: public API, requirements, licences, mutations.

mod api;
mod conformance;
mod licences;
mod mutations;
