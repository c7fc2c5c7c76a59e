//! Page around the texts of an answer.

use std::fmt::Write as _;
use std::io;

use provstream::Disposition;

use crate::counts::Counts;
use crate::escape;
use crate::note::NotePlace;
use crate::outcome::Outcome;
use crate::part::TextSummary;
use crate::report::Report;
use crate::style::{STYLE, STYLE_HASH};
use crate::wording::{self, DISPOSITIONS, Look};

/// Page about an answer, as one HTML file without scripts and external resources. Its content
/// security policy permits only its own style sheet.
///
/// Written in this order: [`write_head`](Self::write_head); for each part [`write_part`](Self::write_part), then its body;
/// [`write_end`](Self::write_end).
#[derive(Clone, Debug)]
pub struct Page<'a> {
    source: &'a str,
    parts: &'a [TextSummary],
    counts: Counts,
    facts: Vec<(&'static str, String)>,
    remarks: Vec<String>,
}

impl<'a> Page<'a> {
    /// Creates a page about an answer with this name and these parts.
    #[must_use]
    pub fn new(source: &'a str, parts: &'a [TextSummary]) -> Self {
        let mut counts = Counts::default();
        for part in parts {
            counts.add(&part.counts);
        }
        Self {
            source,
            parts,
            counts,
            facts: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds the rules and the time of a report.
    #[must_use]
    pub fn with_report(self, report: &Report) -> Self {
        let rules = report.rules();
        let page = match rules.version() {
            "" => self,
            version => self.with_fact("Policy", version),
        };
        let floor = rules.discipline().floor();
        let needs = match floor {
            1 => "1 class: an assertion needs an annotation that counts".to_owned(),
            _ => format!(
                "{floor} classes: an assertion needs annotations of {floor} classes that count"
            ),
        };
        page.with_fact("Floor", &needs)
            .with_fact("Judged as of", &report.now().to_string())
    }

    /// Adds a fact about the answer, such as its format.
    #[must_use]
    pub fn with_fact(mut self, name: &'static str, value: &str) -> Self {
        self.facts.push((name, value.to_owned()));
        self
    }

    /// Adds a remark for readers, such as that the answer could be read only in part.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Self {
        self.remarks.push(remark.into());
        self
    }

    /// Returns the sum of the counts of all parts.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Writes the head of the page, with the counts and a legend of the marks.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_head(&self, mut out: impl io::Write) -> io::Result<()> {
        let mut html = String::new();
        html.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let _ = write!(
            html,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{STYLE_HASH}'; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<title>"
        );
        escape::plain(&mut html, self.source);
        html.push_str(" – provenance report</title>\n<style>");
        html.push_str(STYLE);
        html.push_str("</style>\n</head>\n<body id=\"top\">\n");
        let first = self.parts.first().map_or("", |part| &part.prefix);
        let _ = writeln!(
            html,
            "<a class=\"skip\" href=\"#{first}text\">Skip to the answer</a>"
        );
        self.write_header(&mut html);
        html.push_str("<main>\n");
        self.write_counts(&mut html);
        out.write_all(html.as_bytes())
    }

    /// Writes the heading of a part and the index of its pages. The body of the part must follow.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_part(&self, part: &TextSummary, mut out: impl io::Write) -> io::Result<()> {
        let mut html = String::new();
        let prefix = &part.prefix;
        if self
            .parts
            .first()
            .is_some_and(|first| first.prefix != *prefix)
        {
            html.push_str("</section>\n");
        }
        let mut name = String::new();
        escape::plain(&mut name, &part.title);
        let _ = write!(
            html,
            "<section aria-labelledby=\"{prefix}text\">\n<h2 id=\"{prefix}text\">{name}</h2>\n"
        );
        if part.problems > 0 {
            let _ = writeln!(
                html,
                "<p class=\"turn\"><a href=\"#{prefix}x1\">Go to the first assertion that is not admitted</a></p>"
            );
        }
        if part.index.sheets() == 0 {
            html.push_str("<p>There is no text.</p>\n");
        }
        part.index.write(&mut html, prefix, &name.to_lowercase());
        out.write_all(html.as_bytes())
    }

    /// Writes the end of the page.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_end(&self, mut out: impl io::Write) -> io::Result<()> {
        let end = if self.parts.is_empty() {
            "<p id=\"text\">There is no text.</p>\n"
        } else {
            "</section>\n"
        };
        out.write_all(end.as_bytes())?;
        out.write_all(
            "</main>\n<footer>\n<p>An annotation is what the model declares. That it counts is no evidence that an \
             observation took place. Show this page only to readers that may see what the gate withholds: it is all here.</p>\n\
             </footer>\n</body>\n</html>\n"
                .as_bytes(),
        )
    }

    fn write_header(&self, html: &mut String) {
        html.push_str("<header>\n<p class=\"kicker\">Provenance report</p>\n<h1>");
        escape::value(html, self.source, usize::MAX);
        html.push_str("</h1>\n");
        if !self.facts.is_empty() {
            html.push_str("<dl class=\"facts\">\n");
            for (name, value) in &self.facts {
                let _ = write!(html, "<div><dt>{name}</dt><dd>");
                escape::value(html, value, usize::MAX);
                html.push_str("</dd></div>\n");
            }
            html.push_str("</dl>\n");
        }
        html.push_str("</header>\n");
    }

    fn write_counts(&self, html: &mut String) {
        let counts = &self.counts;
        let all = counts.assertions();
        let admitted = counts.disposed(Disposition::Admitted);
        html.push_str("<section class=\"glance\" aria-labelledby=\"counts\">\n<h2 id=\"counts\">At a glance</h2>\n<dl class=\"tiles\">\n");
        let share = counts.unannotated_share();
        let share = share.map(|share| format!("{:.0} %", share * 100.0));
        for (id, name, value) in [
            ("assertions", "Assertions", Some(all.to_string())),
            ("admitted", "Admitted", Some(admitted.to_string())),
            (
                "not-admitted",
                "Not admitted",
                Some((all - admitted).to_string()),
            ),
            (
                "counting",
                "Annotations that count",
                Some(format!("{} of {}", counts.counting(), counts.annotations())),
            ),
            ("unannotated", "Text without annotation", share),
        ] {
            let Some(value) = value else { continue };
            let _ = writeln!(
                html,
                "<div id=\"t-{id}\"><dt>{name}</dt><dd>{value}</dd></div>"
            );
        }
        html.push_str("</dl>\n");
        self.write_bar(html);
        html.push_str("<div class=\"tables\">\n");
        self.write_verdicts(html);
        self.write_outcomes(html);
        self.write_classes(html);
        html.push_str("</div>\n");
        self.write_remarks(html);
        self.write_diagnostics(html);
        self.write_controls(html);
        html.push_str("</section>\n");
    }

    /// Writes a bar with the shares of the verdicts.
    fn write_bar(&self, html: &mut String) {
        let all = self.counts.assertions();
        if all == 0 {
            return;
        }
        let of = |look| {
            let counts = self.counts.decided.iter();
            let counts = counts.filter(|((disposition, _), _)| Look::of(*disposition) == look);
            counts.map(|(_, count)| *count).sum::<u64>()
        };
        html.push_str("<svg class=\"bar\" viewBox=\"0 0 1000 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
        let mut before = 0;
        for look in Look::ALL {
            let count = of(look);
            if count == 0 {
                continue;
            }
            let permille = |count: u64| (u128::from(count) * 1_000 / u128::from(all)) as u64;
            let (from, to) = (permille(before), permille(before + count));
            before += count;
            let _ = write!(
                html,
                "<rect class=\"{}\" x=\"{from}\" width=\"{}\" height=\"8\"/>",
                look.class(),
                (to - from)
                    .saturating_sub(u64::from(before < all) * 3)
                    .max(1)
            );
        }
        html.push_str("</svg>\n");
    }

    fn write_verdicts(&self, html: &mut String) {
        html.push_str(
            "<table class=\"v\">\n<caption>Verdicts<span class=\"f\">: untick one to hide its assertions</span></caption>\n<thead><tr><th scope=\"col\">Verdict</th>\
             <th scope=\"col\">Meaning</th><th scope=\"col\" class=\"num\">Assertions</th></tr></thead>\n<tbody>\n",
        );
        for disposition in DISPOSITIONS {
            let count = self.counts.disposed(disposition);
            if count == 0 && disposition != Disposition::Admitted {
                continue;
            }
            let (name, meaning) = wording::disposition(disposition);
            let look = Look::of(disposition).class();
            let id = format!("f-{disposition}");
            let _ = write!(html, "<tr id=\"v-{disposition}\"><th scope=\"row\">");
            write_checkbox(
                html,
                &id,
                true,
                &format!("<span class=\"i {look}\">{name}</span>"),
            );
            let _ = writeln!(
                html,
                "</th><td>{meaning}</td><td class=\"num\">{count}</td></tr>"
            );
        }
        html.push_str("</tbody>\n</table>\n");
    }

    fn write_outcomes(&self, html: &mut String) {
        let counts = &self.counts;
        html.push_str(
            "<table>\n<caption>What the gate does</caption>\n<thead><tr><th scope=\"col\">Action</th>\
             <th scope=\"col\" class=\"num\">Assertions</th><th scope=\"col\" class=\"num\">Other passages</th></tr></thead>\n<tbody>\n",
        );
        for outcome in Outcome::ALL {
            let (treated, runs) = (counts.treated(outcome), counts.runs(outcome));
            if treated == 0 && runs == 0 && outcome != Outcome::Release {
                continue;
            }
            let runs = match outcome {
                Outcome::Release => "the rest".to_owned(),
                _ => runs.to_string(),
            };
            let _ = writeln!(
                html,
                "<tr id=\"o-{outcome}\"><th scope=\"row\">{}</th><td class=\"num\">{treated}</td><td class=\"num\">{runs}</td></tr>",
                outcome.words()
            );
        }
        if counts.after_end() > 0 {
            let _ = writeln!(
                html,
                "<tr id=\"o-not-reached\"><th scope=\"row\">Not reached</th><td class=\"num\">{}</td><td class=\"num\">the rest</td></tr>",
                counts.after_end()
            );
        }
        html.push_str("</tbody>\n</table>\n");
    }

    fn write_remarks(&self, html: &mut String) {
        let counts = &self.counts;
        let mut remarks = self.remarks.clone();
        if counts.ended(Outcome::Suspend) > 0 {
            remarks.push(
                "The policy suspends the stream, so that the rest can be asked for once more. What the gate does not reach is \
                 dimmed."
                    .to_owned(),
            );
        }
        if counts.ended(Outcome::Refuse) > 0 {
            remarks.push(
                "The policy refuses the rest of the stream. What the gate does not reach is dimmed.".to_owned(),
            );
        }
        if counts.limits() > 0 {
            let limits = counts.limits();
            remarks.push(format!(
                "Text that was too long to be held back was released without a decision: {limits} ×."
            ));
        }
        if self.is_empty_handed() {
            remarks.push(NO_ANNOTATIONS.to_owned());
        }
        if remarks.is_empty() {
            return;
        }
        html.push_str("<ul class=\"remarks\">\n");
        for remark in &remarks {
            html.push_str("<li>");
            escape::text(html, remark);
            html.push_str("</li>\n");
        }
        html.push_str("</ul>\n");
    }

    /// Returns `true` if there is text, and no annotation in it.
    fn is_empty_handed(&self) -> bool {
        let counts = &self.counts;
        counts.annotations() == 0
            && counts.after_end() == 0
            && self.parts.iter().any(|part| part.index.sheets() > 0)
            && counts.characters.0 > 0
    }

    /// Writes a table of the classes of annotations.
    fn write_classes(&self, html: &mut String) {
        if self.counts.classes.is_empty() {
            return;
        }
        html.push_str(
            "<table>\n<caption>Classes of annotations</caption>\n<thead><tr><th scope=\"col\">Class</th>\
             <th scope=\"col\" class=\"num\">Annotations</th><th scope=\"col\" class=\"num\">Count</th>\
             <th scope=\"col\" class=\"num\">Do not count</th></tr></thead>\n<tbody>\n",
        );
        for (class, (annotations, counting)) in &self.counts.classes {
            html.push_str("<tr><th scope=\"row\"><code>");
            escape::value(html, class, 256);
            let _ = writeln!(
                html,
                "</code></th><td class=\"num\">{annotations}</td><td class=\"num\">{counting}</td><td class=\"num\">{}</td></tr>",
                annotations - counting
            );
        }
        html.push_str("</tbody>\n</table>\n");
    }

    /// Writes what the parser reports, with links to the places.
    fn write_diagnostics(&self, html: &mut String) {
        if self.counts.diagnostics.is_empty() {
            return;
        }
        html.push_str(
            "<h3 id=\"diagnostics\">What the parser reports</h3>\n<ul class=\"remarks\">\n",
        );
        for (code, count) in &self.counts.diagnostics {
            let _ = write!(
                html,
                "<li><code>{code}</code>, {count} ×: {}",
                code.description()
            );
            let mut separator = ". In the text: ";
            for part in self.parts {
                let of_code = part.diagnostics.iter().filter(|(it, _)| it == code);
                for (_, place) in of_code {
                    let prefix = &part.prefix;
                    let _ = match place {
                        NotePlace::In(number) => write!(
                            html,
                            "{separator}<a href=\"#{prefix}a{number}\">at {number}</a>"
                        ),
                        NotePlace::After(number) => write!(
                            html,
                            "{separator}<a href=\"#{prefix}a{number}\">after {number}</a>"
                        ),
                        NotePlace::First => write!(
                            html,
                            "{separator}<a href=\"#{prefix}text\">at the beginning</a>"
                        ),
                    };
                    separator = ", ";
                }
            }
            html.push_str("</li>\n");
        }
        html.push_str("</ul>\n");
    }

    /// Writes the check boxes by which readers choose what the page shows.
    fn write_controls(&self, html: &mut String) {
        html.push_str("<p class=\"view\">");
        if self.counts.runs.values().any(|count| *count > 0) {
            write_checkbox(html, "f-run", true, "Text without annotation");
        }
        if self.counts.characters.0 > 0 {
            write_checkbox(html, "f-notes", true, "Entries beside the text");
            write_checkbox(html, "f-markup", false, "Markdown as it is written");
        }
        html.push_str("</p>\n");
    }
}

/// Remark about a text without annotations.
const NO_ANNOTATIONS: &str = "There are no annotations in this text. To get some, add the instructions that provstream emit prompt prints to the system \
     message of the model; to see annotated answers, run provstream proxy --demo.";

fn write_checkbox(html: &mut String, id: &str, is_checked: bool, label: &str) {
    let checked = if is_checked { " checked=\"\"" } else { "" };
    let _ = write!(
        html,
        "<label><input type=\"checkbox\" id=\"{id}\"{checked}> {label}</label>"
    );
}
