//! Index of several pages.

use std::fmt::Write as _;

use provstream::Disposition;

use crate::counts::Counts;
use crate::escape;
use crate::outcome::Outcome;
use crate::style::{STYLE, STYLE_HASH};

/// Page with a row for each of several pages, as HTML in one file.
///
/// ```
/// use provstream_report::{Counts, Overview};
///
/// let mut overview = Overview::new("Answers");
/// overview.push("a.txt", "a.txt.html", &Counts::default());
/// assert!(overview.to_html().contains("<a href=\"a.txt.html\"><bdi>a.txt</bdi></a>"));
/// ```
#[derive(Clone, Debug)]
pub struct Overview {
    title: String,
    rows: String,
    total: Counts,
    pages: u64,
}

impl Overview {
    /// An overview without rows.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            rows: String::new(),
            total: Counts::default(),
            pages: 0,
        }
    }

    /// Adds a row: the name of an answer, the file name of its page, and its counts.
    pub fn push(&mut self, name: &str, file: &str, counts: &Counts) {
        self.total.add(counts);
        self.pages += 1;
        let mut link = String::new();
        for byte in file.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
                    link.push(byte.into());
                }
                // Writing to a string cannot fail.
                _ => drop(write!(link, "%{byte:02X}")),
            }
        }
        self.rows.push_str("<tr><th scope=\"row\"><a href=\"");
        self.rows.push_str(&link);
        self.rows.push_str("\">");
        escape::value(&mut self.rows, name, usize::MAX);
        self.rows.push_str("</a></th>");
        write_cells(&mut self.rows, counts);
    }

    /// Returns the page.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut html = String::new();
        let _ = write!(
            html,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{STYLE_HASH}'; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<title>"
        );
        escape::plain(&mut html, &self.title);
        html.push_str(" – provenance reports</title>\n<style>");
        html.push_str(STYLE);
        html.push_str("</style>\n</head>\n<body id=\"top\">\n<header>\n<p class=\"kicker\">Provenance reports</p>\n<h1>");
        escape::value(&mut html, &self.title, usize::MAX);
        html.push_str("</h1>\n</header>\n<main>\n<section aria-labelledby=\"pages\">\n");
        let _ = write!(
            html,
            "<h2 id=\"pages\">Answers: {}</h2>\n<table class=\"live\">\n<thead><tr><th scope=\"col\">Answer</th>",
            self.pages
        );
        for column in COLUMNS {
            let _ = write!(html, "<th scope=\"col\" class=\"num\">{column}</th>");
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        html.push_str(&self.rows);
        html.push_str("<tr><th scope=\"row\">All</th>");
        write_cells(&mut html, &self.total);
        html.push_str("</tbody>\n</table>\n</section>\n</main>\n</body>\n</html>\n");
        html
    }
}

/// Columns of numbers.
const COLUMNS: [&str; 4] = [
    "Assertions",
    "Admitted",
    "Annotations that count",
    "Withheld passages",
];

fn write_cells(html: &mut String, counts: &Counts) {
    let withheld = Outcome::ALL
        .into_iter()
        .filter(|outcome| outcome.withholds());
    let withheld: u64 = withheld
        .map(|outcome| counts.treated(outcome) + counts.runs(outcome) + counts.ended(outcome))
        .sum();
    let cells = [
        counts.assertions().to_string(),
        counts.disposed(Disposition::Admitted).to_string(),
        format!("{} of {}", counts.counting(), counts.annotations()),
        withheld.to_string(),
    ];
    for (cell, column) in cells.iter().zip(COLUMNS) {
        let _ = write!(html, "<td class=\"num\" data-l=\"{column}\">{cell}</td>");
    }
    html.push_str("</tr>\n");
}
