//! The long texts of the help.

use std::sync::LazyLock;

use provstream::provenance::Vocabulary;
use provstream_marc::Draft;

use crate::line::FORMAT;

pub(super) const ABOUT: &str = "\
Read what a language model wrote, and report where it says its assertions come from.

A model can mark an assertion with a provenance annotation: brackets right after it that name the substrate class, the kind of \
source it was read from, and optionally the observation and its time. In JSON both are members of one object:

    The entry is dated 2026-05-25. [substrate.code.read; observation-id=sha256:e3b0; ts=2026-05-28T11:40:00Z]

    {\"assertion\":\"The entry is dated 2026-05-25.\",
     \"provenance\":{\"substrate_class\":\"substrate.code.read\",\"ts\":\"2026-05-28T11:40:00Z\"}}

provstream finds the annotations and what they belong to, in text, JSON or both mixed and in a stream of any length, and \
prints each as soon as it is certain. An annotation is what the model declares; it is never evidence that the observation took place.";

/// The exit statuses that every command has.
pub(super) const EXIT: &str = "\
Exit status:
  0  done, whatever the stream holds; also when the reader of the output has gone away
  1  the input or a settings file cannot be read, or the output cannot be written
  2  an argument or a settings file (such as a vocabulary) is wrong";

/// The exit statuses of `strip`.
pub(super) const EXIT_STRIP: &str = "\
Exit status:
  0  done, whatever the stream holds; also when the reader of the output has gone away
  1  the input or the vocabulary file cannot be read, the output cannot be written, --channel
     names no channel of the response, or (without --fail) nothing was of the format of --input
  2  an argument is wrong, or what the vocabulary file says is
  3  with `strip --fail`: the provider reports an error, or something of its response was not
     read (an event that is malformed, too long or not complete, text of another shape or of
     too many channels, a format that is not known)";

/// The exit statuses of `citations read`, which reads no vocabulary.
pub(super) const EXIT_CITATIONS_READ: &str = "\
Exit status:
  0  done, whatever the stream holds; also when the reader of the output has gone away
  1  the input cannot be read, or the output cannot be written; with `read --fail` also when the
     reader of the output has gone away before it was known that everything passes
  2  an argument is wrong
  3  with `read --fail`: there was a diagnostic, or the input was not a response of the provider";

/// The exit statuses of `vocabulary`, which reads no stream.
pub(super) const EXIT_VOCABULARY: &str = "\
Exit status:
  0  done; also when the reader of the output has gone away
  1  the vocabulary file cannot be read, or the output cannot be written
  2  an argument is wrong, or what the vocabulary file says is";

/// What `admit` has besides.
pub(super) const EXIT_ADMIT: &str =
    "  3  with `admit --fail`: an assertion was not admitted, or something could not be judged";

/// What `extract` has besides.
pub(super) const EXIT_EXTRACT: &str = "  3  with `extract --fail`: there was a diagnostic or an error of the provider, or something was\n     not read";

/// The same for all commands.
const EXIT_FAIL: &str =
    "  3  with --fail: something did not pass, or was not read; the help of a command says what";

pub(super) const EXAMPLES: &str = "\
Examples:
  provstream extract --pretty answer.txt
  provstream extract --mode ndjson --jobs 4 answers/*.ndjson.gz
  provstream extract --field /message/content chats.ndjson
  my-model | provstream strip
  my-model | provstream admit --floor 2 --window 15m --fail
  my-model | provstream gate --policy policy.toml --audit audit.ndjson
  provstream report answer.txt --policy policy.toml -o report.html";

const ENVIRONMENT: &str = "\
Environment:
  PROVSTREAM_COLOR       the default of --color
  PROVSTREAM_JOBS        the default of --jobs
  PROVSTREAM_VOCABULARY  the default of --vocabulary";

pub(super) const EXTRACT: &str = "\
Print what a stream asserts and where it comes from, one JSON object a line (long ones are broken in this help).

Each assertion is printed with its annotations as soon as nothing can be added to it, and each diagnostic where it \
arises; the last line holds totals. All spans are byte offsets, the first included, the second not. In free text an \
assertion is the sentence before the brackets, and `clean_span` is its place in what `provstream strip` writes. In JSON it \
is a string that is a member `assertion`, and `pointer` is that member's JSON Pointer.

    {\"event\":\"assertion\",\"encoding\":\"bracket\",\"text\":\"It runs.\",\"span\":{\"start\":0,\"end\":8},
      \"clean_span\":{\"start\":0,\"end\":8},\"annotations\":[{\"class\":\"substrate.grep\",
      \"declared\":\"substrate.grep\",\"span\":{\"start\":9,\"end\":25}}]}
    {\"event\":\"assertion\",\"encoding\":\"json\",\"text\":\"It runs.\",\"span\":{\"start\":40,\"end\":48},
      \"pointer\":\"/assertion\",\"annotations\":[]}
    {\"event\":\"marc\",\"kind\":\"disclosure\",\"span\":{\"start\":51,\"end\":220},\"pointer\":\"\",\"valid\":true,
      \"violations\":[],\"record\":{\"answer\":\"Which year?\",\"confidence_band\":\"low\",
      \"confidence_target\":\"direct_answer_suitability\",\"uncertainty_source\":\"ambiguity\",
      \"recommended_next_step\":\"name the year\"}}
    {\"event\":\"diagnostic\",\"code\":\"unterminated\",\"span\":{\"start\":221,\"end\":237}}
    {\"event\":\"end\",\"bytes\":237,\"assertions\":2,\"annotations\":1,\"marc\":1,\"diagnostics\":1}

`class` is what an annotation is taken for, `declared` what it says; where they differ, `reason` says why: \
`unknown-identifier`, `vocabulary-version` or `malformed`. An object in JSON without `provenance` has no annotations.

A MARC object is an object in JSON that discloses a model's control or uncertainty; `kind` is `core` or `disclosure`, \
and `record` is the object as it was written, without white space outside of its strings. It is checked against MARC -02: \
`violations` lists what is wrong, and it is `valid` if none of them has the level `must`. `provstream marc validate` does \
the same with another draft, and between records.

Of several files each line names its own, as in `\"file\":\"a.txt\"`; each ends with its totals, and the last line has those of all, \
with the number of `files`. Fields that do not apply are left out. Output without a last line of totals is not complete.

Files compressed with gzip or zstd are decompressed.

The output is UTF-8. Inside strings, control characters (U+0000 to U+001F, U+007F to U+009F), the line separators \
U+2028 and U+2029 and the characters that reorder text on a screen (U+202A to U+202E, U+2066 to U+2069) are written \
as \\u escapes.";

pub(super) const STRIP: &str = "\
Write a stream without its annotations in brackets.

An annotation is removed together with the white space right before it (at most 64 bytes of space, tab, CR and LF). \
Every other byte is written as it is, and at once: held back is only what can still become an annotation, and white \
space that one would remove.

JSON stays as it is, with what it says of provenance, unless --json is given. What was found is not reported; \
`provstream extract` does that.

With --input, events that could not be read are written as they are, with whatever annotations are in them: how many \
they are is reported on standard error at the end, and with --fail by the exit status.

A file compressed with gzip or zstd is decompressed, and written without compression.

Where standard output is a terminal, control characters but line feed and tab, the line separators and the characters \
that reorder text are shown as \\u{…} (CR as \\r), and what is not UTF-8 as U+FFFD. A file or a pipe gets the bytes as they \
are.";

pub(super) const ADMIT: &str = "\
Judge each assertion by what its annotations declare, and print it with the verdict.

An assertion is admitted when annotations of at least K distinct classes count. An annotation counts when its class is not a \
terminal and its `ts` is neither older than the window of its class nor further in the future than the skew. An \
annotation that is terminal, or had to be taken for one, makes the assertion inadmissible. A program that changes only \
its own state commonly uses a floor of 2 classes, one with effects beyond it a floor of 3.

Prints the assertion lines of `provstream extract` with one more field:

    \"verdict\":{\"admitted\":false,\"reason\":\"below-floor\",\"classes\":[\"substrate.grep\"],\"floor\":2}

`reason` is the first that holds of `no-assertion` (there is no text that the annotation could belong to, or the string in JSON is empty), `limit` (a \
limit was hit, so not all is known), `unannotated` (an object in JSON without annotations), `terminal`, `below-floor` and `admitted`; `classes` are those that count. \
The last line holds totals. Diagnostics and MARC objects are not printed; what could not be judged or read is counted on \
standard error at the end.

    {\"event\":\"end\",\"bytes\":237,\"assertions\":2,\"admitted\":1,\"diagnostics\":0}

In free text only what an annotation follows is an assertion, so that text without annotations has none, and passes --fail unless \
--require-assertions is given. In JSON each object with a string `assertion` is one. Without annotations it is \
`unannotated` and not admitted.

A verdict is about what was declared, never evidence that an observation took place.";

/// What clap writes by itself in some messages has FILE as if it were required.
pub(super) const ADMIT_USAGE: &str =
    "provstream admit [OPTIONS] --floor <K> --window <[CLASS=]DURATION> [FILE]...";

pub(super) const GATE: &str = "\
Hold text back until a policy has decided about it, and write only what it releases.

Text is held back until it is known which assertion it belongs to. When an assertion is complete it is judged as \
`provstream admit` does, and the policy says what becomes of it: it is released, marked, replaced or discarded, or the stream \
ends before it. Annotations are removed. What is released is written at once, and flushed whenever the input pauses.

A policy is a TOML file:

    preset = \"own-state\"          # a floor of 2; \"external\" is 3, or floor = K
    default_window = \"1h\"         # without a window no annotation counts

    [inadmissible]
    action = \"replace\"            # release, mark, replace, discard, suspend or refuse
    text = \"(withheld)\"

It needs `preset` or `floor`, `default_window` or `windows`, and [inadmissible]. All that it can have:

    preset, floor            how many distinct classes must count
    default_window           how old an observation may be: \"90s\", \"1h30m\", \"2d\"
    windows                  the same for a class: windows.\"substrate.git.log\" = \"1d\"
    skew                     how far in the future an observation may be
    required, refused        lists of classes: each must count, none may be there
    groups                   lists of classes that count once together
    version                  what the audit log calls the policy
    language                 of texts that are tables: text = { en = \"…\", de = \"…\" }
    [inadmissible]           the rule for all assertions without one of their own
    [admitted]               a rule for assertions that are admitted; else released
    [unannotated]            for text and objects without annotation; text is else released
    [below_floor]            too few classes count
    [missing_class]          a class of `required` does not count
    [refused_class]          a class of `refused` is there
    [terminal]               a terminal is there: nothing corroborates the assertion
    [unknown], [malformed]   an annotation has an unknown class, or is malformed
    [untrusted]              some of the text is not the model's own
    [no_assertion]           there is no text that is asserted
    [orphan]                 an annotation comes first after a tool call or another break
    [limit]                  text hit a limit, is too long, or is not the JSON of --mode

Each rule has an `action`; replace and refuse take a `text`, mark takes `before`, `after` or both. suspend ends the stream, so \
that the rest can be asked for once more, and refuse ends it with the text. To withhold text without annotation give \
[unannotated] a rule.

With --mode json or ndjson what is not JSON, and a value without an end, are decided about by [limit]: they are released if \
its action is release or mark; otherwise the stream ends there.

With --input the text of each channel goes through a gate of its own, and the response stays one that clients can read. What \
cannot be read as an event of the format is withheld, and everything if no event is of it; comments are emptied.

An annotation is what the model declares; that something is released is no evidence that an observation took place.";

/// The exit statuses of `gate`.
pub(super) const EXIT_GATE: &str = "\
Exit status:
  0  done, whatever was withheld; also when the reader of the output has gone away
  1  the input or a settings file cannot be read, the output or the audit log cannot be
     written, with --input nothing was of that format or the response broke off before any
     text, or with `gate --fail` the reader of the output has gone away before it was known that
     everything passes
  2  an argument is wrong, or what the policy or the vocabulary file says is
  3  with `gate --fail`: text was withheld, the policy ended the stream, or something was not
     read or could not be judged";

#[cfg(feature = "proxy")]
pub(super) const PROXY: &str = "\
Serve an HTTP proxy in front of the API of a provider.

Clients change their base URL to that of the proxy. Requests go to one upstream. Annotations are removed from responses of known \
formats, streamed or not; everything else passes unchanged. With --config, the responses of each path can pass, be stripped, or \
go through a policy as with `provstream gate`:

    upstream = \"https://api.openai.com\"

    [[route]]
    path = \"/v1/chat/completions\"
    action = \"gate\"
    policy = \"policy.toml\"

On SIGHUP, the proxy reads its settings again without ending a stream; on SIGTERM, it lets streams end and stops. docs/proxy.md \
has all keys. To try it:

    provstream proxy --demo";

#[cfg(feature = "proxy")]
pub(super) const EXIT_PROXY: &str = "\
Exit status:
  0  ended by SIGTERM or SIGINT
  1  the file of the settings cannot be read
  2  an argument or the settings are wrong, a file that they name cannot be used, or the proxy
     cannot listen";

pub(super) const REPORT: &str = "\
Show an answer as a page, to be opened in a browser.

The page is one HTML file without scripts. It shows the answer without its annotations, with each assertion marked by its verdict in \
colour and shape. Beside it is an entry for each assertion: what `provstream gate` would do with it, and for each \
annotation the class, the observation, its time and age, and whether it counts or why not. Counts are at the top. Text that the \
gate would withhold is struck through, and what it would not reach any more is dimmed.

    provstream report answer.txt --policy policy.toml -o report.html
    provstream report response.sse --input anthropic --policy policy.toml -o report.html
    provstream report --audit-log audit.ndjson -o report.html

Everything is judged as of one time, that of --now or of the clock. Characters that are invisible or reorder text are shown by \
their numbers, such as U+202E, and what is not UTF-8 as U+FFFD. A long answer has several pages in the same file.

An annotation is what the model declares; that it counts is no evidence that an observation took place.";

/// What clap writes by itself does not show the two ways to call it.
pub(super) const REPORT_USAGE: &str = "provstream report [OPTIONS] --policy <FILE> [FILE]
       provstream report [OPTIONS] --audit-log [FILE]";

/// The exit statuses of `report`.
pub(super) const EXIT_REPORT: &str = "\
Exit status:
  0  done, whatever the gate would withhold; also when the reader of the output has gone away
  1  the input, the policy or the vocabulary file cannot be read, the output cannot be written,
     with --input nothing was of that format or the response broke off before any text, or
     nothing in the input was a line of an audit log
  2  an argument is wrong, or what the policy or the vocabulary file says is
  3  with `report --fail`: the gate would withhold text or end the stream, or something was not
     read or could not be judged";

pub(super) const VOCABULARY: &str = "\
List the substrate classes that annotations can name.

The vocabulary of version 1.0 is built in. Another one is loaded from a TOML file:

    version = \"1.1\"

    [[class]]
    id = \"substrate.ct.log\"
    since = \"1.1\"
    description = \"What a certificate transparency log says.\"

`since` is the version that brought the class, at most the `version` of the file; `description` can be left out. A vocabulary of version 1.1 or any other 1.x has the classes of version 1.0; they need not be repeated. One of version 2.0 or later has \
only the classes that it lists, and the terminals. A terminal says that nothing corroborates the assertion, or that what did is too old.";

pub(super) const CITATIONS: &str = "\
Read the citations of providers, and write annotations in their forms.

A citation of a provider reports what was put before the model, an annotation what the model declares. Neither is evidence.";

pub(super) const CITATIONS_READ: &str = "\
Print the citations in a provider's response, one JSON object a line.

The input is the stream of events as the provider sends it, server-sent or as JSON values, or a whole response. For each citation a \
line is printed, and at the end totals:

    {\"event\":\"citation\",\"provider\":\"openai\",\"part\":\"0/0\",
      \"extent\":{\"start\":3,\"end\":8,\"unit\":\"code-points\"},
      \"sources\":[{\"kind\":\"web\",\"url\":\"https://example.org/\",\"title\":\"Example\"}]}
    {\"event\":\"end\",\"citations\":1,\"diagnostics\":0}

`part` is the choice, content block, candidate or output item whose text it is about; `extent` is the range in it, `whole`, or left \
out if it is not known. A citation that is not as its form requires gives a diagnostic with its place:

    {\"event\":\"diagnostic\",\"code\":\"malformed-citation\",
      \"pointer\":\"/annotation/end_index\",\"message\":\"…\"}";

pub(super) const CITATIONS_WRITE: &str = "\
Write the annotations of a text as W3C, OpenAI or Gemini citations.

The input is a text with annotations in brackets, at most 16 MiB. Places count in the text without annotations, as `provstream strip` \
writes it. The output is one JSON value: an array of web annotations, an array `annotations`, or an object `groundingMetadata`.";

pub(super) const COMPLETIONS: &str = "\
Print a completion script for a shell.

For bash, for example:

    provstream completions bash > ~/.local/share/bash-completion/completions/provstream";

pub(super) const MAN: &str = "\
Print the manual page of a command, in roff.

    provstream man extract | man -l -";

/// Exit statuses with a further one.
pub(super) fn exit_of(further: &str) -> String {
    format!("{EXIT}\n{further}")
}

/// What follows the options in the help of the program.
pub(super) fn after() -> String {
    format!("{EXAMPLES}\n\n{ENVIRONMENT}\n\n{EXIT}\n{EXIT_FAIL}")
}

/// The versions of everything that a reader of the output may depend on.
pub(super) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let drafts: Vec<_> = Draft::ALL.iter().map(|draft| draft.as_str()).collect();
        format!(
            "{}\nvocabulary {}\nMARC drafts {}\noutput format {FORMAT}",
            env!("CARGO_PKG_VERSION"),
            Vocabulary::memo().version(),
            drafts.join(", ")
        )
    });
    &VERSION
}
