//! Reads a page as a browser would, as far as the pages need it. It shares nothing with what writes them.

use std::collections::BTreeSet;

/// Content of a page.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The text of the answer, with the hidden characters that were named.
    pub(crate) answer: String,
    /// All text after the style sheet.
    pub(crate) text: String,
    /// All identifiers.
    pub(crate) ids: BTreeSet<String>,
    /// All links within the page.
    pub(crate) links: BTreeSet<String>,
    /// Classes and text of each mark. Marks around parts of the same passage, side by side, are one.
    pub(crate) marks: Vec<(String, String)>,
    /// For each mark, the length of the answer at its end.
    ends: Vec<usize>,
    /// Targets of the links of the answer.
    pub(crate) targets: Vec<String>,
    /// The text of the answer without markup.
    pub(crate) visible: String,
}

/// Elements that have no content.
const EMPTY: [&str; 5] = ["meta", "rect", "br", "hr", "input"];

/// Reads a page.
///
/// # Panics
///
/// If it is not well-formed: a tag that does not match, an unknown entity, an identifier that is there twice.
pub(crate) fn read(page: &str) -> Shown {
    let (_, body) = page.split_once("</style>").expect("a style sheet");
    let mut shown = Shown::default();
    // Name and class of the elements that are open.
    let mut open = vec![
        ("html".to_owned(), String::new()),
        ("head".to_owned(), String::new()),
    ];
    // The marks that are open, by their places in the list.
    let mut marks: Vec<usize> = Vec::new();
    let mut rest = body;
    loop {
        let (text, tag) = rest.split_once('<').unwrap_or((rest, ""));
        let text = decoded(text);
        shown.text.push_str(&text);
        let is_in = |class: &str| {
            open.iter()
                .any(|(_, own)| own.split(' ').any(|it| it == class))
        };
        if is_in("t") {
            let text = if is_in("x") { unnamed(&text) } else { text };
            shown.answer.push_str(&text);
            if !is_in("m") {
                shown.visible.push_str(&text);
            }
            for mark in &marks {
                shown.marks[*mark].1.push_str(&text);
            }
        }
        if tag.is_empty() {
            break;
        }
        let (tag, after) = tag.split_once('>').expect("the tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let (open, _) = open.pop().expect("an element is open");
            assert_eq!(open, name);
            if name == "mark" {
                let mark = marks.pop().expect("a mark is open");
                shown.ends[mark] = shown.answer.len();
            }
            continue;
        }
        element(tag, &mut open, &mut shown);
        if tag.starts_with("mark ") {
            let class = open.last().map(|(_, class)| class.clone()).expect("a mark");
            let same = (0..shown.marks.len()).rev().find(|&mark| {
                shown.marks[mark].0 == class
                    && shown.ends[mark] == shown.answer.len()
                    && !marks.contains(&mark)
            });
            marks.push(same.unwrap_or(shown.marks.len()));
            if same.is_none() {
                shown.marks.push((class, String::new()));
                shown.ends.push(usize::MAX);
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    shown
}

fn element(tag: &str, open: &mut Vec<(String, String)>, shown: &mut Shown) {
    let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut class = String::new();
    while !attributes.trim_matches([' ', '/']).is_empty() {
        let (attribute, value) = attributes
            .split_once("=\"")
            .expect("an attribute with a value");
        let (value, more) = value.split_once('"').expect("the value ends");
        attributes = more;
        let value = decoded(value);
        match attribute.trim() {
            "class" => class = value,
            "id" => assert!(shown.ids.insert(value.clone()), "{value} is there twice"),
            "href" if class == "l" => shown.targets.push(value),
            "href" => {
                shown
                    .links
                    .insert(value.strip_prefix('#').expect("within the page").to_owned());
            }
            "style" | "src" => panic!("{tag}"),
            other => assert!(!other.starts_with("on"), "{tag}"),
        }
    }
    if !EMPTY.contains(&name) {
        open.push((name.to_owned(), class));
    }
}

fn decoded(text: &str) -> String {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some((before, entity)) = rest.split_once('&') {
        decoded.push_str(before);
        let (entity, after) = entity.split_once(';').expect("the entity ends");
        decoded.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#13" => '\r',
            other => panic!("&{other};"),
        });
        rest = after;
    }
    decoded + rest
}

/// The characters whose numbers these are.
fn unnamed(text: &str) -> String {
    let number = |name: &str| u32::from_str_radix(name.strip_prefix("U+").expect("a number"), 16);
    let character = |name: &str| {
        number(name)
            .ok()
            .and_then(char::from_u32)
            .expect("a character")
    };
    text.split(' ').map(character).collect()
}
