//! Grammar of one annotation, in the form that `provstream::provenance::BracketedForm` writes.
//!
//! Parsers accept more: white space, parameters in another order, further parameters, the other
//! spelling of `observation-id`. None of these adds meaning, so the grammar does not offer them to
//! a model.

use provstream::provenance::{Annotation, Class, Vocabulary, write_bracketed};
use provstream::{Event, Mode, Parser};

use super::expr::{Expr, GrammarRules};
use super::timestamp::{self, MAX_TIME};
use crate::observation::{Observation, Observations};

/// Longest annotation that parsers read by default, in bytes (wire profile 6, `max_annotation`).
pub(super) const MAX_ANNOTATION: usize = 1_024;

const OBSERVATION_ID: &str = "; observation-id=";
const TS: &str = "; ts=";

/// Longest UTF-8 encoding of a character, in bytes.
const MAX_CHAR: usize = 4;

/// Annotations that the grammar permits: those of a vocabulary, or only those of the observations
/// if there are any to choose from.
#[derive(Clone, Debug)]
pub(super) struct CitableAnnotations<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) observations: Option<&'a Observations>,
}

/// Parameters that may follow an identifier, up to but without the closing bracket.
#[derive(Clone, Debug)]
pub(super) struct ParameterForm {
    pub(super) class: Class,
    pub(super) parameters: Expr,
}

impl CitableAnnotations<'_> {
    /// Returns every identifier that an annotation can have; terminals last.
    pub(super) fn classes(&self) -> Vec<Class> {
        let corroborating = self.vocabulary.classes().map(|(class, _)| class);
        corroborating
            .filter(|class| !class.is_terminal())
            .chain(self.vocabulary.terminals())
            .collect()
    }

    /// Adds the rules of parameters, and returns those of each class that can be cited.
    pub(super) fn forms(&self, rules: &mut GrammarRules) -> Vec<ParameterForm> {
        match self.observations {
            None => self.open_forms(rules),
            Some(observations) => self.closed_forms(observations, rules),
        }
    }

    /// Adds the rules of an annotation, and returns a reference to them.
    pub(super) fn add(&self, rules: &mut GrammarRules) -> Expr {
        let mut groups: Vec<(Expr, Vec<Class>)> = Vec::new();
        for form in self.forms(rules) {
            match groups.iter_mut().find(|(same, _)| *same == form.parameters) {
                Some((_, classes)) => classes.push(form.class),
                None => groups.push((form.parameters, vec![form.class])),
            }
        }
        let groups = groups.into_iter().map(|(parameters, classes)| {
            let names = Expr::literals(classes.iter().map(Class::as_str));
            Expr::sequence([names, parameters])
        });
        // There is a group in any case: terminals have a form without parameters.
        let body = Expr::choice(groups);
        rules.add(
            "annotation",
            Expr::sequence([Expr::literal("["), body, Expr::literal("]")]),
        )
    }

    /// Returns forms with any observation id and any time. Excludes brackets in ids that could be
    /// annotations.
    fn open_forms(&self, rules: &mut GrammarRules) -> Vec<ParameterForm> {
        let time = timestamp::add(rules);
        let value = value(rules, self.longest_id(), self.has_one_word());
        let id = Expr::sequence([Expr::literal(OBSERVATION_ID), value]).optional();
        let ts = Expr::sequence([Expr::literal(TS), time]).optional();
        let parameters = rules.add("parameters", Expr::sequence([id, ts]));
        let form = |class: Class| ParameterForm {
            class,
            parameters: parameters.clone(),
        };
        self.classes().into_iter().map(form).collect()
    }

    /// Returns forms with the given observations only. `decayed-to-uncertainty` can name any
    /// observation, of whatever class it was.
    fn closed_forms(
        &self,
        observations: &Observations,
        rules: &mut GrammarRules,
    ) -> Vec<ParameterForm> {
        let cited: Vec<(&Observation, usize, Expr)> = observations
            .iter()
            .zip(1..)
            .map(|(observation, number)| {
                let parameters = cited_parameters(observation);
                let length = parameters.len();
                let rule = rules.add(format!("cited-{number}"), Expr::literal(parameters));
                (observation, length, rule)
            })
            .collect();
        let form = |class: Class| {
            let room = MAX_ANNOTATION - "[]".len() - class.as_str().len();
            let fits = |(observation, length, _): &&(&Observation, usize, Expr)| {
                *length <= room && (class.is_terminal() || *observation.class() == class)
            };
            let ways = cited.iter().filter(fits).map(|(.., way)| way.clone());
            let ways: Vec<_> = match class == Class::UNVERIFIED_INFERENCE {
                true => Vec::new(),
                false => ways.collect(),
            };
            let parameters = match (class.is_terminal(), ways.is_empty()) {
                (true, true) => Expr::literal(""),
                (true, false) => Expr::choice(ways).optional(),
                (false, true) => return None,
                (false, false) => Expr::choice(ways),
            };
            Some(ParameterForm { class, parameters })
        };
        self.classes().into_iter().filter_map(form).collect()
    }

    /// Returns `true` if a class is a single word, which could also be in brackets in ordinary
    /// text.
    fn has_one_word(&self) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.classes()
            .iter()
            .any(|class| class.as_str().chars().all(is_word))
    }

    /// Returns the longest observation id, in bytes, for which every annotation with a time is
    /// within [`MAX_ANNOTATION`].
    fn longest_id(&self) -> usize {
        let classes = self.classes();
        let name = classes.iter().map(|class| class.as_str().len()).max();
        let others = "[]".len() + OBSERVATION_ID.len() + TS.len() + MAX_TIME;
        MAX_ANNOTATION - others - name.unwrap_or_default()
    }
}

/// Returns `true` if an annotation could begin at a bracket of this id, once a backslash or a
/// backtick hides the surrounding annotation from a parser. A parser decides, at each bracket and
/// for both continuations after the id.
pub(super) fn hides_annotation(id: &str, vocabulary: &Vocabulary) -> bool {
    // Only ids in quotes have brackets.
    let written = id.replace('\\', "\\\\").replace('"', "\\\"");
    ["\"]", "\"; ts=2026-05-28T11:40:00Z]"].iter().any(|rest| {
        let text = format!("{written}{rest}");
        let mut brackets = written.match_indices('[');
        brackets.any(|(at, _)| starts_annotation(&text[at..], vocabulary))
    })
}

/// Returns `true` if a parser reports an annotation or a diagnostic at the start of the text.
fn starts_annotation(text: &str, vocabulary: &Vocabulary) -> bool {
    let mut found = false;
    let mut note = |event: Event<'_>| match event {
        Event::Annotation(annotation) => found |= annotation.span().start() == 0,
        Event::Diagnostic(diagnostic) => found |= diagnostic.span().start() == 0,
        _ => {}
    };
    let mut parser = Parser::builder()
        .mode(Mode::Text)
        .vocabulary(vocabulary.clone())
        .build();
    parser.push(text.as_bytes(), &mut note);
    parser.finish(&mut note);
    found
}

/// Returns the parameters of the annotation that cites an observation, as written after the
/// identifier.
pub(super) fn cited_parameters(observation: &Observation) -> String {
    let class = observation.class();
    let mut annotation =
        Annotation::new(class.clone(), class.as_str()).with_observation_id(observation.id());
    if let Some(ts) = observation.ts() {
        annotation = annotation.with_ts(ts);
    }
    let written =
        write_bracketed(&annotation).expect("observations are checked when they are read");
    written["[".len() + class.as_str().len()..written.len() - "]".len()].to_owned()
}

/// Control characters that no value has: all but the tab.
const CONTROLS: [(char, char); 3] = [('\0', '\u{8}'), ('\n', '\u{1f}'), ('\u{7f}', '\u{7f}')];

/// Adds the rules of a value of at most `bytes` bytes, quoted only where necessary (wire profile
/// 1.1).
fn value(rules: &mut GrammarRules, bytes: usize, one_word: bool) -> Expr {
    let controls = CONTROLS;
    let count = |bytes: usize, each: usize| u32::try_from(bytes / each).unwrap_or(u32::MAX);
    let bare = |first: Expr, inside: Expr, last: Expr, most: u32| {
        let rest = Expr::sequence([inside.times(0, most - 2), last]).optional();
        Expr::sequence([first, rest])
    };
    let ascii = Expr::choice([Expr::chars("", &ASCII_EDGE), bare_ascii(bytes)]);
    let any = bare(
        Expr::not("[];\" \t", &controls),
        Expr::not("[];", &controls),
        Expr::not("[]; \t", &controls),
        count(bytes, MAX_CHAR),
    );
    let quoted = quoted(one_word, count(bytes - 2, MAX_CHAR));
    rules.add("value", Expr::choice([ascii, any, quoted]))
}

/// ASCII characters inside and at the start of an unquoted value. At its end a quotation mark is
/// possible, too.
const ASCII_INSIDE: [(char, char); 5] = [
    ('\t', '\t'),
    (' ', ':'),
    ('<', 'Z'),
    ('\\', '\\'),
    ('^', '~'),
];
const ASCII_EDGE: [(char, char); 5] =
    [('!', '!'), ('#', ':'), ('<', 'Z'), ('\\', '\\'), ('^', '~')];

/// Returns an unquoted ASCII value of at least two bytes.
fn bare_ascii(most: usize) -> Expr {
    let most = u32::try_from(most - 2).unwrap_or(u32::MAX);
    Expr::sequence([
        Expr::chars("", &ASCII_EDGE),
        Expr::chars("", &ASCII_INSIDE).times(0, most),
        Expr::chars("\"", &ASCII_EDGE),
    ])
}

/// Returns a quoted value of at most `most` characters.
///
/// Where a backslash or a code span hides the annotation from a parser, a bracket in its value
/// could start another annotation. So a bracket must contain a number, or a word if no class is
/// one, or continue with a character that no identifier begins with.
fn quoted(one_word: bool, most: u32) -> Expr {
    /// Longest word in brackets, and most brackets.
    const WORD: u32 = 32;
    const BRACKETS: u32 = 4;
    /// Most characters after each bracket.
    const BETWEEN: u32 = 26;
    let plain = || {
        Expr::choice([
            Expr::not("\"\\[", &CONTROLS),
            Expr::sequence([Expr::literal("\\"), Expr::chars("\"\\", &[])]),
        ])
    };
    let inside = if one_word {
        Expr::chars("", &[('0', '9')])
    } else {
        Expr::chars("_", &[('0', '9'), ('A', 'Z'), ('a', 'z')])
    };
    let letters_and_space = [
        ('0', '9'),
        ('A', 'Z'),
        ('a', 'z'),
        CONTROLS[0],
        CONTROLS[1],
        CONTROLS[2],
    ];
    let bracket = Expr::sequence([
        Expr::literal("["),
        Expr::choice([
            Expr::sequence([inside.times(1, WORD), Expr::literal("]")]),
            Expr::not("\"\\[ \t", &letters_and_space),
        ]),
    ]);
    let after = BRACKETS * (WORD + 2 + BETWEEN * 4) / 4;
    let bracketed = Expr::sequence([
        plain().times(0, most - after),
        Expr::sequence([bracket, plain().times(0, BETWEEN)]).times(1, BRACKETS),
    ]);
    Expr::sequence([
        Expr::literal("\""),
        Expr::choice([plain().times(1, most), bracketed]),
        Expr::literal("\""),
    ])
}
