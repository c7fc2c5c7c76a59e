//! Trailers, and HTTP/2 on both sides.

use crate::client::get;
use crate::expected::{answer, event, gated, stripped};
use crate::gateway::{Gateway, Kind, Programs, ROUTES};
use crate::upstream::{End, Script};

#[test]
fn trailers_follow_all_of_the_text() {}
