//! Citations of dialects in a gate.

use std::sync::Arc;

use provstream::provenance::{Timestamp, Vocabulary};
use provstream::{
    Action, AtLimit, CitationReason, Dialects, Disposition, Event, Gate, GateEnd, GateHandler,
    Handler, Parser, Policy, Question, Rewriter, Rules, Source, Sources, Span, TextChunk,
};
use testkit::gate::naive::{Drawn, gate_with_dialects};
use testkit::reference::Reading;
use testkit::reference::dialects::generate::{Case, case};
use testkit::reference::dialects::{self, Known, With};
use testkit::reference::engine::Cuts;

use crate::dialect_parser;
use crate::release_point::{cut, seeds};

fn parser(case: &Case) -> Parser {
    dialect_parser::parser(Reading::TEXT, &case.limits, &case.dialects, &case.sources)
}

/// Output of a gate, with the spans that it released.
#[derive(Debug, Default)]
struct Seen {
    text: Vec<u8>,
    upto: u64,
    released: Vec<Span>,
    limits: usize,
}

impl Seen {
    fn note(&mut self, text: &TextChunk<'_>) {
        assert_eq!(
            text.span().start(),
            self.upto,
            "spans cover the text in order"
        );
        self.upto = text.span().end();
    }
}

impl Handler for Seen {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }
}

impl GateHandler for Seen {
    fn released(&mut self, text: TextChunk<'_>) {
        self.note(&text);
        self.released.push(text.span());
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.note(&text);
    }

    fn limit(&mut self, _: Span) {
        self.limits += 1;
    }
}

fn run<P: Policy>(case: &Case, policy: P, most: usize, cuts: &mut Cuts) -> (Seen, Option<GateEnd>) {
    let mut gate = Gate::new(parser(case), policy);
    let mut seen = Seen::default();
    for piece in cut(&case.input, most, cuts) {
        piece.gate(&mut gate, &mut seen);
    }
    gate.finish(&mut seen);
    (seen, gate.ended())
}

fn show(case: &Case) -> String {
    let segments = case.input.iter();
    let lines = segments.map(|segment| {
        let text = String::from_utf8_lossy(&segment.bytes);
        format!("{} {} {text:?}\n", segment.own, segment.after_break)
    });
    let (dialects, sources) = (&case.dialects, &case.sources);
    let max = case.limits.max_assertion;
    format!(
        "{}{dialects:?} {sources:?} {max}",
        lines.collect::<String>()
    )
}

#[test]
fn a_gate_with_dialects_writes_what_a_naive_one_writes() {
    let mut faults = Vec::new();
    let (mut compared, mut ended) = (0, 0);
    for seed in seeds(500) {
        let mut case = case(seed);
        case.limits.max_assertion = 4_096;
        if case.is_open_question() {
            continue;
        }
        let with = With {
            dialects: &dialects::Dialects::built_in(&case.dialects),
            known: &case.sources,
        };
        let policy = Drawn(seed);
        let Some(expected) = gate_with_dialects(&case.input, &case.limits, with, policy) else {
            continue;
        };
        compared += 1;
        ended += usize::from(expected.1.is_some());
        let mut cuts = Cuts(seed);
        for most in [1, 4, 16, 2_000] {
            let (seen, end) = run(&case, policy, most, &mut cuts);
            if (&seen.text, end) != (&expected.0, expected.1) {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                faults.push(format!(
                    "seed {seed}, chunks up to {most}\n{}\nexpected {:?} {:?}\nfound    {end:?} {:?}\n",
                    show(&case),
                    expected.1,
                    text(&expected.0),
                    text(&seen.text)
                ));
                break;
            }
        }
    }
    faults.sort_by_key(String::len);
    let shown: String = faults.iter().take(6).map(String::as_str).collect();
    assert!(
        faults.is_empty(),
        "{} of {compared} differ\n{shown}",
        faults.len()
    );
    assert!(ended > 5, "{ended}");
}

/// Withholds what has an unknown source, and ends the stream at limits.
#[derive(Clone, Copy)]
struct KnownSources;

impl Policy for KnownSources {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let assertion = question.assertion();
        let mut classes = assertion.classes();
        match classes.any(|class| class.as_str() == "unverified-inference") {
            true => Action::Discard,
            false => Action::Release,
        }
    }

    fn limit(&mut self) -> AtLimit {
        AtLimit::Refuse("".into())
    }
}

/// Returns the clean spans of what a parser reports as citing an unknown source.
fn invented(case: &Case) -> Vec<Span> {
    let mut parser = parser(case);
    let mut found = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Citation(citation) = event
            && !citation.clean_span().is_empty()
            && citation
                .ids()
                .any(|cited| cited.reason == Some(CitationReason::UnknownSource))
        {
            found.push(citation.clean_span());
        }
    };
    for segment in &case.input {
        if segment.after_break {
            parser.push_break(&mut sink);
        }
        match segment.own {
            true => parser.push(&segment.bytes, &mut sink),
            false => parser.push_untrusted(&segment.bytes, &mut sink),
        }
    }
    parser.finish(&mut sink);
    found
}

/// Removes the markers and annotations of a case.
fn cleaned(case: &Case) -> Vec<u8> {
    let (mut rewriter, mut out) = (Rewriter::new(parser(case)), Vec::new());
    for segment in &case.input {
        if segment.after_break {
            rewriter.push_break(&mut out);
        }
        match segment.own {
            true => rewriter.push(&segment.bytes, &mut out),
            false => rewriter.push_untrusted(&segment.bytes, &mut out),
        }
    }
    rewriter.finish(&mut out);
    out
}

#[test]
fn no_byte_of_a_sentence_with_an_unknown_source_is_released() {
    let (mut withheld, mut released) = (0, 0);
    for seed in seeds(500) {
        let mut case = case(seed);
        let mut cuts = Cuts(!seed);
        case.sources = Known::Complete(vec!["1".into(), "4:0".into(), "0".into(), "doc1".into()]);
        // Where `max_assertion` cuts, a parser counts in what closes the sentence before: the whole sentence counts as well.
        case.limits.max_assertion = 4_096;
        let whole = invented(&case);
        case.limits.max_assertion = [4_096, 64, 16][cuts.below(3)];
        let (invented, clean) = (invented(&case), cleaned(&case));
        withheld += invented.len();
        for most in [1, 8, 200] {
            let (seen, _) = run(&case, KnownSources, most, &mut cuts);
            released += seen.released.len();
            for span in &seen.released {
                let leaked = invented.iter().find(|cited| {
                    let (start, end) =
                        (cited.start().max(span.start()), cited.end().min(span.end()));
                    let mut whole = whole.iter();
                    start < end
                        && whole.any(|cited| cited.start() < end && start < cited.end())
                        && clean[start as usize..end as usize]
                            .iter()
                            .any(u8::is_ascii_alphanumeric)
                });
                assert!(
                    leaked.is_none(),
                    "seed {seed}, chunks up to {most}: {leaked:?} {span:?}\n{}",
                    show(&case)
                );
            }
        }
    }
    assert!(withheld > 100 && released > 100, "{withheld} {released}");
}

/// A text with the markers of `numeric`.
fn numbers(text: &str, known: Known) -> Case {
    Case {
        dialects: vec!["numeric"],
        sources: known,
        limits: testkit::reference::RefLimits::default(),
        input: vec![testkit::reference::Segment {
            own: true,
            bytes: text.into(),
            after_break: false,
        }],
    }
}

fn known(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

fn rules(more: &str) -> Rules {
    let file = format!(
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"replace\"\ntext = \"(withheld)\"\n{more}"
    );
    Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect("a policy")
}

fn gated(rules: &Rules, case: &Case) -> String {
    let now: Timestamp = "2026-05-28T12:00:00Z".parse().expect("a time");
    let mut texts = [1, 3, 2_000].into_iter().map(|most| {
        let policy = rules.clone().policy(move || now);
        let (seen, _) = run(case, policy, most, &mut Cuts(7));
        String::from_utf8(seen.text).expect("UTF-8")
    });
    let first = texts.next().expect("a text");
    assert!(texts.all(|text| text == first), "{first}");
    first
}

#[test]
fn a_policy_decides_about_cited_sentences() {
    let text = "Paris is big [1]. Rome [1] is bigger [7]. So it is.";
    let complete = || Known::Complete(known(&["1", "2"]));
    let plain = rules("");
    assert!(!plain.needs_sources());
    // What is listed without a class meets no floor.
    assert_eq!(
        gated(&plain, &numbers(text, complete())),
        "(withheld) (withheld) So it is."
    );
    let listed = rules("[listed_source]\naction = \"release\"\n");
    assert!(listed.needs_sources());
    assert_eq!(
        gated(&listed, &numbers(text, complete())),
        "Paris is big. (withheld) So it is."
    );
    let unknown = rules(
        "[listed_source]\naction = \"release\"\n[unknown_source]\naction = \"mark\"\nbefore = \"<\"\nafter = \">\"\n[terminal]\naction = \"discard\"\n",
    );
    assert_eq!(
        gated(&unknown, &numbers(text, complete())),
        "Paris is big. <Rome is bigger.> So it is."
    );
    let terminal =
        rules("[listed_source]\naction = \"release\"\n[terminal]\naction = \"discard\"\n");
    assert_eq!(
        gated(&terminal, &numbers(text, complete())),
        "Paris is big. So it is."
    );
}

/// Rules that release whatever they say nothing about, and so what reaches a limit.
fn lenient(more: &str) -> Rules {
    let file = format!(
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"release\"\n[unknown_source]\naction = \"replace\"\ntext = \"(withheld)\"\n{more}"
    );
    Rules::from_toml(file.as_bytes(), &Vocabulary::memo()).expect("a policy")
}

#[test]
fn a_limit_that_releases_does_not_release_unknown_sources() {
    let many = " and on [1]".repeat(64);
    let goes_on = format!("It rains{}. So.", " and on".repeat(64));
    let long = "and on ".repeat(1_500);
    for (text, expected) in [
        (format!("A zebra runs [7]{many}. So."), "(withheld) So."),
        (format!("It rains [1]{many}. So."), &*goes_on),
    ] {
        for more in ["", "[limit]\naction = \"release\"\n"] {
            let case = numbers(&text, Known::Complete(known(&["1"])));
            assert_eq!(gated(&lenient(more), &case), expected, "{more}");
        }
        let case = numbers(&text, Known::Complete(known(&["1"])));
        let strict = lenient("[limit]\naction = \"refuse\"\ntext = \"(too long)\"\n");
        assert_eq!(gated(&strict, &case), "(too long)");
    }
    // What is beyond the limit is written; the rest is withheld.
    let case = numbers(
        &format!("It goes on {long}and ends [7]. So."),
        Known::Complete(known(&["1"])),
    );
    let written = gated(&lenient(""), &case);
    assert!(!written.contains("ends"), "{written}");
    assert!(written.ends_with("(withheld) So."), "{written}");
}

#[test]
fn text_at_a_limit_of_the_caller_is_withheld_for_its_markers() {
    let now: Timestamp = "2026-05-28T12:00:00Z".parse().expect("a time");
    for (text, expected, limits) in [
        ("A zebra runs [7]", "(withheld)", 0),
        ("A zebra runs.[1, 7] ", "(withheld) ", 1),
        ("A zebra runs [1]", "A zebra runs", 0),
        ("A zebra runs", "A zebra runs", 1),
        ("A zebra runs [7", "A zebra runs [7", 1),
    ] {
        let case = numbers(text, Known::Complete(known(&["1"])));
        let mut gate = Gate::new(parser(&case), lenient("").policy(move || now));
        let mut seen = Seen::default();
        gate.push(text.as_bytes(), &mut seen);
        gate.reach_limit(&mut seen);
        assert_eq!((gate.held_len(), gate.ended()), (0, None), "{text}");
        gate.push(b" So it is", &mut seen);
        gate.finish(&mut seen);
        let written = String::from_utf8_lossy(&seen.text);
        assert_eq!(written, format!("{expected} So it is"), "{text}");
        assert_eq!(seen.limits, limits, "{text}");
    }
}

#[test]
fn a_row_of_a_table_is_withheld_for_its_own_markers_only() {
    let rules = rules("[listed_source]\naction = \"release\"\n");
    for (text, expected) in [
        (
            "| # | Source |\n|---|---|\n| [1] | Smith |\n| [7] | Jones |\n| [1] | Brown |",
            "| # | Source |\n|---|---|\n| | Smith |\n| | (withheld) |\n| | Brown |",
        ),
        (
            "It rains.\n| [7] | Jones | [1] |\n| Smith | [1] |\n",
            "It rains.\n| | (withheld) | |\n| Smith | |\n",
        ),
    ] {
        let case = numbers(text, Known::Complete(known(&["1"])));
        assert_eq!(gated(&rules, &case), expected);
    }
}

#[test]
fn without_a_list_nothing_is_withheld_unless_a_policy_says_so() {
    let text = "Paris is big [1]. Rome is bigger [7]. So it is.";
    let stripped = "Paris is big. Rome is bigger. So it is.";
    let incomplete = || Known::Incomplete(known(&["1"]));
    assert_eq!(gated(&rules(""), &numbers(text, Known::Nothing)), stripped);
    let listed = rules("[listed_source]\naction = \"release\"\n");
    assert_eq!(gated(&listed, &numbers(text, incomplete())), stripped);
    let strict =
        rules("[listed_source]\naction = \"release\"\n[no_source_list]\naction = \"discard\"\n");
    assert!(strict.needs_sources());
    assert_eq!(
        gated(&strict, &numbers(text, incomplete())),
        "Paris is big. So it is."
    );
}

/// The first bytes of the line after a marker may be those of a list item, or its text.
#[test]
fn a_marker_before_what_may_begin_a_block_holds_the_line_before() {
    for (text, expected) in [
        ("| a | \n[7]- ,\nSo.", "| (withheld) | \n- ,\nSo."),
        ("| a |\n[7]1. b\nSo.", "| (withheld) |\n1. b\nSo."),
        ("| a | \n[7]-x y.\nSo.", "| a | \n(withheld)\nSo."),
    ] {
        let text = text.replace("[7]", "%[7]%");
        let mut case = numbers(&text, Known::Complete(known(&["1"])));
        case.dialects = vec!["nova"];
        assert_eq!(gated(&rules(""), &case), expected, "{text:?}");
    }
}

#[test]
fn a_gate_holds_a_sentence_until_the_byte_after_its_markers() {
    let case = numbers("", Known::Nothing);
    let mut gate = Gate::new(parser(&case), KnownSources);
    let mut seen = Seen::default();
    for (piece, expected) in [
        ("Paris is big.", ""),
        (" [1]", ""),
        (" [2]", ""),
        (" \n", ""),
        ("S", "Paris is big. \n"),
        ("o.\n\n", "Paris is big. \n"),
        ("| a |", "Paris is big. \nSo.\n\n| "),
    ] {
        gate.push(piece.as_bytes(), &mut seen);
        let text = String::from_utf8_lossy(&seen.text);
        assert!(
            text.starts_with(expected.trim_end()),
            "{piece:?} {text:?} {expected:?}"
        );
        assert_eq!(text.trim_end(), expected.trim_end(), "{piece:?}");
    }
}

#[test]
fn classes_of_sources_count_towards_the_floor() {
    #[derive(Debug)]
    struct Classes(provstream::provenance::Class);

    impl Sources for Classes {
        fn find(&self, id: &str) -> Option<Source<'_>> {
            let mut source = Source::new("1");
            source.class = Some(&self.0);
            source.ts = Some("2026-05-28T11:40:00Z");
            (id == "1").then_some(source)
        }

        fn is_complete(&self) -> bool {
            true
        }
    }

    let dialects = Dialects::built_in(["numeric"]).expect("built in");
    let sources = Arc::new(Classes(provstream::provenance::Class::GREP));
    let parser = Parser::builder()
        .dialects(dialects)
        .sources(sources)
        .build();
    let now: Timestamp = "2026-05-28T12:00:00Z".parse().expect("a time");
    let mut seen = Dispositions::default();
    let mut gate = Gate::new(parser, rules("").policy(move || now));
    gate.push(b"It rains [1]. It snows [1][7].", &mut seen);
    gate.finish(&mut seen);
    assert_eq!(seen.0, [Disposition::Admitted, Disposition::UnknownSource]);
}

/// Dispositions of what a policy decided about.
#[derive(Default)]
struct Dispositions(Vec<Disposition>);

impl Handler for Dispositions {}

impl GateHandler for Dispositions {
    fn decided(&mut self, question: &Question<'_>, _: &Action) {
        let verdict = question.verdict().expect("a verdict");
        self.0.push(rules("").disposition(question, verdict));
    }
}

/// White space after discarded text is joined, whatever chunks it comes in.
#[test]
fn white_space_beside_discarded_citations_is_joined() {
    for text in [
        "\n\nA b. [7] <co: 0><co: 9>C</co: 9> is</co: 0> so.\n[doc9]\n\nD e. [7] End.",
        "<co: 0><co: 9>C</co: 9> is</co: 0> so.\n[doc9]\n\nEnd.",
        "A. <co: 9>C</co: 9> is so.\n[doc9]\n\nEnd.",
    ] {
        let mut case = numbers(text, Known::Complete(known(&["0"])));
        case.dialects = vec!["numeric", "doc", "cohere"];
        let mut found = Vec::new();
        for most in [1, 2, 3, 5, 8, 2_000] {
            for seed in 0..20 {
                let (seen, _) = run(&case, KnownSources, most, &mut Cuts(seed));
                found.push(String::from_utf8(seen.text).expect("UTF-8"));
            }
        }
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 1, "{text:?} {found:?}");
    }
}

/// A segment of a case, after a break or not.
fn segment(text: &str, after_break: bool) -> testkit::reference::Segment {
    testkit::reference::Segment {
        own: true,
        bytes: text.into(),
        after_break,
    }
}

/// A marker that comes first after a break may belong to a sentence before it, which is released.
#[test]
fn a_citation_that_comes_first_after_a_break_is_an_orphan() {
    let mut case = numbers("", Known::Complete(known(&["1"])));
    case.dialects = vec!["nova"];
    case.input = vec![
        segment("It rains.", false),
        segment(" %[7]% %[1]%. So it is.%[1]%", true),
        segment(" A %[1]%.", true),
    ];
    let listed = "[listed_source]\naction = \"release\"\n";
    for (rule, expected) in [
        (
            "[orphan]\naction = \"mark\"\nbefore = \"(!)\"\nafter = \"\"\n",
            "It rains.(!)(!). So it is. A.",
        ),
        (
            "[orphan]\naction = \"refuse\"\ntext = \"(end)\"\n",
            "It rains.(end)",
        ),
        // Without a rule about orphans, an invented one is judged as such, and a listed one is inadmissible.
        (
            "[unknown_source]\naction = \"replace\"\ntext = \"(7)\"\n",
            "It rains.(7)(withheld). So it is. A.",
        ),
    ] {
        let rules = rules(&format!("{listed}{rule}"));
        assert_eq!(gated(&rules, &case), expected, "{rule}");
    }
    case.sources = Known::Nothing;
    assert_eq!(gated(&rules(""), &case), "It rains.. So it is. A.");
}

#[test]
fn a_citation_that_comes_first_in_its_text_belongs_to_what_follows() {
    let mut case = numbers("%[7]% So it is. Yes.", Known::Complete(known(&["1"])));
    case.dialects = vec!["nova"];
    assert_eq!(gated(&rules(""), &case), " (withheld) Yes.");
}

/// The white space before a marker is no text that was released before the marker.
#[test]
fn a_release_point_moves_with_the_white_space_before_a_marker() {
    let mut gate = Gate::new(
        parser(&numbers("", Known::Complete(known(&["1"])))),
        KnownSources,
    );
    let mut seen = Seen::default();
    for piece in ["A.\n>  ", "[12]", "*", "*", "So it is."] {
        gate.push(piece.as_bytes(), &mut seen);
    }
    gate.finish(&mut seen);
    assert_eq!(String::from_utf8_lossy(&seen.text), "A.\n>");
}
