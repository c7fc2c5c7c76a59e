//! Description of the machine of the measurements.

/// The name of the processor, and how many of its threads the process may use.
#[must_use]
pub(crate) fn processor() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown CPU", |(_, name)| name.trim());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{name}, {threads} threads")
}
