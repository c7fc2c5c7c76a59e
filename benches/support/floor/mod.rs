//! Programs that give what the parser gives but know beforehand what is where, and do of the work only what cannot be left
//! out. No parser can be faster than these, as far as their parts are the quickest there are.

pub(crate) mod json;
pub(crate) mod records;
mod sixteen;
pub(crate) mod text;
pub(crate) mod window;
