//! Chunking does not change the events.

use super::super::case::Case;
use super::super::reference::engine::run;

/// Checks that the events depend neither on the chunking nor on input before a reset.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let mut parser = case.parser();
    let whole = run(&mut parser, &case.input, |left| left);
    parser.reset();
    assert_eq!(run(&mut parser, &case.input, |_| 1), whole, "byte by byte");
    let mut used = case.used_parser();
    assert_eq!(run(&mut used, &case.input, case.cuts()), whole, "cut");
}
