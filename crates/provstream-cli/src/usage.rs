//! Wrong command lines, in words: what was expected, what was found, and where.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::color;
use crate::failure::{self, Failure, USAGE};
use crate::stdio;

/// Prints what clap has to say: help and version on standard output, errors on standard error.
pub(crate) fn report(error: &clap::Error, words: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        return match print(error) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Failure::Write(error).report(),
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // The help itself is the message; there is no standard error to complain to if this fails.
        let _ = error.print();
        return ExitCode::from(USAGE);
    }
    let command = command(words);
    let mut message = message(error, words, &command);
    let _ = write!(message, "; see `{command} --help`");
    failure::complain(message);
    ExitCode::from(USAGE)
}

/// Prints help or the version.
fn print(error: &clap::Error) -> io::Result<()> {
    let text = error.render();
    let text = if color::is_wanted() {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    stdio::stdout()?.write_all(text.as_bytes())
}

/// The command that was called, as far as its words are known.
fn command(words: &[OsString]) -> String {
    let mut definition = crate::args::Args::definition();
    let any: Vec<_> = definition
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .cloned()
        .collect();
    let mut name = definition.get_name().to_owned();
    let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        if let Some(option) = any.iter().find(|option| is_option(option, word)) {
            if option.get_action().takes_values() && !word.contains('=') {
                words.next();
            }
            continue;
        }
        // It is followed by the command that it is about.
        if word == "help" {
            continue;
        }
        let Some(found) = definition.find_subcommand(word).cloned() else {
            break;
        };
        name = format!("{name} {}", found.get_name());
        definition = found;
    }
    name
}

/// Whether a word is this option, perhaps with its value after `=`.
fn is_option(option: &clap::Arg, word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    match name.strip_prefix("--") {
        Some(long) => option.get_long() == Some(long),
        None => {
            let short = name.strip_prefix('-').and_then(|name| name.parse().ok());
            short.is_some() && option.get_short() == short
        }
    }
}

/// A part of what clap knows of an error, as text.
fn part(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(", ")),
        ContextValue::Number(number) => Some(number.to_string()),
        ContextValue::StyledStr(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Options that have an effect only with another one.
const NEEDS: [(&str, &str); 6] = [
    ("--as", "--source"),
    ("--audit-sync", "--audit"),
    ("--channel", "--text-only"),
    ("--max-record", "--json"),
    ("--require-assertions", "--fail"),
    ("--stream-id", "--audit"),
];

/// An option as it was typed, `--window <[CLASS=]DURATION>` without what follows the name, or the name of an argument
/// without the brackets around it.
fn bare(argument: &str) -> &str {
    match argument.split_once(" <") {
        Some((name, _)) => name,
        None => argument.trim_matches(['<', '>', '[', ']', '.']),
    }
}

fn message(error: &clap::Error, words: &[OsString], command: &str) -> String {
    let argument = part(error, ContextKind::InvalidArg).unwrap_or_default();
    let value = part(error, ContextKind::InvalidValue).unwrap_or_default();
    let option = bare(&argument);
    match error.kind() {
        ErrorKind::ValueValidation => {
            let cause = std::error::Error::source(error).map(ToString::to_string);
            let cause = cause.unwrap_or_default();
            let option = variable(option, words).unwrap_or_else(|| option.to_owned());
            if cause.contains(", found ") {
                format!("{option}: {cause}")
            } else if value.is_empty() {
                format!("{option}: {cause}, found an empty value")
            } else {
                format!("{option}: {cause}, found `{value}`")
            }
        }
        ErrorKind::InvalidValue if value.is_empty() => match option_after(option, words) {
            Some(next) => format!("{option}: expected a value, found the option {next}"),
            None if !option.starts_with('-') => {
                format!("{option}: expected a value, found an empty one")
            }
            None => {
                let purpose = purpose(option, command).unwrap_or_default();
                let option = variable(option, words).unwrap_or_else(|| option.to_owned());
                format!("{option}: expected a value{purpose}, found nothing")
            }
        },
        ErrorKind::InvalidValue => {
            let option = variable(option, words).unwrap_or_else(|| option.to_owned());
            let known = part(error, ContextKind::ValidValue).unwrap_or_default();
            format!("{option}: expected one of {known}, found `{value}`")
        }
        ErrorKind::UnknownArgument => unknown(error, &argument, words, command),
        ErrorKind::InvalidSubcommand => wrong_command(error, command),
        ErrorKind::MissingSubcommand => {
            format!(
                "expected one of {}, found no command",
                visible(command).join(", ")
            )
        }
        ErrorKind::MissingRequiredArgument => missing(&argument, words, command),
        ErrorKind::ArgumentConflict => {
            let other = part(error, ContextKind::PriorArg).unwrap_or_default();
            if bare(&other) == option {
                format!("{option} was given more than once, expected it once")
            } else {
                format!(
                    "{option} cannot be used with {}; leave out one of them",
                    bare(&other)
                )
            }
        }
        ErrorKind::TooManyValues => {
            format!("{option}: expected no value, found `{value}`")
        }
        ErrorKind::NoEquals => format!("{option}: expected a value after `=`"),
        ErrorKind::InvalidUtf8 => not_utf8(words),
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        }
    }
}

/// What is wrong with a command that is not known.
fn wrong_command(error: &clap::Error, command: &str) -> String {
    let word = part(error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let known: Vec<_> = visible(command);
    let similar = part(error, ContextKind::SuggestedSubcommand)
        // clap suggests nothing to `help`.
        .or_else(|| similar_command(command, &word));
    if known.is_empty() {
        format!("`{command}` has no commands, found `{word}`")
    } else if let Some(similar) = similar {
        format!("unknown command `{word}`, did you mean {similar}")
    } else if Path::new(&word).is_file() {
        format!(
            "unknown command `{word}`; a file is given after the command, as in `{command} {} {word}`",
            example(command, &known[0])
        )
    } else {
        let known = known.join(", ");
        format!("unknown command `{word}`, expected one of {known}")
    }
}

/// The command of a command, such as `provstream marc`, that a word is most similar to, if one is similar.
pub(crate) fn similar_command(command: &str, word: &str) -> Option<String> {
    let words = command.split(' ').chain([word]);
    let error = crate::args::Args::definition().try_get_matches_from(words);
    part(&error.err()?, ContextKind::SuggestedSubcommand)
}

/// What is missing, and what it is for.
fn missing(argument: &str, words: &[OsString], command: &str) -> String {
    let option = bare(argument);
    let given = |option: &str| {
        words
            .iter()
            .any(|word| word.to_string_lossy().split('=').next() == Some(option))
    };
    let pair = NEEDS
        .iter()
        .find(|(with, needed)| *needed == option && given(with));
    match pair {
        Some(("--as", _)) => "--as web-annotation needs --source, the IRI of the text, such as https://example.org/answer/7".to_owned(),
        Some((option, needed)) => format!("{option} needs {needed}, which is missing"),
        None if argument.starts_with("--policy") && command.ends_with(" report") => {
            format!("`{command}` needs {argument}, or --audit-log for the log of a gate")
        }
        None if argument.starts_with("--upstream") => format!(
            "`{command}` needs {argument}, such as --upstream https://api.openai.com, or --config <FILE>, or --demo to try it"
        ),
        None => {
            let purpose = purpose(argument, command).unwrap_or_default();
            format!("`{command}` needs {}{purpose}", needed(argument))
        }
    }
}

/// Missing arguments as a message has them; of options that exclude each other, such as `<--into <X>|--strip <X>>`, one of them.
fn needed(arguments: &str) -> String {
    let alternatives = arguments
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    match alternatives {
        Some(alternatives) if alternatives.contains('|') => {
            format!("one of {}", alternatives.replace('|', ", "))
        }
        _ => arguments.to_owned(),
    }
}

/// What a missing argument is for, in brackets, as the help has it; of several, how all of them look.
fn purpose(arguments: &str, command: &str) -> Option<String> {
    if arguments.starts_with("--floor <K>, --window") {
        return Some(", as in --floor 2 --window 15m".to_owned());
    }
    if arguments.starts_with("--window") {
        return Some(", as in --window 15m or --window substrate.git.log=2d".to_owned());
    }
    let definition = definition_of(command);
    let name = bare(arguments);
    let mut all = definition.get_arguments();
    let argument = all.find(|known| match name.strip_prefix("--") {
        Some(long) => known.get_long() == Some(long),
        None => known.is_positional() && known.get_value_names().is_some_and(|all| all[0] == name),
    })?;
    let help = argument.get_help()?.to_string();
    // What comes after is not about what it is.
    let help = help.split([';', '[']).next()?.trim_end();
    let mut letters = help.chars();
    let first = letters.next()?.to_ascii_lowercase();
    Some(format!(" ({first}{})", letters.as_str()))
}

/// The definition of a command, such as `provstream extract`.
fn definition_of(command: &str) -> clap::Command {
    let mut definition = crate::args::Args::definition();
    for word in command.split(' ').skip(1) {
        match definition.find_subcommand(word).cloned() {
            Some(found) => definition = found,
            None => break,
        }
    }
    definition
}

/// The commands of a command.
fn visible(command: &str) -> Vec<String> {
    let definition = definition_of(command);
    let commands = definition.get_subcommands();
    commands
        .map(|command| command.get_name().to_owned())
        .filter(|name| name != "help")
        .collect()
}

/// The variable of the environment that an option was taken from, if it was.
fn variable(option: &str, words: &[OsString]) -> Option<String> {
    let is_given = words.iter().any(|word| {
        let word = word.to_string_lossy();
        word.split('=').next() == Some(option) || !word.starts_with("--") && word.starts_with("-j")
    });
    let name = format!(
        "PROVSTREAM_{}",
        option.trim_start_matches('-').to_uppercase()
    );
    (!is_given && std::env::var_os(&name).is_some()).then_some(name)
}

/// A command with what it needs before a file.
fn example(command: &str, name: &str) -> String {
    match (command, name) {
        ("provstream citations", "read") => "read --from openai".to_owned(),
        _ => name.to_owned(),
    }
}

/// The option that is given right after another one in the place of its value.
fn option_after<'a>(option: &str, words: &'a [OsString]) -> Option<&'a str> {
    let short = match option {
        "--output" => "-o",
        "--jobs" => "-j",
        _ => option,
    };
    let at = words
        .iter()
        .position(|word| word == option || word == short)?;
    let next = words.get(at + 1)?.to_str()?;
    (next.starts_with('-') && next.len() > 1).then_some(next)
}

/// The option before a word that looks like one, and the word: `--max-depth` and `-1`.
fn value_like_an_option<'a>(argument: &str, words: &'a [OsString]) -> Option<(&'a str, &'a str)> {
    let at = words
        .iter()
        .position(|word| word.to_str().is_some_and(|word| word.starts_with(argument)))?;
    let before = words.get(at.checked_sub(1)?)?.to_str()?;
    let is_number = argument.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    (is_number && before.starts_with("--")).then_some((before, words[at].to_str()?))
}

fn unknown(error: &clap::Error, argument: &str, words: &[OsString], command: &str) -> String {
    if let Some((option, value)) = value_like_an_option(argument, words) {
        return format!(
            "{option}: expected a value, found the option `{value}`; a value that begins with - is given as {option}={value}"
        );
    }
    let definition = definition_of(command);
    let takes_file = definition
        .get_positionals()
        .any(|positional| positional.get_id() == "file" || positional.get_id() == "files");
    let elsewhere = elsewhere(argument, command, takes_file);
    // An option of another command is meant as that one.
    let is_meant = |similar: &String| similar != "--help" || argument.starts_with("--h");
    let similar = part(error, ContextKind::SuggestedArg)
        .filter(|similar| elsewhere.is_empty() && is_meant(similar));
    match similar {
        _ if !argument.starts_with('-') || argument == "-" => {
            let is_missing = |option: &str| {
                !words
                    .iter()
                    .any(|word| word.to_string_lossy().starts_with(option))
            };
            let has = |option: &str| {
                let mut arguments = definition.get_arguments();
                arguments.any(|known| known.get_long() == option.strip_prefix("--"))
            };
            if takes_file {
                let advice = if has("--audit-log") && !is_missing("--audit-log") {
                    "; --audit-log takes no value, the log is the file"
                } else if has("--policy") && is_missing("--policy") {
                    "; a policy is given as --policy FILE"
                } else if command.ends_with(" decide") && is_missing("--deployment") {
                    "; a deployment is given as --deployment FILE"
                } else {
                    ""
                };
                format!("`{command}` reads one file, found a second one: `{argument}`{advice}")
            } else {
                format!("`{command}` expects no further argument, found `{argument}`")
            }
        }
        Some(similar) => {
            format!(
                "unknown option `{argument}` of `{command}`, did you mean {}",
                bare(&similar)
            )
        }
        None => format!("unknown option `{argument}` of `{command}`{elsewhere}"),
    }
}

/// What to do about an option that a command does not have: where it belongs, if other commands have it.
fn elsewhere(argument: &str, command: &str, takes_file: bool) -> String {
    let root = crate::args::Args::definition();
    let has = |definition: &clap::Command| {
        definition.get_arguments().any(|known| {
            let long = known.get_long().map(|long| format!("--{long}"));
            let short = known.get_short().map(|short| format!("-{short}"));
            long.as_deref() == Some(argument) || short.as_deref() == Some(argument)
        })
    };
    if let Some(advice) = in_a_file(argument, command) {
        return advice;
    }
    let name = argument.trim_start_matches('-').to_uppercase();
    let definition = definition_of(command);
    let mut positionals = definition.get_positionals();
    if positionals.any(|known| known.get_value_names().is_some_and(|all| all[0] == *name)) {
        return format!("; {name} is given without an option");
    }
    // The options of `marc show` are like those of `marc validate`, and other than those of `strip`.
    let is_nested = command.split(' ').count() > 2;
    let (parent, name) = match is_nested {
        true => command.rsplit_once(' ').unwrap_or((command, "")),
        false => (root.get_name(), ""),
    };
    let definition = definition_of(parent);
    let siblings = definition.get_subcommands();
    let owners: Vec<_> = siblings
        .filter(|sibling| sibling.get_name() != name && has(sibling))
        .map(|owner| format!("`{parent} {}`", owner.get_name()))
        .collect();
    match owners.as_slice() {
        _ if matches!(argument, "-o" | "--output") && command != root.get_name() => {
            "; redirect standard output to a file, as with `> FILE`".to_owned()
        }
        [] if takes_file && Path::new(argument).exists() => {
            format!("; a file whose name begins with - is given as ./{argument}")
        }
        [] => String::new(),
        _ if command == root.get_name() => {
            format!(
                "; it belongs after the command, as in {} {argument}",
                owners[0].trim_end_matches('`')
            ) + "`"
        }
        [one] => format!("; {one} has it"),
        [first @ .., last] => format!("; {} and {last} have it", first.join(", ")),
    }
}

/// Where something is that is an option of other commands only.
fn in_a_file(argument: &str, command: &str) -> Option<String> {
    if argument == "--deployment" && command == "provstream marc conformance" {
        return Some("; the deployment is the file, which is given without an option".to_owned());
    }
    if argument == "--draft" && command == "provstream marc decide" {
        return Some("; it is a key of the deployment, as in draft = \"02\"".to_owned());
    }
    if argument == "--json" && matches!(command, "provstream extract" | "provstream admit") {
        return Some("; it prints JSON unless --pretty is given".to_owned());
    }
    let key = match argument {
        "--floor" => "floor = 2",
        "--window" => "default_window = \"1h\"",
        "--skew" => "skew = \"5s\"",
        _ => return None,
    };
    matches!(command, "provstream gate" | "provstream report")
        .then(|| format!("; it is a key of the policy, as in {key}"))
}

/// Names the option whose value is not UTF-8.
fn not_utf8(words: &[OsString]) -> String {
    let Some(at) = words.iter().position(|word| word.to_str().is_none()) else {
        return "an argument is not UTF-8".to_owned();
    };
    let word = words[at].to_string_lossy();
    let before = at.checked_sub(1).and_then(|at| words[at].to_str());
    match (word.split_once('='), before) {
        (Some((option, _)), _) if option.starts_with("--") => {
            format!("{option}: expected UTF-8, found `{word}`")
        }
        (_, Some(option)) if option.starts_with('-') && option.len() > 1 => {
            format!("{option}: expected UTF-8, found `{word}`")
        }
        _ => format!("expected UTF-8, found the argument `{word}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printable::Printable;

    fn said(words: &[&str]) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let error = crate::args::Args::read(&words).unwrap_err();
        Printable(message(&error, &words, &command(&words))).to_string()
    }

    #[test]
    fn messages_name_what_was_expected_and_found() {
        for (words, expected) in [
            (
                &["provstream", "extract", "--mode=xml"][..],
                "--mode: expected one of text, json, ndjson, auto, found `xml`",
            ),
            (
                &["provstream", "strip", "a", "b"],
                "`provstream strip` reads one file, found a second one: `b`",
            ),
            (
                &["provstream", "frobnicate"],
                if cfg!(feature = "proxy") {
                    "unknown command `frobnicate`, expected one of extract, strip, admit, gate, proxy, report, vocabulary, citations, emit, marc, completions, man"
                } else {
                    "unknown command `frobnicate`, expected one of extract, strip, admit, gate, report, vocabulary, citations, emit, marc, completions, man"
                },
            ),
            (
                &["provstream", "extract", "--text", "--text"],
                "--text was given more than once, expected it once",
            ),
            (
                &["provstream", "extract", "--text=yes"],
                "--text: expected no value, found `yes`",
            ),
            (
                &["provstream", "extract", "--max-depth", "-1m"],
                "--max-depth: expected a value, found the option `-1m`; a value that begins with - is given as --max-depth=-1m",
            ),
            (
                &["provstream", "vocabulary", "--mode=text"],
                "unknown option `--mode` of `provstream vocabulary`; `provstream extract`, `provstream strip`, `provstream admit`, `provstream gate` and `provstream report` have it",
            ),
            (
                &["provstream", "marc", "validate", "-o", "x"],
                "unknown option `-o` of `provstream marc validate`; redirect standard output to a file, as with `> FILE`",
            ),
            (
                &["provstream", "--jobs", "2", "extract"],
                "unknown option `--jobs` of `provstream`; it belongs after the command, as in `provstream extract --jobs`",
            ),
            (
                &["provstream", "extrct"],
                "unknown command `extrct`, did you mean extract",
            ),
            (
                &["provstream", "marc", "validate", "-", "-"],
                "`provstream marc validate` reads one file, found a second one: `-`",
            ),
            (
                &["provstream", "gate", "--floor", "2"],
                "unknown option `--floor` of `provstream gate`; it is a key of the policy, as in floor = 2",
            ),
            (
                &["provstream", "gate", "policy.toml", "answer.txt"],
                "`provstream gate` reads one file, found a second one: `answer.txt`; a policy is given as --policy FILE",
            ),
            (
                &["provstream", "citations", "write", "--as=web-annotation"],
                "--as web-annotation needs --source, the IRI of the text, such as https://example.org/answer/7",
            ),
            (
                &["provstream", "strip", "--nothing"],
                "unknown option `--nothing` of `provstream strip`",
            ),
            (
                &["provstream", "help", "extract", "x"],
                "`provstream extract` has no commands, found `x`",
            ),
            (
                &["provstream", "extract", "--mode"],
                "--mode: expected a value (how the stream is written: text, json, ndjson or auto), found nothing",
            ),
        ] {
            assert_eq!(said(words), expected);
        }
    }
}
