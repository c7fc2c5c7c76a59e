//! Writing what was annotated in the forms of others.

mod gemini;
mod openai;
mod web;

use core::fmt::{self, Display};

use super::cited::Cited;
use provstream::provenance::Annotation;

pub use gemini::write_gemini_grounding;
pub use openai::{OpenAiShape, write_openai_annotations};
pub use web::{TERMS, write_web_annotation};

/// Link of an annotation, for forms that cite pages: an annotation has no address.
///
/// Callers know where observations can be viewed, and create one link for each annotation that is written, perhaps
/// from its [`observation_id`](Annotation::observation_id). Neither part is validated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    url: String,
    title: String,
}

impl Link {
    /// A link to this address, with this title.
    #[must_use]
    pub fn new(url: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            title: title.into(),
        }
    }

    /// Returns the address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }
}

/// The links of all annotations that have one, each with what it is about.
fn linked<'c, 'a: 'c>(
    cited: impl IntoIterator<Item = &'c Cited<'a>>,
    mut link: impl FnMut(&Annotation<'a>) -> Option<Link>,
) -> Vec<(&'c Cited<'a>, Vec<Link>)> {
    let cited = cited.into_iter();
    cited
        .map(|cited| {
            (
                cited,
                cited.annotations().iter().filter_map(&mut link).collect(),
            )
        })
        .collect()
}

/// JSON elements or members with commas between them.
struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}
