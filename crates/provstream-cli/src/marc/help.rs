//! The long texts of the help of `provstream marc`.

/// What `provstream marc` is for.
pub(crate) const MARC: &str = "\
Validate, decide, disclose and carry MARC records.

A MARC-Core record reports how sure a system was at a decision point and which action it selected; a MARC-Disclosure \
object is what a user is shown of it. Two drafts are known: 02, unless --draft says otherwise, and 01. A record is a claim \
about one decision, not a proof, whether it is valid or not.";

/// What makes a command exit with status 2.
pub(super) const ARGUMENT: &str = "an argument is wrong";
pub(super) const DEPLOYMENT: &str = "an argument or the description of a deployment is wrong";
pub(super) const TEXTS: &str =
    "an argument, the description of a deployment or a line of --texts is wrong";
pub(super) const ENVELOPE: &str = "an argument or the envelope of --envelope is wrong";

pub(super) const VALIDATE: &str = "\
Validate MARC objects and print each with its violations.

The input is JSON: objects one after the other, in arrays, or inside other objects. For each MARC object one line is printed, \
wrapped in this help:

    {\"event\":\"marc\",\"kind\":\"disclosure\",\"line\":1,\"span\":{\"start\":0,\"end\":160},
      \"pointer\":\"\",\"valid\":false,\"violations\":[{\"code\":\"wrong-case\",\"level\":\"must\",\"line\":1,
      \"pointer\":\"/confidence_band\",\"section\":\"MARC-02 9.2\",
      \"message\":\"`confidence_band` is `Low`; letter case counts: `low`\"}]}

`valid` says that no violation is of level `must`. With --kind auto the members of an object decide which kind it is; one member, \
such as `marc_version`, is not enough. An object with two or more members of the drafts that do not show its kind is a \
violation, too, unless a MARC object is inside it. So is an object that is not inside another and has no MARC object in it, \
text that is not JSON, and an input without objects.";

pub(super) const PROJECT: &str = "\
Print what may be disclosed of MARC-Core records: a MARC-Disclosure object for each.

The input is JSON with records in it, such as the lines of `provstream marc decide`. Nothing is disclosed of a record whose \
trust context is not known (MARC-02 15), so --trust says where the records come from. For each record one line is printed, \
wrapped in this help:

    {\"event\":\"disclosure\",\"line\":1,\"action\":\"CLARIFY\",\"disclosure\":{…},
      \"findings\":[…],\"unused\":[\"answer\"]}

or one with the event `deferred` while a system retrieves, uses a tool or deliberates (unless --interim is given), `withheld` \
without a trust context that permits it, `refused` if a text is missing or unusable, and `marc` for a record that is not valid.

An ANSWER takes --answer, which is for one record, a CLARIFY --question, an ABSTAIN or ESCALATE --message. Each text is used for \
its actions only. --texts names a file with the texts of several decisions, one a line; its texts come before those of \
the options:

    {\"decision_id\":\"session-1\",\"answer\":\"…\"}

A line can have `answer`, `question`, `message` and `next_step`: an object with a text for each action, or one text, which is for \
ANSWER if the line has an `answer`, and else for the action of the decision. If a text is missing, a template words what the user is \
shown, except for ANSWER. `unused` lists the texts that were given for the record and are for another action. A line of --texts without a \
record is noted on standard error.

`findings` lists wordings of the disclosure that claim feelings, are falsely precise, stress certainty, take a label for proof, \
show hidden reasoning or seek to bind the user, each with its member and its place there in bytes. It is left out if there are none, \
as `unused` is. There are rules for English and German; `wording_checked` is false if the wording is in another language.";

pub(super) const DECIDE: &str = "\
Select an action for each situation, and print the record of the decision.

Each line of the input is a JSON object that describes a decision point, wrapped in this help:

    {\"pre_capability\":0.39,
      \"uncertainty\":{\"ambiguity\":0.09,\"missing_evidence\":0.84,\"capability_limit\":0.14,
        \"evidence_conflict\":0.11,\"safety\":0},
      \"primary_source\":\"missing_evidence\",\"remediability\":\"retrieval\",\"remedies\":{\"human\":true}}

All five scores are needed, unless the deployment says that unused ones are zero. `remedies` are user_clarification, retrieval, \
tool, human and deliberation; each is true, false, or an object with `available`, `permitted` and `worthwhile`. `judgements` \
replace what a score says: an object such as {\"blocking_ambiguity\":false}, or an array of those that hold; \
safety_controls, blocking_ambiguity, material_conflict, required_evidence_missing, material_capability_limit, \
resolvable_from_evidence, limited_to_context. Also known: session (the request that the line belongs to), secondary_source, \
risk_tier (standard or high), task_family, recommended_next_step (an object with a text for each action; a text alone is that of ANSWER), \
post_answer_confidence (which ANSWER needs), action_suitability, sub_action, and spent, {\"time\":\"2s\",\"cost\":40}, what the \
previous decision's action cost.

No text for the user is read here: the action comes first, and `provstream marc project` takes the texts. For each line one is \
printed, with the steps that led to the action and the sections of the draft:

    {\"event\":\"decision\",\"line\":1,\"session\":\"session\",\"action\":\"RETRIEVE\",
      \"steps\":[{\"section\":\"MARC-02 8.8 step 4\",\"action\":\"RETRIEVE\",
        \"reason\":\"required evidence is missing\"}],
      \"record\":{…}}

or, if nothing could be decided, which leaves the session as it was:

    {\"event\":\"refused\",\"line\":1,\"message\":\"…\"}";

pub(super) const CARRY: &str = "\
Put MARC objects into envelopes of other protocols, and take them out.

With --into the input is MARC objects, and for each the --envelope is printed with the object in it. With --out-of the input \
is envelopes, or for sse an event stream, and the MARC objects in them are printed, one a line. With --strip the envelopes are \
printed without records, whose scores are not for end users (MARC-02 12). An envelope with a record in another place is not \
printed, and neither is a record without an envelope. Nothing else of an envelope changes.

What cannot be carried gives a line {\"event\":\"refused\",\"line\":1,\"message\":\"…\"} in its place.";

pub(super) const UPGRADE: &str = "\
Convert records and disclosures of draft 01 to draft 02.

The confidence target, which draft 02 requires, is `answer` for ANSWER and `direct_answer_suitability` for other actions, as draft \
01 implies (MARC-01 7.5). A disclosure of draft 01 need not name its action; then --action does. The objects are printed one a \
line; what cannot be converted gives a line with the event `refused`.";

pub(super) const SHOW: &str = "\
Print disclosures as text: the answer, then confidence with what it applies to, uncertainty and next step as one unit \
(MARC-02 14).";

pub(super) const SCHEMA: &str = "\
Print the JSON Schema (2020-12) of MARC-Core records or MARC-Disclosure objects.

It is made from what `provstream marc validate` checks. Repeated members and SHOULD-level rules are not part of it.";

pub(super) const CONFORMANCE: &str = "\
Compare the description of a deployment with what MARC asks of one.

The description is a TOML file. For each requirement of the classes MARC-Core, MARC-Disclosure and MARC-Carrying one line is \
printed, wrapped in this help:

    {\"event\":\"requirement\",\"class\":\"core\",\"id\":\"band-thresholds\",\"section\":\"MARC-02 8.5\",
      \"level\":\"must\",\"status\":\"met\",\"basis\":\"description\",\"title\":\"…\",\"reason\":\"…\"}

and for each class:

    {\"event\":\"class\",\"class\":\"core\",\"claimed\":true,\"conforms\":true}

`status` is `met`, `declared` (the \
deployer says so, which cannot be checked), `documentation missing`, `not met` or `not claimed`.";

/// The exit statuses of a command that reads files: 2 if `wrong`, 3 with --fail if `failed`.
pub(super) fn exits(wrong: &str, failed: &str) -> String {
    format!(
        "Exit status:
  0  done; also when the reader of the output has gone away
  1  a file cannot be read, or the output cannot be written
  2  {wrong}
  3  with --fail: {failed}"
    )
}

/// The exit statuses of `marc schema`, which reads no file.
pub(super) const EXIT_SCHEMA: &str = "\
Exit status:
  0  done; also when the reader of the output has gone away
  1  the output cannot be written
  2  an argument is wrong";
