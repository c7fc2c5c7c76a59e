//! Grammar of times: a regular language of texts that `provstream::provenance::Timestamp` parses.
//!
//! The grammar has three bounds that the parser lacks: a fraction has at most nine digits, because the
//! parser drops further ones; there is no second 60; and `T` and `Z` are upper case.

use super::expr::{Expr, GrammarRules};

/// Longest time in the language, in bytes.
pub(super) const MAX_TIME: usize = "2026-05-28T11:40:00.123456789+02:00".len();

const LONG_MONTHS: [&str; 7] = ["01", "03", "05", "07", "08", "10", "12"];
const SHORT_MONTHS: [&str; 4] = ["04", "06", "09", "11"];

/// Adds the rules of a time (RFC 3339 5.6), and returns a reference to them.
pub(super) fn add(rules: &mut GrammarRules) -> Expr {
    let digit = || Expr::chars("", &[('0', '9')]);
    let to_59 = || Expr::sequence([Expr::chars("", &[('0', '5')]), digit()]);
    let year = rules.add("year", digit().times(4, 4));
    let leap_year = rules.add("leap-year", leap_year());
    let hour = rules.add(
        "hour",
        Expr::choice([
            Expr::sequence([Expr::chars("01", &[]), digit()]),
            Expr::sequence([Expr::literal("2"), Expr::chars("", &[('0', '3')])]),
        ]),
    );
    let date = rules.add("date", date(&year, &leap_year));
    let fraction = rules.add(
        "fraction",
        Expr::sequence([Expr::literal("."), digit().times(1, 9)]).optional(),
    );
    let time = Expr::sequence([
        hour.clone(),
        Expr::literal(":"),
        to_59(),
        Expr::literal(":"),
        to_59(),
        fraction,
    ]);
    let offset = Expr::sequence([Expr::chars("+-", &[]), hour, Expr::literal(":"), to_59()]);
    let zone = Expr::choice([Expr::literal("Z"), offset]);
    rules.add(
        "time",
        Expr::sequence([date, Expr::literal("T"), time, zone]),
    )
}

/// Returns pairs of digits that are divisible by 4.
fn divided() -> Expr {
    Expr::choice([
        Expr::sequence([Expr::chars("02468", &[]), Expr::chars("048", &[])]),
        Expr::sequence([Expr::chars("13579", &[]), Expr::chars("26", &[])]),
    ])
}

fn leap_year() -> Expr {
    let digit = || Expr::chars("", &[('0', '9')]);
    let divided_but_00 = Expr::choice([
        Expr::sequence([Expr::literal("0"), Expr::chars("48", &[])]),
        Expr::sequence([Expr::chars("2468", &[]), Expr::chars("048", &[])]),
        Expr::sequence([Expr::chars("13579", &[]), Expr::chars("26", &[])]),
    ]);
    Expr::choice([
        Expr::sequence([digit(), digit(), divided_but_00]),
        Expr::sequence([divided(), Expr::literal("00")]),
    ])
}

fn date(year: &Expr, leap_year: &Expr) -> Expr {
    let digit = |first, last| Expr::chars("", &[(first, last)]);
    let day = |last: &str| {
        let to_29 = [
            Expr::sequence([Expr::literal("0"), digit('1', '9')]),
            Expr::sequence([Expr::chars("12", &[]), digit('0', '9')]),
        ];
        match last {
            "30" => Expr::choice(to_29.into_iter().chain([Expr::literal("30")])),
            _ => Expr::choice(
                to_29
                    .into_iter()
                    .chain([Expr::sequence([Expr::literal("3"), Expr::chars("01", &[])])]),
            ),
        }
    };
    let to_28 = Expr::choice([
        Expr::sequence([Expr::literal("0"), digit('1', '9')]),
        Expr::sequence([Expr::literal("1"), digit('0', '9')]),
        Expr::sequence([Expr::literal("2"), digit('0', '8')]),
    ]);
    let of = |months: &[&str], day| {
        Expr::sequence([
            Expr::literals(months.iter().copied()),
            Expr::literal("-"),
            day,
        ])
    };
    let in_any_year = Expr::choice([
        of(&LONG_MONTHS, day("31")),
        of(&SHORT_MONTHS, day("30")),
        of(&["02"], to_28),
    ]);
    Expr::choice([
        Expr::sequence([year.clone(), Expr::literal("-"), in_any_year]),
        Expr::sequence([leap_year.clone(), Expr::literal("-02-29")]),
    ])
}
