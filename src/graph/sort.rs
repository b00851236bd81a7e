//! Sorting rows in place: quicksort splits over the threads, the standard library's sort below.
//!
//! The first splits put about equally many rows before and behind a pivot without a branch that
//! depends on the data; O(R log R) in all, and O(R) for rows that are in order already. No memory
//! beside the rows. The result is the only sorted order, whatever the threads did.

use super::row::Row;

/// Rows that are not worth another split.
const SMALL: usize = 1 << 15;

/// Rows that a pivot is chosen from.
const SAMPLE: usize = 31;

/// Sorts by [`Row::key`].
pub(super) fn sort<R: Row>(rows: &mut [R]) {
    let threads = rayon::current_num_threads();
    // Four pieces a thread even out what unlucky pivots and unequal keys leave.
    let levels = if threads == 1 { 0 } else { threads.ilog2() + 2 };
    if !rows.is_sorted_by_key(|row| row.key()) {
        split(rows, levels);
    }
}

fn split<R: Row>(rows: &mut [R], levels: u32) {
    if levels == 0 || rows.len() <= SMALL {
        return rows.sort_unstable_by_key(|row| row.key());
    }
    let pivot = middle_of_sample(rows);
    let (before, behind) = {
        let at = partition(rows, pivot);
        rows.split_at_mut(at)
    };
    rayon::join(|| split(before, levels - 1), || split(behind, levels - 1));
}

fn middle_of_sample<R: Row>(rows: &[R]) -> R::Key {
    let step = rows.len() / SAMPLE;
    let mut sample: [R::Key; SAMPLE] = std::array::from_fn(|s| rows[s * step + step / 2].key());
    sample.sort_unstable();
    sample[SAMPLE / 2]
}

/// Puts the rows below `pivot` first and says how many there are.
fn partition<R: Row>(rows: &mut [R], pivot: R::Key) -> usize {
    let mut below = 0;
    for at in 0..rows.len() {
        let belongs = rows[at].key() < pivot;
        // Swapped in any case, and kept there only if it belongs there: nothing for the processor
        // to guess.
        rows.swap(at, below);
        below += usize::from(belongs);
    }
    below
}
