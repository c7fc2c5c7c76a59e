//! A long stream of NDJSON in which one line in a hundred is damaged.

/// Bytes of the stream, or a few more.
pub const LENGTH: usize = 32 << 20;

/// A line of the stream.
pub struct Line {
    /// Its bytes, with the line feed.
    pub bytes: String,
    /// The text of its assertion, if it is reported.
    pub assertion: Option<String>,
    /// Where in it the byte is that is no JSON.
    pub offending: Option<usize>,
}

/// The line of a number, counted from 0.
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

/// All lines, each with where it starts.
pub fn lines() -> impl Iterator<Item = (usize, Line)> {
    let mut start = 0;
    (0..).map(line).map_while(move |line| {
        let at = start;
        start += line.bytes.len();
        (at < LENGTH).then_some((at, line))
    })
}
