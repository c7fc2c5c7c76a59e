//! An HTML page that shows an answer with each assertion marked by its verdict, and what a gate would do with it and why.
//!
//! The page is one file without scripts. It shows the text that a [`Gate`](provstream::Gate) gets, without annotations, and
//! beside it an entry for each assertion: its annotations, how old they are, which of them count towards the floor and why
//! the others do not, and what the policy does. Everything that comes from the answer is shown as text; characters that are
//! invisible or reorder text are shown as code points, such as `U+202E`.
//!
//! - [`Report`] has the rules and the time; it builds the policy for the gate, and a [`Transcript`] for each text.
//! - [`Transcript`] is the gate's handler, and writes the body of the page while the answer streams in.
//! - [`AuditLog`] writes the body from the audit log of a gate, which has hashes instead of texts.
//! - [`Page`] writes the frame around the bodies, with the counts at the top.
//! - [`page`] does all of this for a text in memory.
//! - [`Transcripts`] has a [`Transcript`] for each text of an answer, and [`Overview`] a row for each of several pages.
//! - [`LivePage`] lists streams in flight.
//!
//! The crate only writes to what the caller gives it. It does no other I/O, and reads no clock.

mod audit;
mod audit_fault;
mod audit_line;
mod counts;
mod decode;
mod dry_run;
mod escape;
mod index;
mod live;
mod markdown;
mod note;
mod one_shot;
mod outcome;
mod overview;
mod page;
mod part;
mod report;
mod sections;
mod style;
mod transcript;
mod transcripts;
mod wording;

pub use audit::AuditLog;
pub use audit_fault::AuditLineError;
pub use counts::Counts;
pub use dry_run::DryRun;
pub use escape::escaped;
pub use live::{LivePage, LiveStream};
pub use one_shot::page;
pub use outcome::Outcome;
pub use overview::Overview;
pub use page::Page;
pub use part::TextSummary;
pub use report::Report;
pub use transcript::Transcript;
pub use transcripts::Transcripts;
