//! Strings that may be text and that nothing reads.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::FactReader;
use crate::event::{WalkedEvent, is_blank};
use crate::found::{Found, Str};
use crate::item::NoticeCode;
use crate::pass_members::is_in;
use crate::steps::{count, each};
use crate::walk::allowed::Allowed;
use crate::walk::automaton::ROOT;
use crate::walk::scan::{string_end, white_space_end};
use crate::walk::{Capture, Shape, Untaken, decoded, skip};

/// Most containers inside of each other that are looked into.
const MAX_DEPTH: usize = 64;

/// Longest path that is reported.
const MAX_PATH: usize = 256;

/// Longest name of a kind.
const MAX_KIND: usize = 256;

/// Most things that an event says for strings to be emptied one by one.
const MAX_STRINGS: usize = 1 << 14;

/// Members of an event that reports an error, which are about it.
const OF_ERRORS: [&str; 10] = [
    "code",
    "detail",
    "details",
    "error",
    "error_type",
    "errorText",
    "message",
    "param",
    "request_id",
    "status",
];

impl FactReader {
    /// Takes what the walk and the rows have left of an event: strings where text may be. `captures` are those values that rows
    /// are about and none of them takes.
    #[cold]
    pub(super) fn take_untaken(
        &mut self,
        event: &mut WalkedEvent<'_>,
        captures: &[Capture],
        is_error: bool,
    ) {
        let captured = captures.iter().map(|capture| Untaken {
            node: capture.node,
            name: (0, 0),
            start: capture.start - u32::from(capture.is_string()),
            end: capture.end + u32::from(capture.is_string()),
            around: 0,
        });
        let mut kinds = ObjectKinds::default();
        let mut is_whole = !event.walk.has_more_untaken;
        for untaken in each(event.walk.untaken.iter().copied().chain(captured)) {
            is_whole &= self.take_one(event, (untaken, &mut kinds), is_error);
        }
        if !is_whole {
            event.odd = Some(NoticeCode::UnreadText);
        }
    }

    /// Takes the strings of a value; false if not all of them could be found, or if it has the place of text.
    fn take_one<'a>(
        &mut self,
        event: &WalkedEvent<'a>,
        (untaken, kinds): (Untaken, &mut ObjectKinds<'a>),
        is_error: bool,
    ) -> bool {
        let node = event.automaton.node(untaken.node);
        let is_named = untaken.name != (0, 0);
        let is_text = !is_named && node.has_text_in(event.bit);
        // JSON that is not an object is no event, and a gate withholds it.
        let is_event = untaken.node == ROOT;
        if !is_named && is_event {
            let value = &event.data[untaken.start as usize..untaken.end as usize];
            return self.is_gated || !may_be_text(value);
        }
        if !is_named && !is_text && !node.is_content {
            return true;
        }
        let mut path = event.automaton.path(untaken.node).to_owned();
        if is_named {
            let name = &event.data[untaken.name.0 as usize..untaken.name.1 as usize];
            push_name(&mut path, name);
        }
        if is_error && OF_ERRORS.contains(&path.as_str()) {
            return true;
        }
        let value = untaken.start as usize..untaken.end as usize;
        let json = &event.data[value.clone()];
        let mut passes_in = event.automaton.passes_in.iter();
        let passes = (!is_named && node.allowed.has(json))
            || passes_in.any(|(path_of, passes)| {
                let is_there = *path == **path_of;
                let allowed = passes.allowed;
                (is_there && allowed.has(json) || allowed == Allowed::Any && is_in(&path, path_of))
                    && kinds.are(event, untaken.around, passes.kinds)
            });
        if passes {
            return true;
        }
        let mut is_read = true;
        let is_whole = strings(
            &event.data[..value.end],
            value.start,
            path,
            &mut |path, at| {
                if at.is_empty() || self.passes.has(path) {
                    return;
                }
                is_read &= !is_text;
                self.report.add_member(path);
                match is_text {
                    _ if self.found.len() >= MAX_STRINGS => is_read = false,
                    false => self.found.push(Found::Unread(at)),
                    true => {}
                }
            },
        );
        is_whole && is_read
    }
}

/// Returns `true` if a row reads a value, or the value is a container that was entered.
pub(super) fn is_taken(event: &WalkedEvent<'_>, capture: &Capture) -> bool {
    let node = event.automaton.node(capture.node);
    let mut roles = event.rules(capture).map(|rule| rule.row.role);
    match capture.shape {
        Shape::Scalar => true,
        Shape::Object if node.leads_on() => true,
        Shape::Array if node.element.is_some() => true,
        _ => {
            let value = &event.data[capture.value()];
            roles.any(|role| role.allowed().has(value))
        }
    }
}

/// Gives each string of a value that begins at `from` and is the last of `data`, with its path; false if that is not possible.
fn strings(data: &[u8], from: usize, mut path: String, take: &mut impl FnMut(&str, Str)) -> bool {
    // For each open container, how long the path of what is in it is before a name.
    let mut open: Vec<usize> = Vec::new();
    let mut at = from;
    while let Some(&byte) = data.get(at) {
        count(1);
        match byte {
            b'"' => {
                let Some(end) = string_end(data, at + 1) else {
                    return false;
                };
                let after = white_space_end(data, end.end + 1);
                if data.get(after) == Some(&b':') {
                    path.truncate(open.last().copied().unwrap_or(0));
                    push_name(&mut path, &data[at + 1..end.end]);
                } else {
                    take(&path, Str::new(at + 1, end));
                }
                at = end.end;
            }
            b'{' | b'[' => {
                if open.len() == MAX_DEPTH {
                    return false;
                }
                if byte == b'[' && path.len() < MAX_PATH {
                    path.push_str("[]");
                }
                open.push(path.len());
            }
            b'}' | b']' => {
                open.pop();
                path.truncate(open.last().copied().unwrap_or(path.len()));
            }
            _ => {}
        }
        at += 1;
    }
    open.is_empty()
}

/// Adds a member to a path, by its name as it is in JSON. A long path ends before it.
fn push_name(path: &mut String, name: &[u8]) {
    let name = provstream::json::decode(name, name.contains(&b'\\')).text;
    if path.len() + name.len() < MAX_PATH {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&name);
    }
}

/// Kinds of an event's objects.
#[derive(Default)]
struct ObjectKinds<'a> {
    /// By where an object begins.
    objects: BTreeMap<u32, Option<Cow<'a, [u8]>>>,
}

impl<'a> ObjectKinds<'a> {
    /// Returns `true` if the event, or the object that begins at `around`, is of one of these kinds.
    fn are(&mut self, event: &WalkedEvent<'a>, around: u32, of: &[&str]) -> bool {
        let data = event.data;
        let object = self.objects.entry(around);
        let object = object.or_insert_with(|| kind_of(data, around as usize));
        let is = |kind: &[u8]| {
            let mut of = of.iter();
            kind.len() <= MAX_KIND && of.any(|pattern| matches(kind, pattern.as_bytes()))
        };
        object.as_deref().is_some_and(is) || event.kind().is_some_and(|kind| is(&kind))
    }
}

/// Returns the kind of an object that begins at `around`: its `type`, or its `object` if it has no `type`. `None` if the
/// member is not a string, or is repeated.
fn kind_of(data: &[u8], around: usize) -> Option<Cow<'_, [u8]>> {
    let mut kinds: [Vec<&[u8]>; 2] = Default::default();
    let mut at = white_space_end(data, around);
    loop {
        count(1);
        // At the brace, or at the comma before a member.
        let name_at = white_space_end(data, at + 1) + 1;
        let is_name = data.get(name_at - 1) == Some(&b'"');
        let Some(name) = string_end(data, name_at).filter(|_| is_name) else {
            break;
        };
        let value = white_space_end(data, name.end + 1);
        let value = white_space_end(data, value + 1);
        let Some(end) = skip(data, value) else {
            break;
        };
        at = white_space_end(data, end);
        let place = match &*decoded(&data[name_at..name.end]) {
            b"type" => 0,
            b"object" => 1,
            _ => continue,
        };
        kinds[place].push(&data[value..end]);
    }
    let [kind, object] = kinds;
    match *(if kind.is_empty() { object } else { kind }) {
        [[b'"', content @ .., b'"']] => Some(decoded(content)),
        _ => None,
    }
}

/// Returns `true` if JSON that is not an object may have text: a string that is neither a word nor white space, or an array of more than words.
fn may_be_text(value: &[u8]) -> bool {
    let allowed = match value.first() {
        Some(b'[') => Allowed::Words,
        Some(b'"') if !is_blank(&value[1..value.len() - 1]) => Allowed::Word,
        _ => return false,
    };
    !allowed.has(value)
}

/// Returns `true` if a name matches a pattern, in which `*` is any run of characters.
fn matches(name: &[u8], pattern: &[u8]) -> bool {
    match pattern {
        [] => name.is_empty(),
        [b'*', rest @ ..] => (0..=name.len()).any(|from| matches(&name[from..], rest)),
        [first, rest @ ..] => name.first() == Some(first) && matches(&name[1..], rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let is_whole = strings(json.as_bytes(), 0, "a".to_owned(), &mut |path, at| {
            let text = String::from_utf8_lossy(at.content(json.as_bytes()));
            found.push(format!("{path}={text}"));
        });
        is_whole.then_some(found)
    }

    #[test]
    fn strings_have_their_paths() {
        assert_eq!(found(r#""x""#), Some(vec!["a=x".into()]));
        let json = r#"{"b":"1","c" : [ "2", {"d":"3"}, ["4"] ],"e":{},"f":[],"g\u0041":"5","h":7}"#;
        let expected = ["a.b=1", "a.c[]=2", "a.c[].d=3", "a.c[][]=4", "a.gA=5"];
        assert_eq!(found(json), Some(expected.map(str::to_owned).to_vec()));
        let deep = |depth: usize| format!("{}\"x\"{}", "[".repeat(depth), "]".repeat(depth));
        assert!(found(&deep(MAX_DEPTH)).is_some());
        assert_eq!(found(&deep(MAX_DEPTH + 1)), None);
        assert_eq!(found(r#"["a""#), None);
        assert_eq!(found(r#"["a"#), None);
    }

    #[test]
    fn paths_and_kinds_are_compared_by_their_parts() {
        assert!(is_in("a.b", "a.b") && is_in("a.b.c", "a.b") && is_in("a.b[]", "a.b"));
        assert!(!is_in("a.bc", "a.b") && !is_in("a", "a.b"));
        for (name, pattern, is) in [
            ("error", "error", true),
            ("web_search_call", "*_call", true),
            ("response.x_call.delta", "response.*_call*", true),
            ("message", "*_call", false),
            ("errors", "error", false),
        ] {
            assert_eq!(matches(name.as_bytes(), pattern.as_bytes()), is, "{name}");
        }
    }
}
