//! The page about an audit log.

use provstream_report::{AuditLog, Part};

use super::spool::{Bodies, Spool};
use crate::failure::{Failure, note};
use crate::input::Input;
use crate::marc::lines::{InputLine, MAX_LINE, each_line};

/// Lines that are not decisions and are reported one by one.
const MOST_REPORTED: u64 = 5;

/// A log that was read.
pub(super) struct Read {
    pub(super) part: Part,
    pub(super) bodies: Bodies,
    /// Lines that are not decisions.
    pub(super) odd: u64,
    /// There are no lines.
    pub(super) is_empty: bool,
}

struct Reading {
    log: AuditLog,
    spool: Spool,
    place: usize,
    /// How messages call the log.
    name: String,
    lines: u64,
    odd: u64,
    written: Result<(), std::io::Error>,
}

/// Reads a log to its end.
pub(super) fn read(input: Input) -> Result<Read, Failure> {
    let mut spool = Spool::new();
    let place = spool.add();
    let mut reading = Reading {
        log: AuditLog::new(),
        spool,
        place,
        name: input.name().to_owned(),
        lines: 0,
        odd: 0,
        written: Ok(()),
    };
    each_line(input, &mut reading, |_| Ok(()), Reading::line)?;
    let Reading {
        mut spool,
        log,
        name,
        ..
    } = reading;
    let unwritten = |error| Failure::Create("a temporary file".to_owned(), error);
    reading.written.map_err(unwritten)?;
    if reading.lines > 0 && reading.odd == reading.lines {
        return Err(Failure::Unknown(format!(
            "nothing in {name} is a line of an audit log; expected what `provstream gate --audit` writes"
        )));
    }
    if reading.odd > MOST_REPORTED {
        note(format_args!("{name}: {} lines are left out", reading.odd));
    }
    let part = log.finish(spool.writer(place)).map_err(unwritten)?;
    Ok(Read {
        part,
        bodies: Bodies {
            spool,
            places: vec![place],
        },
        odd: reading.odd,
        is_empty: reading.lines == 0,
    })
}

impl Reading {
    fn line(&mut self, number: u64, line: InputLine<'_>) {
        self.lines += 1;
        let fault = match line {
            InputLine::TooLong => format!("expected at most {MAX_LINE} bytes, found more"),
            InputLine::Whole(line) => match self.log.push(line) {
                Ok(()) => {
                    let written = self.log.write_to(self.spool.writer(self.place));
                    if self.written.is_ok() {
                        self.written = written;
                    }
                    return;
                }
                Err(error) => error.to_string(),
            },
        };
        self.odd += 1;
        if self.odd <= MOST_REPORTED {
            note(format_args!(
                "{}: line {number} is left out: {fault}",
                self.name
            ));
        }
    }
}
