//! MARC records and disclosures.

mod selection;
