//! Page about a text in memory.

use provstream::{Gate, Parser};

use crate::page::Page;
use crate::report::Report;

/// Returns the page about a text. `parser` must be new.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream::{Parser, Rules};
/// use provstream_report::{Report, page};
///
/// let file = b"floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n";
/// let rules = Rules::from_toml(file, &Vocabulary::memo())?;
/// let report = Report::new(rules, "2026-05-28T12:00:00Z".parse()?);
/// let answer = "It rained. [substrate.grep; ts=2026-05-28T11:40:00Z]";
/// let html = page("answer.txt", answer, Parser::new(), report);
/// assert!(html.contains("20 min old"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn page(name: &str, answer: impl AsRef<[u8]>, parser: Parser, mut report: Report) -> String {
    let mut transcript = report.transcript(None);
    let mut gate = Gate::new(parser, report.policy());
    gate.push(answer.as_ref(), &mut transcript);
    gate.finish(&mut transcript);
    let (mut body, mut html) = (Vec::new(), Vec::new());
    // Writing to memory always succeeds.
    if let Ok(part) = transcript.finish(&mut body) {
        let parts = [part];
        let page = Page::new(name, &parts).with_report(&report);
        let _ = page.write_head(&mut html);
        let _ = page.write_part(&parts[0], &mut html);
        html.append(&mut body);
        let _ = page.write_end(&mut html);
    }
    String::from_utf8(html).unwrap_or_default()
}
