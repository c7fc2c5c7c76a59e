//! All inputs of a command, one after the other or by several threads.

use crate::books::{Books, Summary, name};
use crate::failure::Failure;
use crate::files::Files;
use crate::input::Input;
use crate::jobs;
use crate::output::Output;
use crate::reading::Reading;

/// Reads all inputs with that many jobs and writes lines and totals, in the order of the inputs.
pub(crate) fn run(
    reading: &Reading,
    files: Files,
    jobs: usize,
    output: Output,
) -> (Result<(), Failure>, Summary) {
    let count = files.paths.len() as u64;
    let mut books = Books::new(reading, files.are_named, count);
    let is_alone = files.paths.len() == 1 && !reading.is_by_line();
    let end = if jobs < 2 || is_alone {
        in_turn(reading, files, output, &mut books)
    } else {
        jobs::run(reading, files, jobs, output, &mut books)
    };
    let end = end.and_then(|output| books.close(output));
    (end, books.into_summary())
}

fn in_turn(
    reading: &Reading,
    files: Files,
    mut output: Output,
    books: &mut Books<'_>,
) -> Result<Output, Failure> {
    let Files {
        paths,
        are_named,
        progress,
    } = files;
    for path in paths {
        let path = match path {
            Ok(path) => path,
            Err(failure) => {
                books.fail(failure)?;
                continue;
            }
        };
        let name = name(&path, are_named);
        let input = match Input::open_with(&path, progress.clone()) {
            Ok(input) => input.expecting(reading.input),
            Err(failure) => {
                books.fail(failure)?;
                continue;
            }
        };
        let (end, outcome, back) = reading.read_whole(input, output, name.clone());
        output = back;
        books.enter(&path, end, outcome, &mut output)?;
    }
    Ok(output)
}
