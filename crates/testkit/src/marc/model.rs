//! Naive model of MARC-02 8.8 (action selection) and 8.3 (remediability), with which tests compare
//! the controller. It was written from the text of the draft and the project's readings of it, not
//! from the code.

/// Index of `ambiguity` in [`Point::scores`]; sources are in the order of 8.2.
pub const AMBIGUITY: usize = 0;
/// Index of `missing_evidence` in [`Point::scores`].
pub const MISSING: usize = 1;
/// Index of `capability_limit` in [`Point::scores`].
pub const LIMIT: usize = 2;
/// Index of `evidence_conflict` in [`Point::scores`].
pub const CONFLICT: usize = 3;
/// Index of `safety` in [`Point::scores`].
pub const SAFETY: usize = 4;

/// Index of `user_clarification` in [`Point::remedies`]; classes are in the order of 8.3.
pub const USER: usize = 0;
/// Index of `retrieval` in [`Point::remedies`].
pub const RETRIEVAL: usize = 1;
/// Index of `tool` in [`Point::remedies`].
pub const TOOL: usize = 2;
/// Index of `human` in [`Point::remedies`].
pub const HUMAN: usize = 3;
/// Index of more internal computation in [`Point::remedies`]; it has no value of `remediability`.
pub const EFFORT: usize = 4;

/// State of one intervention.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// Availability and permission of the intervention, `None` if not stated.
    pub usable: Option<bool>,
    /// Expectation that the gain is worth the cost (8.3), `None` if not stated.
    pub worthwhile: Option<bool>,
    /// Exhaustion of the loop bound (7.3); always `false` for [`HUMAN`].
    pub spent: bool,
}

/// Input of the action selection, as a caller describes it.
#[derive(Clone, Debug)]
pub struct Point {
    /// Scores of the five uncertainty sources, in [0.0, 1.0].
    pub scores: [f64; 5],
    /// Threshold of each source: the source is material from this score on.
    pub material: [f64; 5],
    /// Index of the primary uncertainty source.
    pub primary: usize,
    /// Stated remediability: index of an intervention, `Some(None)` for `none`, `None` if not
    /// stated.
    pub stated: Option<Option<usize>>,
    /// Caller's judgement whether each source is material (for ambiguity: whether it blocks an
    /// answer); `None` leaves it to the score. For [`SAFETY`], `Some(true)` makes safety control
    /// the selection; `Some(false)` overrides neither a score at the threshold nor `safety` as
    /// primary source.
    pub judged: [Option<bool>; 5],
    /// Ambiguity that the available evidence resolves without the user.
    pub resolvable: bool,
    /// Missing evidence that does not matter, or an answer that is limited to the context.
    pub immaterial: bool,
    /// State of each intervention.
    pub remedies: [Means; 5],
    /// High-risk domain (8.8 step 6, 14).
    pub high_risk: bool,
    /// Actions of the safety policy in order of preference, never `ANSWER`; ABSTAIN applies if none
    /// is possible.
    pub safety: Vec<&'static str>,
    /// Worthwhile computation selected before any externalization (8.8 step 7, MAY) instead of
    /// right before ANSWER.
    pub effort_first: bool,
}

impl Point {
    /// Selects the primary action (8.7, 8.8).
    pub fn action(&self) -> &'static str {
        // 8.8 step 1, and the last sentence of 8.8: safety before anything else.
        // Reading: the order of the policy decides even against the stated
        // remediability, since step 1 selects "according to that policy".
        if self.safety_governs() {
            for name in &self.safety {
                if self.permits(name) {
                    return name;
                }
            }
            return "ABSTAIN";
        }

        // 8.8 step 2. Reading: "user input is expected to materially reduce it"
        // holds if the user is a possible intervention that nobody judged worthless.
        let blocked = self.blocking_ambiguity();
        if blocked && self.possible(USER) {
            return "CLARIFY";
        }

        // 8.8, "When the primary uncertainty source is ambiguity". Reading: it
        // is followed at step 2, ambiguity's step, before steps 3 to 6, because
        // the primary source is the one most relevant to the selection (8.2).
        // Reading: a primary source below its threshold is a residual one (8.2)
        // and prefers nothing.
        if self.primary == AMBIGUITY
            && self.scores[AMBIGUITY] >= self.material[AMBIGUITY]
            && !self.resolvable
            && self.possible(USER)
        {
            return "CLARIFY";
        }

        // Reading: blocking ambiguity that the user cannot reduce does not meet
        // the condition of step 2, so steps 3 to 5 are still tried (their
        // SHOULD stands), and only an answer is ruled out, after step 6.

        // 8.8 step 7, where the deployment wants it early. Reading: it comes
        // after step 2 because CLARIFY is no externalization (3), and before
        // the first step that externalizes, whatever that step would select.
        if self.effort_first && self.worthwhile(EFFORT) {
            return "DELIBERATE";
        }

        // 8.8 step 3, and the sentence about a primary source evidence_conflict,
        // which says nothing else.
        let conflict = self.is_material(CONFLICT);
        let reconciling = if conflict {
            self.first(&[RETRIEVAL, TOOL, HUMAN])
        } else {
            None
        };
        if let Some(means) = reconciling {
            return action_of(means);
        }

        // 8.8 step 4, the exceptions in the paragraph after step 8, and the
        // sentence about a primary source missing_evidence. Reading:
        // `immaterial` is stronger than a judgement that the evidence is
        // missing, as an answer limited to the context may lack much.
        let missing = self.is_material(MISSING) && !self.immaterial;
        if missing {
            // Reading: RETRIEVE comes before a stated other class, since step 4
            // names this action alone.
            if self.possible(RETRIEVAL) {
                return "RETRIEVE";
            }
            // Reading: the draft ranks the substitutes for retrieval in no
            // way, so the stated one is preferred, then tool, user, human.
            let mut substitutes = vec![TOOL];
            for means in [USER, HUMAN].iter() {
                if self.stated == Some(Some(*means)) || self.worthwhile(*means) {
                    substitutes.push(*means);
                }
            }
            if let Some(means) = self.first(&substitutes) {
                return action_of(means);
            }
        }

        // 8.8 step 5. Reading: a possible tool that nobody judged worthless is
        // "expected to materially expand task competence".
        let limit = self.is_material(LIMIT);
        if limit && self.possible(TOOL) {
            return "TOOL";
        }

        // 8.8 step 6, the sentence about a primary source capability_limit, and
        // the project's readings for what is unresolved of steps 2, 3 and 4.
        // Reading: the tool is all the "available remediation" of a capability
        // limit; worthwhile retrieval, the user or computation do not go before
        // this step, since that sentence excepts a tool alone and steps 7 and 8
        // come later.
        // Reading: ESCALATE comes before ABSTAIN although the draft names
        // ABSTAIN first, since ABSTAIN is always possible and a human would
        // else never be reached unless stated.
        if blocked || conflict || (missing && self.high_risk) || limit {
            if self.possible(HUMAN) {
                return "ESCALATE";
            }
            return "ABSTAIN";
        }

        // 8.8 step 8, with step 7 in the place "before answer commitment".
        // Reading: a worthwhile intervention counts here even if no source is
        // material, if the missing evidence is immaterial, or if evidence
        // resolves the ambiguity; the caller who weighed it expects a gain.
        let mut order = Vec::new();
        if let Some(Some(means)) = self.stated {
            order.push(means);
        }
        order.extend([USER, RETRIEVAL, TOOL, EFFORT, HUMAN].iter());
        for means in order {
            if self.worthwhile(means) {
                return action_of(means);
            }
        }
        "ANSWER"
    }

    /// Computes the remediability that the record states for `action` (8.3, 9.4); `None` stands for
    /// `none`.
    pub fn remediability(&self, action: &str) -> Option<usize> {
        match action {
            // 9.4: class that goes with the action.
            "CLARIFY" => Some(USER),
            "RETRIEVE" => Some(RETRIEVAL),
            "TOOL" => Some(TOOL),
            "ESCALATE" => Some(HUMAN),
            // 9.4: "none unless a human escalation path exists but is not
            // initiated". Reading: a stated human path exists unless somebody
            // said that it is unusable; that it is worthless does not matter.
            "ABSTAIN" => {
                if self.stated == Some(Some(HUMAN)) && self.remedies[HUMAN].usable != Some(false) {
                    Some(HUMAN)
                } else {
                    None
                }
            }
            // 8.3: 9.4 names no class for these.
            "ANSWER" | "DELIBERATE" => match self.stated {
                // Reading: a stated `none` is reported as stated, as there is
                // no intervention in it that could be unusable or spent.
                Some(None) => None,
                // Reading: a stated class that is judged worthless is still
                // reported, as it is available.
                Some(Some(means))
                    if self.remedies[means].usable != Some(false)
                        && !self.remedies[means].spent =>
                {
                    Some(means)
                }
                _ => self.best(),
            },
            _ => None,
        }
    }

    /// Finds the best possible class of intervention for the primary source (8.3).
    fn best(&self) -> Option<usize> {
        let fitting = match self.primary {
            AMBIGUITY => USER,
            MISSING | CONFLICT => RETRIEVAL,
            LIMIT => TOOL,
            _ => HUMAN,
        };
        for means in [fitting, USER, RETRIEVAL, TOOL, HUMAN].iter() {
            if self.possible(*means) {
                return Some(*means);
            }
        }
        None
    }

    /// Returns `true` if safety controls the selection (8.2, 8.8 step 1).
    fn safety_governs(&self) -> bool {
        self.primary == SAFETY
            || self.scores[SAFETY] >= self.material[SAFETY]
            || self.judged[SAFETY] == Some(true)
    }

    /// Returns `true` if a source other than safety is material, by judgement or else by its score
    /// (8.8 steps 2 to 6).
    // Reading: a judgement decides against the score also for the primary
    // source; only ambiguity, where it is about blocking, is treated apart.
    fn is_material(&self, source: usize) -> bool {
        match self.judged[source] {
            Some(judged) => judged,
            None => self.scores[source] >= self.material[source],
        }
    }

    /// Returns `true` if ambiguity blocks an answer (8.8 step 2).
    // Reading: ambiguity that available evidence resolves does not block,
    // whether or not it is the primary source; nothing is guessed then.
    fn blocking_ambiguity(&self) -> bool {
        self.is_material(AMBIGUITY) && !self.resolvable
    }

    /// Returns `true` if an intervention can be selected (8.3, 7.3; project reading).
    fn possible(&self, means: usize) -> bool {
        let known = self.remedies[means];
        let usable = match known.usable {
            Some(usable) => usable,
            None => self.stated == Some(Some(means)),
        };
        if !usable || known.spent || known.worthwhile == Some(false) {
            return false;
        }
        if self.stated == Some(None) {
            return known.worthwhile == Some(true);
        }
        true
    }

    /// Returns `true` if an intervention is possible and expected to be worth its cost.
    fn worthwhile(&self, means: usize) -> bool {
        self.possible(means) && self.remedies[means].worthwhile == Some(true)
    }

    /// Finds the first possible intervention among `allowed`, trying the stated one first.
    fn first(&self, allowed: &[usize]) -> Option<usize> {
        let mut possible = Vec::new();
        for means in allowed {
            if self.possible(*means) {
                possible.push(*means);
            }
        }
        match self.stated {
            Some(Some(stated)) if possible.contains(&stated) => Some(stated),
            _ => possible.first().copied(),
        }
    }

    /// Returns `true` if an action of the safety policy is possible (8.8 step 1).
    // Reading: that the policy names an action does not make its intervention
    // available; DELIBERATE needs no expected gain here, but a usable EFFORT.
    fn permits(&self, name: &str) -> bool {
        match name {
            "ABSTAIN" => true,
            "CLARIFY" => self.possible(USER),
            "RETRIEVE" => self.possible(RETRIEVAL),
            "TOOL" => self.possible(TOOL),
            "ESCALATE" => self.possible(HUMAN),
            "DELIBERATE" => self.possible(EFFORT),
            _ => false,
        }
    }
}

/// Returns the action that starts an intervention (8.9).
fn action_of(means: usize) -> &'static str {
    match means {
        USER => "CLARIFY",
        RETRIEVAL => "RETRIEVE",
        TOOL => "TOOL",
        HUMAN => "ESCALATE",
        _ => "DELIBERATE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USABLE: Means = Means {
        usable: Some(true),
        worthwhile: None,
        spent: false,
    };
    const WORTHWHILE: Means = Means {
        usable: Some(true),
        worthwhile: Some(true),
        spent: false,
    };

    fn point(primary: usize, scores: [f64; 5]) -> Point {
        Point {
            scores,
            material: [0.5; 5],
            primary,
            stated: None,
            judged: [None; 5],
            resolvable: false,
            immaterial: false,
            remedies: [Means::default(); 5],
            high_risk: false,
            safety: vec!["ABSTAIN"],
            effort_first: false,
        }
    }

    fn check(point: &Point, action: &str, remediability: Option<usize>) {
        assert_eq!(point.action(), action);
        assert_eq!(point.remediability(action), remediability);
    }

    #[test]
    fn appendix_b_1_ambiguous_request() {
        let mut p = point(AMBIGUITY, [0.81, 0.18, 0.12, 0.03, 0.0]);
        p.stated = Some(Some(USER));
        check(&p, "CLARIFY", Some(USER));
    }

    #[test]
    fn appendix_b_2_missing_evidence() {
        let mut p = point(MISSING, [0.09, 0.84, 0.14, 0.11, 0.0]);
        p.stated = Some(Some(RETRIEVAL));
        check(&p, "RETRIEVE", Some(RETRIEVAL));
    }

    #[test]
    fn appendix_b_3_tool_use() {
        let mut p = point(LIMIT, [0.08, 0.12, 0.61, 0.04, 0.0]);
        p.stated = Some(Some(TOOL));
        check(&p, "TOOL", Some(TOOL));
    }

    #[test]
    fn appendix_b_4_limit_at_high_risk() {
        let mut p = point(LIMIT, [0.06, 0.27, 0.88, 0.14, 0.19]);
        p.stated = Some(Some(HUMAN));
        p.high_risk = true;
        check(&p, "ESCALATE", Some(HUMAN));
    }

    #[test]
    fn missing_evidence_goes_before_a_primary_limit() {
        let mut p = point(LIMIT, [0.0, 0.9, 0.9, 0.0, 0.0]);
        p.remedies[RETRIEVAL] = WORTHWHILE;
        check(&p, "RETRIEVE", Some(RETRIEVAL));
    }

    #[test]
    fn conflict_goes_before_primary_missing_evidence() {
        let mut p = point(MISSING, [0.0, 0.9, 0.0, 0.9, 0.0]);
        p.remedies[USER] = WORTHWHILE;
        p.remedies[HUMAN] = USABLE;
        check(&p, "ESCALATE", Some(HUMAN));
        // Without the human, step 4 finds the user; without both, ABSTAIN.
        p.remedies[HUMAN] = Means::default();
        check(&p, "CLARIFY", Some(USER));
        p.remedies[USER] = Means::default();
        check(&p, "ABSTAIN", None);
    }

    #[test]
    fn unweighed_computation_is_not_selected() {
        let mut p = point(LIMIT, [0.0, 0.0, 0.9, 0.0, 0.0]);
        p.remedies[EFFORT] = USABLE;
        check(&p, "ABSTAIN", None);
        p.effort_first = true;
        check(&p, "ABSTAIN", None);
        p.remedies[EFFORT] = WORTHWHILE;
        check(&p, "DELIBERATE", None);
        p.effort_first = false;
        check(&p, "ABSTAIN", None);
    }

    #[test]
    fn primary_ambiguity_that_does_not_block() {
        let mut p = point(AMBIGUITY, [0.9, 0.0, 0.0, 0.0, 0.0]);
        p.judged[AMBIGUITY] = Some(false);
        p.remedies[USER] = USABLE;
        check(&p, "CLARIFY", Some(USER));
        p.resolvable = true;
        check(&p, "ANSWER", Some(USER));
        p.resolvable = false;
        p.remedies[USER].spent = true;
        check(&p, "ANSWER", None);
    }

    #[test]
    fn blocking_ambiguity_is_never_guessed() {
        let mut p = point(AMBIGUITY, [0.9, 0.0, 0.0, 0.0, 0.0]);
        check(&p, "ABSTAIN", None);
        p.remedies[HUMAN] = USABLE;
        check(&p, "ESCALATE", Some(HUMAN));
        p.resolvable = true;
        check(&p, "ANSWER", Some(HUMAN));
    }

    #[test]
    fn missing_evidence_without_means() {
        let mut p = point(MISSING, [0.0, 0.9, 0.0, 0.0, 0.0]);
        p.remedies[HUMAN] = USABLE;
        check(&p, "ANSWER", Some(HUMAN));
        p.high_risk = true;
        check(&p, "ESCALATE", Some(HUMAN));
        p.remedies[HUMAN].worthwhile = Some(false);
        check(&p, "ABSTAIN", None);
        p.stated = Some(Some(HUMAN));
        check(&p, "ABSTAIN", Some(HUMAN));
        p.immaterial = true;
        check(&p, "ANSWER", Some(HUMAN));
    }

    #[test]
    fn safety_policy_goes_first() {
        let mut p = point(LIMIT, [0.9, 0.9, 0.9, 0.9, 0.5]);
        p.judged[SAFETY] = Some(false);
        p.remedies = [USABLE; 5];
        p.safety = vec!["ESCALATE", "ABSTAIN"];
        check(&p, "ESCALATE", Some(HUMAN));
        p.remedies[HUMAN].usable = Some(false);
        check(&p, "ABSTAIN", None);
        p.safety = vec!["ESCALATE", "DELIBERATE"];
        check(&p, "DELIBERATE", Some(TOOL));
        p.remedies[EFFORT].spent = true;
        check(&p, "ABSTAIN", None);
    }

    #[test]
    fn stated_none_leaves_worthwhile_means() {
        let mut p = point(CONFLICT, [0.0, 0.0, 0.0, 0.9, 0.0]);
        p.stated = Some(None);
        p.remedies[RETRIEVAL] = USABLE;
        check(&p, "ABSTAIN", None);
        p.remedies[RETRIEVAL] = WORTHWHILE;
        check(&p, "RETRIEVE", Some(RETRIEVAL));
    }

    #[test]
    fn answer_only_when_nothing_is_worthwhile() {
        let mut p = point(MISSING, [0.1; 5]);
        p.remedies = [WORTHWHILE; 5];
        p.stated = Some(Some(TOOL));
        check(&p, "TOOL", Some(TOOL));
        p.stated = None;
        check(&p, "CLARIFY", Some(USER));
        p.remedies[USER] = USABLE;
        check(&p, "RETRIEVE", Some(RETRIEVAL));
        p.remedies[RETRIEVAL] = USABLE;
        check(&p, "TOOL", Some(TOOL));
        p.remedies[TOOL] = USABLE;
        check(&p, "DELIBERATE", Some(RETRIEVAL));
        p.remedies[EFFORT] = USABLE;
        check(&p, "ESCALATE", Some(HUMAN));
        p.remedies[HUMAN] = USABLE;
        check(&p, "ANSWER", Some(RETRIEVAL));
    }
}
