//! The exit status of commands that can be asked to fail.

use std::io::ErrorKind;
use std::process::ExitCode;

use crate::failure::{Failure, UNREADABLE};

/// Exit status of `--fail` when something did not pass.
const NOT_PASSED: u8 = 3;

/// The exit status of a command that read several inputs: 1 if some of them could not be read.
pub(crate) fn status_of_all(
    end: Result<(), Failure>,
    fail: bool,
    passed: bool,
    has_failed: bool,
) -> Result<ExitCode, Failure> {
    let status = status(end, fail, passed)?;
    Ok(if has_failed {
        ExitCode::from(UNREADABLE)
    } else {
        status
    })
}

/// The exit status of a command that ended this way. If it was asked to `fail`, 0 says that all of the input was seen and
/// `passed`, even if nobody reads the lines any more.
pub(crate) fn status(
    end: Result<(), Failure>,
    fail: bool,
    passed: bool,
) -> Result<ExitCode, Failure> {
    match end {
        Err(Failure::Write(error)) if fail && error.kind() == ErrorKind::BrokenPipe => {
            if passed {
                return Err(Failure::Unanswered);
            }
        }
        end => end?,
    }
    Ok(if fail && !passed {
        ExitCode::from(NOT_PASSED)
    } else {
        ExitCode::SUCCESS
    })
}
