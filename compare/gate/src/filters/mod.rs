//! Programs that withhold inadmissible sentences from a stream.

mod final_check;
mod gate;
mod hold;
mod windows;

use std::ops::Range;

use provstream::{Event, Parser, handler_fn};

pub use self::final_check::FinalCheck;
pub use self::gate::ExactGate;
pub use self::hold::HoldEverything;
pub use self::windows::Windows;
use crate::delivery::Delivery;

/// A program that takes a stream token by token.
pub trait Filter {
    /// Returns `true` if it delivers ranges of the text without annotations instead of ranges of the stream.
    fn is_clean(&self) -> bool {
        false
    }

    /// Takes the next token.
    fn push(&mut self, token: &str, to: &mut Delivery);

    /// Ends the stream.
    fn finish(&mut self, to: &mut Delivery);
}

/// Creates a filter.
pub type New = fn() -> Box<dyn Filter>;

/// Names of the filters, and how to create one of each.
pub const FILTERS: [(&str, New); 4] = [
    ("gate", || Box::new(ExactGate::new())),
    ("hold", || Box::new(HoldEverything::default())),
    ("windows", || Box::new(Windows::default())),
    ("final-check", || Box::new(FinalCheck::default())),
];

/// Class of what is inadmissible.
const INADMISSIBLE: &str = "unverified-inference";

/// Checks a text as a whole: returns the ranges of inadmissible sentences. All programs but the gate check text by this.
fn inadmissible(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut parser = Parser::new();
    let mut handler = handler_fn(|event: Event<'_>| {
        if let Event::Assertion(assertion) = &event
            && assertion
                .classes()
                .any(|class| class.as_str() == INADMISSIBLE)
        {
            let span = assertion.span();
            found.push(span.start() as usize..span.end() as usize);
        }
    });
    parser.push(text.as_bytes(), &mut handler);
    parser.finish(&mut handler);
    found
}
