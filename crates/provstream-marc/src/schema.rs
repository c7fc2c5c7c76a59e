//! JSON Schemas of both objects, out of the table that validation reads.

use core::fmt::Write as _;

use super::document::quoted;
use super::draft::{Draft, Profile};
use super::members::{Form, Member, Presence, WITH_ANSWER, members};
use super::terms::{Action, Source, Target};
use provstream::MarcKind;

/// The JSON Schema (2020-12) of an object under a draft: JSON on several lines, the same each time.
///
/// An object is valid under it if and only if [validation](super::Document::validate) finds no must-level violation, but
/// for what a schema does not see, or a reader of JSON before it: a repeated member, text that is not UTF-8, half of a
/// surrogate pair, and the part of a number that does not fit into a floating-point number.
///
/// Should-level requirements are not in it, as they make no object invalid. What is must-level only if the draft is
/// applied strictly is only in the strict schema: that there are no unknown members, also in `uncertainty`, and that
/// `recommended_next_step` has no more than 280 code points.
///
/// The strict schemas of -01 differ from those that the draft offers in three points: `marc_version` may be any 1.x; there
/// may be `x_` members in `uncertainty`, too; and there is no `$id`. Source: MARC-01 D; open points 47, 49, 74 and 77.
///
/// ```
/// use provstream_marc::{Draft, MarcKind, Profile, schema};
///
/// let schema = schema(MarcKind::Core, Profile::new(Draft::Draft02));
/// assert!(schema.contains(r#""enum": ["low", "medium", "high"]"#));
/// ```
#[must_use]
pub fn schema(kind: MarcKind, profile: Profile) -> String {
    let draft = profile.draft();
    let required = members(kind, draft).filter(|member| member.is_required());
    let properties = members(kind, draft).map(|member| (member.name, property(member, profile)));
    let name = match kind {
        MarcKind::Core => "MARC-Core record",
        MarcKind::Disclosure => "MARC-Disclosure object",
    };
    let description = if profile.is_strict() {
        "Applied strictly: no members but these and private ones, which begin with `x_`."
    } else {
        "Applied leniently: other members are let through, and texts may be long."
    };
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    let mut node = vec![
        ("$schema", text(dialect)),
        ("title", text(&format!("{name}, draft -{draft}"))),
        ("description", text(description)),
        ("type", text("object")),
        ("required", names(required.map(|member| member.name))),
        ("properties", Node::Object(properties.collect())),
    ];
    node.extend(closed(profile));
    node.extend(conditions(kind, draft));
    let mut json = String::new();
    Node::Object(node).write(0, &mut json);
    json
}

/// A part of the schema.
enum Node {
    /// A value on one line, as JSON.
    Value(String),
    Object(Members),
}

type Members = Vec<(&'static str, Node)>;

impl Node {
    fn write(&self, indent: usize, json: &mut String) {
        let members = match self {
            Self::Value(value) => return json.push_str(value),
            Self::Object(members) => members,
        };
        let mut before = "{";
        for (name, value) in members {
            // Writing to a string does not fail.
            let _ = write!(json, "{before}\n{:indent$}  {}: ", "", quoted(name));
            value.write(indent + 2, json);
            before = ",";
        }
        let _ = write!(json, "\n{:indent$}}}", "");
    }
}

fn text(text: &str) -> Node {
    json(quoted(text))
}

fn json(json: impl Into<String>) -> Node {
    Node::Value(json.into())
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Node {
    let names: Vec<_> = names.into_iter().map(quoted).collect();
    json(format!("[{}]", names.join(", ")))
}

fn one(name: &'static str, node: Node) -> Node {
    Node::Object(vec![(name, node)])
}

/// What closes an object but for private members. Source: open points 75 to 77.
fn closed(profile: Profile) -> Members {
    if !profile.is_strict() {
        return Vec::new();
    }
    let private = one("^x_", json("true"));
    vec![
        ("patternProperties", private),
        ("additionalProperties", json("false")),
    ]
}

fn property(member: &'static Member, profile: Profile) -> Node {
    let (name, constraints) = form(member.form, profile);
    let (type_, constraints) = match (member.presence, member.form) {
        (Presence::Nullable, Form::Term(known)) => {
            let null = known
                .iter()
                .map(|term| quoted(term))
                .chain(["null".to_owned()]);
            let values = null.collect::<Vec<_>>().join(", ");
            let enumeration = ("enum", json(format!("[{values}]")));
            (names([name, "null"]), vec![enumeration])
        }
        (Presence::Nullable, _) => (names([name, "null"]), constraints),
        _ => (text(name), constraints),
    };
    let mut parts = vec![("description", text(member.meaning())), ("type", type_)];
    parts.extend(constraints);
    Node::Object(parts)
}

/// The JSON type of a form, and what else holds of its values.
fn form(form: Form, profile: Profile) -> (&'static str, Members) {
    match form {
        // Other versions than 1.0 are a matter of a should-level requirement.
        Form::Version => ("string", vec![("pattern", text(r"^1\.(0|[1-9][0-9]*)$"))]),
        Form::Text => ("string", Vec::new()),
        Form::Content(max) => {
            let max = max.filter(|_| profile.is_strict());
            let max = max.map(|max| ("maxLength", json(max.to_string())));
            let least = ("minLength", json("1"));
            ("string", [least].into_iter().chain(max).collect())
        }
        Form::Integer => ("integer", Vec::new()),
        Form::Score => ("number", range().into()),
        Form::Scores => ("object", scores(profile)),
        Form::Term(known) => ("string", vec![("enum", names(known.iter().copied()))]),
    }
}

/// What a source of uncertainty means, for a reader. Source: MARC-02 8.2.
const fn meaning(source: Source) -> &'static str {
    match source {
        Source::Ambiguity => "The request is underspecified or unclear.",
        Source::MissingEvidence => "Evidence that is needed is absent, insufficient or stale.",
        Source::CapabilityLimit => "The competence for a reliable solution is lacking.",
        Source::EvidenceConflict => "Evidence that matters is inconsistent.",
        Source::Safety => "A policy, legal or safety constraint limits what may be done or said.",
    }
}

fn range() -> [(&'static str, Node); 2] {
    [("minimum", json("0.0")), ("maximum", json("1.0"))]
}

fn scores(profile: Profile) -> Members {
    let score = |source: &Source| {
        let about = [
            ("description", text(meaning(*source))),
            ("type", text("number")),
        ];
        let node = Node::Object(about.into_iter().chain(range()).collect());
        (source.as_str(), node)
    };
    let properties = Node::Object(Source::ALL.iter().map(score).collect());
    let required = names(Source::NAMES.iter().copied());
    let mut parts = vec![("required", required), ("properties", properties)];
    parts.extend(closed(profile));
    parts
}

/// What holds if the action is `ANSWER`. Source: MARC-01 8.3; MARC-02 8.6, 9.4.
fn conditions(kind: MarcKind, draft: Draft) -> Members {
    let (mut then, mut properties) = (Vec::new(), Vec::new());
    if kind == MarcKind::Core {
        then.push(("required", names([WITH_ANSWER])));
        properties.push((WITH_ANSWER, one("type", text("number"))));
    }
    if draft == Draft::Draft02 {
        let target = text(Target::of(Action::Answer).as_str());
        properties.push(("confidence_target", one("const", target)));
    }
    if properties.is_empty() {
        return Vec::new();
    }
    then.push(("properties", Node::Object(properties)));
    let name = "selected_action";
    let answer = one("const", text(Action::Answer.as_str()));
    let is_answer = vec![
        ("required", names([name])),
        ("properties", one(name, answer)),
    ];
    vec![
        ("if", Node::Object(is_answer)),
        ("then", Node::Object(then)),
    ]
}
