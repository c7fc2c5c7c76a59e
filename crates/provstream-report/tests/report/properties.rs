//! For random answers and policies: the page shows the answer's text, its counts are those of the gate, and how the answer
//! is cut into chunks has no effect.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use provstream::provenance::{Timestamp, Vocabulary};
use provstream::{
    Action, Disposition, Gate, GateEnd, GateHandler, Handler, Mode, Parser, Question, Rewriter,
    Rules, Span, Unannotated,
};
use provstream_report::{Counts, Outcome, Page, Report};

use crate::decoder::{self, Shown};

/// Building blocks of answers.
const PIECES: &[&str] = &[
    "It rained. ",
    "So it is",
    ".",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "e.g. ",
    "A. B? C! ",
    "[substrate.grep; ts=2026-05-28T11:40:00Z]",
    " [substrate.grep; ts=2026-05-28T09:00:00Z] ",
    "[substrate.git.log; observation-id=a<b>&\"c\"; ts=2026-05-28T11:41:00Z]",
    "[substrate.mcp.brief; ts=2026-05-29T00:00:00Z]",
    "[unverified-inference]",
    "[substrate.nonsense]",
    "[substrate.grep; ts]",
    "[substrate.code.read]",
    "[substrate.",
    "]",
    "# Heading\n",
    "| a | b |\n",
    "|---|---|\n",
    "- item ",
    "> quote ",
    "```\n",
    "```rust\n",
    "~~~\n",
    "`code` ",
    "```json\n{\"assertion\":\"a\"}\n```\n[substrate.grep; ts=2026-05-28T11:40:00Z]",
    "\n\n```\n[{\"assertion\":\"a\"},\n{\"assertion\":\"b\",\"provenance\":[]}]\n```\n[unverified-inference]",
    "<script>alert(1)</script>",
    "</style>",
    "</div>",
    "&amp;",
    "&#0;",
    "\"'",
    "--><!--",
    "]]>",
    "\0",
    "\x1b[2J",
    "\u{202e}",
    "\u{2069}\u{2066}",
    "\u{feff}",
    "\u{e0041}",
    "שלום. ",
    "مرحبا ",
    "日本語。",
    "👩\u{200d}🚀 ",
    "{\"assertion\":\"It \\ud83d\\u0000 <i>.\",\"provenance\":{\"ts\":\"2026-05-28T11:40:00Z\"}}",
    "{\"a\":[{\"assertion\":\"x\"},{\"assertion\":\"\",\"provenance\":[]}]}\n",
];

/// Bytes that are not UTF-8, or not a complete character.
const BROKEN: &[&[u8]] = &[b"\xff", b"\xe3\x81", b"\xf0\x9f", b"\xed\xa0\x80", b"\x80"];

const ACTIONS: [&str; 8] = [
    "action = \"release\"",
    "action = \"release\"",
    "action = \"mark\"\nbefore = \"<b>\"\nafter = \"\u{202e}\"",
    "action = \"replace\"\ntext = \"</q>&\"",
    "action = \"discard\"",
    "action = \"discard\"",
    "action = \"suspend\"",
    "action = \"refuse\"\ntext = \"no\"",
];

const KINDS: [&str; 10] = [
    "admitted",
    "below_floor",
    "terminal",
    "malformed",
    "unknown",
    "limit",
    "no_assertion",
    "refused_class",
    "missing_class",
    "unannotated",
];

fn policy() -> impl Strategy<Value = String> {
    let rule = |kinds: &'static [&'static str]| (select(kinds), select(&ACTIONS[..]));
    (1..4_u8, vec(rule(&KINDS), 0..5), select(&ACTIONS[..5])).prop_map(|(floor, rules, other)| {
        let mut file = format!(
            "floor = {floor}\ndefault_window = \"1h\"\nrequired = [\"substrate.grep\"]\nrefused = [\"substrate.mcp.brief\"]\n\
             [inadmissible]\n{other}\n"
        );
        let rules: BTreeMap<_, _> = rules.into_iter().collect();
        for (kind, action) in rules {
            // A file cannot ask for the end at text without annotation.
            let ends = action.contains("suspend") || action.contains("refuse");
            let action = if kind == "unannotated" && ends { other } else { action };
            file.push_str(&format!("[{kind}]\n{action}\n"));
        }
        file
    })
}

fn answer() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(PIECES).prop_map(|piece| piece.as_bytes().to_vec());
    let broken = select(BROKEN).prop_map(<[u8]>::to_vec);
    let long = (select(&b"xS.<\n\0["[..]), 1_000..12_000_usize);
    let long = long.prop_map(|(byte, len)| vec![byte; len]);
    let piece = prop_oneof![60 => piece, 4 => broken, 1 => long];
    vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn mode() -> impl Strategy<Value = Mode> {
    select(&[Mode::Text, Mode::Auto, Mode::Auto, Mode::Json, Mode::Ndjson][..])
}

/// Decisions of a real gate.
#[derive(Debug, Default)]
struct Done {
    decided: BTreeMap<(Disposition, Outcome), u64>,
    annotations: u64,
    counting: u64,
    runs: BTreeMap<Outcome, u64>,
    limits: u64,
}

struct Seeing<'a> {
    rules: &'a Rules,
    done: Done,
}

impl Handler for Seeing<'_> {}

impl GateHandler for Seeing<'_> {
    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        let verdict = question.verdict().expect("a verdict");
        let disposition = self.rules.disposition(question, verdict);
        let key = (disposition, Outcome::from(action));
        *self.done.decided.entry(key).or_default() += 1;
        self.done.annotations += verdict.counting().len() as u64;
        self.done.counting += verdict.counting().iter().filter(|it| it.counts()).count() as u64;
    }

    fn run_begins(&mut self, _: u64, what: &Unannotated) {
        let outcome = match what {
            Unannotated::Release => return,
            Unannotated::Mark(..) => Outcome::Mark,
            Unannotated::Replace(_) => Outcome::Replace,
            _ => Outcome::Discard,
        };
        *self.done.runs.entry(outcome).or_default() += 1;
    }

    fn limit(&mut self, _: Span) {
        self.done.limits += 1;
    }
}

fn now() -> Timestamp {
    "2026-05-28T12:00:00Z".parse().expect("a time")
}

fn rules(policy: &str) -> Rules {
    Rules::from_toml(policy.as_bytes(), &Vocabulary::memo()).expect(policy)
}

fn parser(mode: Mode) -> Parser {
    Parser::builder().mode(mode).build()
}

const HELD: usize = 2_048;

fn shown(answer: &[u8], policy: &str, mode: Mode, chunk: usize) -> (String, Counts) {
    let mut report = Report::new(rules(policy), now());
    let mut transcript = report.transcript(None);
    let mut gate = Gate::new(parser(mode), report.policy()).with_max_held(HELD);
    let mut body = Vec::new();
    for piece in answer.chunks(chunk) {
        gate.push(piece, &mut transcript);
        transcript.write_to(&mut body).expect("memory");
    }
    gate.finish(&mut transcript);
    let parts = [transcript.finish(&mut body).expect("memory")];
    let page = Page::new("answer", &parts).with_report(&report);
    let mut html = Vec::new();
    page.write_head(&mut html).expect("memory");
    page.write_part(&parts[0], &mut html).expect("memory");
    html.append(&mut body);
    page.write_end(&mut html).expect("memory");
    (
        String::from_utf8(html).expect("UTF-8"),
        page.counts().clone(),
    )
}

fn clean(answer: &[u8], mode: Mode) -> Vec<u8> {
    let mut clean = Vec::new();
    let mut rewriter = Rewriter::new(parser(mode));
    rewriter.push(answer, &mut clean);
    rewriter.finish(&mut clean);
    clean
}

/// The number in the last cell of a row of a page.
fn number(page: &str, row: &str, cell: usize) -> Option<u64> {
    let (_, row) = page.split_once(&format!("<tr id=\"{row}\">"))?;
    let (row, _) = row.split_once("</tr>")?;
    let cells: Vec<&str> = row.split("<td class=\"num\">").skip(1).collect();
    let (number, _) = cells.get(cell)?.split_once('<')?;
    number.parse().ok()
}

fn compare(answer: &[u8], policy: &str, mode: Mode) -> Result<Shown, TestCaseError> {
    let (page, counts) = shown(answer, policy, mode, usize::MAX);
    let read = decoder::read(&page);
    let expected = clean(answer, mode);
    prop_assert_eq!(&read.answer, &String::from_utf8_lossy(&expected));
    prop_assert!(
        read.links.is_subset(&read.ids),
        "{:?}",
        read.links.difference(&read.ids)
    );

    let of = rules(policy);
    let seeing = Done::default();
    let mut seeing = Seeing {
        rules: &of,
        done: seeing,
    };
    let mut gate = Gate::new(parser(mode), of.clone().policy(now)).with_max_held(HELD);
    gate.push(answer, &mut seeing);
    gate.finish(&mut seeing);
    let done = seeing.done;
    for (disposition, outcome) in done.decided.keys() {
        let of_disposition = done.decided.iter().filter(|((it, _), _)| it == disposition);
        let expected: u64 = of_disposition.map(|(_, count)| count).sum();
        prop_assert_eq!(counts.disposed(*disposition), expected, "{}", disposition);
        prop_assert_eq!(
            number(&page, &format!("v-{disposition}"), 0),
            Some(expected)
        );
        let of_outcome = done.decided.iter().filter(|((_, it), _)| it == outcome);
        let expected: u64 = of_outcome.map(|(_, count)| count).sum();
        prop_assert_eq!(counts.treated(*outcome), expected, "{}", outcome);
        prop_assert_eq!(number(&page, &format!("o-{outcome}"), 0), Some(expected));
    }
    prop_assert_eq!(counts.assertions(), done.decided.values().sum::<u64>());
    prop_assert_eq!(
        (counts.annotations(), counts.counting()),
        (done.annotations, done.counting)
    );
    for outcome in Outcome::ALL {
        let expected = done.runs.get(&outcome).copied().unwrap_or_default();
        prop_assert_eq!(counts.runs(outcome), expected, "runs, {}", outcome);
    }
    prop_assert_eq!(counts.limits(), done.limits);
    let ended = |end| u64::from(gate.ended() == Some(end));
    prop_assert_eq!(counts.ended(Outcome::Suspend), ended(GateEnd::Suspended));
    prop_assert_eq!(counts.ended(Outcome::Refuse), ended(GateEnd::Refused));
    Ok(read)
}

fn run<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig {
        cases: testkit::search::seeds(300) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let result = TestRunner::new(config).run(strategy, test);
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_page_shows_the_text_and_counts_as_the_gate_does() {
    run(&(answer(), policy(), mode()), |(answer, policy, mode)| {
        compare(&answer, &policy, mode).map(|_| ())
    });
}

#[test]
fn chunks_have_no_effect() {
    let chunk = 1..200_usize;
    run(
        &(answer(), policy(), mode(), chunk),
        |(answer, policy, mode, chunk)| {
            let whole = shown(&answer, &policy, mode, usize::MAX);
            prop_assert_eq!(shown(&answer, &policy, mode, chunk), whole);
            Ok(())
        },
    );
}

#[test]
fn marks_are_around_the_assertions() {
    let policy = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"discard\"\n[terminal]\naction = \"mark\"\nbefore = \"(\"\n";
    let answer = "One. Two. [substrate.grep; ts=2026-05-28T11:40:00Z] Three. [unverified-inference]\n\n```\n{\"assertion\":\"in\"}\n```\n[substrate.grep]\n";
    let shown = compare(answer.as_bytes(), policy, Mode::Auto).expect("a page");
    let marks: Vec<_> = shown
        .marks
        .iter()
        .map(|(class, text)| (&**class, &**text))
        .collect();
    assert_eq!(
        marks,
        [
            ("ok v-admitted", "Two."),
            ("no v-terminal", "Three."),
            ("lo v-below-floor w", "{\"assertion\":\"in\"}"),
            ("no v-unannotated w", "in"),
        ]
    );
}

#[test]
fn what_follows_after_the_end_is_shown_and_not_counted() {
    let policy =
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"refuse\"\ntext = \"no\"\n";
    let answer = "One. Two. [substrate.grep] Three. [unverified-inference] Four.";
    let shown = compare(answer.as_bytes(), policy, Mode::Auto).expect("a page");
    assert_eq!(shown.answer, "One. Two. Three. Four.");
    assert_eq!(
        shown.marks[0],
        ("e".to_owned(), "Two. Three. Four.".to_owned())
    );
    assert!(shown.text.contains("Rest refused with no") && shown.text.contains("Not reached"));
}

#[test]
fn an_assertion_at_the_place_of_the_end_is_not_reached() {
    let policy = "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"suspend\"\n";
    let answer = "[substrate.grep]One. [unverified-inference] Two.";
    let shown = compare(answer.as_bytes(), policy, Mode::Auto).expect("a page");
    assert_eq!(shown.marks[0], ("e".to_owned(), "One. Two.".to_owned()));
    assert!(shown.text.contains("Not reached"));
}

#[test]
fn a_limit_ends_the_stream_where_the_text_is_held_back() {
    let policy =
        "floor = 1\ndefault_window = \"1h\"\n[inadmissible]\naction = \"refuse\"\ntext = \"no\"\n";
    let long = "x".repeat(3 * HELD);
    let answer = format!("First one. S{long} [substrate.grep] Last.");
    let shown = compare(answer.as_bytes(), policy, Mode::Auto).expect("a page");
    let after = format!("S{long} Last.");
    assert_eq!(
        shown
            .marks
            .iter()
            .filter(|(class, _)| class == "e")
            .map(|(_, text)| &**text)
            .collect::<String>(),
        after
    );
    assert!(
        shown.text.contains("Limit reached too much is held back"),
        "{}",
        shown.text
    );
}
