//! Files of dialects: one is refused with a reason and a place, or loaded within its limit, and then reads any text the same however
//! the text is cut.

use provstream::{Dialect, Dialects};

use super::{check_place, markers};

/// Most bytes of compiled tables.
const MOST_COMPILED: usize = 64 << 10;

/// Text that is read besides the file itself, with markers of the forms that the generator makes.
const TEXT: &str = "It rains [1]. Snow【2】 falls <co: 0>here</co: 0>, {{kb:7}} too.\n| [3] | x |\n`[1]` [ab](a.md) [12]: x";

/// Loads a file, and reads the file and [`TEXT`] with it.
pub(super) fn check(data: &[u8]) {
    let dialect = match Dialect::from_toml(data) {
        Ok(dialect) => dialect,
        Err(error) => {
            let message = error.to_string();
            let is_line = !message.is_empty() && !message.contains(char::is_control);
            assert!(is_line, "{message:?}");
            // A fuzzer's files are never too large to be read.
            check_place(error.place().expect("a place"), data);
            return;
        }
    };
    let dialects = Dialects::new([dialect]).expect("a dialect that was loaded");
    assert!(dialects.compiled_len() <= MOST_COMPILED);
    markers::check_with(&dialects, data);
    markers::check_with(&dialects, TEXT.as_bytes());
}
