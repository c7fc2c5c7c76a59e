//! The project's targets, each with what was reached.

use std::fmt::Write;

use provstream::Mode;

use crate::beside::Compared;
use crate::count::{
    Counts, KEY_WIRE_ALLOCATIONS, KEY_WIRE_AT_REST, KEY_WIRE_MOST, MODES, key, key_at_rest,
    key_most,
};
use crate::growth::{SIZES, families};
use crate::json;
use crate::peers::OWN;
use crate::rows::Row;
use crate::streams::{self, KINDS, Kind};
use crate::wire;

/// Whether more is better.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// One line of the table.
pub(crate) struct Target {
    number: u8,
    work: String,
    bound: Bound,
    reached: f64,
    /// What is known beside the number, such as its range.
    note: String,
}

/// A number with so many digits that its size can be judged.
fn figure(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:.2}")
    }
}

impl Target {
    fn line(&self) -> String {
        let (bound, met) = match self.bound {
            Bound::AtLeast(least) => (format!("at least {least}"), self.reached >= least),
            Bound::AtMost(most) => (format!("at most {most}"), self.reached <= most),
        };
        let met = if met { "yes" } else { "**no**" };
        format!(
            "| {} | {} | {bound} | {} | {} | {met} |",
            self.number,
            self.work,
            figure(self.reached),
            self.note
        )
    }
}

impl From<Row> for Target {
    fn from(row: Row) -> Self {
        let [least, reached, most] = row.reached;
        Self {
            number: row.number,
            work: row.work,
            bound: Bound::AtLeast(row.target),
            reached,
            note: format!("{least:.2} to {most:.2}; {:.0} MB/s", row.rate),
        }
    }
}

/// The seventh: the fastest parser of a stream, over all densities of plain prose, for each size of tokens.
#[must_use]
pub(crate) fn peers(cells: &[(Kind, usize, Vec<Compared>)]) -> Vec<Target> {
    let of_size = |size: usize| {
        let spaced = cells
            .iter()
            .filter(move |(kind, at, _)| matches!(kind, Kind::Every(_)) && *at == size);
        let rivals = spaced.flat_map(|(kind, _, compared)| {
            let rivals = compared.iter().skip(1).filter(|rival| rival.streams);
            rivals.map(move |rival| (kind, rival))
        });
        let (kind, nearest) = rivals.min_by(|(_, a), (_, b)| a.ratio.total_cmp(&b.ratio))?;
        Some(Target {
            number: 7,
            work: format!("{size}-byte chunks: the fastest parser of streams, on its own markers"),
            bound: Bound::AtLeast(5.0),
            reached: nearest.ratio,
            note: format!("{}, {kind}", nearest.name),
        })
    };
    [4, 16, 64].into_iter().filter_map(of_size).collect()
}

/// The eighth and ninth: allocations, and what a stream's state takes.
#[must_use]
pub(crate) fn counted(counts: &Counts) -> Vec<Target> {
    let text = KINDS.iter().flat_map(|&kind| {
        let sizes = kind.sizes(streams::SIZES[3]).into_iter();
        sizes.map(move |size| counts.get(&key(OWN.name, kind, size)))
    });
    let documents = json::documents();
    let json = documents.iter().flat_map(|document| {
        let sizes = streams::SIZES.into_iter();
        sizes.map(|size| counts.get(&key(json::OWN.name, document.layout, size)))
    });
    let most = |modes: &[Mode], key: fn(Mode) -> String| {
        let bytes = modes.iter().map(|&mode| counts.get(&key(mode)));
        bytes.fold(0.0, f64::max)
    };
    let target = |number, work: &str, most, reached, note: &str| Target {
        number,
        work: work.to_owned(),
        bound: Bound::AtMost(most),
        reached,
        note: note.to_owned(),
    };
    vec![
        target(
            8,
            "heap allocations for a chunk of text in the steady state, events borrowed",
            0.0,
            text.fold(0.0, f64::max),
            "the most of all streams and chunks below; also `tests/limits/allocations.rs`",
        ),
        target(
            8,
            "the same, JSON of which every fourth assertion has an escape that is decoded",
            0.0,
            json.fold(0.0, f64::max),
            "the most of all documents and chunks below",
        ),
        target(
            9,
            "bytes of a stream's state before the first byte, any mode",
            1_024.0,
            most(&MODES, key_at_rest),
            "as the allocator counts them, and the parser itself",
        ),
        target(
            9,
            "bytes at most in mode `text`",
            12_288.0,
            most(&[Mode::Text], key_most),
            "over the families of row 10; `tests/limits/memory.rs` looks for worse",
        ),
        target(
            9,
            "bytes at most in any mode",
            196_608.0,
            most(&MODES, key_most),
            "the same, also with records held; `tests/limits/memory_json.rs` looks for worse",
        ),
    ]
}

/// The twelfth, as far as it is counted.
#[must_use]
pub(crate) fn wire_counted(counts: &Counts) -> Vec<Target> {
    let target = |work: &str, most, key| Target {
        number: wire::NUMBER,
        work: work.to_owned(),
        bound: Bound::AtMost(most),
        reached: counts.get(key),
        note: "the most of all streams above".to_owned(),
    };
    vec![
        target(
            "heap allocations for an event of a provider's stream in the steady state",
            0.0,
            KEY_WIRE_ALLOCATIONS,
        ),
        target(
            "bytes of a provider's stream before the first byte",
            1_536.0,
            KEY_WIRE_AT_REST,
        ),
        target(
            "bytes of a provider's stream fed with 16 KiB of text",
            8_192.0,
            KEY_WIRE_MOST,
        ),
    ]
}

/// The tenth, and the table of its families.
#[must_use]
pub(crate) fn growth(rounds: usize) -> (Vec<Target>, String) {
    let families = families();
    let measured: Vec<[(f64, f64); 2]> = families
        .iter()
        .map(|family| SIZES.map(|size| family.growth(size, rounds)))
        .collect();
    let mut table = String::from(
        "| family | 64 KiB chunks: growth | ns a byte | 1-byte chunks: growth | ns a byte |\n|---|---|---|---|---|\n",
    );
    for (family, [large, small]) in families.iter().zip(&measured) {
        let _ = writeln!(
            table,
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            family.name, large.0, large.1, small.0, small.1
        );
    }
    let worst = |(at, size): (usize, usize)| {
        let of_size = families.iter().zip(&measured);
        let worst = of_size.max_by(|(_, a), (_, b)| a[at].0.total_cmp(&b[at].0));
        worst.map(|(family, growths)| Target {
            number: 10,
            work: format!("{size}-byte chunks: a byte's cost over 64 MiB to that over 1 MiB"),
            bound: Bound::AtMost(1.2),
            reached: growths[at].0,
            note: format!("the worst family: {}", family.name),
        })
    };
    let targets = SIZES.into_iter().enumerate().filter_map(worst).collect();
    (targets, table)
}

/// The whole table. The eleventh is proved, not measured.
#[must_use]
pub(crate) fn table(targets: &[Target]) -> String {
    let mut table =
        String::from("| row | work | target | reached | | met |\n|---|---|---|---|---|---|\n");
    for target in targets {
        let _ = writeln!(table, "{}", target.line());
    }
    let _ = writeln!(
        table,
        "| 11 | bytes held back for every prefix of an input | exactly the longest suffix that can still become an \
         annotation | checked against a search through all continuations | `held_is_exactly_what_can_still_become_an_annotation` and \
         its neighbours in `tests/engine/properties.rs` | by test |"
    );
    table
}
