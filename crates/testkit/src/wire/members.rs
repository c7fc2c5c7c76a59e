//! Strings that a client gets from a response, each joined over the events by its path.
//!
//! This view knows neither texts nor ends. Strings are named by their path of members, with the
//! indices by which the official SDKs accumulate deltas, so it also covers what a reader of texts
//! ignores.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::oracle::event_data;

/// Joined strings by path.
pub type Members = BTreeMap<String, String>;

/// Members whose values distinguish strings at the same path.
const NUMBERS: [&str; 8] = [
    "index",
    "output_index",
    "content_index",
    "contentBlockIndex",
    "type",
    "event_type",
    "thought",
    "special",
];

/// Paths of the first piece of a text, each with the path of its other pieces.
const SAME: [(&str, &str); 3] = [
    (
        "{type=response.content_part.added,output_index=1,content_index=0}.part{type=output_text}.text",
        "{type=response.output_text.delta,output_index=1,content_index=0}.delta",
    ),
    (
        "{type=response.output_item.added,output_index=1}.item{type=message}.content[]{type=output_text}.text",
        "{type=response.output_text.delta,output_index=1,content_index=0}.delta",
    ),
    (
        "{type=message.output.delta,output_index=0}.content{type=text}.text",
        "{type=message.output.delta,output_index=0}.content",
    ),
];

/// A JSON value that keeps repeated members.
enum Node {
    Text(String),
    /// A number, `true`, `false` or `null`, as text.
    Plain(String),
    List(Vec<Node>),
    Members(Vec<(String, Node)>),
}

/// Joins the strings of a response by path. Data that is not JSON counts as one string.
pub fn members(stream: &[u8]) -> Members {
    let mut members = Members::new();
    for data in event_data(stream) {
        match serde_json::from_str(&data) {
            Ok(event) => add(&mut members, &event, ""),
            Err(_) => members.entry("no JSON".into()).or_default().push_str(&data),
        }
    }
    members
}

fn add(members: &mut Members, node: &Node, path: &str) {
    match node {
        Node::Plain(_) => {}
        Node::Text(text) => {
            let same = SAME.iter().find(|(other, _)| *other == path);
            let path = same.map_or(path, |(_, path)| path);
            members.entry(path.to_owned()).or_default().push_str(text);
        }
        Node::List(nodes) => nodes
            .iter()
            .for_each(|node| add(members, node, &format!("{path}[]"))),
        Node::Members(of) => {
            let path = format!("{path}{}", numbers(of));
            for (name, node) in of {
                add(members, node, &format!("{path}.{name}"));
            }
        }
    }
}

/// Formats the distinguishing members of an object, such as `{type=text-delta,id=t1}`.
fn numbers(members: &[(String, Node)]) -> String {
    let find = |wanted: &str| {
        let found = members.iter().find(|(name, _)| name == wanted);
        found.and_then(|(_, node)| match node {
            Node::Text(value) | Node::Plain(value) => Some(value.as_str()),
            _ => None,
        })
    };
    let kind = find("type").unwrap_or_default();
    // Of tokens, `index` counts them, and so does `content_index` of the chunks of a Mistral message.
    let counts = |name: &&str| match *name {
        "index" => members.iter().any(|(name, _)| name == "token"),
        "content_index" => kind == "message.output.delta",
        _ => false,
    };
    let mut names: Vec<&str> = NUMBERS.into_iter().filter(|name| !counts(name)).collect();
    let is_of_part = kind.starts_with("text-") || kind.starts_with("reasoning-");
    names.extend(is_of_part.then_some("id"));
    let order = |name: &&str| {
        (
            *name != "type",
            NUMBERS.iter().position(|other| other == name),
        )
    };
    names.sort_by_key(order);
    let named = names
        .into_iter()
        .filter_map(|name| Some(format!("{name}={}", find(name)?)));
    let named: Vec<String> = named.collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("{{{}}}", named.join(",")),
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Node;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Plain("null".into()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Plain(value.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = from.next_element()? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = from.next_entry()? {
            members.push(member);
        }
        Ok(Node::Members(members))
    }
}
