//! Tables of the built-in dialects, and their forms as automata.

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};

/// A table of a dialect, as docs/dialects.md lists them.
#[derive(Clone, Debug)]
pub struct Spec {
    pub dialect: &'static str,
    pub open: String,
    pub id: Option<String>,
    pub separator: Option<String>,
    pub range: Option<String>,
    pub close: String,
    pub end: Option<String>,
    pub max: usize,
    pub repeat: bool,
    pub guard: Option<Guard>,
}

/// An expression, which is compared with the start of a text.
pub(super) struct Form(dense::DFA<Vec<u32>>);

/// Progress of a form in a text.
pub(super) struct Reach {
    /// Lengths of all matches, in ascending order.
    pub matches: Vec<usize>,
    /// Length of the longest beginning that a match can begin with.
    pub alive: usize,
}

/// Rules by which a match is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    Number,
    Link,
}

impl Form {
    fn new(expression: &str) -> Self {
        let config = dense::Config::new()
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Anchored);
        let dfa = dense::Builder::new().configure(config).build(expression);
        Form(dfa.expect("a sound expression"))
    }

    pub(super) fn reach(&self, bytes: &[u8]) -> Reach {
        let config = start::Config::new().anchored(Anchored::Yes);
        let mut state = self.0.start_state(&config).expect("an anchored start");
        let mut reach = Reach {
            matches: Vec::new(),
            alive: 0,
        };
        for (at, &byte) in bytes.iter().enumerate() {
            state = self.0.next_state(state, byte);
            // A match shows at the end of the text; in between, the automaton reports it a byte late.
            let is_match = self.0.is_match_state(self.0.next_eoi_state(state));
            let goes_on = |byte| !self.0.is_dead_state(self.0.next_state(state, byte));
            if !is_match && !(0..=255).any(goes_on) {
                break;
            }
            reach.alive = at + 1;
            if is_match {
                reach.matches.push(at + 1);
            }
        }
        reach
    }

    /// Returns `true` if a longer text may match.
    pub(super) fn extends(&self, bytes: &[u8]) -> bool {
        let mut longer = bytes.to_vec();
        longer.push(0);
        (0..=255).any(|byte| {
            longer[bytes.len()] = byte;
            self.reach(&longer).alive > bytes.len()
        })
    }

    /// Lengths of the beginnings of `bytes` that match.
    fn lengths(&self, bytes: &[u8]) -> Vec<usize> {
        self.reach(bytes).matches
    }

    fn is_whole(&self, bytes: &[u8]) -> bool {
        self.lengths(bytes).contains(&bytes.len()) || bytes.is_empty() && self.is_empty()
    }

    fn is_empty(&self) -> bool {
        let config = start::Config::new().anchored(Anchored::Yes);
        let state = self.0.start_state(&config).expect("an anchored start");
        self.0.is_match_state(self.0.next_eoi_state(state))
    }
}

/// A table with its compiled forms.
pub(super) struct Table {
    pub spec: Spec,
    pub open: Form,
    id: Option<Form>,
    separator: Option<Form>,
    range: Option<Form>,
    close: Form,
    pub end: Option<Form>,
    pub whole: Form,
}

/// An identifier, or a range of numbers.
pub(super) enum Item {
    One(String),
    Range(String, String),
}

impl Table {
    pub(super) fn new(spec: &Spec) -> Self {
        let form = |expression: &String| Form::new(expression);
        Table {
            open: form(&spec.open),
            id: spec.id.as_ref().map(form),
            separator: spec.separator.as_ref().map(form),
            range: spec.range.as_ref().map(form),
            close: form(&spec.close),
            end: spec.end.as_ref().map(form),
            whole: Form::new(&whole(spec)),
            spec: spec.clone(),
        }
    }

    /// Splits a marker into its items, none if the table has no identifiers.
    pub(super) fn items(&self, marker: &[u8]) -> Option<Vec<Item>> {
        self.open
            .lengths(marker)
            .into_iter()
            .rev()
            .find_map(|open| {
                if self.id.is_none() {
                    return self.close.is_whole(&marker[open..]).then(Vec::new);
                }
                self.list(&marker[open..])
            })
    }

    /// Splits `item (separator item)* close`.
    fn list(&self, bytes: &[u8]) -> Option<Vec<Item>> {
        let id = self.id.as_ref()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        for first in id.lengths(bytes) {
            let one = text(&bytes[..first]);
            let rest = &bytes[first..];
            if let Some(range) = &self.range {
                for sign in range.lengths(rest) {
                    for last in id.lengths(&rest[sign..]) {
                        let item = Item::Range(one.clone(), text(&rest[sign..sign + last]));
                        if let Some(found) = self.rest(item, &rest[sign + last..]) {
                            return Some(found);
                        }
                    }
                }
            }
            if let Some(found) = self.rest(Item::One(one), rest) {
                return Some(found);
            }
        }
        None
    }

    /// Splits what follows an item.
    fn rest(&self, item: Item, bytes: &[u8]) -> Option<Vec<Item>> {
        if self.close.is_whole(bytes) {
            return Some(vec![item]);
        }
        let separators = self.separator.as_ref()?.lengths(bytes);
        let more = separators
            .into_iter()
            .find_map(|length| self.list(&bytes[length..]))?;
        let mut items = vec![item];
        items.extend(more);
        Some(items)
    }
}

/// The expression of a whole marker.
fn whole(spec: &Spec) -> String {
    let part = |expression: &str| format!("(?:{expression})");
    let mut list = String::new();
    if let Some(id) = &spec.id {
        let mut item = part(id);
        if let Some(range) = &spec.range {
            item = format!("{item}(?:{}{item})?", part(range));
        }
        list = match &spec.separator {
            Some(separator) => format!("{item}(?:{}{item})*", part(separator)),
            None => item,
        };
    }
    format!("{}{list}{}", part(&spec.open), part(&spec.close))
}

/// The expression of a group of markers of the `repeat` tables of a dialect.
pub(super) fn group(specs: &[&Spec]) -> Form {
    let each: Vec<String> = specs.iter().map(|spec| whole(spec)).collect();
    Form::new(&format!("(?:{})+", each.join("|")))
}

/// The expression of all names of `a` to `z` and `_` but some: up to a place, a name has the letters of one of these, and there
/// another one, or its end.
fn other_names(but: &[&str]) -> String {
    let any = "[a-z_]";
    let mut ways = Vec::new();
    let mut beginnings: Vec<String> = but
        .iter()
        .flat_map(|name| (0..=name.len()).map(|len| name[..len].to_owned()))
        .collect();
    beginnings.sort();
    beginnings.dedup();
    for beginning in &beginnings {
        if !beginning.is_empty() && !but.contains(&beginning.as_str()) {
            ways.push(beginning.clone());
        }
        let goes_on = |char: &char| beginnings.contains(&format!("{beginning}{char}"));
        let others: String = ('a'..='z')
            .chain(['_'])
            .filter(|char| !goes_on(char))
            .collect();
        ways.push(format!("{beginning}[{others}]{any}*"));
    }
    ways.join("|")
}

/// The tables of a built-in dialect.
#[expect(clippy::too_many_lines, reason = "a table of all dialects")]
pub fn built_in(dialect: &'static str) -> Vec<Spec> {
    let number = "(?:0|[1-9][0-9]{0,2})";
    let url = r"\((?:[^()\s\x00-\x1f\x7f]|\([^()\s\x00-\x1f\x7f]*\))+\)";
    let link = format!(r"\](?:{url})?");
    let locator = "L[0-9]+(?:-L?[0-9]+)?";
    let attribute = r#" [a-z-]+="[^"<>\x00-\x1f\x7f]*""#;
    let plain = r"[^\u{E200}-\u{E202}\x00-\x1f\x7f]";
    let key = "index|id|ids|source|sources|doc|document|ref";
    let table = |open: &str, id: &str, separator: &str, range: &str, close: &str, max: usize| {
        let some = |part: &str| (!part.is_empty()).then(|| part.to_owned());
        Spec {
            dialect,
            open: open.to_owned(),
            id: some(id),
            separator: some(separator),
            range: some(range),
            close: close.to_owned(),
            end: None,
            max,
            repeat: dialect == "numeric",
            guard: match dialect {
                "numeric" => Some(Guard::Number),
                "doc" | "citation" if !id.is_empty() => Some(Guard::Link),
                _ => None,
            },
        }
    };
    let ended = |end: &str, spec: Spec| Spec {
        end: Some(end.to_owned()),
        ..spec
    };
    match dialect {
        "openai-file" => vec![
            table(
                "【",
                r"[^【】†\x00-\x1f\x7f]+",
                "",
                "",
                r"†[^【】\x00-\x1f\x7f]*】",
                256,
            ),
            table("【", "[0-9]+:[0-9]+", "", "", "】", 256),
        ],
        "openai-web" => vec![
            table(
                r"\u{E200}(?:file)?cite\u{E202}",
                r"[a-z][^\u{E200}-\u{E202}\x00-\x1f\x7f]*",
                &format!(r"(?:\u{{E202}}{locator})*\u{{E202}}"),
                "",
                &format!(r"(?:\u{{E202}}{locator})*\u{{E201}}"),
                1024,
            ),
            ended(
                &format!(r#""{plain}*\]\u{{E201}}"#),
                table(
                    r#"\u{E200}entity\u{E202}\["[^"\\\u{E200}-\u{E202}\x00-\x1f\x7f]*",""#,
                    "",
                    "",
                    "",
                    "",
                    1024,
                ),
            ),
            table(r"\u{E200}url\u{E202}", "", "", "", "", 256),
            table(
                r"\u{E202}",
                &format!("[a-z]{plain}*"),
                r"\u{E202}",
                "",
                r"\u{E201}",
                1024,
            ),
            table(
                &format!(r"\u{{E200}}(?:{})", other_names(&["entity", "url"])),
                "",
                "",
                "",
                r"(?:\u{E202}[^\u{E200}\u{E201}\x00-\x1f\x7f]*)?\u{E201}",
                2048,
            ),
        ],
        "file-token" => vec![table(r"<\|", "file-[A-Za-z0-9_-]+", "", "", r"\|>", 256)],
        "numeric" => {
            let (wide, narrow, dash) = (" ?[,;，、] ?", " ?[,;] ?", " ?[-–] ?");
            vec![
                table(r"\[", number, narrow, dash, &link, 2048),
                table(r"\[\^", number, "", "", r"\^?\]", 2048),
                table(r"\[\[", number, "", "", &format!(r"\]{link}"), 2048),
                table("【", number, wide, dash, "】", 2048),
                table("［", number, wide, dash, "］", 2048),
            ]
        }
        "doc" => vec![table(r"\[", "doc[0-9]{1,4}", " ?[,;] ?", "", &link, 2048)],
        "citation" => vec![
            table(
                r"\[(?:citation|cite): ?",
                "[0-9]{1,4}",
                " ?, ?",
                " ?- ?",
                r"\]",
                256,
            ),
            table(
                r"\[\[(?:citation|cite): ?",
                "[0-9]{1,4}",
                " ?, ?",
                " ?- ?",
                r"\]\]",
                256,
            ),
            table(r"\[cite_start\]", "", "", "", "", 256),
        ],
        "cohere" => vec![ended(
            "</co: ?[0-9]{1,4}(?:, ?[0-9]{1,4})*>",
            table("<co: ?", "[0-9]{1,4}", ", ?", "", ">", 256),
        )],
        "cite-tag" => {
            let cite = format!(r#"<cite(?:{attribute})* (?:{key})=""#);
            let reference = format!(r#"<ref(?:{attribute})* (?:{key}|name)="?"#);
            let close = |mark: &str, end: &str| format!(r#"{mark}(?:{attribute})* ?{end}"#);
            let (id, unquoted) = ("[A-Za-z0-9_.:/#-]+", "[A-Za-z0-9_.:#-]+");
            let separator = ",? |,";
            vec![
                ended(
                    "</cite>",
                    table(&cite, id, separator, "", &close("\"", ">"), 512),
                ),
                table(&cite, id, separator, "", &close("\"", "/>"), 512),
                ended(
                    "</ref>",
                    table(&reference, unquoted, separator, "", &close("\"?", ">"), 512),
                ),
                table(
                    &reference,
                    unquoted,
                    separator,
                    "",
                    &close("\"?", "/>"),
                    512,
                ),
            ]
        }
        "nova" => vec![table(r"%\[", "[0-9]{1,4}", "", "", r"\]%", 256)],
        other => panic!("{other} is no built-in dialect"),
    }
}
