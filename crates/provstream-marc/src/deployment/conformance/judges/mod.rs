//! Judging single requirements by what is described.

pub(super) mod bands;
pub(super) mod carrying;
pub(super) mod loops;
pub(super) mod people;
pub(super) mod policy;
pub(super) mod records;
pub(super) mod trust;
pub(super) mod wording;
