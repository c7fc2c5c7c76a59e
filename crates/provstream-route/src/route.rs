//! Routes: actions for the responses to requests, by path and method.

use core::fmt;
use core::str::FromStr;
use std::sync::Arc;

use provstream::UnknownNameError;
use provstream::provenance::{ObservationCheck, Vocabulary};
use provstream_providers::{DEFAULT_MAX_EVENT, PassMembers, Reasoning};

#[cfg(feature = "dialects")]
use crate::answer_sources::AnswerSources;
use crate::cause::Cause;
use crate::filter::{About, BodyFilter};
use crate::head::ResponseHead;
use crate::pass_reason::PassReason;
use crate::paths::format_of_path;
use crate::pattern::{PathPattern, Readings, normal};
use crate::plan::Plan;
use crate::refusal::Refusal;
#[cfg(feature = "dialects")]
use crate::request_sources::sources_of;
#[cfg(feature = "dialects")]
use crate::settings::CitationSettings;
use crate::settings::{Act, FilterSettings};

/// Default of `max_held`: most bytes of text that a gate holds.
pub(crate) const DEFAULT_MAX_HELD: usize = 65_536;

/// Action of a route on responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RouteAction {
    /// Responses pass unchanged.
    Pass,
    /// Annotations are removed from the text of responses.
    Strip,
    /// A policy decides about the text of responses.
    Gate,
}

impl RouteAction {
    /// All actions.
    pub const ALL: [Self; 3] = [Self::Pass, Self::Strip, Self::Gate];

    /// Returns the name in files of routes, such as `strip`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Strip => "strip",
            Self::Gate => "gate",
        }
    }
}

impl fmt::Display for RouteAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RouteAction {
    type Err = UnknownNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        const NAMES: [&str; 3] = ["pass", "strip", "gate"];
        let known = Self::ALL.into_iter().find(|one| one.as_str() == name);
        known.ok_or_else(|| UnknownNameError::new("action of a route", &NAMES, name))
    }
}

/// Settings for the responses to requests with a path and a method.
#[derive(Clone, Debug)]
pub struct Route {
    pub(crate) index: Option<usize>,
    pub(crate) name: Box<str>,
    pub(crate) path: PathPattern,
    pub(crate) method: Option<Box<str>>,
    pub(crate) action: RouteAction,
    pub(crate) settings: Arc<FilterSettings>,
}

impl Route {
    /// Creates a route that strips annotations from responses in known formats, and passes all
    /// others.
    pub(crate) fn strip_all(vocabulary: &Vocabulary) -> Self {
        Self {
            index: None,
            name: "default".into(),
            path: PathPattern::new("*"),
            method: None,
            action: RouteAction::Strip,
            settings: Arc::new(FilterSettings {
                act: Act::Strip,
                vocabulary: vocabulary.clone(),
                observations: None,
                #[cfg(feature = "dialects")]
                citations: CitationSettings::default(),
                format: None,
                reasoning: Reasoning::Leave,
                is_closed: false,
                pass_members: PassMembers::default(),
                plain_encodings: Vec::new(),
                max_event: DEFAULT_MAX_EVENT,
                max_held: DEFAULT_MAX_HELD,
            }),
        }
    }

    fn is_for(&self, method: &str) -> bool {
        let is_method = |own: &str| own.eq_ignore_ascii_case(method);
        self.method.as_deref().is_none_or(is_method)
    }

    /// Returns a key that orders routes by the amount of text that they withhold.
    fn strictness(&self) -> (RouteAction, bool) {
        (self.action, self.settings.is_closed)
    }

    /// Returns `true` if every request that `other` matches certainly also matches this route.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let is_method = |own: &str| {
            let other = other.method.as_deref();
            other.is_some_and(|other| own.eq_ignore_ascii_case(other))
        };
        self.method.as_deref().is_none_or(is_method) && self.path.covers(&other.path)
    }

    /// Returns `true` if the sources of answers are those of their requests (`sources = "request"`).
    #[cfg(feature = "dialects")]
    #[must_use]
    pub fn has_request_sources(&self) -> bool {
        self.settings.citations.has_request_sources
    }

    /// Returns the route for the answer to a request with this body. If it [has the sources of requests](Self::has_request_sources),
    /// they are those in the body, and those that the response brings. Each answer needs a route of its own.
    #[cfg(feature = "dialects")]
    #[must_use]
    pub fn with_request(&self, body: &[u8]) -> Self {
        let mut route = self.clone();
        let citations = &self.settings.citations;
        if let (true, Some(dialects)) = (self.has_request_sources(), &citations.dialects) {
            let (sources, gap) = sources_of(body, dialects, &citations.classes);
            let answer = Arc::new(AnswerSources::new(sources));
            let citations = &mut Arc::make_mut(&mut route.settings).citations;
            citations.answer = Some(Arc::clone(&answer));
            citations.sources = Some(answer);
            citations.source_gap = gap;
        }
        route
    }

    /// Returns why the list of sources is incomplete or missing, for a route [with a request](Self::with_request) whose answer is
    /// compared with its sources.
    #[cfg(feature = "dialects")]
    #[must_use]
    pub fn source_gap(&self) -> Option<crate::SourceGap> {
        self.settings.citations.source_gap
    }

    /// Returns the name of the route in logs and metrics: its `name`, otherwise its path, or
    /// `default`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the index of the route in its file, from 0, or `None` for the default.
    #[must_use]
    pub const fn index(&self) -> Option<usize> {
        self.index
    }

    /// Returns the action on responses.
    #[must_use]
    pub const fn action(&self) -> RouteAction {
        self.action
    }

    /// Returns `true` if responses that cannot be inspected are withheld.
    #[must_use]
    pub fn fails_closed(&self) -> bool {
        self.settings.is_closed
    }

    /// Determines the plan for a response by its head.
    #[must_use]
    pub fn response(&self, head: &ResponseHead) -> Plan {
        let hint = self.settings.format.or_else(|| format_of_path(&head.path));
        if self.action == RouteAction::Pass {
            return Plan::Pass(PassReason::Route);
        }
        match head.status {
            100..=199 | 204 | 300..=399 => return Plan::Pass(PassReason::NoBody),
            400.. => return Plan::Pass(PassReason::ErrorStatus),
            _ => {}
        }
        let fail = |reason| {
            if self.settings.is_closed {
                Plan::Refuse(Refusal::new(Cause::NotInspected, hint))
            } else {
                Plan::Pass(reason)
            }
        };
        if !self.settings.is_plain(&head.content_encoding) {
            return fail(PassReason::Encoded);
        }
        let Some(kind) = BodyKind::of(&head.content_type) else {
            return fail(PassReason::ContentType);
        };
        if !is_utf8(&head.content_type) {
            return fail(PassReason::Charset);
        }
        let about = About {
            hint,
            choices: head.choices,
            is_json: kind == BodyKind::Json,
            is_sse: kind == BodyKind::Sse,
        };
        Plan::Filter(Box::new(BodyFilter::new(&self.settings, about)))
    }
}

/// Framing of a body, by its content type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyKind {
    Sse,
    Json,
    Lines,
}

impl BodyKind {
    fn of(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let essence = essence.to_ascii_lowercase();
        match essence.as_str() {
            "text/event-stream" => Some(Self::Sse),
            "application/json" | "text/json" => Some(Self::Json),
            // Some servers stream events without a type, or with that of plain text.
            ""
            | "text/plain"
            | "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/x-jsonlines"
            | "application/stream+json"
            | "application/json-seq"
            | "application/octet-stream" => Some(Self::Lines),
            other if other.ends_with("+json") => Some(Self::Json),
            _ => None,
        }
    }
}

/// Returns `true` if a content type names no character set other than UTF-8 and its subset
/// US-ASCII. A client that decodes another one would read another text than the inspected one.
fn is_utf8(content_type: &str) -> bool {
    const NAMES: [&str; 5] = ["utf-8", "utf8", "us-ascii", "ascii", "unicode-1-1-utf-8"];
    // Clients split it at each semicolon, whatever is quoted.
    let mut parameters = content_type.split([';', ',']).skip(1);
    parameters.all(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let name = name.trim().trim_end_matches('*');
        let value = value.trim().trim_matches('"');
        let is_known = NAMES.iter().any(|known| known.eq_ignore_ascii_case(value));
        is_known || !name.eq_ignore_ascii_case("charset")
    })
}

/// Routes of a proxy, matched in order.
///
/// Requests without a matching route use the route `default`, which strips annotations and fails
/// open.
#[derive(Clone, Debug)]
pub struct Routes {
    pub(crate) routes: Vec<Route>,
    pub(crate) default: Route,
}

impl Routes {
    /// Creates routes that consist of the default only.
    #[must_use]
    pub fn strip_all(vocabulary: &Vocabulary) -> Self {
        Self {
            routes: Vec::new(),
            default: Route::strip_all(vocabulary),
        }
    }

    /// Returns the route of a request, by its method and path. The path may have a query.
    ///
    /// The first route applies that matches the path as [most servers normalise it](PathPattern).
    /// Some servers normalise further: they ignore case, the text after a `;` in a segment, white
    /// space and dots at the end of a segment, control characters, or the text after an escaped
    /// `?`, `#` or NUL, or they decode repeatedly. If the path has other routes in such readings,
    /// the strictest of all routes applies: gates are stricter than routes that strip, which are
    /// stricter than routes that pass; of two with the same action, the one that fails closed is
    /// stricter.
    #[must_use]
    pub fn route(&self, method: &str, path: &str) -> &Route {
        let first = |matches: &dyn Fn(&PathPattern) -> bool| {
            let mut routes = self.routes.iter();
            let found = routes.find(|route| route.is_for(method) && matches(&route.path));
            found.unwrap_or(&self.default)
        };
        let usual = normal(path);
        let mut strictest = first(&|pattern| pattern.matches_normal(&usual));
        let has_upper = self.routes.iter().any(|route| route.path.has_upper());
        for reading in Readings::of(path, has_upper).iter() {
            let route = first(&|pattern| pattern.matches_reading(&reading));
            if route.strictness() >= strictest.strictness() {
                strictest = route;
            }
        }
        strictest
    }

    /// Has the gate of a route check the observations that annotations cite. `index` is [`Route::index`]; of a number without a route,
    /// nothing changes.
    pub fn set_observations(&mut self, index: usize, observations: Arc<dyn ObservationCheck>) {
        if let Some(route) = self.routes.get_mut(index) {
            Arc::make_mut(&mut route.settings).observations = Some(observations);
        }
    }

    /// Iterates over the routes of the file, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        self.routes.iter()
    }
}
