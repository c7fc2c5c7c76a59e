//! An output that several threads write to, one after the other in an order that is fixed beforehand.

use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::output::Output;

/// Most bytes that wait for a turn; who has more waits for it.
const MOST: usize = 1 << 21;

/// An output, and whose turn it is to write to it.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The number of the turn; those before it have ended.
    number: u64,
    /// The output, unless the one whose turn it is has taken it.
    output: Option<Output>,
    /// A turn was given up, so no other one comes.
    are_over: bool,
}

impl Turns {
    /// Turns from number 0.
    pub(crate) fn new(output: Output) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                number: 0,
                output: Some(output),
                are_over: false,
            }),
            changed: Condvar::new(),
        })
    }

    /// The turn with this number. Each number is used once, and none is left out.
    pub(crate) fn turn(self: &Arc<Self>, number: u64) -> Turn {
        Turn {
            turns: Arc::clone(self),
            number,
            output: None,
            has_ended: false,
        }
    }

    /// Whether a turn was given up, so that what is not written yet never will be.
    pub(crate) fn are_over(&self) -> bool {
        self.state().are_over
    }

    /// The output, if nobody has it.
    pub(crate) fn into_output(self: Arc<Self>) -> Option<Output> {
        self.state().output.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn and takes the output; `None` if the turns are over.
    fn wait(&self, number: u64) -> Option<Output> {
        let mut state = self.state();
        loop {
            if state.are_over {
                return None;
            }
            if state.number == number {
                return state.output.take();
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the output if its turn has come or `is_due`, which waits for it.
    fn take(&self, number: u64, is_due: bool) -> io::Result<Option<Output>> {
        let state = self.state();
        if !state.are_over && !is_due && state.number != number {
            return Ok(None);
        }
        drop(state);
        self.wait(number)
            .map(Some)
            .ok_or_else(|| ErrorKind::BrokenPipe.into())
    }
}

/// One turn. If it is dropped before its [end](Turn::end), the turns are over.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    number: u64,
    output: Option<Output>,
    has_ended: bool,
}

impl Turn {
    /// What writes in this turn: it keeps a bounded number of bytes until the turn has come, or it is flushed.
    pub(crate) fn writer(&self) -> Writer {
        Writer {
            turns: Arc::clone(&self.turns),
            number: self.number,
            waiting: Vec::new(),
            output: None,
        }
    }

    /// Waits for the turn and gives the output, when no writer of this turn is left; `None` if the turns are over.
    pub(crate) fn take(&mut self) -> Option<&mut Output> {
        if self.output.is_none() {
            self.output = self.turns.wait(self.number);
        }
        self.output.as_mut()
    }

    /// Ends the turn, whose output was taken.
    pub(crate) fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        if let Some(output) = self.output.take() {
            state.output = Some(output);
        }
        if self.has_ended {
            state.number += 1;
        } else {
            state.are_over = true;
        }
        drop(state);
        self.turns.changed.notify_all();
    }
}

/// What writes in a turn.
#[derive(Debug)]
pub(crate) struct Writer {
    turns: Arc<Turns>,
    number: u64,
    /// What waits for the turn.
    waiting: Vec<u8>,
    /// The output, once the turn has come.
    output: Option<Output>,
}

impl Writer {
    /// Writes what waits and more to the output, if the turn has come or `is_due`; gives whether it did.
    fn write_through(&mut self, bytes: &[u8], is_due: bool) -> io::Result<bool> {
        if self.output.is_none() {
            self.output = self.turns.take(self.number, is_due)?;
        }
        let Some(output) = &mut self.output else {
            return Ok(false);
        };
        output.bytes(&self.waiting);
        self.waiting = Vec::new();
        output.bytes(bytes);
        output.check().map_err(into_io)?;
        Ok(true)
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_due = self.waiting.len() + bytes.len() > MOST;
        if !self.write_through(bytes, is_due)? {
            self.waiting.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_through(b"", true)?;
        match &mut self.output {
            Some(output) => output.flush().map_err(into_io),
            None => Ok(()),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Some(output) = self.output.take() {
            self.turns.state().output = Some(output);
        }
    }
}

/// The cause of a failed write; outputs fail in no other way.
fn into_io(failure: Failure) -> io::Error {
    match failure {
        Failure::Write(error) => error,
        _ => ErrorKind::Other.into(),
    }
}
