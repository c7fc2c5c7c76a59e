//! Page about streams in flight.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

use provstream::Disposition;

use crate::escape;
use crate::style::{STYLE, STYLE_HASH};
use crate::wording::{self, Look};

/// Bytes of HTML after which texts are left out.
const MAX_TEXTS: usize = 4 << 20;

/// Most characters of a name.
const MAX_NAME: usize = 80;

/// Description of one stream on a [`LivePage`].
#[derive(Clone, Debug, Default)]
pub struct LiveStream {
    id: String,
    route: String,
    action: String,
    format: String,
    end: String,
    took: Duration,
    held: u64,
    sent: u64,
    assertions: u64,
    verdicts: Vec<(String, String, u64)>,
    text: Vec<u8>,
    /// Bytes left out before the text.
    cut: usize,
    /// Ranges of the text, and the dispositions of the assertions there.
    marks: Vec<(Range<usize>, &'static str)>,
}

impl LiveStream {
    /// Creates the description of a stream: the identifier of its request in logs, its route, and
    /// the route's action.
    #[must_use]
    pub fn new(id: &str, route: &str, action: &str) -> Self {
        Self {
            id: id.to_owned(),
            route: route.to_owned(),
            action: action.to_owned(),
            ..Self::default()
        }
    }

    /// Sets the name of the stream's format, once it is known.
    #[must_use]
    pub fn with_format(mut self, format: &str) -> Self {
        format.clone_into(&mut self.format);
        self
    }

    /// Sets the time from the start of the stream until now, or until its end.
    #[must_use]
    pub const fn with_time(mut self, took: Duration) -> Self {
        self.took = took;
        self
    }

    /// Sets the number of bytes held back, and of bytes sent to the client.
    #[must_use]
    pub const fn with_bytes(mut self, held: u64, sent: u64) -> Self {
        self.held = held;
        self.sent = sent;
        self
    }

    /// Sets the number of annotated assertions.
    #[must_use]
    pub const fn with_assertions(mut self, assertions: u64) -> Self {
        self.assertions = assertions;
        self
    }

    /// Adds the number of assertions with a disposition, such as `below-floor`, and an action, such
    /// as `discard`.
    #[must_use]
    pub fn with_verdict(mut self, disposition: &str, action: &str, count: u64) -> Self {
        let verdict = (disposition.to_owned(), action.to_owned(), count);
        self.verdicts.push(verdict);
        self
    }

    /// Sets the last bytes of the stream's text. An incomplete character at their start is left
    /// out.
    #[must_use]
    pub fn with_text(mut self, text: &[u8]) -> Self {
        let is_rest = |byte: &&u8| (0x80..0xc0).contains(*byte);
        let cut = text.iter().take(3).take_while(is_rest).count();
        self.text = text[cut..].to_vec();
        self.cut = cut;
        self
    }

    /// Marks a range of the bytes that [`with_text`](Self::with_text) was given as an assertion with this disposition, or with
    /// another word if it is not judged. Marks are in ascending order. Call this after `with_text`.
    #[must_use]
    pub fn with_mark(mut self, range: Range<usize>, disposition: &'static str) -> Self {
        let end = range.end.saturating_sub(self.cut).min(self.text.len());
        let start = range.start.saturating_sub(self.cut).min(end);
        let after = self.marks.last().map_or(0, |(last, _)| last.end);
        if start < end && start >= after {
            self.marks.push((start..end, disposition));
        }
        self
    }

    /// Sets the reason of the stream's end, as in logs.
    #[must_use]
    pub fn with_end(mut self, end: &str) -> Self {
        end.clone_into(&mut self.end);
        self
    }
}

/// Page about streams in flight, as one HTML file without scripts and external resources. Its
/// content security policy permits only its own style sheet. The browser reloads the page by
/// itself.
///
/// Text from a stream is escaped.
///
/// ```
/// use std::time::Duration;
/// use provstream_report::{LivePage, LiveStream};
///
/// let mut page = LivePage::new(Duration::from_secs(2));
/// page.push(LiveStream::new("1f-0", "chat", "gate").with_text(b"<script>"));
/// let html = page.to_html();
/// assert!(html.contains("&lt;script&gt;") && !html.contains("<script"));
/// ```
#[derive(Clone, Debug)]
pub struct LivePage {
    refresh: Duration,
    is_paused: bool,
    streams: Vec<LiveStream>,
    ended: Vec<LiveStream>,
    unlisted: u64,
}

impl LivePage {
    /// Creates a page without streams that reloads after `refresh`, in whole seconds, at least 1.
    #[must_use]
    pub const fn new(refresh: Duration) -> Self {
        Self {
            refresh,
            is_paused: false,
            streams: Vec::new(),
            ended: Vec::new(),
            unlisted: 0,
        }
    }

    /// Sets whether the page stays as it is. It has a link to the page that reloads, without a query, and that one has a link to
    /// this one, with the query `paused`.
    #[must_use]
    pub const fn with_paused(mut self, is_paused: bool) -> Self {
        self.is_paused = is_paused;
        self
    }

    /// Adds a stream.
    pub fn push(&mut self, stream: LiveStream) {
        self.streams.push(stream);
    }

    /// Adds a stream that has ended.
    pub fn push_ended(&mut self, stream: LiveStream) {
        self.ended.push(stream);
    }

    /// Sets the number of further streams that are not listed.
    pub const fn leave_out(&mut self, streams: u64) {
        self.unlisted += streams;
    }

    /// Returns the content security policy of the page, for a response header. The policy also
    /// forbids frames, which a page cannot do by itself.
    #[must_use]
    pub fn content_security_policy() -> String {
        format!(
            "default-src 'none'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    }

    /// Returns the page. After 4 MiB of HTML, texts are left out with a remark.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut html = String::new();
        html.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let _ = write!(
            html,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{STYLE_HASH}'; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n"
        );
        let seconds = self.refresh.as_secs().max(1);
        if !self.is_paused {
            let _ = writeln!(html, "<meta http-equiv=\"refresh\" content=\"{seconds}\">");
        }
        html.push_str("<title>Streams in flight – provstream proxy</title>\n<style>");
        html.push_str(STYLE);
        let all = self.streams.len() as u64 + self.unlisted;
        let _ = write!(
            html,
            "</style>\n</head>\n<body id=\"top\">\n<header>\n<p class=\"kicker\">provstream proxy</p>\n\
             <h1>Streams</h1>\n<p class=\"turn\">"
        );
        let _ = match self.is_paused {
            true => write!(
                html,
                "<span>Paused.</span> <a href=\"?\">Reload every {seconds} s</a>"
            ),
            false => write!(
                html,
                "<span>Reloads every {seconds} s.</span> <a href=\"?paused\">Pause</a>"
            ),
        };
        html.push_str("</p>\n</header>\n<main>\n");
        self.write_list(
            &mut html,
            "in-flight",
            &format!("In flight: {all}"),
            &self.streams,
        );
        if self.unlisted > 0 {
            let _ = writeln!(
                html,
                "<ul class=\"remarks\"><li>{} more are in flight and not listed.</li></ul>",
                self.unlisted
            );
        }
        if !self.ended.is_empty() {
            let ended = format!("Ended: the last {}", self.ended.len());
            self.write_list(&mut html, "ended", &ended, &self.ended);
        }
        html.push_str(
            "</main>\n<footer>\n<p>An annotation is what the model declares. That it counts is no evidence that an \
             observation took place.</p>\n</footer>\n</body>\n</html>\n",
        );
        html
    }

    fn write_list(&self, html: &mut String, id: &str, name: &str, streams: &[LiveStream]) {
        let _ = write!(
            html,
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{name}</h2>\n"
        );
        if streams.is_empty() {
            html.push_str("<p>No streams.</p>\n</section>\n");
            return;
        }
        html.push_str("<table class=\"live\">\n<thead><tr>");
        for (column, class) in COLUMNS {
            let _ = write!(html, "<th scope=\"col\"{class}>{column}</th>");
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        let mut left_out = 0;
        for stream in streams {
            write_row(html, stream);
            match html.len() > MAX_TEXTS {
                _ if stream.text.is_empty() => {}
                true => left_out += 1,
                false => write_text(html, stream),
            }
        }
        html.push_str("</tbody>\n</table>\n");
        if left_out > 0 {
            let _ = writeln!(
                html,
                "<ul class=\"remarks\"><li>The page is long, so {left_out} texts are not shown.</li></ul>"
            );
        }
        html.push_str("</section>\n");
    }
}

/// Columns of a table, and the attributes of their headings.
const COLUMNS: [(&str, &str); 10] = [
    ("Stream", ""),
    ("Route", ""),
    ("Action", ""),
    ("Format", ""),
    ("Verdicts", ""),
    ("End", ""),
    ("Time", NUMBER),
    ("Bytes held", NUMBER),
    ("Bytes sent", NUMBER),
    ("Assertions", NUMBER),
];

const NUMBER: &str = " class=\"num\"";

fn write_row(html: &mut String, stream: &LiveStream) {
    html.push_str("<tr><th scope=\"row\">");
    escape::value(html, &stream.id, MAX_NAME);
    html.push_str("</th>");
    let mut verdicts = String::new();
    for (disposition, action, count) in &stream.verdicts {
        let known = disposition.parse::<Disposition>().ok();
        let look = known.map_or("un", |known| Look::of(known).class());
        let _ = write!(verdicts, "<span class=\"i {look}\">{count} ");
        match known {
            Some(known) => verdicts.push_str(wording::disposition(known).0),
            None => escape::value(&mut verdicts, disposition, MAX_NAME),
        }
        verdicts.push_str(": ");
        escape::value(&mut verdicts, action, MAX_NAME);
        verdicts.push_str("</span> ");
    }
    let value = |text: &str| {
        let mut html = String::new();
        if !text.is_empty() {
            escape::value(&mut html, text, MAX_NAME);
        }
        html
    };
    let cells = [
        value(&stream.route),
        value(&stream.action),
        value(&stream.format),
        verdicts,
        value(&stream.end),
        wording::spoken(stream.took),
        stream.held.to_string(),
        stream.sent.to_string(),
        stream.assertions.to_string(),
    ];
    for (cell, (column, class)) in cells.iter().zip(&COLUMNS[1..]) {
        let _ = write!(html, "<td{class} data-l=\"{column}\">{cell}</td>");
    }
    html.push_str("</tr>\n");
}

/// Writes the row with the text of a stream.
fn write_text(html: &mut String, stream: &LiveStream) {
    let _ = write!(
        html,
        "<tr class=\"lt\"><td colspan=\"{}\"><div class=\"c\" dir=\"auto\" lang=\"\">",
        COLUMNS.len()
    );
    let piece = |html: &mut String, range: Range<usize>| {
        escape::text(html, &String::from_utf8_lossy(&stream.text[range]));
    };
    let mut at = 0;
    for (range, disposition) in &stream.marks {
        piece(html, at..range.start);
        let known = disposition.parse::<Disposition>().ok();
        let look = known.map_or("an", |known| Look::of(known).class());
        let _ = write!(html, "<mark class=\"{look}\">");
        piece(html, range.clone());
        html.push_str("</mark>");
        at = range.end;
    }
    piece(html, at..stream.text.len());
    html.push_str("</div></td></tr>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_streams_say_is_text() {
        let hostile = "</div><script>alert(1)</script><img src=x onerror=y>\u{202e}\"'&";
        let mut page = LivePage::new(Duration::from_millis(1));
        let stream = LiveStream::new(hostile, hostile, hostile)
            .with_format(hostile)
            .with_verdict("below-floor", "discard", 3)
            .with_verdict(hostile, hostile, 1)
            .with_text(hostile.as_bytes());
        page.push(stream.clone());
        page.push_ended(stream.with_end(hostile));
        page.leave_out(7);
        let html = page.to_html();
        for never in ["<script", "<img", "\u{202e}", " onerror=y>"] {
            assert!(!html.contains(never), "{never}\n{html}");
        }
        assert!(
            html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
            "{html}"
        );
        assert!(
            html.contains("<span class=\"i lo\">3 Below the floor: <bdi>discard</bdi></span>"),
            "{html}"
        );
        assert!(html.contains("7 more are in flight"), "{html}");
        assert!(
            html.contains("<meta http-equiv=\"refresh\" content=\"1\">")
                && html.contains("<a href=\"?paused\">"),
            "{html}"
        );
        let html = page.with_paused(true).to_html();
        assert!(
            !html.contains("http-equiv=\"refresh\"") && html.contains("<a href=\"?\">"),
            "{html}"
        );
    }

    #[test]
    fn marks_are_around_the_parts_of_a_text() {
        let mut page = LivePage::new(Duration::from_secs(2));
        let text = "\u{e9}It rained. <So> it did.".as_bytes();
        let stream = LiveStream::new("a", "b", "gate").with_text(&text[1..]);
        let stream = stream
            .with_mark(0..11, "below-floor")
            .with_mark(12..16, "annotated");
        page.push(
            stream
                .with_mark(15..99, "admitted")
                .with_mark(90..99, "admitted"),
        );
        let html = page.to_html();
        let expected = "lang=\"\"><mark class=\"lo\">It rained.</mark> <mark class=\"an\">&lt;So&gt;</mark> it did.</div>";
        assert!(html.contains(expected), "{html}");
    }

    #[test]
    fn a_text_that_is_cut_within_characters_is_shown_without_them() {
        let mut page = LivePage::new(Duration::from_secs(2));
        let text = "…é".as_bytes();
        page.push(LiveStream::new("a", "b", "gate").with_text(&text[1..]));
        page.push(LiveStream::new("a", "b", "gate").with_text(&[0x80; 5]));
        let html = page.to_html();
        assert!(html.contains("lang=\"\">é</div>"), "{html}");
    }

    #[test]
    fn a_page_is_bounded() {
        let mut page = LivePage::new(Duration::from_secs(2));
        for number in 0..1_024 {
            let stream = LiveStream::new(&number.to_string(), "r", "gate");
            page.push(stream.with_text(&"\u{0}a".repeat(2_048).into_bytes()));
        }
        let html = page.to_html();
        assert!(html.len() < 7 << 20, "{} bytes", html.len());
        assert!(html.contains("texts are not shown"), "no remark");
    }
}
