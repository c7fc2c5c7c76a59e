//! Generator of the objects that a parser reports: asserted objects, annotations and MARC objects.

use super::Maker;

/// Identifiers as written in JSON; valid annotations use the first three.
const IDENTIFIERS: &[&str] = &[
    "substrate.code.read",
    "substrate.grep",
    "substrate\\u002egrep",
    "unverified-inference",
    "decayed-to-uncertainty",
    "Substrate.Grep",
    "1.0.substrate.grep",
    "1.1.substrate.grep",
    "2.0.substrate.grep",
    "01.0.substrate.grep",
    "2.0.",
    "2.0.not an identifier",
    "1.0",
    "substrate.grep ",
    "",
    "note",
    "caf\u{e9}",
    "\\uD800",
];

/// Observation ids as written in JSON.
const IDS: &[&[u8]] = &[
    b"sha256:e3b0",
    b"",
    b"a\\nb",
    b"\\uD83D\\uDE00",
    b"\\uDE00",
    b"\xFF\xE2\x80",
    "\u{e9}\u{e9}\u{e9}".as_bytes(),
    b"an observation id of thirty-odd bytes",
];

/// Timestamps as written in JSON; valid annotations use the first three.
const TIMES: &[&[u8]] = &[
    b"2026-05-28T11:40:00Z",
    b"2026-05-28T11:40:00\\u005A",
    b"2026-05-28t11:40:00.125+02:00",
    b"yesterday",
    b"",
    b"2026-02-29T11:40:00Z",
    b"2026-05-28T11:40:00Z\xFF",
    b"\\uD800",
];

/// Appends an object with the members of an asserted object, a MARC object, an annotation, or
/// several of these.
pub(super) fn record(maker: &mut Maker<'_>, left: usize, out: &mut Vec<u8>) {
    let mut members = Vec::new();
    match maker.random.below(40) {
        0 => return crowd(maker, out),
        1..=6 => marc(maker, left, &mut members),
        7..=8 => fields(maker, left, &mut members),
        9..=11 => {
            asserted(maker, left, &mut members);
            marc(maker, left, &mut members);
        }
        12..=13 => {
            asserted(maker, left, &mut members);
            fields(maker, left, &mut members);
        }
        14 => {
            asserted(maker, left, &mut members);
            fields(maker, left, &mut members);
            marc(maker, left, &mut members);
        }
        _ => asserted(maker, left, &mut members),
    }
    while maker.random.once_in(4) {
        members.push(maker.any_member(left));
    }
    maker.object(members, out);
}

/// Adds the members of an asserted object, valid in most cases.
fn asserted(maker: &mut Maker<'_>, left: usize, members: &mut Vec<Vec<u8>>) {
    let mut times =
        1 + usize::from(maker.random.once_in(8)) + usize::from(maker.random.once_in(30));
    if maker.random.once_in(30) {
        times = 0;
    }
    for _ in 0..times {
        let mut member = Vec::new();
        maker.name("assertion", &mut member);
        if maker.random.once_in(8) {
            maker.value(left.saturating_sub(1), &mut member);
        } else {
            maker.text(&mut member);
        }
        members.push(member);
    }
    let mut times = usize::from(!maker.random.once_in(5));
    times += usize::from(maker.random.once_in(8)) + usize::from(maker.random.once_in(30));
    for _ in 0..times {
        let mut member = Vec::new();
        maker.name("provenance", &mut member);
        provenance(maker, left.saturating_sub(1), &mut member);
        members.push(member);
    }
}

/// Appends the value of a member `provenance`.
fn provenance(maker: &mut Maker<'_>, left: usize, out: &mut Vec<u8>) {
    match maker.random.below(20) {
        0 => out.extend_from_slice(b"null"),
        1 => maker.value(left, out),
        2..=10 => {
            out.push(b'[');
            let count = maker.random.below(5);
            for index in 0..count {
                if index > 0 {
                    out.push(b',');
                }
                maker.space(out);
                if maker.random.once_in(9) {
                    maker.value(left.saturating_sub(1), out);
                } else {
                    annotation(maker, left.saturating_sub(1), out);
                }
                maker.space(out);
            }
            out.push(b']');
        }
        _ => annotation(maker, left, out),
    }
}

/// Appends an annotation, in some cases with further members.
fn annotation(maker: &mut Maker<'_>, left: usize, out: &mut Vec<u8>) {
    let mut members = Vec::new();
    fields(maker, left, &mut members);
    if left > 0 && maker.random.once_in(12) {
        asserted(maker, left, &mut members);
    }
    if left > 0 && maker.random.once_in(12) {
        members.push(maker.any_member(left));
    }
    if maker.random.once_in(30) {
        marc(maker, left, &mut members);
    }
    maker.object(members, out);
}

/// Adds the members of an annotation, valid in most cases.
fn fields(maker: &mut Maker<'_>, left: usize, members: &mut Vec<Vec<u8>>) {
    let plan: [(&[&str], usize); 3] = [
        (&["substrate_class"], 1),
        (&["observation_id", "observation-id", "observation_id"], 2),
        (&["ts"], 2),
    ];
    for (field, (names, once_in)) in plan.into_iter().enumerate() {
        let absent = if once_in == 1 {
            maker.random.once_in(12)
        } else {
            maker.random.once_in(once_in)
        };
        let times = usize::from(!absent) + usize::from(maker.random.once_in(14));
        for _ in 0..times {
            let mut member = Vec::new();
            let name = maker.random.pick(names);
            maker.name(name, &mut member);
            match maker.random.below(20) {
                0 => maker.value(left.saturating_sub(1), &mut member),
                1 => member.extend_from_slice(b"null"),
                2 => maker.text(&mut member),
                _ => {
                    member.push(b'"');
                    let sound = maker.random.once_in(2);
                    match field {
                        0 => {
                            let most = if sound { 3 } else { IDENTIFIERS.len() };
                            let text = maker.random.pick(&IDENTIFIERS[..most]);
                            member.extend_from_slice(text.as_bytes());
                            if maker.random.once_in(25) {
                                member.extend_from_slice(b"\xC2");
                            }
                        }
                        1 => member.extend_from_slice(maker.random.pick(IDS)),
                        _ => {
                            let most = if sound { 3 } else { TIMES.len() };
                            member.extend_from_slice(maker.random.pick(&TIMES[..most]));
                        }
                    }
                    member.push(b'"');
                }
            }
            members.push(member);
        }
    }
}

/// Adds the members of a MARC object, in some cases incomplete.
fn marc(maker: &mut Maker<'_>, left: usize, members: &mut Vec<Vec<u8>>) {
    let names: &[&str] = match maker.random.below(6) {
        0..=1 => &["marc_version"],
        2 => &["answer", "confidence_band", "uncertainty_source"],
        3 => &[
            "answer",
            "confidence_band",
            "uncertainty_source",
            "marc_version",
        ],
        4 => &[
            "uncertainty_source",
            "recommended_next_step",
            "pre_capability",
            "answer",
            "marc_version",
            "primary_source",
            "confidence_band",
            "remediability",
            "uncertainty",
            "selected_action",
        ],
        _ => &["answer", "uncertainty_source"],
    };
    // Now and then one is missing.
    let names = &names[usize::from(names.len() > 4 && maker.random.once_in(4))..];
    for name in names {
        let mut member = Vec::new();
        maker.name(name, &mut member);
        maker.value(left.saturating_sub(1), &mut member);
        members.push(member);
    }
}

/// Appends nested objects that together have more annotations than the open objects may hold.
fn crowd(maker: &mut Maker<'_>, out: &mut Vec<u8>) {
    if !maker.random.once_in(8) {
        return maker.plain(1, out);
    }
    let each = [60, 64, 70, 130, 390, 800][maker.random.below(6)];
    let depth = [14, 13, 13, 7, 3, 2][maker.random.below(6)];
    for level in 0..depth {
        out.extend_from_slice(b"{\"provenance\":[");
        for index in 0..each {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(
                maker
                    .random
                    .pick(&["{}", "1", "{\"substrate_class\":\"substrate.grep\"}"])
                    .as_bytes(),
            );
        }
        out.extend_from_slice(b"],\"a\":");
        if level + 1 == depth {
            out.push(b'1');
        }
    }
    for _ in 0..depth {
        out.extend_from_slice(b",\"assertion\":\"x\"}");
    }
}
