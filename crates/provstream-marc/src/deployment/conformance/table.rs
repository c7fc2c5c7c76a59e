//! The requirements that a report is about.

use super::judges::{bands, carrying, loops, people, policy, records, trust, wording};
use super::requirement::{Number, Requirement, Rule};
use crate::deployment::words::ConformanceClass;
use crate::violation::Level;
use Level::{Must, Should};
use Rule::{All, Class, Decisions, Described, First, Records, Sessions};

const fn item(requirement: &'static str, item: u8) -> Number {
    Number { requirement, item }
}

const fn whole(requirement: &'static str) -> Number {
    item(requirement, 0)
}

type Numbers = [Option<Number>; 2];

/// A requirement that both drafts have. The numbers are those of -02, where -01 has none of its own.
const fn both(requirement: &'static str) -> Numbers {
    [Some(whole(requirement)), Some(whole(requirement))]
}

/// The same with a number of its own in -01.
const fn each(first: &'static str, second: &'static str) -> Numbers {
    [Some(whole(first)), Some(whole(second))]
}

/// A requirement that -01 does not have.
const fn new(requirement: &'static str) -> Numbers {
    [None, Some(whole(requirement))]
}

/// An item of a list; 0 where -01 does not have it.
const fn items(first: &'static str, of_first: u8, second: &'static str, of_second: u8) -> Numbers {
    let in_first = match of_first {
        0 => None,
        of_first => Some(item(first, of_first)),
    };
    [in_first, Some(item(second, of_second))]
}

const fn row(
    numbers: Numbers,
    classes: &'static [ConformanceClass],
    level: Level,
    title: &'static str,
    rule: Rule,
) -> Requirement {
    Requirement {
        numbers,
        classes,
        level,
        title,
        rule,
    }
}

/// An item of the least that MARC-Core asks.
const fn least(in_first: u8, in_second: u8, title: &'static str, rule: Rule) -> Requirement {
    let numbers = items("M1-16", in_first, "M2-178", in_second);
    row(numbers, CORE, Must, title, rule)
}

/// A topic that a deployment documents.
const fn topic(
    in_first: u8,
    in_second: u8,
    classes: &'static [ConformanceClass],
    level: Level,
    title: &'static str,
    rule: Rule,
) -> Requirement {
    let numbers = items("M1-18", in_first, "M2-184", in_second);
    row(numbers, classes, level, title, rule)
}

const CORE: &[ConformanceClass] = &[ConformanceClass::Core];
const SHOWN: &[ConformanceClass] = &[ConformanceClass::Disclosure];
const CARRIED: &[ConformanceClass] = &[ConformanceClass::Carrying];
const CORE_AND_CARRIED: &[ConformanceClass] = &[ConformanceClass::Core, ConformanceClass::Carrying];
// A section that no class names binds all who claim conformance: open point 102.
const ALL: &[ConformanceClass] = ConformanceClass::ALL;

const BUILDER: Rule = Records("`Core::builder`");
const SESSION: Rule = Decisions("`Session`");
// What a record has of the decision behind it.
const RECORDED: Rule = Sessions("the records of `Session`");
const ORDER: Rule = Decisions("`Selection`");
const PROJECTION: Rule = Records("`Projection`");

/// All of them, in the order of MARC-02.
#[rustfmt::skip]
pub(super) static TABLE: &[Requirement] = &[
    // Processing model.
    row(both("M2-16"), CORE, Should, "loops through RETRIEVE, TOOL and DELIBERATE are bounded", Described(loops::bounded)),
    row(both("M2-17"), CORE, Should, "what ends a loop is documented", Described(loops::bounded)),
    row(new("M2-18"), CORE, Should, "decision points that belong together are related", RECORDED),
    // Values and decision policy.
    row(both("M2-19"), CORE, Must, "capability is estimated before an answer is shown", SESSION),
    row(both("M2-20"), CORE, Must, "`pre_capability` lies from 0 to 1", BUILDER),
    row(both("M2-22"), CORE, Must, "uncertainty is attributed to the sources of the draft", SESSION),
    row(new("M2-23"), CORE, Must, "`safety` governs where it controls selection", ORDER),
    row(both("M2-25"), CORE, Must, "each score lies from 0 to 1", BUILDER),
    row(both("M2-27"), CORE, Must, "one primary source is named", BUILDER),
    row(both("M2-29"), CORE, Must, "the primary source is never `none`", BUILDER),
    row(both("M2-30"), CORE, Must, "a source is named even if little uncertainty is left", BUILDER),
    row(both("M2-31"), CORE, Must, "remediability is one of five values", BUILDER),
    row(both("M2-34"), CORE, Must, "a candidate answer has a confidence of its own", SESSION),
    row(both("M2-35"), CORE, Must, "`post_answer_confidence` lies from 0 to 1", BUILDER),
    row(both("M2-36"), CORE, Must, "the two estimates are kept apart", SESSION),
    row(both("M2-40"), CORE, Must, "the three bands keep their meaning in any language", First(wording::labels, &Records("`Wording`"))),
    row(both("M2-41"), CORE, Must, "band thresholds are monotonic, do not overlap and are documented", Described(bands::thresholds)),
    row(both("M2-42"), CORE, Must, "the range of each band, and what it varies with, is documented", Described(bands::ranges)),
    row(both("M2-43"), CORE, Should, "bands of others are not taken for one's own", First(trust::nothing_received, &Decisions("`ContextualRecord`"))),
    row(new("M2-44"), CORE, Must, "the target is one of three values", BUILDER),
    row(new("M2-45"), CORE, Must, "`ANSWER` has the target `answer`", First(policy::answer_target, &BUILDER)),
    row(new("M2-46"), CORE, Should, "other actions have a suitability as their target", RECORDED),
    row(both("M2-48"), CORE, Must, "there are seven primary actions", ORDER),
    row(both("M2-49"), CORE, Must, "exactly one is selected at each decision point", ORDER),
    row(both("M2-51"), CORE, Must, "each sub-action maps to one primary action", First(policy::sub_actions, &Decisions("`SubActions`"))),
    row(both("M2-52"), CORE, Must, "low confidence alone does not decide", ORDER),
    row(both("M2-53"), CORE, Must, "governing constraints come first", ORDER),
    row(both("M2-54"), CORE, Should, "the eight steps are taken in order", ORDER),
    row(both("M2-55"), CORE, Should, "where `safety` controls, the policy decides", ORDER),
    row(both("M2-68"), CORE, Must, "a primary source `safety` applies the policy first", ORDER),
    // The record.
    row(new("M2-92"), CORE, Should, "records that leave the component have a decision identifier", RECORDED),
    row(new("M2-93"), CORE, Should, "a follow-up names the decision it follows", RECORDED),
    row(new("M2-94"), CORE, Should, "the calibration profile is named in documentation", Described(bands::profile)),
    row(both("M2-102"), CORE, Must, "every source has a score", BUILDER),
    row(each("M1-10", "M2-103"), CORE, Must, "`ANSWER` has a post-answer confidence", BUILDER),
    // `Core::builder` sees to those that must hold only.
    row(new("M2-106"), CORE, Must, "a record meets the rules between its members", RECORDED),
    row(new("M2-112"), CORE, Should, "DELIBERATE has a documented bound", Described(loops::deliberation)),
    row(new("M2-113"), CORE, Must, "a primary source `safety` puts the constraint first", ORDER),
    row(new("M2-114"), CORE, Should, "deliberate deviations are documented", Described(policy::departures)),
    row(both("M2-115"), CORE, Should, "scores are normalised when records are exchanged", Described(records::normalization)),
    // Disclosures.
    row(each("M1-11", "M2-116"), SHOWN, Must, "uncertainty that is shown has the required fields", First(wording::phrases, &PROJECTION)),
    row(both("M2-117"), SHOWN, Must, "`answer` fits the action", PROJECTION),
    row(both("M2-118"), SHOWN, Must, "a disclosure has a confidence band", PROJECTION),
    row(new("M2-119"), SHOWN, Must, "a disclosure has a confidence target", PROJECTION),
    row(both("M2-120"), SHOWN, Must, "a disclosure has a source of uncertainty", PROJECTION),
    row(both("M2-121"), SHOWN, Must, "a disclosure has a next step", PROJECTION),
    row(each("M1-12", "M2-124"), SHOWN, Should, "a disclosure is projected from a record", PROJECTION),
    row(both("M2-125"), SHOWN, Should, "scores stay inside unless calibrated and tested", First(people::shown_scores, &PROJECTION)),
    row(both("M2-129"), SHOWN, Should, "uncertainty is told in terms of the task", First(wording::task_terms, &Records("`Wording`"))),
    row(both("M2-130"), SHOWN, Should, "no false precision", First(wording::precision, &Records("`Wording`"))),
    row(both("M2-131"), SHOWN, Should, "no strong cues or percentages without calibration and tests", First(people::strong_cues, &Records("`Wording`"))),
    row(new("M2-47"), SHOWN, Should, "a band is not shown without what it is about", Described(people::target)),
    // Versions and extensions.
    row(both("M2-135"), CORE, Should, "private members have the prefix `x_`", Described(records::prefix)),
    row(both("M2-137"), CORE, Must, "no extension changes what a member means", Described(records::meanings)),
    // Carrying.
    row(both("M2-140"), CARRIED, Should, "a carrier keeps the meaning of members", Described(carrying::meaning)),
    row(both("M2-141"), CARRIED, Must, "members are renamed only where that is documented and reversible", Described(carrying::renaming)),
    row(both("M2-142"), CARRIED, Should, "records and disclosures are told apart", Described(carrying::told_apart)),
    row(both("M2-143"), CARRIED, Should, "scores of records are not shown to end users", Described(carrying::end_users)),
    row(both("M2-144"), CARRIED, Must, "what carries them is a place that keeps their meaning", Described(carrying::place)),
    row(new("M2-145"), CARRIED, Must, "a carrier does not reinterpret values", Described(carrying::values)),
    // Human factors.
    row(each("M1-13", "M2-149"), SHOWN, Should, "band, target, source and next step are one unit", Described(people::unit)),
    row(both("M2-150"), SHOWN, Should, "wording is for calibrated reliance", First(wording::reliance, &Records("`Wording`"))),
    row(both("M2-152"), CORE, Should, "high-risk domains are treated with caution", Described(policy::caution)),
    // Trust.
    row(new("M2-154"), CORE, Must, "no record is trusted without a known relationship", First(trust::unknown, &Decisions("`ContextualRecord`"))),
    row(new("M2-155"), CORE_AND_CARRIED, Should, "contexts of trust are told apart", Described(trust::contexts)),
    row(new("M2-156"), CORE_AND_CARRIED, Should, "records between domains are protected", Described(trust::between_domains)),
    row(new("M2-157"), CORE_AND_CARRIED, Should, "records with consequences are security-relevant", Described(trust::protection)),
    // Security and privacy.
    row(both("M2-161"), CORE, Should, "loops have budgets of time and cost", Described(loops::budgets)),
    row(both("M2-168"), ALL, Should, "records are kept and passed on no more than needed", Described(people::retention)),
    row(new("M2-169"), ALL, Should, "raw prompts stay out of records", Described(people::prompts)),
    row(new("M2-170"), ALL, Should, "a sensitive record is as sensitive as the request", Described(people::sensitivity)),
    row(both("M2-171"), ALL, Should, "raw explanations by users stay out of records", Described(people::explanations)),
    row(both("M2-172"), ALL, Should, "little is kept of signs of distress", Described(people::distress)),
    // Resistance to manipulation.
    row(each("M1-20", "M2-173"), ALL, Must, "records are not used to find out how someone can be influenced", Described(people::influence)),
    row(each("M1-21", "M2-174"), ALL, Should, "behaviour is adapted for named purposes only", Described(people::purposes)),
    row(new("M2-175"), SHOWN, Should, "no anthropomorphic cues in disclosures", First(wording::cues, &Records("`Wording`"))),
    // The least of each class.
    least(1, 1, "the required members at each decision point", RECORDED),
    least(2, 2, "the values of the draft, letter case included", BUILDER),
    least(3, 3, "one selected action", All(&[whole("M2-49")])),
    least(4, 4, "one primary source, never `none`", All(&[whole("M2-27"), whole("M2-29")])),
    least(5, 5, "scores from 0 to 1", All(&[whole("M2-20"), whole("M2-25"), whole("M2-35")])),
    least(6, 6, "the two estimates kept apart", All(&[whole("M2-36")])),
    least(7, 7, "a post-answer confidence with ANSWER", All(&[whole("M2-103")])),
    least(0, 8, "the target, with its meaning", All(&[whole("M2-44"), whole("M2-45")])),
    least(8, 9, "documented band thresholds and what they vary with", All(&[whole("M2-41"), whole("M2-42")])),
    least(9, 10, "bounds or criteria that end loops", All(&[whole("M2-16")])),
    least(0, 11, "the rules between members", All(&[whole("M2-106")])),
    least(10, 12, "required members keep their meaning beside extensions", All(&[whole("M2-137")])),
    row(new("M2-179"), SHOWN, Must, "the five fields of a disclosure, and three bands",
        All(&[whole("M2-116"), whole("M2-117"), whole("M2-118"), whole("M2-119"), whole("M2-120"), whole("M2-121"), whole("M2-40")])),
    row(both("M2-180"), SHOWN, Must, "a disclosure does not depend on hidden reasoning", PROJECTION),
    row(both("M2-181"), CARRIED, Must, "every renaming, omission and transformation is documented", Described(carrying::documented)),
    row(both("M2-183"), SHOWN, Must, "MARC-Core conforms", Class(ConformanceClass::Core)),
    // What is documented.
    topic(1, 1, CORE, Should, "score normalisation", All(&[whole("M2-115")])),
    // The stricter level of two sections: open point 100.
    topic(2, 2, CORE, Must, "band thresholds", All(&[whole("M2-41"), whole("M2-42")])),
    topic(0, 3, SHOWN, Should, "how targets are presented", All(&[whole("M2-47")])),
    topic(3, 4, CORE, Should, "the calibration regime by task family", Described(bands::regime)),
    topic(4, 5, CORE, Should, "loop bounds", All(&[whole("M2-17")])),
    topic(5, 6, CORE_AND_CARRIED, Should, "private extensions", Described(records::extensions)),
    topic(6, 7, SHOWN, Should, "wording of disclosures", Described(wording::documented)),
    topic(7, 8, CARRIED, Should, "mappings to fields of protocols", All(&[whole("M2-181")])),
    topic(0, 9, CORE_AND_CARRIED, Should, "contexts of trust", All(&[whole("M2-155")])),
    topic(8, 10, CORE, Should, "what policy asks of ABSTAIN and ESCALATE", Described(policy::constraints)),
    row(both("M2-186"), CORE_AND_CARRIED, Should, "what is documented where records are exchanged",
        All(&[item("M2-184", 6), whole("M2-41"), whole("M2-115"), item("M2-184", 4)])),
];
