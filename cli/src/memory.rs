//! What Linux tells about memory. Other systems tell nothing, and the figures are left out.

use lambdacut::report::document::MemorySection;

/// The most memory that the process ever held, or has held since [`reset_peak`], in bytes.
pub fn peak() -> Option<u64> {
    bytes("/proc/self/status", "VmHWM:")
}

/// The memory that the process holds, in bytes.
pub fn resident() -> Option<u64> {
    bytes("/proc/self/status", "VmRSS:")
}

/// The memory that a computation may use: four fifths of what is available, in bytes.
pub fn allowed() -> Option<u64> {
    bytes("/proc/meminfo", "MemAvailable:").map(|bytes| bytes / 10 * 8)
}

/// Sets the mark of the highest memory back to the present; whether the system allows it.
pub fn reset_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The peak, for a document.
pub fn section() -> Option<MemorySection> {
    peak().map(|peak_rss_bytes| MemorySection { peak_rss_bytes })
}

/// The number on the line of `file` that begins with `name` and gives kilobytes.
fn bytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim()
        .strip_suffix(" kB")?
        .parse::<u64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024)
}
