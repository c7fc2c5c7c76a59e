//! The binary frames of an Amazon event stream.
//!
//! A frame is its length, the length of its headers, a checksum of both, the headers, the payload and a checksum of all that;
//! see <https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html>.

use serde_json::Value;

/// Frames of lines of JSON, each an object with the name of the event.
pub(crate) fn frames(lines: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let event: Value = serde_json::from_slice(line).expect("JSON");
        let members = event.as_object().expect("an object");
        let (name, payload) = members.iter().next().expect("the event");
        out.extend(frame(name, payload.to_string().as_bytes()));
    }
    out
}

fn frame(name: &str, payload: &[u8]) -> Vec<u8> {
    let mut headers = Vec::new();
    for (header, value) in [
        (":event-type", name),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ] {
        headers.push(u8::try_from(header.len()).expect("a short name"));
        headers.extend(header.as_bytes());
        // The type of a string.
        headers.push(7);
        headers.extend(
            u16::try_from(value.len())
                .expect("a short value")
                .to_be_bytes(),
        );
        headers.extend(value.as_bytes());
    }
    let length = |bytes: usize| u32::try_from(bytes).expect("a short frame").to_be_bytes();
    let mut frame = length(16 + headers.len() + payload.len()).to_vec();
    frame.extend(length(headers.len()));
    frame.extend(crc32(&frame).to_be_bytes());
    frame.extend(headers);
    frame.extend(payload);
    frame.extend(crc32(&frame).to_be_bytes());
    frame
}

/// The checksum of gzip and PNG, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
        }
    }
    !sum
}
