//! Grammar of times: a regular language of texts that `provstream::provenance::Timestamp` parses.
//!
//! The grammar has two bounds that the parser lacks. A fraction has at most nine digits, because
//! the parser drops further ones. A leap second is in UTC or has an offset of whole hours, because
//! relating each of the 2,878 other offsets to the local time takes an alternative.

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
    let common_year = rules.add("common-year", common_year());
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
        fraction.clone(),
    ]);
    let offset = Expr::sequence([Expr::chars("+-", &[]), hour, Expr::literal(":"), to_59()]);
    let zone = Expr::choice([Expr::chars("Zz", &[]), offset]);
    let leap = leap_second(rules, &year, (&leap_year, &common_year), &fraction);
    let usual = Expr::sequence([date, Expr::chars("Tt", &[]), time, zone]);
    rules.add("time", Expr::choice([usual, leap]))
}

/// Returns pairs of digits that are divisible by 4.
fn divided() -> Expr {
    Expr::choice([
        Expr::sequence([Expr::chars("02468", &[]), Expr::chars("048", &[])]),
        Expr::sequence([Expr::chars("13579", &[]), Expr::chars("26", &[])]),
    ])
}

/// Returns pairs of digits that are not divisible by 4.
fn undivided() -> Expr {
    Expr::choice([
        Expr::sequence([Expr::chars("02468", &[]), Expr::chars("1235679", &[])]),
        Expr::sequence([Expr::chars("13579", &[]), Expr::chars("01345789", &[])]),
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

fn common_year() -> Expr {
    let digit = || Expr::chars("", &[('0', '9')]);
    Expr::choice([
        Expr::sequence([digit(), digit(), undivided()]),
        Expr::sequence([undivided(), Expr::literal("00")]),
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

/// Returns times with second 60: 23:59:60 UTC on the last day of a month.
fn leap_second(
    rules: &mut GrammarRules,
    year: &Expr,
    (leap_year, common_year): (&Expr, &Expr),
    fraction: &Expr,
) -> Expr {
    let ends = |months: &[&str], day: &str| {
        Expr::literals(
            months
                .iter()
                .map(|month| format!("-{month}-{day}"))
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str),
        )
    };
    let last_day = rules.add(
        "last-day",
        Expr::choice([
            Expr::sequence([
                year.clone(),
                Expr::choice([ends(&LONG_MONTHS, "31"), ends(&SHORT_MONTHS, "30")]),
            ]),
            Expr::sequence([leap_year.clone(), Expr::literal("-02-29")]),
            Expr::sequence([common_year.clone(), Expr::literal("-02-28")]),
        ]),
    );
    let month = Expr::choice([
        Expr::sequence([Expr::literal("0"), Expr::chars("", &[('1', '9')])]),
        Expr::sequence([Expr::literal("1"), Expr::chars("012", &[])]),
    ]);
    let first_day = Expr::sequence([
        year.clone(),
        Expr::literal("-"),
        month,
        Expr::literal("-01"),
    ]);
    let local = |hour: u32, zone: Expr| {
        Expr::sequence([
            Expr::literal(format!("{hour:02}:59:60")),
            fraction.clone(),
            zone,
        ])
    };
    let utc = Expr::choice([
        Expr::chars("Zz", &[]),
        Expr::literal("+00:00"),
        Expr::literal("-00:00"),
    ]);
    // East of Greenwich it is already the next day, by less than the offset; west of it the day is the same.
    let east = (1..=23).map(|hour| local(hour - 1, Expr::literal(format!("+{hour:02}:00"))));
    let west = (1..=23).map(|hour| local(23 - hour, Expr::literal(format!("-{hour:02}:00"))));
    let separator = || Expr::chars("Tt", &[]);
    rules.add(
        "leap-second",
        Expr::choice([
            Expr::sequence([
                last_day,
                separator(),
                Expr::choice(std::iter::once(local(23, utc)).chain(west)),
            ]),
            Expr::sequence([first_day, separator(), Expr::choice(east)]),
        ]),
    )
}
