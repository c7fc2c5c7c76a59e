//! MARC records and disclosures.

mod api;
mod bands;
mod build;
mod carry;
mod deployment;
mod loops;
mod mutations;
mod projection;
mod read;
mod schema;
mod score;
mod selection;
mod sequence_validator;
mod trust;
mod vectors;
mod wording;
