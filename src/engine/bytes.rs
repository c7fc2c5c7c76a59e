//! Byte classes: sets of bytes that leave one state unchanged, a bit each.
//!
//! A grammar that reads these bytes singly or in blocks uses these classes, or has a test that
//! compares it with them.

/// Set of classes.
pub(crate) type ByteClasses = u16;

/// Free text that opens neither a candidate annotation nor code.
pub(crate) const TEXT: ByteClasses = 1;
/// Free text like [`TEXT`] that does not open a JSON value either.
pub(crate) const TEXT_AND_JSON: ByteClasses = 1 << 1;
/// Part of an identifier or a parameter name: a letter, a digit, `-` or `_`.
pub(crate) const LABEL: ByteClasses = 1 << 2;
/// [`LABEL`] or a full stop.
pub(crate) const NAME: ByteClasses = 1 << 3;
/// Part of the bare value of a parameter.
pub(crate) const BARE: ByteClasses = 1 << 4;
/// Part of the quoted value of a parameter, without the backslash.
pub(crate) const QUOTED: ByteClasses = 1 << 5;
/// Part of a JSON string, without the backslash. Source: RFC 8259 7.
pub(crate) const STRING: ByteClasses = 1 << 6;
/// Free text that ends no sentence, line or cell and opens nothing.
pub(crate) const MID_SENTENCE: ByteClasses = 1 << 7;
/// Free text like [`TEXT_AND_JSON`] that begins neither a tag nor a marker of private-use characters.
pub(crate) const TAGLESS: ByteClasses = 1 << 8;
/// Free text like [`TAGLESS`] that begins no marker in full-width brackets.
pub(crate) const BRACKETLESS: ByteClasses = 1 << 9;
/// Free text like [`BRACKETLESS`] that begins no marker of a built-in dialect.
pub(crate) const MARKLESS: ByteClasses = 1 << 10;
/// Classes of free text that begins no marker of some dialects.
pub(crate) const MARKER_FREE: ByteClasses = TAGLESS | BRACKETLESS | MARKLESS;
/// Classes of free text.
pub(crate) const FREE: ByteClasses = TEXT | TEXT_AND_JSON | MARKER_FREE;

/// Opening bytes of free text: of a candidate annotation, or of code.
pub(crate) const OPENERS: [u8; 3] = *b"[`~";
/// Opening byte of a JSON value in free text, apart from brackets.
pub(crate) const BRACE: u8 = b'{';
/// First byte of tags. Where text must not have it, it must not have `>` and `|` either, since one comparison finds them all.
pub(crate) const TAG: u8 = b'<';
/// First byte of markers of private-use characters.
pub(crate) const PRIVATE: u8 = 0xEE;
/// First byte of other markers.
pub(crate) const PERCENT: u8 = b'%';
/// First bytes of markers in full-width brackets.
pub(crate) const WIDE: [u8; 2] = [0xE3, 0xEF];

/// Classes of each byte.
pub(crate) static BYTE_CLASSES: [ByteClasses; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = classes_of(byte as u8);
        byte += 1;
    }
    table
};

const fn classes_of(byte: u8) -> ByteClasses {
    let opens = byte == OPENERS[0] || byte == OPENERS[1] || byte == OPENERS[2];
    let label = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let control = byte.is_ascii_control() && byte != b'\t';
    let calm = label
        || matches!(
            byte,
            b' ' | b',' | b';' | b':' | b'\'' | b'"' | b'(' | b')' | b'/' | b'%' | b'='
        );
    let json = !opens && byte != BRACE;
    let tagless = json && !matches!(byte, TAG | b'>' | b'|' | PRIVATE);
    let bracketless = tagless && byte != WIDE[0] && byte != WIDE[1];
    let mut classes = 0;
    let of = [
        (TEXT, !opens),
        (TEXT_AND_JSON, json),
        (LABEL, label),
        (NAME, label || byte == b'.'),
        (BARE, !control && !matches!(byte, b'[' | b']' | b';')),
        (QUOTED, !control && !matches!(byte, b'"' | b'\\')),
        (STRING, byte >= b' ' && !matches!(byte, b'"' | b'\\')),
        (MID_SENTENCE, calm),
        (TAGLESS, tagless),
        (BRACKETLESS, bracketless),
        (MARKLESS, bracketless && byte != PERCENT),
    ];
    let mut at = 0;
    while at < of.len() {
        if of[at].1 {
            classes |= of[at].0;
        }
        at += 1;
    }
    classes
}

/// Returns `true` if all bytes share one of these classes; looks them up byte by byte.
#[inline]
pub(crate) fn all(bytes: &[u8], classes: ByteClasses) -> bool {
    let shared = bytes.iter().fold(classes, |shared, &byte| {
        shared & BYTE_CLASSES[usize::from(byte)]
    });
    shared != 0
}

/// Measures the run of bytes of these classes at the start.
#[inline]
pub(crate) fn leading(bytes: &[u8], classes: ByteClasses) -> usize {
    let mut len = 0;
    while len < bytes.len() && BYTE_CLASSES[usize::from(bytes[len])] & classes != 0 {
        len += 1;
    }
    len
}
