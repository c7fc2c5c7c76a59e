//! The entries of the list beside an answer.

use std::borrow::Cow;
use std::fmt::Write as _;

use provstream::Action;

use crate::escape;
use crate::outcome::Outcome;
use crate::wording::Look;

/// Most characters that are shown of an identifier.
const SHOWN: usize = 256;

/// What a gate does with something.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed<'a> {
    /// This, with the texts of the policy.
    Action(&'a Action),
    /// This; its texts are not known.
    Outcome(Outcome),
    /// Nothing: it is after the place where the policy ends the stream.
    NotReached,
}

impl Deed<'_> {
    /// None if the gate does not get there.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Action(action) => Some(Outcome::from(*action)),
            Self::Outcome(outcome) => Some(*outcome),
            Self::NotReached => None,
        }
    }

    /// Whether the text is not written.
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

/// An annotation, as it is shown.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    /// The class as written.
    pub(crate) declared: &'a str,
    pub(crate) observation_id: Option<&'a str>,
    pub(crate) ts: Option<&'a str>,
    pub(crate) age: Option<String>,
    pub(crate) counts: bool,
    /// Whether it counts, and if not, why.
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
        if let Some(id) = self.observation_id {
            html.push_str("\n<span>Observation ");
            escape::value(html, id, SHOWN);
            html.push_str("</span>");
        }
        if let Some(ts) = self.ts {
            html.push_str("\n<span>");
            escape::value(html, ts, SHOWN);
            if let Some(age) = &self.age {
                let _ = write!(html, ", {age}");
            }
            html.push_str("</span>");
        }
        html.push_str("</li>\n");
    }
}

/// What an entry is about.
#[derive(Debug)]
pub(crate) struct Note<'a> {
    pub(crate) look: Look,
    pub(crate) title: &'a str,
    /// What else is known about it, such as how many classes count.
    pub(crate) detail: Cow<'a, str>,
    pub(crate) deed: Deed<'a>,
    /// Where it is, if there is no text to see it in.
    pub(crate) place: Option<String>,
    pub(crate) pointer: Option<&'a str>,
    pub(crate) evidence: Vec<Evidence<'a>>,
}

/// An entry that is written, with the reference to it.
#[derive(Clone, Debug)]
pub(crate) struct WrittenNote {
    pub(crate) look: Look,
    /// The link in the text.
    pub(crate) reference: String,
    /// The entry of the list.
    pub(crate) html: String,
}

/// Numbers entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    /// What identifiers begin with, so that those of several parts differ.
    prefix: Box<str>,
    /// There is no text that has references to the entries.
    is_without_text: bool,
    /// Entries so far.
    pub(crate) count: u64,
    /// Those of them that are not about something that is admitted.
    pub(crate) problems: u64,
}

impl Numbering {
    pub(crate) fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.into(),
            ..Self::default()
        }
    }

    pub(crate) fn without_text() -> Self {
        Self {
            is_without_text: true,
            ..Self::default()
        }
    }

    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Writes the next entry.
    pub(crate) fn write(&mut self, note: &Note<'_>) -> WrittenNote {
        self.count += 1;
        let (prefix, number, look) = (&self.prefix, self.count, note.look.class());
        let mut html = format!("<li id=\"{prefix}n{number}\" class=\"{look}\"><p>");
        let _ = if self.is_without_text {
            write!(html, "<span class=\"i\">{number}</span> ")
        } else {
            write!(
                html,
                "<a class=\"i\" href=\"#{prefix}a{number}\">{number}</a> "
            )
        };
        if note.look == Look::Admitted {
            let _ = write!(html, "<b>{}</b>", note.title);
        } else {
            self.problems += 1;
            let problem = self.problems;
            let _ = write!(
                html,
                "<b id=\"{prefix}x{problem}\">{}</b> <a class=\"f\" href=\"#{prefix}x{}\" aria-label=\"next that is not admitted, after {number}\">next</a>",
                note.title,
                problem + 1
            );
        }
        html.push_str("</p>\n<p class=\"d\">");
        note.deed.write(&mut html);
        if !note.detail.is_empty() {
            let _ = write!(html, " · {}", note.detail);
        }
        html.push_str("</p>\n");
        if let Some(place) = &note.place {
            let _ = writeln!(html, "<p class=\"d\">{place}</p>");
        }
        if let Some(pointer) = note.pointer {
            html.push_str("<p class=\"d\">member ");
            escape::value(&mut html, pointer, SHOWN);
            html.push_str("</p>\n");
        }
        if !note.evidence.is_empty() {
            html.push_str("<ul>\n");
            for evidence in &note.evidence {
                evidence.write(&mut html);
            }
            html.push_str("</ul>\n");
        }
        html.push_str("</li>\n");
        let reference = format!(
            "<a class=\"r {look}\" id=\"{prefix}a{number}\" href=\"#{prefix}n{number}\" data-n=\"{number}\" aria-label=\"{number}: {}, {}\"></a>",
            note.title,
            note.deed.words().to_lowercase()
        );
        WrittenNote {
            look: note.look,
            reference,
            html,
        }
    }
}
