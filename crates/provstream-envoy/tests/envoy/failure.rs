//! A filter that fails.

use std::fs;

use crate::client::get;
use crate::envoy::folder;
use crate::expected::answer;
use crate::gateway::{Gateway, Kind, Programs, ROUTES};
use crate::upstream::Script;

/// A section of a WebAssembly module.
fn section(id: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).expect("a short section");
    assert!(length < 0x80, "one byte has the length");
    [&[id, length], content].concat()
}

/// Entries after their number.
fn list(entries: &[&[u8]]) -> Vec<u8> {
    let number = u8::try_from(entries.len()).expect("few entries");
    [&[number], entries.concat().as_slice()].concat()
}

/// An export of a function.
fn export(name: &str, function: u8) -> Vec<u8> {
    let length = u8::try_from(name.len()).expect("a short name");
    [&[length], name.as_bytes(), &[0, function]].concat()
}

/// A filter that traps at the first bytes of a body, and does nothing else.
fn trap() -> Vec<u8> {
    const I32: u8 = 0x7F;
    let types = list(&[
        &[0x60, 0, 0],
        &[0x60, 1, I32, 1, I32],
        &[0x60, 3, I32, I32, I32, 1, I32],
    ]);
    let names = [
        ("proxy_abi_version_0_2_1", 0),
        ("malloc", 1),
        ("proxy_on_response_body", 2),
    ];
    let exports: Vec<Vec<u8>> = names
        .iter()
        .map(|(name, function)| export(name, *function))
        .collect();
    let mut exports: Vec<&[u8]> = exports.iter().map(Vec::as_slice).collect();
    let memory = [&[6], &b"memory"[..], &[2, 0]].concat();
    exports.push(&memory);
    // Each has no locals: nothing; the number 1,024; a trap.
    let bodies = list(&[
        &[2, 0, 0x0B],
        &[5, 0, 0x41, 0x80, 0x08, 0x0B],
        &[3, 0, 0x00, 0x0B],
    ]);
    [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &types),
        section(3, &[3, 0, 1, 2]),
        section(5, &[1, 0, 1]),
        section(7, &list(&exports)),
        section(10, &bodies),
    ]
    .concat()
}

/// A filter that traps passes none of its input on, as the configuration says.
#[test]
fn a_trap_passes_nothing() {
    let Some(programs) = Programs::find() else {
        return;
    };
    let module = folder("trap").join("trap.wasm");
    fs::write(&module, trap()).expect("a writable folder");
    let programs = programs.with_filter(&module);
    let gateway = Gateway::start(&programs, Kind::Filter, "trap", ROUTES, |config| config);
    gateway.upstream.set("a", Script::sse(answer(70), 40));
    for _ in 0..3 {
        let response = get(gateway.port(), "/strip/v1/a");
        assert!(
            !response.is_complete || response.status == 503,
            "{response:?}"
        );
        assert!(!response.text().contains("data:"), "{response:?}");
    }
    let log = gateway.envoy.log();
    assert!(
        log.contains("unreachable") && log.contains("proxy_on_response_body"),
        "{log}"
    );
}
