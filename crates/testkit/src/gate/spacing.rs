//! Naive joining of the white space beside discarded text.

/// Output of a gate before its white space is joined.
#[derive(Debug, Default)]
pub struct Unjoined {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(Vec<u8>),
    /// Text was discarded here.
    Gap,
    /// The white space before this is joined without the white space after it.
    Seam,
}

impl Unjoined {
    pub fn text(&mut self, bytes: &[u8]) {
        if let Some(Part::Text(last)) = self.parts.last_mut() {
            last.extend_from_slice(bytes);
        } else {
            self.parts.push(Part::Text(bytes.to_vec()));
        }
    }

    pub fn gap(&mut self) {
        self.parts.push(Part::Gap);
    }

    pub fn seam(&mut self) {
        self.parts.push(Part::Seam);
    }

    /// Writes a run of text that is discarded, followed by an assertion or inserted text if `follows` is set.
    pub fn discarded_run(&mut self, run: &[u8], follows: bool) {
        self.gap();
        let len = without_white_end(run).len();
        let white = &run[len..];
        if follows && white.len() <= 64 {
            self.text(white);
            self.seam();
        }
    }
}

/// Joins the white space after each gap with the white space before it, in texts that follow each other.
pub fn joined<'a>(texts: impl IntoIterator<Item = &'a Unjoined>) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut is_after_gap = false;
    let mut ends = Vec::new();
    for text in texts {
        for part in &text.parts {
            match part {
                Part::Gap => is_after_gap = true,
                Part::Seam => {}
                Part::Text(text) => {
                    let len = text.iter().take_while(|byte| is_white(byte)).count();
                    let (white, rest) = text.split_at(len);
                    match is_after_gap && len <= 64 {
                        true => join(&mut out, white),
                        false => out.extend_from_slice(white),
                    }
                    out.extend_from_slice(rest);
                    is_after_gap &= rest.is_empty() && len <= 64;
                }
            }
        }
        ends.push(out.len());
    }
    let mut start = 0;
    let parts = ends
        .into_iter()
        .map(|end| out[core::mem::replace(&mut start, end)..end].to_vec());
    parts.collect()
}

/// Appends white space after a gap to what was written before it.
fn join(out: &mut Vec<u8>, white: &[u8]) {
    let text = without_white_end(out).len();
    let is_start = text == 0;
    let before: Vec<&[u8]> = out[text..].split(|byte| *byte == b'\n').collect();
    let after: Vec<&[u8]> = white.split(|byte| *byte == b'\n').collect();
    let (Some(&indent), Some((&new_indent, lines))) = (before.last(), after.split_last()) else {
        unreachable!("a split has at least one part")
    };
    let (ends_before, ends_after) = (before.len() - 1, lines.len());
    if ends_after == 0 {
        if out.len() == text && !is_start {
            out.extend_from_slice(white);
        }
    } else if is_start || ends_after <= ends_before {
        match new_indent
            .strip_prefix(indent)
            .filter(|_| indent.len() <= 16)
        {
            Some(more) => out.extend_from_slice(more),
            None => {
                let line_end: &[u8] = if lines[ends_after - 1].ends_with(b"\r") {
                    b"\r\n"
                } else {
                    b"\n"
                };
                out.extend_from_slice(line_end);
                out.extend_from_slice(new_indent);
            }
        }
    } else {
        out.extend_from_slice(&after[ends_before..].join(&b'\n'));
    }
}

fn is_white(byte: &u8) -> bool {
    b" \t\r\n".contains(byte)
}

fn without_white_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., last] = text
        && is_white(last)
    {
        text = rest;
    }
    text
}
