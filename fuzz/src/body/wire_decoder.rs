//! What a provider's stream says does not depend on how it is cut.

use provstream::Parser;
use provstream_providers::{Decoder, Format, ResponseParser, WireEvent};

use super::super::case::Case;

/// How a stream is cut changes no item, in any format, named or found out; nor an event of a channel's text.
pub(super) fn check(data: &[u8]) {
    let asked = Format::ALL[data.len() % Format::ALL.len()];
    let narrow = Decoder::detect().with_max_event(60);
    let decoders = [Decoder::detect(), narrow, Decoder::new(asked)];
    let mut cuts = Case::new(data).cuts();
    let mut pieces = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(cuts(rest.len()));
        pieces.push(piece);
        rest = later;
    }
    for decoder in decoders {
        let whole = items(decoder.clone(), &[data]);
        assert_eq!(items(decoder.clone(), &pieces), whole, "{decoder:?}");
        let bytes: Vec<&[u8]> = data.chunks(1).collect();
        assert_eq!(items(decoder, &bytes), whole, "byte by byte");
    }
    assert_eq!(events(&pieces), events(&[data]));
}

/// All that a decoder gives, as text.
fn items(mut decoder: Decoder, pieces: &[&[u8]]) -> Vec<String> {
    let mut items = Vec::new();
    for piece in pieces {
        decoder.push(piece, |item| items.push(format!("{item:?}")));
    }
    let taken: usize = pieces.iter().map(|piece| piece.len()).sum();
    assert_eq!(decoder.position(), taken as u64);
    decoder.finish(|item| items.push(format!("{item:?}")));
    items
}

/// All that parsers of the channels give, as text.
fn events(pieces: &[&[u8]]) -> Vec<String> {
    let mut events = Vec::new();
    let mut parsers = ResponseParser::new(Decoder::detect(), Parser::new());
    let mut sink = |event: WireEvent<'_>| events.push(format!("{event:?}"));
    for piece in pieces {
        parsers.push(piece, &mut sink);
    }
    parsers.finish(&mut sink);
    events
}
