//! Tests of the parser's events: wire profile, properties, offsets, sentences.

mod breaks;
mod damaged_ndjson;
mod json_conformance;
mod long_white_space;
mod many_parsers;
mod memo;
mod offset_map;
mod offsets;
mod properties;
mod security;
mod sentence;
mod slot;
mod split_objects;
mod vectors;
