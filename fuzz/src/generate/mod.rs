//! A generator of input: composes what a body reads from the grammar's words, as a fuzzer's bytes choose.

mod choices;
mod citation;
mod cited;
mod discipline;
mod json;
mod records;
mod sentence;
mod text;
mod toml;
mod wire;
mod words;

use choices::Choices;

use super::body::markers::CHOSEN;
use super::body::wire_gate::{HOSTILE, MADE_UP};

/// Type of a body's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A `Case`: a stream, perhaps with settings in front.
    Stream,
    /// Text with markers of citations, or the choices of a generated answer.
    Cited,
    /// Text without annotations.
    Sentences,
    /// JSON.
    Json,
    /// A MARC object in JSON.
    Marc,
    /// The MARC records of a stream, one a line.
    Records,
    /// A provider's stream of events.
    Events,
    /// A provider's stream, or the choices of a generated response.
    Response,
    /// A provider's event with citations, or a stream whose assertions are cited.
    Citations,
    /// A vocabulary file.
    Vocabulary,
    /// A file of a dialect.
    Dialect,
    /// The description of a MARC deployment.
    Deployment,
    /// Settings of a relying party, and an assertion to judge.
    Discipline,
    /// Three lines: a declared identifier, an observation id and a timestamp.
    Fields,
}

/// Length at which generated input ends, in bytes; the last part may exceed it.
const MOST: usize = 3_000;

/// The input that these choices make.
pub(super) fn input(input: Input, choices: &[u8]) -> Vec<u8> {
    let mut choices = Choices::new(choices);
    let mut out = Vec::new();
    match input {
        Input::Stream => text::stream(&mut choices, &mut out),
        Input::Cited => match choices.below(3) {
            0 => cited::text(&mut choices, &mut out),
            _ => {
                out.push(CHOSEN);
                return choices.rest(out);
            }
        },
        Input::Sentences => sentence::text(&mut choices, &mut out),
        Input::Json => json::any(&mut choices, &mut out),
        Input::Marc => json::marc(&mut choices, &mut out),
        Input::Records => records::stream(&mut choices, &mut out),
        Input::Events => wire::stream(&mut choices, &mut out),
        Input::Response => match choices.below(4) {
            0 => wire::stream(&mut choices, &mut out),
            _ => {
                out.push(match choices.below(2) {
                    0 => MADE_UP,
                    _ => HOSTILE,
                });
                return choices.rest(out);
            }
        },
        Input::Citations => citation::event(&mut choices, &mut out),
        Input::Vocabulary => toml::vocabulary(&mut choices, &mut out),
        Input::Dialect => toml::dialect(&mut choices, &mut out),
        Input::Deployment => toml::deployment(&mut choices, &mut out),
        Input::Discipline => discipline::discipline(&mut choices, &mut out),
        Input::Fields => text::fields(&mut choices, &mut out),
    }
    choices.damage(&mut out);
    out
}
