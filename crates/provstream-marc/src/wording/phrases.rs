//! English phrases that a disclosure should do without.

use super::check::WordingKind;
use super::check::WordingKind::{Anthropomorphic, Bonding, CertaintyCue};

/// Words that change nothing about what a phrase is.
pub(super) const FILLERS: &str = "a|absolutely|actually|all|also|always|am|an|are|be|been|being|bit|can|cannot|completely|\
    could|deeply|did|do|does|entirely|extremely|fairly|fully|genuinely|had|has|have|honestly|incredibly|is|just|kind|\
    little|may|might|most|must|not|now|of|only|personally|pretty|quite|rather|really|should|simply|sincerely|so|somewhat|\
    sort|still|strongly|terribly|too|totally|truly|very|was|were|will|would";

/// Words that turn a cue of certainty behind them into its contrary.
pub(super) const NEGATIONS: &str = "not|cannot|never|no|nor|without|hardly|nothing";

/// Phrases by their kind and first word: `a|b` is one of several words; `~` stands for up to five [`FILLERS`], and what
/// follows it is none. The first word alone is a phrase if what may follow is an empty text.
pub(super) const PHRASES: &[(WordingKind, &str, &[&str])] = &[
    // Feelings, mental states, self-awareness. Source: MARC-02 10.3.
    (
        Anthropomorphic,
        "i|we",
        &[
            "~ feel|felt|feeling|believe|believed|think|thought|hope|hoped|hoping|worry|worried|worrying|guess|guessed",
            "~ suspect|suspected|doubt|wish|fear|imagine|sense|wonder|wondering|know|understand|remember|recall|realize",
            "~ realise|trust|prefer|want|love|loved|enjoy|enjoyed|hate|regret|care|struggle|empathize|empathise",
            "~ sympathize|sympathise|sure|unsure|uncertain|certain|confident|positive|convinced|hesitant|torn|doubtful",
            "~ hopeful|optimistic|pessimistic|sorry|afraid|glad|happy|sad|excited|delighted|pleased|proud|anxious|nervous",
            "~ concerned|confused|puzzled|frustrated|curious|conscious|aware|sentient|alive|comfortable|uncomfortable|uneasy",
            "~ disappointed|grateful|thrilled|tempted|doubts|concerns|feelings|hunch|confidence|intuition",
            "~ feel|felt|feeling ~ sure|unsure|uncertain|certain|confident|hesitant|torn|sorry|bad|good|anxious|nervous",
        ],
    ),
    (
        Anthropomorphic,
        "assistant|model|system|ai|bot|chatbot",
        &[
            "~ feel|feels|feeling|felt|thinks|believes|hopes|worries|wishes|wants|fears|guesses|suspects|doubts|cares|loves",
            "~ regrets|wonders",
            "~ feel|feels|feeling|felt ~ sure|unsure|uncertain|certain|confident|hesitant|torn|sorry|anxious|nervous",
            "is|was|seems|remains ~ sure|unsure|uncertain|confident|convinced|hesitant|torn|sorry|afraid|worried|glad|happy",
            "is|was|seems|remains ~ sad|excited|anxious|nervous|concerned|confused|curious|conscious|sentient|uneasy",
        ],
    ),
    (
        Anthropomorphic,
        "my",
        &[
            "~ gut|intuition|instinct|instincts|hunch|heart|mind|feeling|feelings|belief|beliefs|opinion|impression|guess",
            "~ confidence|uncertainty|doubts|worry|worries|fear|fears|hope|hopes|conscience|emotions",
            "best|honest guess|opinion",
        ],
    ),
    (Anthropomorphic, "gut", &["feeling|instinct"]),
    (
        Anthropomorphic,
        "it",
        &["~ feels", "~ seems to me", "~ my feeling|guess|belief|hope"],
    ),
    (
        Anthropomorphic,
        "make|makes|made|making",
        &[
            "me ~ feel|think|wonder|worry|doubt|nervous|anxious|sad|happy|proud|uneasy|uncomfortable|hesitant",
        ],
    ),
    (
        Anthropomorphic,
        "worries|concerns|troubles|bothers|saddens|pleases|excites|puzzles|frustrates",
        &["me"],
    ),
    // Cues of certainty. Source: MARC-02 10.3.
    (
        CertaintyCue,
        "guaranteed|definitely|undoubtedly|doubtless|unquestionably|indisputably|undeniably|indubitably|certainly|obviously|\
        infallible|infallibly|foolproof|irrefutable|irrefutably|incontrovertible|incontrovertibly|assuredly",
        &[""],
    ),
    (CertaintyCue, "i|we", &["~ guarantee|promise|assure|swear"]),
    (
        CertaintyCue,
        "absolutely|completely|totally|entirely|perfectly|fully|utterly|dead",
        &["certain|sure|correct|right|accurate|reliable|true|positive|infallible|trustworthy"],
    ),
    (
        CertaintyCue,
        "without|beyond",
        &[
            "doubt|question",
            "a|any|all doubt|question",
            "a|the shadow of a doubt",
            "any possible doubt",
        ],
    ),
    (
        CertaintyCue,
        "no",
        &[
            "doubt|doubts",
            "question about",
            "chance|risk|possibility of error|mistake",
            "room for error|doubt",
        ],
    ),
    (
        CertaintyCue,
        "always",
        &["correct|right|accurate|reliable|true"],
    ),
    (
        CertaintyCue,
        "never|cannot",
        &["wrong|mistaken", "be wrong|mistaken", "go wrong"],
    ),
    (
        CertaintyCue,
        "can",
        &["not be wrong|mistaken", "not go wrong"],
    ),
    (
        CertaintyCue,
        "you",
        &["can|may be ~ sure|certain|confident"],
    ),
    (CertaintyCue, "rest", &["assured"]),
    (CertaintyCue, "for", &["sure"]),
    (CertaintyCue, "fool", &["proof"]),
    // Bonding, deference, flattery. Source: MARC-02 14, 18.
    (
        Bonding,
        "i|we",
        &[
            "~ here for you",
            "~ here to help|assist|support|serve|listen",
            "~ on your side",
            "~ in this together",
            "~ care about|for you",
            "~ love you",
            "~ understand how you|hard|difficult",
            "~ happy|glad|delighted|pleased|honored|honoured|eager|thrilled to help|assist|serve|support",
            "~ love to help|assist",
            "~ proud of you",
            "~ miss|missed you",
            "~ apologize|apologise",
            "~ sorry for|to hear",
        ],
    ),
    (
        Bonding,
        "my",
        &[
            "~ friend|dear|pleasure|apologies|honor|honour",
            "dear|good friend",
        ],
    ),
    (Bonding, "trust|believe|forgive", &["me|us"]),
    (Bonding, "here", &["for you"]),
    (Bonding, "dear", &["friend|user"]),
    (
        Bonding,
        "happy|glad|delighted|pleased|honored|honoured|eager|thrilled",
        &["to help|assist|serve"],
    ),
    (Bonding, "as", &["you wish|command|please"]),
    (Bonding, "at", &["your service"]),
    (
        Bonding,
        "your",
        &["wish is my command", "humble servant|assistant"],
    ),
    (Bonding, "count|rely|depend|lean", &["on me|us"]),
    (Bonding, "do", &["not worry"]),
    (Bonding, "no", &["worries"]),
    (
        Bonding,
        "great|good|excellent|wonderful|fantastic|brilliant",
        &["question"],
    ),
    (
        Bonding,
        "you",
        &["are ~ right", "are ~ amazing|wonderful|brilliant|special"],
    ),
    (
        Bonding,
        "thank|thanks",
        &["you for trusting|your trust", "for trusting|your trust"],
    ),
    (Bonding, "with", &["pleasure"]),
];
