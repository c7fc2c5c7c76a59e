//! MARC objects as they travel in a stream.

mod object;

pub use object::{Kind, MarcObject};
