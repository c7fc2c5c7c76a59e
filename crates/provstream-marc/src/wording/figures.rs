//! Percentages, and scores and ratios that say how sure something is.

use super::words::{Sort, Words};

const NUMBERS: &str = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|\
    seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred";

/// What a score in front of it is a score of.
const SCORED: &str = "confidence|confident|certainty|certain|sure|probability|probable|likelihood|likely|chance|odds|accuracy|\
    accurate|reliability|reliable|capability|score";

/// What a score behind it is a score of.
const SCORED_FIRST: &str = "confidence|confident|certainty|certain|probability|likelihood|chance|odds|accuracy|reliability|\
    capability|score";

/// Of these, the ones behind which even a whole number is a score.
const SCORED_WHOLE: &str = "confidence|certainty|probability|likelihood";

/// What may stand between a score and what it is a score of, in whichever order.
const BETWEEN: &str = "a|about|an|answer|approximately|around|at|calibrated|equals|in|is|its|model|of|overall|rated|roughly|the|to|was";

/// What may stand there as well, if the score comes last.
const BETWEEN_FIRST: &str = "estimate|level|rating|score|value";

/// How many words may stand there.
const MAX_BETWEEN: usize = 5;

/// Behind a number, these make it a measure of something else.
const UNITS: &str = "c|cm|days|degrees|euros|f|feet|ft|g|h|hours|inches|kg|km|l|liters|litres|m|meters|metres|mg|miles|minutes|\
    ml|mm|ms|s|seconds|volts|watts|years";

/// Before a number, these make it the number of a part or a version.
const NUMBERED: &str =
    "article|chapter|clause|figure|no|page|paragraph|part|release|rule|section|table|v|version";

/// The last token of the percentage that begins with a token.
pub(super) fn percentage(words: &Words<'_>, first: usize) -> Option<usize> {
    let unit = 1 + match words.get(first)?.sort {
        Sort::Number if is_number(words, first + 1) => {
            let dash = matches!(
                words.gap_before(first + 1).trim(),
                "-" | "\u{2013}" | "\u{2014}"
            );
            first + usize::from(dash)
        }
        Sort::Number => first,
        Sort::Word => {
            let is_number = |&at: &usize| {
                (at == first || words.is_joined(at))
                    && words.get(at).is_some_and(|word| word.is_one_of(NUMBERS))
            };
            let count = (first..first + 4).take_while(is_number).count();
            first + count.checked_sub(1)?
        }
        Sort::Percent => return None,
    };
    let found = words.get(unit)?;
    if found.sort == Sort::Percent {
        let gap = words.gap_before(unit);
        let near = gap
            .chars()
            .all(|between| between.is_whitespace() && between != '\n');
        // In a URL a per cent sign and two digits stand for one character; before a letter it is a placeholder.
        let encoded = words.behind(unit).starts_with(char::is_alphanumeric);
        return (near && !encoded).then_some(unit);
    }
    let follows = |at: usize, list: &str| {
        words.is_joined(at) && words.get(at).is_some_and(|word| word.is_one_of(list))
    };
    if follows(unit, "percent|pct") {
        return Some(unit);
    }
    let two = follows(unit, "per") && follows(unit + 1, "cent")
        || follows(unit, "percentage") && follows(unit + 1, "point|points");
    two.then_some(unit + 1)
}

/// The last token of a fine-grained score with what it is a score of, in whichever order, that begins with a token.
pub(super) fn score(words: &Words<'_>, first: usize) -> Option<usize> {
    let token = words.get(first)?;
    if token.is_one_of(SCORED_FIRST) {
        let (last, figure) = figure(words, past(words, first + 1, &[BETWEEN, BETWEEN_FIRST])?)?;
        let next = words.get(last + 1).filter(|_| words.is_joined(last + 1));
        let is_score = match figure {
            Figure::Whole => token.is_one_of(SCORED_WHOLE) && next.is_none(),
            Figure::Decimal | Figure::Ratio => !next.is_some_and(|unit| unit.is_one_of(UNITS)),
        };
        return is_score.then_some(last);
    }
    let (last, figure) = figure(words, first)?;
    let numbered = first > 0
        && words.is_joined(first)
        && words
            .get(first - 1)
            .is_some_and(|word| word.is_one_of(NUMBERED));
    if figure == Figure::Whole || numbered {
        return None;
    }
    let at = past(words, last + 1, &[BETWEEN])?;
    words.get(at)?.is_one_of(SCORED).then_some(at)
}

/// The first token from one on, in the same clause, that is none of the words that may stand between.
fn past(words: &Words<'_>, from: usize, between: &[&str]) -> Option<usize> {
    (from..=from + MAX_BETWEEN)
        .take_while(|&at| words.is_same_clause(at))
        .find(|&at| {
            !words
                .get(at)
                .is_some_and(|word| between.iter().any(|list| word.is_one_of(list)))
        })
}

/// A number that could be a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    /// From 0 to 1, with decimals.
    Decimal,
    /// `9/10`, `9 out of 10`, `1 in 20`.
    Ratio,
    /// From 10 to 100, without decimals.
    Whole,
}

/// The last token of the figure that begins with a token.
fn figure(words: &Words<'_>, first: usize) -> Option<(usize, Figure)> {
    let number = words
        .get(first)
        .filter(|token| token.sort == Sort::Number)?;
    if let Some((whole, decimals)) = number.text.split_once(['.', ',']) {
        let below_one = matches!(whole, "" | "0") && !decimals.contains(['.', ',']);
        let one = whole == "1" && decimals.bytes().all(|digit| digit == b'0');
        return (below_one || one).then_some((first, Figure::Decimal));
    }
    let stroke = |at: usize| is_number(words, at) && words.gap_before(at).trim() == "/";
    let word = |at: usize, list: &str| {
        words.is_joined(at) && words.get(at).is_some_and(|word| word.is_one_of(list))
    };
    let ratio = if stroke(first + 1) {
        // Three numbers are a date, or a path.
        (!stroke(first + 2) && !words.gap_before(first).ends_with('/')).then_some(first + 1)
    } else if word(first + 1, "in") && is_number(words, first + 2) {
        Some(first + 2)
    } else if word(first + 1, "out") && word(first + 2, "of") && is_number(words, first + 3) {
        Some(first + 3)
    } else {
        None
    };
    let whole = || {
        let is_score = number
            .text
            .parse()
            .is_ok_and(|value: u8| (10..=100).contains(&value));
        is_score.then_some((first, Figure::Whole))
    };
    ratio.map(|last| (last, Figure::Ratio)).or_else(whole)
}

fn is_number(words: &Words<'_>, at: usize) -> bool {
    words
        .get(at)
        .is_some_and(|token| token.sort == Sort::Number)
}
