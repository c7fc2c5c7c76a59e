//! What diagnostics mean, in words.

/// What a diagnostic with this code reports, for people; none for a code that is not known.
pub(crate) fn of(code: &str) -> Option<&'static str> {
    Some(match code {
        "unterminated" => {
            "an annotation that is not closed or has a byte that cannot be in it, or a JSON value that is open at the end; it is read as text"
        }
        "limit-annotation" => "an annotation longer than --max-annotation; it is read as text",
        "limit-assertion" => "an assertion longer than --max-assertion; only a part of it is kept",
        "limit-depth" => "a JSON value nested deeper than --max-depth; the rest of it is not read",
        "limit-pointer" => "a JSON Pointer longer than --max-pointer; it is left out",
        "limit-annotations" => "more annotations than --max-annotations; further ones are left out",
        "limit-pending" => {
            "more bytes pending than --max-pending; an annotation or an assertion is left out"
        }
        "limit-record" => {
            "a MARC object longer than --max-record; it is reported without its content"
        }
        "limit-line" => "a line longer than 4194304 bytes; it is not read",
        "limit-channels" => "more channels than are read; the text of further ones is not read",
        "invalid-ts" => "a `ts` that is not a date-time of RFC 3339, such as 2026-05-28T11:40:00Z",
        "no-assertion" => "an annotation without text before it that it could belong to",
        "orphan" => {
            "an annotation that comes first after a tool call or another break, so that there is no text that it could belong to"
        }
        "duplicate-member" => {
            "a repeated member `assertion` or `provenance`; only the first one counts"
        }
        "json-syntax" => "not JSON from here; reading goes on after it",
        "invalid-utf8" => "bytes that are not UTF-8, shown as U+FFFD",
        "malformed-event" => "an event that is not JSON; its text is not read",
        "oversized-event" => "an event longer than 33554432 bytes; its text is not read",
        "unterminated-event" => {
            "an event without an end: the response was cut short; its text is not read"
        }
        "unread-text" => "a text that is not a JSON string; it is not read",
        "unread-member" => {
            "a string that may be text, in a member that the format does not have; it is not read, and a gate empties it"
        }
        "odd-channel" => {
            "a channel number that is not one; the text is taken for that of channel 0 or of the event before"
        }
        "gzip-body" => "an input that is still gzip once it is decompressed; nothing of it is read",
        "zstd-body" => {
            "an input that is still Zstandard once it is decompressed; nothing of it is read"
        }
        "binary-body" => {
            "bytes that are not text, perhaps compressed; decompress them first, nothing of them is read"
        }
        "withheld-data" => "bytes that cannot be read as an event; a gate withholds them",
        "comment" => "a comment between events; a gate empties it",
        "unknown-format" => "no event of the format; see standard error",
        "no-field" => "a line without a string at --field",
        _ => return None,
    })
}

/// A place with what a diagnostic there reports.
pub(crate) fn explained(place: &str, code: &str) -> String {
    of(code).map_or_else(|| place.to_owned(), |message| format!("{place}: {message}"))
}

/// Whether a gate cannot pass: where this is reported, something was not read that may have been an assertion, or not all of
/// it.
pub(crate) fn is_unread(code: &str) -> bool {
    code.starts_with("limit-")
        || matches!(code, "json-syntax" | "unterminated" | "orphan" | "no-field")
}

#[cfg(test)]
mod tests {
    use provstream::DiagnosticCode as Code;
    use provstream_providers::NoticeCode;

    use super::*;

    #[test]
    fn every_code_has_a_message() {
        let codes = [
            Code::Unterminated,
            Code::LimitAnnotation,
            Code::LimitAssertion,
            Code::LimitDepth,
            Code::LimitPointer,
            Code::LimitAnnotations,
            Code::LimitPending,
            Code::LimitRecord,
            Code::InvalidTs,
            Code::NoAssertion,
            Code::Orphan,
            Code::DuplicateMember,
            Code::JsonSyntax,
            Code::InvalidUtf8,
        ];
        let codes = codes.map(Code::as_str).into_iter();
        for code in codes.chain(NoticeCode::ALL.map(NoticeCode::as_str)) {
            assert!(of(code).is_some(), "{code}");
        }
        assert!(is_unread("limit-depth") && is_unread("json-syntax") && !is_unread("invalid-ts"));
    }
}
