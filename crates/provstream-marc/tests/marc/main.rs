//! MARC records and disclosures.

mod api;
mod bands;
mod build;
mod carry;
mod conformance;
mod deployment;
mod loops;
mod mutations;
mod projection;
mod read;
mod schema;
mod selection;
mod sequence_validator;
mod stories;
mod trust;
mod vectors;
mod wording;
