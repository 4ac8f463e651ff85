//! What the system says of this machine and of this process: processor, CPU time, peak memory.

/// The name of the processor.
pub(crate) fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown processor");
    model.trim_start_matches([' ', '\t', ':']).to_string()
}

/// CPU time of this thread: on a shared machine, wall-clock time depends on other programs.
pub(crate) fn processor_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Peak memory of this process so far, in bytes (Linux).
pub(crate) fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}
