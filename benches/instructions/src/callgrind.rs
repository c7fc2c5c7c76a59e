//! Runs the cases under callgrind.
//!
//! The program starts itself under valgrind. Only what [`measured`] calls is counted, and callgrind writes a file each
//! time it returns: one for each case. The second call of a case is counted, when all buffers have their size.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cases;

/// The argument of the program under valgrind.
pub(crate) const INSIDE: &str = "--inside";

/// Measurement of a case.
pub(crate) struct Measured {
    /// Name of the case.
    pub(crate) name: String,
    /// Instructions of one pass.
    pub(crate) instructions: u64,
    /// Bytes that the pass read.
    pub(crate) bytes: usize,
    /// Number of items found in these bytes.
    pub(crate) found: usize,
    /// Unit of `found`.
    pub(crate) unit: String,
}

/// Properties that counts depend on besides the code.
#[derive(PartialEq, Eq)]
pub(crate) struct Machine {
    /// Version of the compiler.
    pub(crate) rustc: String,
    /// Triple of the target.
    pub(crate) target: String,
    /// Name and version of the C library, whose copies and allocations are counted too.
    pub(crate) libc: String,
    /// Instruction set of the processor, as far as a dependency asks.
    pub(crate) cpu: String,
}

/// All cases of a run.
pub(crate) struct Run {
    /// Machine of the run.
    pub(crate) machine: Machine,
    /// Measurements in the order of the cases.
    pub(crate) cases: Vec<Measured>,
}

/// A directory that goes when it is dropped.
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        // What stays is in the directory for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Calls `work` once; the instructions of the call are counted.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> usize) -> usize {
    // Not the last thing done here: a tail call would leave the function before the work is done.
    black_box(work())
}

/// Runs all cases and prints a line on each; what runs under valgrind.
pub(crate) fn run_inside() {
    println!("{}", cpu());
    for mut case in cases::all() {
        (case.work)();
        let found = measured(&mut *case.work);
        assert_ne!(found, 0, "{} found something", case.name);
        println!("{}\t{}\t{found}\t{}", case.name, case.bytes, case.unit);
    }
}

/// Returns the instruction set among which `memchr` and the C library choose. Valgrind emulates one
/// of few processors: on x86-64, one with AVX2 if the host has it, never one with AVX-512.
fn cpu() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    return if std::is_x86_feature_detected!("avx2") {
        "x86-64 with AVX2"
    } else {
        "x86-64 without AVX2"
    };
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH
}

/// Runs this program under callgrind.
pub(crate) fn measure() -> Result<Run, String> {
    let directory = std::env::temp_dir().join(format!("provstream-{}", std::process::id()));
    fs::create_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let directory = Directory(directory);
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(directory.0.join("out"));
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg("--toggle-collect=*::callgrind::measured")
        .arg("--dump-after=*::callgrind::measured")
        .arg(out)
        .arg(program)
        .arg(INSIDE)
        // Addresses on the stack, and with them some counts, depend on the size of the environment.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind: {error}; Debian has it in the package of that name"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("valgrind: {}\n{errors}", output.status));
    }
    let mut lines = said.lines();
    let machine = Machine {
        rustc: env!("BENCH_RUSTC").to_owned(),
        target: env!("BENCH_TARGET").to_owned(),
        libc: libc(),
        cpu: lines.next().unwrap_or_default().to_owned(),
    };
    let counts = counts(&directory.0)?;
    let lines: Vec<&str> = lines.collect();
    if counts.len() != lines.len() {
        let (counts, cases) = (counts.len(), lines.len());
        return Err(format!("callgrind has {counts} counts of {cases} cases"));
    }
    let cases = lines
        .into_iter()
        .zip(counts)
        .map(|(line, instructions)| {
            case(line, instructions).ok_or_else(|| format!("no case: {line}"))
        })
        .collect::<Result<_, _>>()?;
    Ok(Run { machine, cases })
}

/// Parses the line that the program under valgrind printed for a case.
fn case(line: &str, instructions: u64) -> Option<Measured> {
    let mut fields = line.split('\t');
    Some(Measured {
        name: fields.next()?.to_owned(),
        instructions,
        bytes: fields.next()?.parse().ok()?,
        found: fields.next()?.parse().ok()?,
        unit: fields.next()?.to_owned(),
    })
}

/// The counts that callgrind wrote, in their order.
fn counts(directory: &Path) -> Result<Vec<u64>, String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", directory.display());
    let mut counts = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let text = fs::read_to_string(entry.map_err(unreadable)?.path()).map_err(unreadable)?;
        let value = |name| text.lines().find_map(|line| line.strip_prefix(name));
        // The file written at the end of the program has another trigger.
        if !value("desc: Trigger: ").is_some_and(|trigger| trigger.starts_with("--dump-after")) {
            continue;
        }
        let number = |name| value(name)?.trim().parse::<u64>().ok();
        counts.push(
            number("part: ")
                .zip(number("totals: "))
                .ok_or("a file of callgrind without a count")?,
        );
    }
    counts.sort_unstable();
    Ok(counts.into_iter().map(|(_, count)| count).collect())
}

/// Name and version of the C library; a word where it is not glibc.
fn libc() -> String {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    }
}
