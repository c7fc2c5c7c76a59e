//! Index of the sheets of a text.

use std::fmt::Write as _;

use crate::wording::Look;

/// Most lines of an index. With more sheets, a line covers several.
const MAX_LINES: usize = 400;

/// Sheets of a text, and the number of entries of each look in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    lines: Vec<[u64; Look::ALL.len()]>,
    sheets: u64,
    /// Number of sheets of a line, minus one.
    more: u64,
}

impl Index {
    pub(crate) const fn sheets(&self) -> u64 {
        self.sheets
    }

    /// Begins a sheet, and returns its number, from 1.
    pub(crate) fn begin_sheet(&mut self) -> u64 {
        let is_line = self.sheets.is_multiple_of(self.more + 1);
        if is_line && self.lines.len() == MAX_LINES {
            let pairs = self.lines.chunks(2).map(|pair| {
                let mut sum = pair[0];
                for (own, other) in sum.iter_mut().zip(pair.iter().skip(1).flatten()) {
                    *own += other;
                }
                sum
            });
            self.lines = pairs.collect();
            self.more = self.more * 2 + 1;
        }
        if self.sheets.is_multiple_of(self.more + 1) {
            self.lines.push([0; Look::ALL.len()]);
        }
        self.sheets += 1;
        self.sheets
    }

    /// Counts an entry in the last sheet.
    pub(crate) fn note(&mut self, look: Look) {
        let place = Look::ALL.iter().position(|&it| it == look);
        if let (Some(place), Some(line)) = (place, self.lines.last_mut()) {
            line[place] += 1;
        }
    }

    /// Writes the index as a list, if there are at least two sheets.
    pub(crate) fn write(&self, html: &mut String, prefix: &str, name: &str) {
        if self.sheets < 2 {
            return;
        }
        let _ = write!(
            html,
            "<details class=\"pages\">\n<summary>{} pages</summary>\n<nav aria-label=\"Pages of {name}\">\n<ol>\n",
            self.sheets
        );
        let step = self.more + 1;
        for (line, counts) in (0..).zip(&self.lines) {
            let (first, last) = (line * step + 1, ((line + 1) * step).min(self.sheets));
            let target = if first == 1 {
                format!("{prefix}text")
            } else {
                format!("{prefix}p{first}")
            };
            let _ = write!(html, "<li><a href=\"#{target}\">Page {first}");
            if last > first {
                let _ = write!(html, " to {last}");
            }
            html.push_str("</a>");
            for (look, count) in Look::ALL
                .into_iter()
                .zip(counts)
                .filter(|(_, count)| **count > 0)
            {
                let _ = write!(html, " <span class=\"i {}\">{count}</span>", look.class());
            }
            html.push_str("</li>\n");
        }
        html.push_str("</ol>\n</nav>\n</details>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_few_and_lose_nothing() {
        let mut index = Index::default();
        for sheet in 1..=3_001 {
            assert_eq!(index.begin_sheet(), sheet);
            index.note(Look::Wrong);
        }
        assert!(index.lines.len() <= MAX_LINES);
        let counts: u64 = index.lines.iter().flatten().sum();
        assert_eq!(counts, 3_001);
        let mut html = String::new();
        index.write(&mut html, "", "the text");
        assert!(html.contains("<a href=\"#p9\">Page 9 to 16</a> <span class=\"i ba\">8</span>"));
        assert!(html.contains("Page 3001</a> <span class=\"i ba\">1</span>"));
    }
}
