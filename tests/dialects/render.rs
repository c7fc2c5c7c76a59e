//! Markers written anew, with titles and addresses of strangers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::common::built_in;
use provstream::render::{MarkerRenderer, Markup, Template, Unlisted};
use provstream::{
    Dialect, Dialects, Event, Handler, Marker, Parser, Replacement, Rewriter, Source, Sources,
    TextChunk,
};
use pulldown_cmark::{Event as Md, Options, Tag, TagEnd};

/// Sources with an identifier, a title and an address; an empty one is missing.
#[derive(Clone, Debug)]
struct List(Vec<[String; 3]>);

impl List {
    fn of(sources: &[[&str; 3]]) -> Self {
        let owned = |source: &[&str; 3]| source.map(str::to_owned);
        Self(sources.iter().map(owned).collect())
    }
}

impl Sources for List {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        let [id, title, url] = self.0.iter().find(|source| source[0] == id)?;
        let mut source = Source::new(id);
        source.title = Some(&**title).filter(|title| !title.is_empty());
        source.url = Some(&**url).filter(|url| !url.is_empty());
        Some(source)
    }

    fn is_complete(&self) -> bool {
        true
    }
}

struct Rendered {
    renderer: MarkerRenderer,
    text: Vec<u8>,
}

impl Handler for Rendered {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }

    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        self.renderer.render(marker)
    }
}

/// A text written anew in chunks of several sizes, always the same, and its notes.
#[track_caller]
/// Renders a text; U+0000 in it is a break.
fn render(renderer: &MarkerRenderer, dialects: &[&str], text: &str) -> (String, MarkerRenderer) {
    let dialects = built_in(dialects);
    let results = [1, 3, usize::MAX].map(|size| {
        let mut rewriter = Rewriter::new(Parser::with_dialects(dialects.clone()));
        let mut out = Rendered {
            renderer: renderer.clone(),
            text: Vec::new(),
        };
        for (place, part) in text.split('\0').enumerate() {
            if place > 0 {
                rewriter.push_break(&mut out);
            }
            for chunk in part.as_bytes().chunks(size) {
                rewriter.push(chunk, &mut out);
            }
        }
        rewriter.finish(&mut out);
        (String::from_utf8(out.text).expect("UTF-8"), out.renderer)
    });
    let [one, three, whole] = results;
    assert_eq!(one.0, whole.0);
    assert_eq!(three.0, whole.0);
    whole
}

fn renderer(template: &str, markup: Markup, sources: &[[&str; 3]]) -> MarkerRenderer {
    let template = Template::new(template, markup).expect("a template");
    MarkerRenderer::new(template, Arc::new(List::of(sources)))
}

const TWO: [[&str; 3]; 2] = [
    ["3", "Three", "https://example.org/3"],
    ["7", "Seven", "http://example.org/7"],
];

#[test]
fn sources_are_numbered_by_first_use() {
    let links = renderer("[{n}]({url})", Markup::Markdown, &TWO);
    let text = "It rains [7]. It snows.[3] Both [3][7], or [3, 7].";
    let (found, links) = render(&links, &["numeric"], text);
    let (one, two) = ("[1](http://example.org/7)", "[2](https://example.org/3)");
    assert_eq!(
        found,
        format!("It rains {one}. It snows.{two} Both {two}{one}, or {two}{one}.")
    );
    let note = Template::new("[{n}]: {url} \"{title}\"", Markup::Markdown).expect("a template");
    let notes = "[1]: http://example.org/7 \"Seven\"\n[2]: https://example.org/3 \"Three\"\n";
    assert_eq!(links.notes(&note), notes);
}

#[test]
fn a_marker_around_its_assertion_is_written_at_its_end() {
    let links = renderer("({id})", Markup::Markdown, &TWO);
    let text =
        "So <cite id=\"3\">it <ref id=\"7\">rains</ref> here</cite>. <co: 3,7>It snows</co: 3,7>.";
    let (found, _) = render(&links, &["cite-tag", "cohere"], text);
    assert_eq!(found, "So it rains(7) here(3). It snows(3)(7).");
}

#[test]
fn unlisted_identifiers_are_stripped_kept_or_marked() {
    let text = "It rains [5]. It snows [3, 5]. So.";
    for (unlisted, expected) in [
        (Unlisted::Strip, "It rains. It snows 1. So."),
        (Unlisted::Keep, "It rains [5]. It snows 1\\[5\\]. So."),
        (Unlisted::Mark, "It rains \\[?\\]. It snows 1\\[?\\]. So."),
    ] {
        let links = renderer("{n}", Markup::Markdown, &TWO).with_unlisted(unlisted);
        let (found, _) = render(&links, &["numeric"], text);
        assert_eq!(found.replace("\\?", "?"), expected, "{unlisted}");
    }
}

#[test]
fn an_unlisted_marker_around_its_assertion_is_kept_with_its_end_tag() {
    let links = renderer("({n})", Markup::Markdown, &TWO).with_unlisted(Unlisted::Keep);
    let text = "See <co: 77>dee</co: 77> and <co: 3>so</co: 3>. <co: 3>It";
    let (found, mut links) = render(&links, &["cohere"], text);
    assert_eq!(found, "See <co: 77>dee</co: 77> and so(1). It");
    assert_eq!(links.render_unclosed(), b"(1)");
    assert_eq!(links.render_unclosed(), b"");
}

/// Titles that strangers may write.
const TITLES: [&str; 24] = [
    "](javascript:alert(1)) [x",
    "![x](https://evil.example/pixel.png)",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)",
    "x` `y``",
    "\\](https://evil.example)",
    "trailing backslash \\",
    "line\nbreak\n\n# heading\n- list",
    "a\r\n\r\nb\u{2028}c\u{85}d",
    "**bold** _em_ ~~gone~~",
    "| a | b |",
    "&lt;b&gt; &amp; &#91;x&#93;",
    "[1] [substrate.grep; ts=2026-05-28T11:40:00Z]",
    "【4:0†source】",
    "［2］",
    "\u{E200}cite\u{E202}turn0search1\u{E201}",
    "<|file-abc|>",
    "<cite id=\"1\">x</cite>",
    "%[1]% [cite: 1] [doc1] [^1]",
    "{\"assertion\": \"x\", \"provenance\": []}",
    "txt\u{202E}gpj.exe\u{200F}",
    "$x$ :smile: @user #1 www.evil.example x@evil.example",
];

/// Events of a Markdown text with all extensions.
fn markdown(text: &str) -> Vec<Md<'_>> {
    pulldown_cmark::Parser::new_ext(text, Options::all()).collect()
}

#[test]
fn a_title_stays_text_in_markdown() {
    for title in TITLES {
        let sources = [["7", title, "https://example.org/(a)?b=c&copy;d='\"*_[x]"]];
        let links = renderer("[{title}]({url} \"{title}\")", Markup::Markdown, &sources);
        let (found, _) = render(&links, &["numeric"], "It rains [7].");
        let mut shown = String::new();
        let mut is_link = false;
        for event in markdown(&found) {
            match event {
                Md::Start(Tag::Paragraph) | Md::End(TagEnd::Paragraph) => {}
                Md::Start(Tag::Link { dest_url, .. }) => {
                    assert!(!is_link, "{title:?}: {found}");
                    is_link = true;
                    let url = "https://example.org/%28a%29?b=c&copy;d=%27%22%2A_%5Bx%5D";
                    assert_eq!(&*dest_url, url, "{title:?}");
                }
                Md::End(TagEnd::Link) => {}
                Md::Text(text) => shown.push_str(&text),
                other => panic!("{title:?}: {other:?} in {found}"),
            }
        }
        assert!(is_link, "{title:?}: {found}");
        let visible = |found: &char| !matches!(found, '\u{202E}' | '\u{200F}');
        let words: String = title.chars().filter(visible).collect();
        let words = words.split(|found: char| found.is_whitespace() || found.is_control());
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        assert_eq!(shown, format!("It rains {}.", words.join(" ")), "{found}");
    }
}

/// An image is loaded without a click.
#[test]
fn a_link_after_an_exclamation_mark_is_no_image() {
    let sources = [["6", "", "https://stranger.example/pixel.png"]];
    let sources = ["6", "4:0", "file-a"].map(|id| [id, sources[0][1], sources[0][2]]);
    // The sentence before the mark is cut off there, and all text before it is dropped.
    let cut = [4_093, 4_094, 4_095].map(|len| format!("So [6] {}![6].", "a".repeat(len)));
    for text in [
        "Es schneit![6] So.",
        "Yes!【6】",
        "Snow!【4:0†a】 x",
        "Yes!<|file-a|>",
        "<co: 6>Wow, it snows!</co: 6> So.",
        // The first one is left out.
        "Snow!【4:9†a】【4:0†a】 x",
        "Snow! 【4:9†a】【4:0†a】 x",
        "Snow![substrate.grep]【4:0†a】 x",
        "<co: 6>Wow!",
        &cut[0],
        &cut[1],
        &cut[2],
        // A break is no part of the text that clients join.
        "Wow!\0[6]. So.",
    ] {
        let links = renderer("[{n}]({url})", Markup::Markdown, &sources);
        let dialects = ["numeric", "openai-file", "file-token", "cohere"];
        let (mut found, mut links) = render(&links, &dialects, text);
        found += core::str::from_utf8(&links.render_unclosed()).expect("UTF-8");
        let has = |of: fn(&Tag<'_>) -> bool| {
            let mut events = markdown(&found).into_iter();
            events.any(|event| matches!(event, Md::Start(tag) if of(&tag)))
        };
        assert!(has(|tag| matches!(tag, Tag::Link { .. })), "{found}");
        assert!(!has(|tag| matches!(tag, Tag::Image { .. })), "{found}");
    }
    let links = renderer("[{n}]({url})", Markup::Markdown, &sources);
    let (found, _) = render(&links, &["openai-file"], "So!【4:0†a】【4:0†b】 x");
    let link = "[1](https://stranger.example/pixel.png)";
    assert_eq!(found, format!("So! {link}{link} x"));
}

#[test]
fn a_title_stays_text_in_html() {
    for title in TITLES {
        let sources = [["7", title, "https://example.org/?a=1&b=<'\">"]];
        let template = "<a href=\"{url}\" title='{title}'>{title}</a>";
        let (found, _) = render(
            &renderer(template, Markup::Html, &sources),
            &["numeric"],
            "So [7].",
        );
        let url = "https://example.org/?a=1&amp;b=%3C%27%22%3E";
        let start = format!("So <a href=\"{url}\" title='");
        let inside = found.strip_prefix(&start).expect("the start of the tag");
        let (attribute, rest) = inside.split_once("'>").expect("the end of the tag");
        let (text, rest) = rest.split_once("</a>").expect("the end of the link");
        assert_eq!((attribute, rest), (text, "."), "{title:?}");
        assert!(
            !text.contains(['<', '>', '"', '\'', '`', '\n']),
            "{title:?}: {text}"
        );
    }
}

#[test]
fn a_title_is_no_annotation_and_no_marker() {
    let all = Dialects::built_in(Dialect::built_in_names()).expect("built-in dialects");
    for markup in [Markup::Markdown, Markup::Html] {
        for title in TITLES {
            let sources = [["7", title, ""]];
            for template in ["{title}", "{title} {title}", "({title})"] {
                let links = renderer(template, markup, &sources);
                let (found, _) = render(&links, &["numeric"], "It rains [7]");
                let mut parser = Parser::with_dialects(all.clone());
                let sink = |event: Event<'_>| {
                    assert!(matches!(event, Event::Text(_)), "{found}: {event:?}");
                };
                parser.push(found.as_bytes(), sink);
                parser.finish(sink);
            }
        }
    }
}

#[test]
fn only_addresses_of_the_web_and_of_mail_are_links() {
    for (url, is_link) in [
        ("https://example.org", true),
        ("HTTP://example.org/a b", true),
        (" https://example.org ", true),
        ("mailto:a@example.org", true),
        ("https://ü.example/日本", true),
        ("", false),
        ("javascript:alert(1)", false),
        (" JavaScript:alert(1)", false),
        ("java\nscript:alert(1)", false),
        ("javascript&#58;alert(1)", false),
        ("data:text/html,x", false),
        ("vbscript:x", false),
        ("file:///etc/passwd", false),
        ("//evil.example", false),
        ("/path", false),
        ("https:evil.example", false),
        ("https://", false),
        ("https:///x", false),
        ("https://?x", false),
        ("http://\\evil.example", false),
        ("ht\ttps://example.org", false),
        ("https://example.org/\u{0}", false),
        ("https\u{202E}://example.org", false),
        ("mailto:", false),
    ] {
        for (markup, template) in [
            (Markup::Markdown, "[{n}]({url})"),
            (Markup::Html, "<a href=\"{url}\">{n}</a>"),
        ] {
            let sources = [["7", "x", url]];
            let (found, _) = render(
                &renderer(template, markup, &sources),
                &["numeric"],
                "So [7].",
            );
            let expected = if markup == Markup::Html {
                "So &#91;1&#93;."
            } else {
                "So \\[1\\]."
            };
            assert_eq!(found != expected, is_link, "{url:?}: {found}");
            assert!(found.is_ascii(), "{url:?}: {found}");
        }
    }
}

#[test]
fn templates_with_values_in_unsafe_places_are_errors() {
    for (template, markup, message) in [
        (
            "",
            Markup::Markdown,
            "expected a template with {n}, {id}, {title} or {url}, found ``",
        ),
        ("{", Markup::Markdown, "expected `}` after `{`"),
        ("{n}}", Markup::Markdown, "expected `{` before `}`"),
        (
            "{name}",
            Markup::Markdown,
            "expected {n}, {id}, {title} or {url}, found `{name}`",
        ),
        (
            "<a href={url}>",
            Markup::Html,
            "expected quotes around {url} in a tag",
        ),
        (
            "<a title=\"x\"{id}>",
            Markup::Html,
            "expected quotes around {id} in a tag",
        ),
        (
            "`{title}`",
            Markup::Markdown,
            "expected {title} outside of code",
        ),
        (
            "<b title=\"{title}\">",
            Markup::Markdown,
            "expected {title} outside of tags in Markdown; the markup `html` has tags",
        ),
        (
            "[{n}]({title})",
            Markup::Markdown,
            "expected {url} as the destination of a link, found {title}",
        ),
        (
            "<script>f('{title}')</script>",
            Markup::Html,
            "expected a template without scripts and styles",
        ),
        (
            "<a href=\"{id}\">",
            Markup::Html,
            "expected {id} in text or in an attribute such as `title`, found `href`",
        ),
    ] {
        let error = Template::new(template, markup).expect_err(template);
        assert_eq!(error.to_string(), message);
    }
    for (template, markup) in [
        ("[{n}]: {title} {url}", Markup::Markdown),
        // The next one would be an image.
        ("[{n}]({url})!", Markup::Markdown),
        ("> [{n}]:{id}", Markup::Markdown),
        ("[{n}]:\n  {title}", Markup::Markdown),
        ("[{title}](x{id})", Markup::Markdown),
        ("<b onclick='f(\"{title}\")'>", Markup::Html),
        ("<b style = '{id}'>", Markup::Html),
        ("<a title=\"x\" href = '{title}'>", Markup::Html),
        ("<STYLE>{n}</STYLE>", Markup::Html),
    ] {
        assert!(Template::new(template, markup).is_err(), "{template}");
    }
    for (template, markup) in [
        ("{{{n}}}", Markup::Markdown),
        ("`x` {n}", Markup::Markdown),
        ("<sup>{n}</sup>", Markup::Markdown),
        ("<a href='{url}'>{title}</a>", Markup::Html),
        (
            "<a href='#{n}' data-id='{id}' title = \"{title}\">{n}</a>",
            Markup::Html,
        ),
        ("[{title}]({url} \"{title}\") ({title})", Markup::Markdown),
        ("[{n}]: {url} \"{title}\"", Markup::Markdown),
        ("\\[{n}\\]: {title}", Markup::Markdown),
    ] {
        assert!(Template::new(template, markup).is_ok(), "{template}");
    }
}

#[test]
fn a_title_is_the_destination_of_no_link() {
    let title = "javascript:alert(1)";
    let links = renderer("({title})", Markup::Markdown, &[["7", title, ""]]);
    let links = links.with_unlisted(Unlisted::Keep);
    let (found, links) = render(&links, &["numeric"], "It rains [5][7]. So [9].[7] Yes.");
    let note = Template::new("{n}. [{title}]({url})", Markup::Markdown).expect("a template");
    let notes = links.notes(&note);
    assert_eq!(notes, "\\[1\\] javascript\\:alert\\(1\\)\n");
    for text in [found, notes] {
        let is_link = |event: Md<'_>| matches!(event, Md::Start(Tag::Link { .. }));
        assert!(!markdown(&text).into_iter().any(is_link), "{text}");
    }
}

#[derive(serde::Deserialize)]
struct Answers {
    answer: Vec<Answer>,
}

/// An answer as models write it, in which `⟦` and `⟧` enclose what is removed.
#[derive(serde::Deserialize)]
struct Answer {
    dialects: Vec<String>,
    text: String,
    citations: Vec<(Vec<String>, String)>,
    sources: Option<Vec<String>>,
}

/// The parts of a text that two signs enclose, and the text without them.
fn cut(text: &str, [open, close]: [char; 2]) -> (Vec<&str>, String) {
    let (mut parts, mut rest) = (Vec::new(), String::new());
    for piece in text.split(open) {
        match piece.split_once(close) {
            Some((part, after)) => {
                parts.push(part);
                rest.push_str(after);
            }
            None => rest.push_str(piece),
        }
    }
    (parts, rest)
}

#[test]
fn answers_are_rendered_with_the_identifiers_that_they_cite() {
    let answers: Answers =
        toml::from_str(include_str!("../data/markers.toml")).expect("answers with markers");
    let mut count = 0;
    for answer in answers.answer {
        if answer.sources.is_some() {
            continue;
        }
        count += 1;
        let names: Vec<&str> = answer.dialects.iter().map(String::as_str).collect();
        let input = answer.text.replace(['⟦', '⟧'], "");
        let (_, stripped) = cut(&answer.text, ['⟦', '⟧']);
        let none = renderer("{id}", Markup::Html, &[]);
        assert_eq!(render(&none, &names, &input).0, stripped);

        let cited: BTreeSet<&str> = answer
            .citations
            .iter()
            .flat_map(|(ids, _)| ids.iter().map(String::as_str))
            .collect();
        let sources: Vec<_> = cited.iter().map(|id| [*id, "", ""]).collect();
        let template = "\u{27EA}{id}\u{27EB}";
        let (found, _) = render(&renderer(template, Markup::Html, &sources), &names, &input);
        let (ids, rest) = cut(&found, ['\u{27EA}', '\u{27EB}']);
        assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), cited, "{found}");
        // The white space before a marker stays.
        let blanks = [' ', '\t'];
        assert_eq!(
            rest.replace(blanks, ""),
            stripped.replace(blanks, ""),
            "{found}"
        );
    }
    assert!(count >= 50, "{count}");
}
