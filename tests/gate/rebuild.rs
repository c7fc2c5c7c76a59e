//! The gate's reports about its decisions describe its output.

use provstream::provenance::Encoding;
use provstream::{
    Action, AtLimit, Gate, GateEnd, GateHandler, Handler, Parser, Policy, Question, Spacing, Span,
    TextChunk, Unannotated,
};
use testkit::gate::naive::Drawn;
use testkit::gate::pieces::{Short, broken};
use testkit::reference::engine::{Cuts, parser_in};
use testkit::reference::{RefLimits, RefVocabulary, strip_in};

use crate::release_point::{cut, seeds};

/// Reports and output of a gate.
#[derive(Debug, Default)]
struct Log {
    written: Vec<u8>,
    /// Up to where text was released or withheld.
    upto: u64,
    assertions: Vec<Line>,
    runs: Vec<(Span, Unannotated)>,
    limits: Vec<Span>,
}

/// A line about an assertion.
#[derive(Clone, Debug)]
struct Line {
    span: Span,
    /// Span without the text released at a limit.
    rest: Span,
    /// Number of reports about limits before this one.
    limits: usize,
    action: Action,
    json: bool,
}

impl Handler for Log {
    fn text(&mut self, text: TextChunk<'_>) {
        self.written.extend_from_slice(text.bytes());
    }
}

impl GateHandler for Log {
    fn released(&mut self, text: TextChunk<'_>) {
        self.upto = text.span().end();
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.upto = text.span().end();
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.assertions.push(Line {
            span: question.clean_span(),
            rest: question.clean_span(),
            limits: self.limits.len(),
            action: action.clone(),
            json: question.assertion().encoding() == Encoding::Json,
        });
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.runs.push((Span::new(at, at), what.clone()));
    }

    fn run_ends(&mut self, at: u64) {
        let (span, _) = self.runs.last_mut().expect("a run");
        *span = Span::new(span.start(), at);
    }

    fn limit(&mut self, span: Span) {
        if let Some(last) = self.limits.last() {
            assert!(last.end() <= span.start(), "{last:?} {span:?}");
        }
        self.limits.push(span);
    }
}

/// The output, made from the text without annotations and the lines.
struct Rebuilt<'a> {
    text: &'a [u8],
    at: usize,
    written: Vec<u8>,
    /// In the order of their places, the outer of two first.
    lines: Vec<Line>,
}

impl Rebuilt<'_> {
    fn release(&mut self, upto: u64) {
        let upto = upto as usize;
        self.written
            .extend_from_slice(&self.text[self.at.min(upto)..upto]);
        self.at = self.at.max(upto);
    }

    fn insert(&mut self, text: &str, json: bool) {
        let quoted = serde_json::to_string(text).expect("a string");
        let text = if json {
            &quoted[1..quoted.len() - 1]
        } else {
            text
        };
        self.written.extend_from_slice(text.as_bytes());
    }

    /// The next line takes effect; whether the text goes on.
    fn act(&mut self) -> bool {
        let Line {
            span: whole,
            rest: span,
            action,
            json,
            ..
        } = self.lines.remove(0);
        let is_string = |at: Option<usize>| at.is_none_or(|at| self.text.get(at) == Some(&b'"'));
        let starts = !json || is_string((whole.start() as usize).checked_sub(1));
        let ends = !json || is_string(Some(whole.end() as usize));
        match action {
            Action::Release => self.inside(span),
            Action::Mark(before, after) => {
                if starts {
                    self.insert(&before, json);
                }
                if !self.inside(span) {
                    return false;
                }
                if ends {
                    self.insert(&after, json);
                }
                true
            }
            Action::Replace(text) => {
                self.insert(if starts { "" } else { "\"" }, false);
                self.insert(&text, json);
                self.insert(if ends { "" } else { "\"" }, false);
                self.skip(span)
            }
            Action::Discard => {
                self.insert(if starts { "" } else { "\"" }, false);
                self.insert(if ends { "" } else { "\"" }, false);
                self.skip(span)
            }
            Action::Suspend => false,
            Action::Refuse(text) => {
                self.insert(&text, json);
                false
            }
            other => panic!("an action that there is not: {other:?}"),
        }
    }

    fn inside(&mut self, span: Span) -> bool {
        while self
            .lines
            .first()
            .is_some_and(|next| next.rest.start() < span.end())
        {
            let start = self.lines[0].rest.start();
            self.release(start);
            if !self.act() {
                return false;
            }
        }
        self.release(span.end());
        true
    }

    fn skip(&mut self, span: Span) -> bool {
        self.at = self.at.max(span.end() as usize);
        let inside = |line: &Line| line.rest.start() < span.end() && line.rest.end() <= span.end();
        self.lines
            .retain(|line| !inside(line) || line.action.ends());
        true
    }

    /// A run of unannotated text.
    fn run(&mut self, span: Span, what: &Unannotated) {
        self.release(span.start());
        match what {
            Unannotated::Release => self.release(span.end()),
            Unannotated::Mark(before, after) => {
                self.insert(before, false);
                self.release(span.end());
                self.insert(after, false);
            }
            Unannotated::Replace(text) => {
                self.insert(text, false);
                self.at = span.end() as usize;
            }
            Unannotated::Discard => self.at = span.end() as usize,
            other => panic!("an action that there is not: {other:?}"),
        }
    }
}

/// The output of a gate that ended so, from its log.
fn rebuild(text: &[u8], log: &Log, ended: Option<GateEnd>, refusal: &AtLimit) -> Vec<u8> {
    // A limit leaves of an assertion what it has not let through.
    let mut lines: Vec<Line> = Vec::new();
    for line in &log.assertions {
        let mut start = line.span.start();
        for limit in &log.limits {
            if !line.span.is_empty() && (limit.start()..limit.end()).contains(&start) {
                start = limit.end();
            }
        }
        let covers = |limit: &Span| (limit.start()..limit.end()).contains(&start);
        let is_through = if line.span.is_empty() {
            log.limits[..line.limits].iter().any(covers)
        } else {
            start >= line.span.end()
        };
        if !is_through || line.action.ends() {
            let rest = Span::new(start, line.span.end().max(start));
            lines.push(Line {
                rest,
                ..line.clone()
            });
        }
    }
    lines.sort_by_key(|line| line.rest.start());
    let mut rebuilt = Rebuilt {
        text,
        at: 0,
        written: Vec::new(),
        lines,
    };
    let mut runs = log.runs.iter().peekable();
    let mut goes_on = true;
    while goes_on {
        let line = rebuilt.lines.first().map(|line| line.rest.start());
        let run = runs.peek().map(|(span, _)| span.start());
        goes_on = match (line, run) {
            (None, None) => break,
            (Some(line), run) if run.is_none_or(|run| line <= run) => {
                // The stream ended before it.
                let next = &rebuilt.lines[0];
                let lasts = ended.is_some() && !next.action.ends() && next.rest.end() > log.upto;
                let holds_end = rebuilt.lines.iter().any(|line| line.action.ends());
                if line > log.upto || lasts && !holds_end {
                    break;
                }
                rebuilt.release(line);
                rebuilt.act()
            }
            _ => {
                let (span, what) = runs.next().expect("a run");
                rebuilt.run(*span, what);
                true
            }
        };
    }
    if goes_on {
        rebuilt.release(log.upto);
        if let (Some(GateEnd::Refused), AtLimit::Refuse(text)) = (ended, refusal) {
            rebuilt.insert(text, false);
        }
    }
    rebuilt.written
}

/// Decides as drawn, and lets text through at limits or refuses it.
struct AtLimits(Drawn, AtLimit, Spacing);

impl Policy for AtLimits {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        self.0.assertion(question)
    }

    fn unannotated(&mut self) -> Unannotated {
        self.0.run()
    }

    fn limit(&mut self) -> AtLimit {
        self.1.clone()
    }

    fn spacing(&self) -> Spacing {
        self.2
    }
}

/// A short input in which some piece is repeated until it is too long.
fn long(seed: u64) -> Short {
    let mut short = broken(seed, 40);
    // An assertion in a record that is removed is decided about, but has no place in the output.
    short.reading.hold_records = false;
    let mut cuts = Cuts(!seed);
    let pieces = [
        "will ",
        "\u{65e5}\u{672c}\u{8a9e}",
        "\\ud83d\\ude00",
        "\\\\\\n",
        "so. ",
        "x",
    ];
    for part in &mut short.input {
        let piece = pieces[cuts.below(pieces.len())];
        let at = cuts.below(part.bytes.len() + 1);
        let count = cuts.below(3_000) / piece.len();
        part.bytes.splice(at..at, piece.repeat(count).into_bytes());
    }
    short
}

#[test]
fn the_output_can_be_made_from_the_log() {
    let (mut limits_hit, mut through) = (0, 0);
    for seed in seeds(300) {
        let short = long(seed);
        let mut cuts = Cuts(seed);
        let limits = RefLimits {
            max_assertion: [4_096, 300, 40][cuts.below(3)],
            ..RefLimits::default()
        };
        let held = [65_536, 2_000, 100][cuts.below(3)];
        let at_limit = match cuts.below(3) {
            0 => AtLimit::Refuse("(cut)".into()),
            _ => AtLimit::Release,
        };
        let vocabulary = RefVocabulary::default();
        let text = strip_in(short.reading, &short.input, &limits, &vocabulary);
        let parser = parser_in(short.reading, &limits, &vocabulary);
        let spacing = [Spacing::Keep, Spacing::Join][cuts.below(2)];
        let policy = AtLimits(Drawn(seed), at_limit.clone(), spacing);
        let mut gate = Gate::new(parser, policy).with_max_held(held);
        let mut log = Log::default();
        for piece in cut(&short.input, 700, &mut cuts) {
            piece.gate(&mut gate, &mut log);
        }
        gate.finish(&mut log);
        limits_hit += log.limits.len();
        through += log
            .assertions
            .iter()
            .filter(|line| {
                log.limits.iter().any(|limit| {
                    limit.start() <= line.span.start() && line.span.end() <= limit.end()
                })
            })
            .count();
        let mut rebuilt = rebuild(&text, &log, gate.ended(), &at_limit);
        if spacing == Spacing::Join {
            // The log does not list the white space that is left out.
            for bytes in [&mut rebuilt, &mut log.written] {
                bytes.retain(|byte| !b" \t\r\n".contains(byte));
            }
        }
        let same = rebuilt.iter().zip(&log.written).take_while(|(a, b)| a == b);
        let at = same.count();
        let near = |bytes: &[u8]| bytes[at.min(bytes.len())..].escape_ascii().to_string();
        assert!(
            rebuilt == log.written,
            "seed {seed}, {:?} {limits:?} {held} {:?}\n{:?}\n{:?}\n{:?}\nat {at}\nrebuilt {:.200}\nwritten {:.200}",
            short.reading,
            gate.ended(),
            log.assertions,
            log.runs,
            log.limits,
            near(&rebuilt),
            near(&log.written),
        );
    }
    assert!(limits_hit > 100 && through > 0, "{limits_hit} {through}");
}

/// A policy that marks every assertion.
struct Marks;

impl Policy for Marks {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Mark("<".into(), ">".into())
    }
}

#[test]
fn a_limit_divides_neither_a_character_nor_an_escape() {
    for (piece, from) in [
        ("\u{65e5}\u{672c}\u{8a9e}", ' '),
        ("\\ud83d\\ude00", ' '),
        ("\\u65e5\\\\", ' '),
        ("\\n\\\\\\\"", ' '),
    ] {
        for shift in 0..13 {
            let text = format!(
                "{}{{\"assertion\":\"{}\",\"provenance\":{{\"substrate_class\":\"unverified-inference\"}}}} End.",
                from.to_string().repeat(shift),
                piece.repeat(72_000 / piece.len())
            );
            for mode in [provstream::Mode::Auto, provstream::Mode::Json] {
                let mut gate = Gate::new(Parser::builder().mode(mode).build(), Marks);
                let mut written = Vec::new();
                gate.push(text.as_bytes(), &mut written);
                gate.finish(&mut written);
                let written = String::from_utf8(written).expect("UTF-8");
                let end = written.rfind('}').expect("an object") + 1;
                let value: serde_json::Value = serde_json::from_str(&written[..end]).expect("JSON");
                let marked = value["assertion"].as_str().expect("a string");
                assert!(marked.ends_with('>') && marked.contains('<'), "{mode:?}");
                let plain: serde_json::Value =
                    serde_json::from_str(&text[..text.len() - 5]).expect("JSON");
                assert_eq!(
                    marked.replace(['<', '>'], ""),
                    plain["assertion"].as_str().expect("a string")
                );
            }
        }
    }
}
