//! Entries of the list beside an answer.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::mem;

use provstream::{Action, Span};

use crate::escape;
use crate::outcome::Outcome;
use crate::wording::Look;

/// Most characters shown of an identifier.
const SHOWN: usize = 256;

/// Effect of a gate on a passage. The page shows it beside the verdict.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed<'a> {
    /// An action, with the texts of the policy.
    Action(&'a Action),
    /// An outcome, for logs without the texts of the policy.
    Outcome(Outcome),
    /// No effect: the passage is after the end that the policy sets.
    NotReached,
}

impl Deed<'_> {
    /// Returns the outcome, or `None` if the gate does not reach the passage.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Action(action) => Some(Outcome::from(*action)),
            Self::Outcome(outcome) => Some(*outcome),
            Self::NotReached => None,
        }
    }

    /// Returns `true` if the gate does not write the text.
    pub(crate) fn withholds(&self) -> bool {
        self.outcome().is_none_or(Outcome::withholds)
    }

    fn words(&self) -> &'static str {
        self.outcome().map_or("Not reached", Outcome::words)
    }

    fn write(&self, html: &mut String) {
        let quote = |html: &mut String, before: &str, text: &str| {
            html.push_str(before);
            html.push_str("<q>");
            escape::value(html, text, SHOWN);
            html.push_str("</q>");
        };
        html.push_str(self.words());
        match self {
            Self::Action(Action::Mark(before, after)) => {
                quote(html, " as ", &format!("{before}…{after}"));
            }
            Self::Action(Action::Replace(text)) => quote(html, " by ", text),
            Self::Action(Action::Refuse(text)) => quote(html, " with ", text),
            _ => {}
        }
    }
}

/// An annotation in an entry.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    /// The class as written.
    pub(crate) declared: &'a str,
    pub(crate) observation_id: Option<&'a str>,
    pub(crate) ts: Option<&'a str>,
    pub(crate) age: Option<String>,
    pub(crate) counts: bool,
    /// Statement that the annotation counts, or the reason why it does not.
    pub(crate) why: Cow<'a, str>,
}

impl Evidence<'_> {
    fn write(&self, html: &mut String) {
        let class = if self.counts { "y" } else { "z" };
        let _ = write!(html, "<li class=\"{class}\">");
        match self.declared {
            "" => html.push_str("(no class)"),
            declared => code(html, declared),
        }
        html.push_str(" <b>");
        escape::text(html, &self.why);
        html.push_str("</b>");
        if let Some(id) = self.observation_id {
            html.push_str("\n<p>Observation ");
            code(html, id);
            html.push_str("</p>");
        }
        if let Some(ts) = self.ts {
            html.push_str("\n<p>Time ");
            escape::value(html, ts, SHOWN);
            if let Some(age) = &self.age {
                let _ = write!(html, " ({age})");
            }
            html.push_str("</p>");
        }
        html.push_str("</li>\n");
    }
}

/// Writes what a model chose in the style of code, so that it cannot look like a word of the page.
fn code(html: &mut String, value: &str) {
    html.push_str("<code>");
    escape::value(html, value, SHOWN);
    html.push_str("</code>");
}

/// Content of an entry.
#[derive(Debug)]
pub(crate) struct Note<'a> {
    pub(crate) look: Look,
    pub(crate) title: &'static str,
    /// Name of the disposition, by which readers filter; empty for what is not filtered.
    pub(crate) verdict: &'static str,
    /// `true` for an assertion that is counted and not admitted.
    pub(crate) is_problem: bool,
    /// Further details, such as the number of classes that count.
    pub(crate) detail: Cow<'a, str>,
    pub(crate) deed: Deed<'a>,
    /// Location in HTML, for pages without the text.
    pub(crate) place: Option<String>,
    pub(crate) pointer: Option<&'a str>,
    pub(crate) evidence: Vec<Evidence<'a>>,
}

impl Note<'_> {
    /// Renders the entry without its number.
    pub(crate) fn draft(&self) -> UnnumberedNote {
        let mut html = String::new();
        if !self.detail.is_empty() {
            let _ = write!(html, " <span class=\"d\">{}</span>", self.detail);
        }
        let head = mem::take(&mut html);
        self.deed.write(&mut html);
        html.push_str("</p>\n");
        if let Some(place) = &self.place {
            let _ = writeln!(html, "<p class=\"d\">{place}</p>");
        }
        if let Some(pointer) = self.pointer {
            html.push_str("<p class=\"d\">Member ");
            code(&mut html, pointer);
            html.push_str("</p>\n");
        }
        if !self.evidence.is_empty() {
            html.push_str("<ul>\n");
            for evidence in &self.evidence {
                evidence.write(&mut html);
            }
            html.push_str("</ul>\n");
        }
        html.push_str("</details></li>\n");
        UnnumberedNote {
            look: self.look,
            title: self.title,
            verdict: self.verdict,
            is_problem: self.is_problem,
            words: self.deed.words(),
            is_withheld: self.deed.withholds(),
            source: None,
            head,
            html,
        }
    }
}

/// Place of something in a text: the number of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotePlace {
    /// In the passage of the entry or its annotations.
    In(u64),
    /// After the passage and before the next.
    After(u64),
    /// Before all passages.
    First,
}

/// Ranges in a stream of the passages that have an entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotePlaces(Vec<(Span, u64)>);

impl NotePlaces {
    /// Returns the place of an offset in the stream.
    pub(crate) fn place(&self, at: u64) -> NotePlace {
        let after = self.0.partition_point(|(span, _)| span.start() <= at);
        match self.0[..after].last() {
            Some((span, number)) if at < span.end() || span.is_empty() => NotePlace::In(*number),
            Some((_, number)) => NotePlace::After(*number),
            None => NotePlace::First,
        }
    }
}

/// An entry that is rendered but not numbered yet.
#[derive(Clone, Debug)]
pub(crate) struct UnnumberedNote {
    pub(crate) look: Look,
    title: &'static str,
    verdict: &'static str,
    is_problem: bool,
    /// Words for the effect of the gate.
    words: &'static str,
    is_withheld: bool,
    /// Range in the stream of an assertion and its annotations.
    source: Option<Span>,
    /// HTML after the title.
    head: String,
    /// HTML after the links, beginning within a paragraph.
    html: String,
}

impl UnnumberedNote {
    /// Sets the range in the stream.
    pub(crate) fn with_source(mut self, source: Span) -> Self {
        self.source = Some(source);
        self
    }

    /// Returns the classes of elements about the passage.
    fn classes(&self) -> String {
        match self.verdict {
            "" => self.look.class().to_owned(),
            verdict => format!("{} v-{verdict}", self.look.class()),
        }
    }
}

/// Numbers entries in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoteNumbering {
    /// Prefix of element identifiers, distinct for each part of a page.
    prefix: Box<str>,
    /// `true` if the page has no text that links to the entries.
    is_without_text: bool,
    /// Number of entries so far.
    count: u64,
    /// Number of entries about text that is not admitted.
    problems: u64,
    places: NotePlaces,
}

impl NoteNumbering {
    pub(crate) fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.into(),
            ..Self::default()
        }
    }

    /// Creates a numbering for a page without text.
    pub(crate) fn without_text() -> Self {
        Self {
            is_without_text: true,
            ..Self::default()
        }
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(crate) const fn problems(&self) -> u64 {
        self.problems
    }

    /// Returns the places of the entries so far, and forgets them.
    pub(crate) fn take_places(&mut self) -> NotePlaces {
        let mut places = mem::take(&mut self.places);
        places.0.sort_by_key(|(span, _)| span.start());
        places
    }

    /// Writes the link from the text to the next entry.
    pub(crate) fn reference(&self, draft: &UnnumberedNote, html: &mut String) {
        let (prefix, number) = (&self.prefix, self.count + 1);
        let words = draft.words.to_lowercase();
        // A word, because characters of the text can draw a line as well.
        let shown = match draft.is_withheld {
            true => format!("{number} {words}"),
            false => number.to_string(),
        };
        let _ = write!(
            html,
            "<a class=\"r {}\" id=\"{prefix}a{number}\" href=\"#{prefix}n{number}\" data-n=\"{shown}\" aria-label=\"{number}: {}, {words}\"></a>",
            draft.classes(),
            draft.title,
        );
    }

    /// Writes the next entry. Entries of problems are open.
    pub(crate) fn entry(&mut self, draft: &UnnumberedNote, html: &mut String) {
        self.count += 1;
        let places = &mut self.places.0;
        places.extend(draft.source.map(|source| (source, self.count)));
        let (prefix, number) = (&self.prefix, self.count);
        let (classes, title, head) = (draft.classes(), draft.title, &draft.head);
        let (open, problem) = match draft.is_problem {
            true => {
                self.problems += 1;
                (" open=\"\"", format!(" id=\"{prefix}x{}\"", self.problems))
            }
            false => ("", String::new()),
        };
        let _ = write!(
            html,
            "<li id=\"{prefix}n{number}\" class=\"{classes}\"><details{open}><summary{problem}><span class=\"i\">{number}</span> \
             <b>{title}</b>{head}</summary>\n<p class=\"d\">"
        );
        if draft.is_problem {
            let next = self.problems + 1;
            let _ = write!(
                html,
                "<a class=\"f\" href=\"#{prefix}x{next}\" aria-label=\"next that is not admitted, after {number}\">next</a> "
            );
        }
        if !self.is_without_text {
            let _ = write!(
                html,
                "<a class=\"f\" href=\"#{prefix}a{number}\" aria-label=\"{number} in the text\">text</a> "
            );
        }
        html.push_str(&draft.html);
    }
}
