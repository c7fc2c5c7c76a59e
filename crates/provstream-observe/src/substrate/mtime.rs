//! `substrate.fs.mtime`: the time at which a file was modified.

use provstream::provenance::Timestamp;

use super::query::FsMtime;
use super::root::io_error;
use super::{FoundResult, QueryWork, SubstrateError};

pub(super) fn observe(work: QueryWork<'_>, query: &FsMtime) -> Result<FoundResult, SubstrateError> {
    let modified = work.root.metadata(&query.path)?.modified();
    let modified = modified.map_err(|error| io_error(&query.path, &error))?;
    Ok(FoundResult::of(
        Timestamp::from(modified.into_std()).to_string(),
    ))
}
