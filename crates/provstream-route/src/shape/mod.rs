//! Errors and ends of responses, in the format of each API.

mod error;
mod json;
mod splice;
mod stop;
mod unended;
mod whole;

pub(crate) use self::error::{error_body, error_event};
pub(crate) use self::splice::Splicer;
pub(crate) use self::stop::{can_resume, can_stop, end_open, stop_events};
pub(crate) use self::unended::without_ends;
pub(crate) use self::whole::mark_whole;
