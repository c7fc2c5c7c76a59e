//! The rules of the wording check with their cases.

use super::*;

const RULES: &str = include_str!("../../src/wording/data/rules.txt");

fn fires(rule: &Rule, text: &str) -> bool {
    let mut sentences = Sentences::new(text);
    let mut found = Vec::new();
    while let Some(tokens) = sentences.next() {
        if rule.window != Window::Text || sentences.is_whole() {
            let reading = Reading::new(&tokens, &KNOWLEDGE.lexicons);
            apply(rule, &tokens, &reading, &mut found);
        }
    }
    !found.is_empty()
}

/// M2-129 to M2-131, M2-175: each rule has texts in which it finds something, and texts in which nothing is found.
#[test]
fn every_rule_has_its_cases() {
    let (mut wrong, mut rules) = (Vec::new(), 0);
    let lines: Vec<_> = RULES
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let is_case = |line: &&str| line.starts_with(['+', '-']);
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !is_case(line)) {
        let rule = &KNOWLEDGE.rules[rules];
        rules += 1;
        let cases = lines[at + 1..].iter().take_while(|line| is_case(line));
        let (good, bad): (Vec<&&str>, Vec<&&str>) = cases.partition(|case| case.starts_with('-'));
        if good.is_empty() || bad.is_empty() {
            wrong.push(format!("no cases: {line}"));
        }
        let missed = bad.iter().filter(|case| !fires(rule, &case[2..]));
        let alarms = good
            .iter()
            .filter(|case| !check_wording(&case[2..]).is_empty());
        wrong.extend(missed.chain(alarms).map(|case| format!("{line}: {case}")));
    }
    assert_eq!(rules, KNOWLEDGE.rules.len(), "lines that are not rules");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every slot of a rule has words, and every slot with words is in a rule.
#[test]
fn rules_and_words_have_the_same_slots() {
    let mut names = Names::new();
    let _ = Rule::parse_all(RULES, &mut names);
    let used = names.count();
    assert!(used <= crate::wording::slots::MAX_SLOTS);
    for words in [
        include_str!("../../src/wording/data/words.en.txt"),
        include_str!("../../src/wording/data/words.de.txt"),
    ] {
        let mut known = 0;
        for line in words
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (slot, _) = line.split_once(": ").expect("a slot");
            assert!(usize::from(names.slot(slot)) < used, "unused: {slot}");
            known += 1;
        }
        // FIGURE and NUMBER have no words.
        assert_eq!(known, used - 2);
    }
}
