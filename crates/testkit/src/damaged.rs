//! A long stream of NDJSON in which one line in a hundred is damaged.

/// Minimum length of the stream, in bytes; the last line may exceed it.
pub const LENGTH: usize = 32 << 20;

/// A line of the damaged stream.
pub struct Line {
    /// The JSON value and its line feed.
    pub bytes: String,
    /// Text of the assertion that a parser reports for the line, `None` if the damage prevents a
    /// report.
    pub assertion: Option<String>,
    /// Offset in the line of the first byte that is not valid JSON, `None` in an undamaged line.
    pub offending: Option<usize>,
}

/// Builds line `number`, counted from 0; every hundredth line is damaged.
pub fn line(number: usize) -> Line {
    let text = format!("Line {number} holds what it says.");
    let whole = format!(
        "{{\"id\":{number},\"assertion\":\"{text}\",\"provenance\":[{{\"substrate_class\":\"substrate.grep\",\
         \"observation_id\":\"line:{number}\",\"ts\":\"2026-05-28T11:40:00Z\"}},{{\"substrate_class\":\"substrate.git.log\"}}],\
         \"note\":\"{}\"}}",
        "x".repeat(number % 300)
    );
    let end = whole.len();
    let (bytes, offending) = if number % 100 != 99 {
        (whole, None)
    } else {
        match number / 100 % 7 {
            // Cut short: in the object, in a string, in an escape.
            0 => (whole[..end - 1].to_owned(), Some(end - 1)),
            1 => (whole[..end - 2].to_owned(), Some(end - 2)),
            2 => (format!("{}\\", &whole[..end - 2]), Some(end - 1)),
            // Something that does not belong there.
            3 => (format!("{},}}", &whole[..end - 1]), Some(end)),
            4 => (
                whole.replace(":[{", ":[so "),
                whole.find("[{").map(|at| at + 1),
            ),
            5 => (format!("log: {whole}"), Some(0)),
            // Behind the value, which is reported.
            _ => (format!("{whole} {whole}"), Some(end + 1)),
        }
    };
    let reported = offending.is_none_or(|at| at == end + 1);
    Line {
        bytes: bytes + "\n",
        assertion: reported.then_some(text),
        offending,
    }
}

/// Iterates over all lines, each with its offset in the stream.
pub fn lines() -> impl Iterator<Item = (usize, Line)> {
    let mut start = 0;
    (0..).map(line).map_while(move |line| {
        let at = start;
        start += line.bytes.len();
        (at < LENGTH).then_some((at, line))
    })
}
