//! JSON Schemas of both objects, built from the table of members.

use super::document::quoted;
use super::draft::{Draft, Profile};
use super::members::{HAS_CONTENT, MemberForm, MemberSpec, Presence, WITH_ANSWER, members};
use super::terms::{Action, Source, Target};
use provstream::MarcKind;

/// Returns the JSON Schema (2020-12) of an object under a draft, as JSON on several lines; equal
/// arguments give equal text.
///
/// An object is valid under it if and only if [validation](super::Document::validate) finds no must-level violation, but
/// for what a schema does not see, or a reader of JSON before it: a repeated member, text that is not UTF-8, half of a
/// surrogate pair, and the part of a number that does not fit into a floating-point number.
///
/// Should-level requirements are not in it, as they make no object invalid. What is must-level only if the draft is
/// applied strictly is only in the strict schema: that there are no unknown members, also in `uncertainty`, and that
/// `recommended_next_step` has no more than 280 code points.
///
/// The strict schemas of -01 differ from those that the draft offers in two points: a text that is required has something
/// visible in it, and there is no `$id`. Source: MARC-01 D; open points 47, 49, 50, 74 and 77.
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
    let properties = members(kind, draft).map(|member| property(member, profile));
    let name = match kind {
        MarcKind::Core => "MARC-Core record",
        MarcKind::Disclosure => "MARC-Disclosure object",
    };
    let description = if profile.is_strict() {
        "Applied strictly: no members but these and private ones, which begin with `x_`."
    } else {
        "Applied leniently: other members are let through, and texts may be long."
    };
    let mut parts = vec![
        text("$schema", "https://json-schema.org/draft/2020-12/schema"),
        text("title", &format!("{name}, draft -{draft}")),
        text("description", description),
        text("type", "object"),
        names("required", required.map(|member| member.name)),
        object("properties", properties),
    ];
    parts.extend(closed(profile));
    parts.extend(conditions(kind, draft));
    indented(&format!("{{{}}}", parts.join(",")))
}

/// Writes a member of the schema as JSON.
fn json(name: &str, json: &str) -> String {
    format!("{}:{json}", quoted(name))
}

fn text(name: &str, text: &str) -> String {
    json(name, &quoted(text))
}

fn names<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.into_iter().map(quoted).collect();
    json(name, &format!("[{}]", names.join(",")))
}

fn object(name: &str, members: impl IntoIterator<Item = String>) -> String {
    let members: Vec<_> = members.into_iter().collect();
    json(name, &format!("{{{}}}", members.join(",")))
}

/// Formats JSON with each member of an object on a line of its own.
fn indented(json: &str) -> String {
    let (mut pretty, mut open) = (String::new(), Vec::new());
    let (mut in_string, mut escaped) = (false, false);
    let line = |open: &[char]| {
        let depth = open.iter().filter(|bracket| **bracket == '{').count();
        format!("\n{}", "  ".repeat(depth))
    };
    for next in json.chars() {
        if !in_string && matches!(next, '}' | ']') {
            open.pop();
        }
        if !in_string && next == '}' {
            pretty.push_str(&line(&open));
        }
        pretty.push(next);
        match next {
            _ if in_string => {}
            '{' | '[' => open.push(next),
            ':' => pretty.push(' '),
            ',' if open.last() == Some(&'[') => pretty.push(' '),
            _ => {}
        }
        if !in_string && (next == '{' || next == ',' && open.last() == Some(&'{')) {
            pretty.push_str(&line(&open));
        }
        in_string ^= next == '"' && !escaped;
        escaped = next == '\\' && !escaped;
    }
    pretty
}

/// Returns the keywords that reject members that are neither defined nor private, or nothing in a
/// lenient profile. Source: open points 75 to 77.
fn closed(profile: Profile) -> Vec<String> {
    let private = object("patternProperties", [json("^x_", "true")]);
    match profile.is_strict() {
        true => vec![private, json("additionalProperties", "false")],
        false => Vec::new(),
    }
}

fn property(member: &MemberSpec, profile: Profile) -> String {
    let is_nullable = member.presence == Presence::Nullable;
    let null = is_nullable.then_some("null");
    let (type_, mut rest) = match member.form {
        // Other versions than 1.0 are a matter of a should-level requirement.
        MemberForm::Version if profile == Profile::new(Draft::Draft01).strict() => {
            ("string", vec![text("const", "1.0")])
        }
        MemberForm::Version => ("string", vec![text("pattern", r"^1\.(0|[1-9][0-9]*)$")]),
        MemberForm::Text => ("string", Vec::new()),
        MemberForm::Content(max) => {
            let max = max.filter(|_| profile.is_strict());
            let max = max.map(|max| json("maxLength", &max.to_string()));
            (
                "string",
                [json("minLength", "1"), text("pattern", HAS_CONTENT)]
                    .into_iter()
                    .chain(max)
                    .collect(),
            )
        }
        MemberForm::Integer => ("integer", Vec::new()),
        MemberForm::Score => ("number", range().into()),
        MemberForm::Scores => ("object", scores(profile)),
        MemberForm::Term(known) if is_nullable => {
            let known = known.iter().map(|term| quoted(term));
            let values: Vec<_> = known.chain(["null".to_owned()]).collect();
            (
                "string",
                vec![json("enum", &format!("[{}]", values.join(",")))],
            )
        }
        MemberForm::Term(known) => ("string", vec![names("enum", known.iter().copied())]),
    };
    let type_ = match null {
        Some(null) => names("type", [type_, null]),
        None => text("type", type_),
    };
    let mut parts = vec![text("description", member.meaning()), type_];
    parts.append(&mut rest);
    object(member.name, parts)
}

/// Returns the meaning of a source of uncertainty for the schema. Source: MARC-02 8.2.
const fn meaning(source: Source) -> &'static str {
    match source {
        Source::Ambiguity => "The request is underspecified or unclear.",
        Source::MissingEvidence => "Evidence that is needed is absent, insufficient or stale.",
        Source::CapabilityLimit => "The competence for a reliable solution is lacking.",
        Source::EvidenceConflict => "Evidence that matters is inconsistent.",
        Source::Safety => "A policy, legal or safety constraint limits what may be done or said.",
    }
}

fn range() -> [String; 2] {
    [json("minimum", "0.0"), json("maximum", "1.0")]
}

fn scores(profile: Profile) -> Vec<String> {
    let score = |&source: &Source| {
        let about = [text("description", meaning(source)), text("type", "number")];
        object(source.as_str(), about.into_iter().chain(range()))
    };
    let required = names("required", Source::NAMES.iter().copied());
    let properties = object("properties", Source::ALL.iter().map(score));
    let mut parts = vec![required, properties];
    if profile == Profile::new(Draft::Draft01).strict() {
        parts.push(json("additionalProperties", "false"));
    } else {
        parts.extend(closed(profile));
    }
    parts
}

/// Returns the conditions on a record or disclosure with the action `ANSWER`. Source: MARC-01 8.3;
/// MARC-02 8.6, 9.4.
fn conditions(kind: MarcKind, draft: Draft) -> Vec<String> {
    let is_record = kind == MarcKind::Core;
    let required = is_record.then(|| names("required", [WITH_ANSWER]));
    let number = is_record.then(|| object(WITH_ANSWER, [text("type", "number")]));
    let target = Target::of(Action::Answer).as_str();
    let target = object("confidence_target", [text("const", target)]);
    let target = (draft == Draft::Draft02).then_some(target);
    let properties: Vec<_> = number.into_iter().chain(target).collect();
    if properties.is_empty() {
        return Vec::new();
    }
    let properties = object("properties", properties);
    let name = "selected_action";
    let is_answer = object(name, [text("const", Action::Answer.as_str())]);
    let condition = [names("required", [name]), object("properties", [is_answer])];
    let then = required.into_iter().chain([properties]);
    vec![object("if", condition), object("then", then)]
}
