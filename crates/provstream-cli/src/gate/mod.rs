//! `provstream gate`.

mod account;
mod audit;
mod files;
mod writer;

use std::path::Path;
use std::process::ExitCode;

use provstream::provenance::Timestamp;
use provstream::{Gate, GateEnd, Parser, Policy, Rules};
use provstream_providers::{Reasoning, StreamGate};

use self::account::Account;
use self::audit::{Audit, AuditFile};
use self::writer::Writer;
use crate::args::GateArgs;
use crate::exit_status;
use crate::failure::{Failure, note};
use crate::input::Input;
use crate::input_format::InputFormat;
use crate::output::Output;
use crate::settings;
use crate::setup;
use crate::unread::{Seen, Unread};

/// What is read at once, unless larger pieces were asked for.
const BUFFER: usize = 1 << 16;

/// Runs the command.
pub(crate) fn run(args: &GateArgs) -> Result<ExitCode, Failure> {
    files::check_audit(args)?;
    let vocabulary = setup::vocabulary(&args.source.classes)?;
    let rules = settings::load("--policy", &args.policy, |file| {
        Rules::from_toml(file, &vocabulary)
    })?;
    let rules = match &args.language {
        Some(language) => with_language(rules, language)?,
        None => rules,
    };
    let limits = args.limits.with(&args.source)?;
    let parser = setup::parser(&args.source, limits, vocabulary).build();
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let input = Input::open(path)?;
    let audit = audit(args, &rules, &input)?;
    let account = Account::new(rules.clone(), args.source.mode);
    let now = args.now;
    let policy = rules.policy(move || now.unwrap_or_else(Timestamp::now));
    let output = Output::open(args.output.as_deref())?;
    let mut writer = Writer::new(output, audit, account, args.source.input);
    let through = Through::new(args, parser, policy)?;
    let chunk = args.source.chunk_size.map_or(BUFFER, usize::from);
    let end = feed(input, through, chunk, &mut writer);
    let written = writer.finish();
    let (ended, unread) = match end {
        Ok(end) => end,
        // What is certain is written, however the input ended.
        Err(failure) => {
            let failure = match (failure, written) {
                (Failure::Read(..), Err(written)) => written,
                (failure, _) => failure,
            };
            return exit_status::status(Err(failure), args.fail, writer.account().passes());
        }
    };
    report(&ended, &unread, writer.account(), args.fail)?;
    let passed = ended.is_empty() && unread.passes() && writer.account().passes();
    let end = written.and_then(|()| writer.into_output().commit());
    exit_status::status(end, args.fail, passed)
}

/// The audit log that was asked for.
fn audit(
    args: &GateArgs,
    rules: &Rules,
    input: &Input,
) -> Result<Option<Audit<AuditFile>>, Failure> {
    let Some(path) = &args.audit else {
        return Ok(None);
    };
    let stream = args.stream_id.clone();
    let stream = stream.unwrap_or_else(|| input.name().to_owned());
    let file = AuditFile::open(path, args.audit_sync)?;
    let name = path.display().to_string();
    Ok(Some(Audit::new(file, name, stream, rules.clone())))
}

fn with_language(rules: Rules, language: &str) -> Result<Rules, Failure> {
    if rules.languages().any(|known| known == language) {
        return Ok(rules.with_language(language));
    }
    let known: Vec<&str> = rules.languages().collect();
    Err(Failure::Usage(format!(
        "--language: expected a language of the policy ({}), found `{language}`",
        if known.is_empty() {
            "it has none".to_owned()
        } else {
            known.join(", ")
        }
    )))
}

/// Where the policy ended a stream: of a channel, or the only one.
type Ended = Vec<(Option<String>, GateEnd)>;

/// Reports what is missing in the output.
fn report(ended: &Ended, unread: &Unread, account: &Account, fails: bool) -> Result<(), Failure> {
    for (channel, end) in ended {
        account.note_end(channel.as_deref(), *end);
    }
    account.note(fails);
    if let Some(unknown) = unread.unknown() {
        return Err(Failure::Unknown(format!("nothing was released: {unknown}")));
    }
    if !unread.is_empty() {
        note(unread);
    }
    Ok(())
}

/// What the bytes of the input go through.
#[allow(clippy::large_enum_variant, reason = "a stream has one of them")]
enum Through<P> {
    Text(Gate<P>),
    Wire(StreamGate<P>, Seen),
}

impl<P: Policy + Clone> Through<P> {
    fn new(args: &GateArgs, parser: Parser, policy: P) -> Result<Self, Failure> {
        let (input, mode) = (args.source.input, args.reasoning);
        let most = args.max_held.unwrap_or(Gate::<P>::DEFAULT_MAX_HELD);
        let gate = match input {
            InputFormat::Raw if mode != Reasoning::Leave => {
                let message = "--reasoning needs a response of a provider, found --input raw; give --input auto";
                return Err(Failure::Usage(message.to_owned()));
            }
            InputFormat::Raw => {
                return Ok(Self::Text(Gate::new(parser, policy).with_max_held(most)));
            }
            InputFormat::Auto => StreamGate::detect(parser, policy),
            InputFormat::Wire(format) => StreamGate::new(format, parser, policy),
        };
        let gate = gate.with_max_held(most).with_reasoning(mode);
        Ok(Self::Wire(gate, Seen::new(input.format())))
    }

    /// Takes the next bytes; whether more are of use.
    fn push(&mut self, chunk: &[u8], writer: &mut Writer) -> bool {
        match self {
            Self::Text(gate) => {
                gate.push(chunk, &mut *writer);
                gate.ended().is_none()
            }
            Self::Wire(gate, seen) => {
                seen.push(chunk);
                gate.push(chunk, writer.seeing(seen));
                true
            }
        }
    }

    fn finish(self, writer: &mut Writer) -> (Ended, Unread) {
        match self {
            Self::Text(mut gate) => {
                gate.finish(&mut *writer);
                let ended = gate.ended().map(|end| (None, end));
                (ended.into_iter().collect(), Unread::default())
            }
            Self::Wire(mut gate, mut seen) => {
                gate.finish(writer.seeing(&mut seen));
                let ended = gate.ended();
                let ended = ended.map(|(channel, end)| (Some(channel.to_string()), end));
                (ended.collect(), seen.unread(gate.report()))
            }
        }
    }
}

/// Reads to the end, of the input or of what the policy lets through. What is released is flushed whenever the input may
/// pause.
fn feed<P: Policy + Clone>(
    mut input: Input,
    mut through: Through<P>,
    chunk: usize,
    writer: &mut Writer,
) -> Result<(Ended, Unread), Failure> {
    let mut buffer = vec![0; chunk * (BUFFER / chunk).max(1)];
    let read = 'read: loop {
        if input.may_wait() {
            writer.flush()?;
        }
        let count = match input.read(&mut buffer) {
            Ok(0) => break Ok(()),
            Ok(count) => count,
            Err(failure) => break Err(failure),
        };
        for piece in buffer[..count].chunks(chunk) {
            let goes_on = through.push(piece, writer);
            writer.check()?;
            if !goes_on {
                break 'read Ok(());
            }
        }
    };
    let (ended, unread) = through.finish(writer);
    for (channel, end) in &ended {
        writer.ended(channel.as_deref(), *end);
    }
    writer.check()?;
    read.map(|()| (ended, unread))
}
