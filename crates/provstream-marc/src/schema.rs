//! JSON Schemas of both objects, out of the table that validation reads.

use core::fmt::Write as _;

use super::document::quoted;
use super::draft::{Draft, Profile};
use super::members::{Form, Member, Presence, members};
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
    let mut parts = vec![
        (
            "$schema",
            text("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("title", text(&title(kind, draft))),
        ("description", text(description(profile))),
        ("type", text("object")),
        ("required", names(required.map(|member| member.name))),
        (
            "properties",
            Node::Object(
                members(kind, draft)
                    .map(|member| (member.name, property(member, profile)))
                    .collect(),
            ),
        ),
    ];
    parts.extend(closed(profile));
    parts.extend(conditions(kind, draft));
    let mut json = String::new();
    Node::Object(parts).write(0, &mut json);
    json
}

fn title(kind: MarcKind, draft: Draft) -> String {
    let name = match kind {
        MarcKind::Core => "MARC-Core record",
        MarcKind::Disclosure => "MARC-Disclosure object",
    };
    format!("{name}, draft -{draft}")
}

const fn description(profile: Profile) -> &'static str {
    if profile.is_strict() {
        "Applied strictly: no members but these and private ones, which begin with `x_`."
    } else {
        "Applied leniently: other members are let through, and texts may be long."
    }
}

/// A part of the schema.
enum Node {
    /// A value on one line, as JSON.
    Value(String),
    Object(Vec<(&'static str, Node)>),
}

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
    Node::Value(quoted(text))
}

fn json(json: &str) -> Node {
    Node::Value(json.into())
}

fn list(items: impl IntoIterator<Item = String>) -> Node {
    let items: Vec<_> = items.into_iter().collect();
    Node::Value(format!("[{}]", items.join(", ")))
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Node {
    list(names.into_iter().map(quoted))
}

/// What closes an object but for private members. Source: open points 75 to 77.
fn closed(profile: Profile) -> Vec<(&'static str, Node)> {
    if !profile.is_strict() {
        return Vec::new();
    }
    vec![
        (
            "patternProperties",
            Node::Object(vec![("^x_", json("true"))]),
        ),
        ("additionalProperties", json("false")),
    ]
}

fn property(member: &'static Member, profile: Profile) -> Node {
    let nullable = member.presence == Presence::Nullable;
    let (name, constraints) = form(member.form, nullable, profile);
    let type_ = if nullable {
        names([name, "null"])
    } else {
        text(name)
    };
    let mut parts = vec![("description", text(member.meaning())), ("type", type_)];
    parts.extend(constraints);
    Node::Object(parts)
}

/// The JSON type of a form, and what else holds of its values.
fn form(form: Form, nullable: bool, profile: Profile) -> (&'static str, Vec<(&'static str, Node)>) {
    match form {
        Form::Version => {
            // Other versions than 1.0 are a matter of a should-level requirement.
            let pattern = text(r"^1\.(0|[1-9][0-9]*)$");
            ("string", vec![("pattern", pattern)])
        }
        Form::Text => ("string", Vec::new()),
        Form::Content(max) => {
            let mut constraints = vec![("minLength", json("1"))];
            let max = max.filter(|_| profile.is_strict());
            constraints.extend(max.map(|max| ("maxLength", json(&max.to_string()))));
            ("string", constraints)
        }
        Form::Integer => ("integer", Vec::new()),
        Form::Score => ("number", range()),
        Form::Scores => ("object", scores(profile)),
        Form::Term(known) => {
            let null = nullable.then(|| "null".to_owned());
            let values = known.iter().map(|term| quoted(term)).chain(null);
            ("string", vec![("enum", list(values))])
        }
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

fn range() -> Vec<(&'static str, Node)> {
    vec![("minimum", json("0.0")), ("maximum", json("1.0"))]
}

fn scores(profile: Profile) -> Vec<(&'static str, Node)> {
    let score = |source: &Source| {
        let mut parts = vec![
            ("description", text(meaning(*source))),
            ("type", text("number")),
        ];
        parts.extend(range());
        (source.as_str(), Node::Object(parts))
    };
    let mut parts = vec![
        ("required", names(Source::NAMES.iter().copied())),
        (
            "properties",
            Node::Object(Source::ALL.iter().map(score).collect()),
        ),
    ];
    parts.extend(closed(profile));
    parts
}

/// What holds if the action is `ANSWER`. Source: MARC-01 8.3; MARC-02 8.6, 9.4.
fn conditions(kind: MarcKind, draft: Draft) -> Vec<(&'static str, Node)> {
    let mut required = Vec::new();
    let mut properties = Vec::new();
    if kind == MarcKind::Core {
        let name = "post_answer_confidence";
        required.push(("required", names([name])));
        properties.push((name, Node::Object(vec![("type", text("number"))])));
    }
    if draft == Draft::Draft02 {
        let target = text(Target::of(Action::Answer).as_str());
        properties.push(("confidence_target", Node::Object(vec![("const", target)])));
    }
    if properties.is_empty() {
        return Vec::new();
    }
    let name = "selected_action";
    let answer = Node::Object(vec![("const", text(Action::Answer.as_str()))]);
    let mut then = required;
    then.push(("properties", Node::Object(properties)));
    vec![
        (
            "if",
            Node::Object(vec![
                ("required", names([name])),
                ("properties", Node::Object(vec![(name, answer)])),
            ]),
        ),
        ("then", Node::Object(then)),
    ]
}
