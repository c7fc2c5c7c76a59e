//! Entries of the list beside an answer.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::mem;

use provstream::Action;

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
        let _ = write!(html, "<li class=\"{class}\"><code>");
        if self.declared.is_empty() {
            html.push_str("(no class)");
        }
        escape::value(html, self.declared, SHOWN);
        html.push_str("</code> <b>");
        escape::text(html, &self.why);
        html.push_str("</b>");
        if self.observation_id.is_some() || self.ts.is_some() {
            html.push_str("\n<p>");
            if let Some(id) = self.observation_id {
                html.push_str("<span>Observation ");
                escape::value(html, id, SHOWN);
                html.push_str("</span> ");
            }
            if let Some(ts) = self.ts {
                html.push_str("<span>");
                escape::value(html, ts, SHOWN);
                if let Some(age) = &self.age {
                    let _ = write!(html, ", {age}");
                }
                html.push_str("</span>");
            }
            html.push_str("</p>");
        }
        html.push_str("</li>\n");
    }
}

/// Content of an entry.
#[derive(Debug)]
pub(crate) struct Note<'a> {
    pub(crate) look: Look,
    pub(crate) title: &'static str,
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
        html.push_str("<p class=\"d\">");
        self.deed.write(&mut html);
        html.push_str("</p>\n");
        if let Some(place) = &self.place {
            let _ = writeln!(html, "<p class=\"d\">{place}</p>");
        }
        if let Some(pointer) = self.pointer {
            html.push_str("<p class=\"d\">Member ");
            escape::value(&mut html, pointer, SHOWN);
            html.push_str("</p>\n");
        }
        if !self.evidence.is_empty() {
            html.push_str("<ul>\n");
            for evidence in &self.evidence {
                evidence.write(&mut html);
            }
            html.push_str("</ul>\n");
        }
        html.push_str("</li>\n");
        UnnumberedNote {
            look: self.look,
            title: self.title,
            words: self.deed.words(),
            head,
            html,
        }
    }
}

/// An entry that is rendered but not numbered yet.
#[derive(Clone, Debug)]
pub(crate) struct UnnumberedNote {
    pub(crate) look: Look,
    title: &'static str,
    /// Words for the effect of the gate.
    words: &'static str,
    /// HTML after the title.
    head: String,
    html: String,
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

    /// Writes the link from the text to the next entry.
    pub(crate) fn reference(&self, draft: &UnnumberedNote, html: &mut String) {
        let (prefix, number) = (&self.prefix, self.count + 1);
        let _ = write!(
            html,
            "<a class=\"r {}\" id=\"{prefix}a{number}\" href=\"#{prefix}n{number}\" data-n=\"{number}\" aria-label=\"{number}: {}, {}\"></a>",
            draft.look.class(),
            draft.title,
            draft.words.to_lowercase()
        );
    }

    /// Writes the next entry.
    pub(crate) fn entry(&mut self, draft: &UnnumberedNote, html: &mut String) {
        self.count += 1;
        let (prefix, number, look) = (&self.prefix, self.count, draft.look.class());
        let _ = write!(html, "<li id=\"{prefix}n{number}\" class=\"{look}\"><p>");
        let _ = if self.is_without_text {
            write!(html, "<span class=\"i\">{number}</span> ")
        } else {
            write!(
                html,
                "<a class=\"i\" href=\"#{prefix}a{number}\">{number}</a> "
            )
        };
        let (title, head) = (draft.title, &draft.head);
        if draft.look == Look::Admitted {
            let _ = write!(html, "<b>{title}</b>{head}");
        } else {
            self.problems += 1;
            let (problem, next) = (self.problems, self.problems + 1);
            let _ = write!(
                html,
                "<b id=\"{prefix}x{problem}\">{title}</b>{head} <a class=\"f\" href=\"#{prefix}x{next}\" \
                 aria-label=\"next that is not admitted, after {number}\">next</a>"
            );
        }
        html.push_str("</p>\n");
        html.push_str(&draft.html);
    }
}
