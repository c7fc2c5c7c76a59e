//! Templates of links to observations.

use std::fmt::Write;
use std::str::FromStr;

use super::Link;
use provstream::provenance::{Annotation, LabelKind};

/// Template of the links of a class, or of all classes: `[CLASS=]URL`.
///
/// In the URL `{id}` is replaced by the observation id and `{class}` by the class, both percent-encoded.
///
/// ```
/// use provstream::provenance::{Annotation, Class};
/// use provstream_providers::citation::LinkTemplate;
///
/// let templates = ["substrate.grep=https://example.org/{id}".parse()?];
/// let annotation = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("src/a.rs:7");
/// let link = LinkTemplate::expand(&templates, &annotation).unwrap();
/// assert_eq!(link.url(), "https://example.org/src%2Fa.rs%3A7");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTemplate {
    /// Class; `None` for all classes without a template of their own.
    class: Option<String>,
    url: String,
}

impl LinkTemplate {
    /// Returns the class; `None` for all classes without a template of their own.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }

    /// Returns `true` if the URL has `{id}`.
    #[must_use]
    pub fn has_id(&self) -> bool {
        self.url.contains(ID)
    }

    /// Returns the link of an annotation, whose title is the class. A terminal has none, since it corroborates nothing.
    #[must_use]
    pub fn expand(templates: &[Self], annotation: &Annotation<'_>) -> Option<Link> {
        if annotation.label_kind() != LabelKind::Corroborated {
            return None;
        }
        let class = annotation.class().as_str();
        let of = |wanted: Option<&str>| {
            templates
                .iter()
                .find(|template| template.class.as_deref() == wanted)
        };
        let template = of(Some(class)).or_else(|| of(None))?;
        let mut url = template.url.replace("{class}", &encoded(class));
        if template.has_id() {
            url = url.replace(ID, &encoded(annotation.observation_id()?));
        }
        Some(Link::new(url, class))
    }
}

/// Placeholder of the observation id.
const ID: &str = "{id}";

impl FromStr for LinkTemplate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // An address may have `=`, but only after its scheme.
        let (class, url) = match text.split_once('=') {
            Some((class, url)) if !class.contains(':') => (Some(class.to_owned()), url),
            _ => (None, text),
        };
        let mut rest = url;
        while let Some((_, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                return Err(format!("expected a `}}` after `{{{after}`"));
            };
            if !matches!(name, "id" | "class") {
                return Err(format!(
                    "unknown name `{{{name}}}` in the address, expected {{id}} or {{class}}"
                ));
            }
            rest = after;
        }
        if class.as_deref() == Some("") {
            return Err(format!(
                "expected a class before `=`, as in substrate.grep={url}, or the address alone for all classes"
            ));
        }
        // A link is shown to people, who may follow it.
        if !["https://", "http://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
        {
            return Err(
                "expected an address that begins with https:// or http://, as in https://example.org/{id}"
                    .to_owned(),
            );
        }
        if !has_host(url) || url.contains(|found: char| found.is_whitespace() || found.is_control())
        {
            return Err(
                "expected an address with a host and without white space, as in https://example.org/{id}"
                    .to_owned(),
            );
        }
        Ok(Self {
            class,
            url: url.to_owned(),
        })
    }
}

/// Returns `true` if a URL has a host.
fn has_host(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    !host.is_empty() && !host.starts_with(':')
}

/// Percent-encodes all but the unreserved characters of RFC 3986 2.3.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(byte.into());
            }
            // Writing to a string cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use provstream::provenance::Class;

    use super::*;

    #[test]
    fn the_class_of_an_annotation_has_precedence() {
        let templates: Vec<LinkTemplate> = [
            "https://a/{id}?c=1",
            "substrate.grep=https://b/{class}/{id}",
        ]
        .map(|text| text.parse().unwrap())
        .into();
        let grep = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("src/a.rs:7");
        let found = LinkTemplate::expand(&templates, &grep).unwrap();
        assert_eq!(found.url(), "https://b/substrate.grep/src%2Fa.rs%3A7");
        let log = Annotation::new(Class::GIT_LOG, "substrate.git.log");
        assert_eq!(LinkTemplate::expand(&templates, &log), None);
        let log = log.with_observation_id("x");
        assert_eq!(
            LinkTemplate::expand(&templates, &log).unwrap().url(),
            "https://a/x?c=1"
        );
        let inferred = Annotation::new(Class::UNVERIFIED_INFERENCE, "unverified-inference");
        assert_eq!(LinkTemplate::expand(&templates, &inferred), None);
        for (bad, message) in [
            ("https://a/{ID}", "unknown name `{ID}`"),
            ("nowhere", "https:// or http://"),
            ("substrate.grep=", "https:// or http://"),
            ("javascript:alert(1)", "https:// or http://"),
            ("=https://a/", "a class before `=`"),
            ("https://a/{id", "a `}` after `{id`"),
            ("https://", "with a host"),
            ("substrate.grep=http:///{id}", "with a host"),
            ("https://:443/{id}", "with a host"),
            ("https://x y.org/{id}", "without white space"),
            ("https://x.org/{id}\n", "without white space"),
        ] {
            let error = bad.parse::<LinkTemplate>().unwrap_err();
            assert!(error.contains(message), "{bad}: {error}");
        }
    }
}
