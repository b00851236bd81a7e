//! Lines of a text, counted.

/// Line ends in `bytes`.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    // Counting in bytes lets the compiler use whole vectors; 255 of them fit before the counter is
    // emptied.
    bytes
        .chunks(255)
        .map(|chunk| {
            u64::from(
                chunk
                    .iter()
                    .fold(0u8, |count, &b| count + u8::from(b == b'\n')),
            )
        })
        .sum()
}
