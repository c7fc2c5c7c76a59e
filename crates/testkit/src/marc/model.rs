//! Section 8 of MARC-02 as a plain function, written from the draft alone.
//!
//! The model shares no code with the controller and takes no short cuts: it lists what is wrong, lists what each source of
//! uncertainty asks for, and takes the first entry that is possible. Where the draft leaves a choice open, the reading is
//! stated beside it.

/// The five sources, in the order of MARC-02 8.2: positions in [`Point::scores`].
pub const AMBIGUITY: usize = 0;
/// See [`AMBIGUITY`].
pub const MISSING: usize = 1;
/// See [`AMBIGUITY`].
pub const LIMIT: usize = 2;
/// See [`AMBIGUITY`].
pub const CONFLICT: usize = 3;
/// See [`AMBIGUITY`].
pub const SAFETY: usize = 4;

/// The interventions, positions in [`Point::remedies`]; the first four are values of `remediability`.
pub const USER: usize = 0;
/// See [`USER`].
pub const RETRIEVAL: usize = 1;
/// See [`USER`].
pub const TOOL: usize = 2;
/// See [`USER`].
pub const HUMAN: usize = 3;
/// See [`USER`].
pub const EFFORT: usize = 4;

/// What is known of one intervention.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// Available and permitted; `None` if nobody said so.
    pub usable: Option<bool>,
    /// Whether a material gain is expected for its cost (MARC-02 8.3); `None` if nobody weighed it.
    pub worthwhile: Option<bool>,
    /// Whether its loop bound is reached (MARC-02 7.3).
    pub spent: bool,
}

/// Everything that section 8 looks at.
#[derive(Clone, Debug)]
pub struct Point {
    /// Scores of the five sources.
    pub scores: [f64; 5],
    /// From which score on a source is material.
    pub material: [f64; 5],
    /// The primary source.
    pub primary: usize,
    /// The stated `remediability`: an intervention, or `Some(None)` for `none`.
    pub stated: Option<Option<usize>>,
    /// Whether each source is material (ambiguity: blocks an answer), as it was judged; `None` leaves it to the score.
    pub judged: [Option<bool>; 5],
    /// Whether available evidence resolves the ambiguity.
    pub resolvable: bool,
    /// Whether the missing evidence does not matter, or the answer is limited to the context.
    pub immaterial: bool,
    /// The five interventions.
    pub remedies: [Means; 5],
    /// A high-risk domain.
    pub high_risk: bool,
    /// The safety policy: actions in order of preference, by name.
    pub safety: Vec<&'static str>,
    /// Whether worthwhile computation comes before externalization (MARC-02 8.8 step 7).
    pub effort_first: bool,
}

impl Point {
    fn can(&self, remedy: usize) -> bool {
        let means = self.remedies[remedy];
        let usable = means.usable.unwrap_or(self.stated == Some(Some(remedy)));
        // A stated `none` leaves only what was weighed and found worthwhile.
        let judged = if self.stated == Some(None) {
            means.worthwhile == Some(true)
        } else {
            means.worthwhile != Some(false)
        };
        usable && judged && !means.spent
    }

    fn weighed(&self, remedy: usize) -> bool {
        self.can(remedy) && self.remedies[remedy].worthwhile == Some(true)
    }

    fn scores_high(&self, source: usize) -> bool {
        self.scores[source] >= self.material[source]
    }

    fn is_material(&self, source: usize) -> bool {
        self.judged[source].unwrap_or(self.scores_high(source))
    }

    /// The first of `wanted` that is possible; the stated remediability goes first if it is one of them.
    fn first(&self, wanted: &[usize]) -> Option<&'static str> {
        let mut wanted = wanted.to_vec();
        if let Some(Some(stated)) = self.stated
            && let Some(place) = wanted.iter().position(|&r| r == stated)
        {
            wanted.remove(place);
            wanted.insert(0, stated);
        }
        wanted.into_iter().find(|&r| self.can(r)).map(name)
    }

    /// Neither an answer nor a remedy: what is left is more effort, a human or nothing.
    fn refuse(&self) -> &'static str {
        if self.can(EFFORT) {
            "DELIBERATE"
        } else if self.can(HUMAN) {
            "ESCALATE"
        } else {
            "ABSTAIN"
        }
    }

    fn is_possible(&self, action: &str) -> bool {
        match action {
            "CLARIFY" => self.can(USER),
            "RETRIEVE" => self.can(RETRIEVAL),
            "TOOL" => self.can(TOOL),
            "ESCALATE" => self.can(HUMAN),
            "DELIBERATE" => self.can(EFFORT),
            "ABSTAIN" => true,
            _ => false,
        }
    }

    /// The action that section 8 asks for.
    pub fn action(&self) -> &'static str {
        // Step 1, and the paragraph on governing constraints: safety before everything else, and never an answer.
        if self.primary == SAFETY || self.scores_high(SAFETY) || self.judged[SAFETY] == Some(true) {
            return self
                .safety
                .iter()
                .copied()
                .find(|action| self.is_possible(action))
                .unwrap_or("ABSTAIN");
        }
        let ambiguous = self.scores_high(AMBIGUITY);
        let blocking = self.is_material(AMBIGUITY);
        // Step 2. Evidence that resolves the ambiguity spares the user; a block that nobody lifts is not guessed away.
        if blocking {
            return self.unblock();
        }
        // Step 7: before externalization.
        let wrong: Vec<usize> = self.wrong();
        if self.effort_first && self.weighed(EFFORT) {
            return "DELIBERATE";
        }
        if self.primary == AMBIGUITY && ambiguous && self.can(USER) && !self.resolvable {
            return "CLARIFY";
        }
        for &source in &wrong {
            let remedy = match source {
                CONFLICT => self.first(&[RETRIEVAL, TOOL, HUMAN]),
                MISSING => self.first(&self.for_missing()),
                _ => self.first(&[TOOL]),
            };
            if let Some(action) = remedy {
                return action;
            }
            // A primary capability limit without a tool is not put off by other sources.
            if source == LIMIT && self.primary == LIMIT {
                return self.refuse();
            }
        }
        let unresolved = wrong
            .iter()
            .any(|&source| source != MISSING || self.high_risk);
        if unresolved {
            return self.refuse();
        }
        // Step 8: an answer only if nothing worthwhile is left.
        self.left_over(!wrong.is_empty() || ambiguous)
    }

    fn unblock(&self) -> &'static str {
        let by_evidence = match self.stated {
            Some(Some(remedy @ (RETRIEVAL | TOOL))) if self.can(remedy) => Some(name(remedy)),
            _ if self.resolvable => self.first(&[RETRIEVAL, TOOL]),
            _ => None,
        };
        match by_evidence {
            Some(action) => action,
            None if self.can(USER) => "CLARIFY",
            None => self.refuse(),
        }
    }

    /// The material sources: the primary first, because it is the one "most relevant to action selection" (8.2), the rest
    /// in the order of 8.8.
    fn wrong(&self) -> Vec<usize> {
        let mut wrong: Vec<usize> = [CONFLICT, MISSING, LIMIT]
            .into_iter()
            .filter(|&source| self.is_material(source) && !(source == MISSING && self.immaterial))
            .collect();
        wrong.sort_by_key(|&source| source != self.primary);
        wrong
    }

    /// Retrieval; a tool may find the evidence too; the user or a human only if somebody said that it is they who can.
    fn for_missing(&self) -> Vec<usize> {
        let mut remedies = vec![RETRIEVAL, TOOL];
        for other in [USER, HUMAN] {
            if self.weighed(other) || self.stated == Some(Some(other)) {
                remedies.push(other);
            }
        }
        remedies
    }

    fn left_over(&self, something_is_wrong: bool) -> &'static str {
        let order = [USER, RETRIEVAL, TOOL, EFFORT, HUMAN];
        let stated = self.stated.flatten().filter(|&remedy| self.weighed(remedy));
        if let Some(remedy) = stated.or(order.into_iter().find(|&remedy| self.weighed(remedy))) {
            return name(remedy);
        }
        if something_is_wrong && self.can(EFFORT) {
            return "DELIBERATE";
        }
        "ANSWER"
    }
}

fn name(remedy: usize) -> &'static str {
    ["CLARIFY", "RETRIEVE", "TOOL", "ESCALATE", "DELIBERATE"][remedy]
}
