//! Page about streams in flight.

use std::fmt::Write as _;
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
            streams: Vec::new(),
            ended: Vec::new(),
            unlisted: 0,
        }
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
             <meta http-equiv=\"refresh\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>Streams in flight – provenance report</title>\n<style>",
            self.refresh.as_secs().max(1)
        );
        html.push_str(STYLE);
        let all = self.streams.len() as u64 + self.unlisted;
        let _ = write!(
            html,
            "</style>\n</head>\n<body id=\"top\">\n<header>\n<p class=\"kicker\">Provenance report</p>\n\
             <h1>Streams in flight</h1>\n<dl class=\"facts\">\n<div><dt>In flight</dt><dd>{all}</dd></div>\n</dl>\n</header>\n<main>\n"
        );
        self.write_list(&mut html, "in-flight", "In flight", &self.streams);
        if self.unlisted > 0 {
            let _ = writeln!(
                html,
                "<ul class=\"remarks\"><li>{} more are in flight and not listed.</li></ul>",
                self.unlisted
            );
        }
        if !self.ended.is_empty() {
            self.write_list(&mut html, "ended", "Ended", &self.ended);
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
        html.push_str("<table>\n<thead><tr>");
        for column in ["Stream", "Route", "Action", "Format", "Verdicts"] {
            let _ = write!(html, "<th scope=\"col\">{column}</th>");
        }
        for column in ["Time", "Bytes held", "Bytes sent", "Assertions"] {
            let _ = write!(html, "<th scope=\"col\" class=\"num\">{column}</th>");
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for stream in streams {
            write_row(html, stream);
        }
        html.push_str("</tbody>\n</table>\n");
        let mut left_out = 0;
        for stream in streams.iter().filter(|stream| !stream.text.is_empty()) {
            if html.len() > MAX_TEXTS {
                left_out += 1;
            } else {
                write_text(html, stream);
            }
        }
        if left_out > 0 {
            let _ = writeln!(
                html,
                "<ul class=\"remarks\"><li>The page is long, so {left_out} texts are not shown.</li></ul>"
            );
        }
        html.push_str("</section>\n");
    }
}

fn write_row(html: &mut String, stream: &LiveStream) {
    html.push_str("<tr><th scope=\"row\">");
    escape::value(html, &stream.id, MAX_NAME);
    html.push_str("</th>");
    for name in [&stream.route, &stream.action, &stream.format] {
        html.push_str("<td>");
        escape::value(html, name, MAX_NAME);
        html.push_str("</td>");
    }
    html.push_str("<td>");
    for (disposition, action, count) in &stream.verdicts {
        let known = disposition.parse::<Disposition>().ok();
        let look = known.map_or("un", |known| Look::of(known).class());
        let _ = write!(html, "<span class=\"i {look}\">{count} ");
        match known {
            Some(known) => html.push_str(wording::disposition(known).0),
            None => escape::value(html, disposition, MAX_NAME),
        }
        html.push_str(": ");
        escape::value(html, action, MAX_NAME);
        html.push_str("</span> ");
    }
    if !stream.end.is_empty() {
        escape::value(html, &stream.end, MAX_NAME);
    }
    let _ = writeln!(
        html,
        "</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>",
        wording::spoken(stream.took),
        stream.held,
        stream.sent,
        stream.assertions
    );
}

fn write_text(html: &mut String, stream: &LiveStream) {
    html.push_str("<h3>Text of ");
    escape::value(html, &stream.id, MAX_NAME);
    html.push_str("</h3>\n<div class=\"t\"><div>");
    escape::text(html, &String::from_utf8_lossy(&stream.text));
    html.push_str("</div></div>\n");
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
            html.contains("<meta http-equiv=\"refresh\" content=\"1\">"),
            "{html}"
        );
    }

    #[test]
    fn a_text_that_is_cut_within_characters_is_shown_without_them() {
        let mut page = LivePage::new(Duration::from_secs(2));
        let text = "…é".as_bytes();
        page.push(LiveStream::new("a", "b", "gate").with_text(&text[1..]));
        page.push(LiveStream::new("a", "b", "gate").with_text(&[0x80; 5]));
        let html = page.to_html();
        assert!(html.contains("<div>é</div>"), "{html}");
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
