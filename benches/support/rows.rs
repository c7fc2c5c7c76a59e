//! Free text: the rows of the project's targets that need no other parser.

use provstream::{Mode, Parser};
use regex::bytes::Regex;

use crate::rounds::{Work, interleaved};
use crate::support::{
    PATTERN, Prose, memchr3_and_copy, memchr3_pass, provstream, regex_pass, stream,
};

/// Result for one target.
pub(crate) struct Row {
    /// The target's number.
    pub(crate) number: u8,
    /// Description of the work and of the other side.
    pub(crate) work: String,
    /// Required ratio of the parser's speed to that of the other side.
    pub(crate) target: f64,
    /// Ratio reached: least, median and greatest over the rounds.
    pub(crate) reached: [f64; 3],
    /// The parser's median rate, in 1,000,000 bytes a second.
    pub(crate) rate: f64,
}

impl Row {
    /// Times both sides.
    #[must_use]
    pub(crate) fn measure(
        (number, work, target): (u8, String, f64),
        rounds: usize,
        beside: Work<'_>,
        own: Work<'_>,
    ) -> Self {
        let times = interleaved(rounds, &mut [beside, own]);
        Self {
            number,
            work,
            target,
            reached: times[1].times_as_fast_as(&times[0]),
            rate: times[1].rate(),
        }
    }
}

/// Other side of a comparison for free text.
#[derive(Clone, Copy)]
enum Beside {
    /// A single memchr3 pass over the whole buffer.
    Pass,
    /// The regular expression over the whole.
    Regex,
    /// memchr3 on each chunk, and a copy of it.
    Copy,
}

/// The rows: number, mode, prose, bytes between annotations, bytes of a chunk, what beside, target.
const ROWS: [(u8, Mode, Prose, usize, usize, Beside, f64); 10] = {
    use Beside::{Copy, Pass, Regex};
    use Mode::{Auto, Text};
    use Prose::{Plain, Rich};
    [
        (1, Text, Plain, 20_000, 1 << 16, Pass, 0.7),
        (1, Auto, Plain, 20_000, 1 << 16, Pass, 0.55),
        (2, Text, Plain, 2_000, 1 << 16, Regex, 2.5),
        (2, Text, Rich, 2_000, 1 << 16, Regex, 1.3),
        (3, Text, Plain, 200, 1 << 16, Regex, 3.5),
        (3, Text, Rich, 200, 1 << 16, Regex, 2.8),
        (4, Text, Plain, 20_000, 4, Copy, 1.5),
        (4, Auto, Plain, 20_000, 4, Copy, 1.5),
        (4, Text, Plain, 200, 4, Copy, 0.7),
        (4, Auto, Plain, 200, 4, Copy, 0.7),
    ]
};

/// All rows, measured.
#[must_use]
pub(crate) fn text_rows(rounds: usize) -> Vec<Row> {
    let regex = Regex::new(PATTERN).expect("a sound pattern");
    ROWS.map(|(number, mode, prose, gap, size, beside, target)| {
        let text = stream(prose, gap);
        let mut buffer = Vec::with_capacity(text.len());
        let mut parser = Parser::builder().mode(mode).build();
        let (name, other) = match beside {
            Beside::Pass => (
                "one memchr3 pass",
                Work::new(text.len(), || memchr3_pass(&text)),
            ),
            Beside::Regex => (
                "regex over the whole",
                Work::new(text.len(), || regex_pass(&regex, &text)),
            ),
            Beside::Copy => (
                "memchr3 and copy of each chunk",
                Work::new(text.len(), || memchr3_and_copy(&mut buffer, &text, size)),
            ),
        };
        let prose = if prose == Prose::Rich {
            "rich"
        } else {
            "plain"
        };
        let mode = if mode == Mode::Auto {
            ", mode auto"
        } else {
            ""
        };
        let work = format!(
            "{prose} text{mode}, {size}-byte chunks, an annotation every {gap} bytes: {name}"
        );
        let own = Work::new(text.len(), || provstream(&mut parser, &text, size));
        Row::measure((number, work, target), rounds, other, own)
    })
    .into()
}
