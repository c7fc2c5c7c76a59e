//! How a stream is cut changes nothing.

use super::super::case::Case;
use super::super::reference::engine::run;

/// How a stream is cut changes no event, and neither does what the parser read before it was reset.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let mut parser = case.parser();
    let whole = run(&mut parser, &case.input, |left| left);
    parser.reset();
    assert_eq!(run(&mut parser, &case.input, |_| 1), whole, "byte by byte");
    let mut used = case.used_parser();
    assert_eq!(run(&mut used, &case.input, case.cuts()), whole, "cut");
}
