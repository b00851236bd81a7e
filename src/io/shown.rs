//! Text from outside as messages show it.

use std::path::Path;

/// Text from outside as part of a message: control characters and marks that change the direction
/// of writing are escaped, so that it stays on its line and a terminal only shows it.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let hidden = character.is_control()
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if hidden {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// How messages call a path.
pub(super) fn display(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        visible(&path.to_string_lossy())
    }
}
