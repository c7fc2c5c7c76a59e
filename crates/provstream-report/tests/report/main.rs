//! Content of report pages, for answers and policies of all kinds.

mod audit;
mod decoder;
mod golden;
mod markdown;
mod properties;
