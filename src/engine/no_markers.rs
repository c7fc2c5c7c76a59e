//! Stand-in for the reader of markers in a build without dialects: it has no values.

use super::bytes::ByteClasses;
use super::markdown::line::Line;
use super::{OpenCitation, Sink};

/// Kind of bytes that the driver emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Prose,
    Code { may_open_block: bool },
    Block,
    Json,
    Untrusted,
}

/// No value, so that the compiler leaves out what handles one.
#[derive(Clone, Debug)]
pub(crate) enum Markers {}

impl Markers {
    pub(crate) const fn reset(&mut self, _: u64) {
        match *self {}
    }

    pub(crate) const fn begin_piece(&mut self, _: u64) -> usize {
        match *self {}
    }

    pub(crate) const fn end_piece(&mut self, _: u64) {
        match *self {}
    }

    pub(crate) const fn hold_whole_marker(&self, _: usize) -> bool {
        match *self {}
    }

    pub(crate) const fn position(&self) -> u64 {
        match *self {}
    }

    pub(crate) const fn heap(&self) -> usize {
        match *self {}
    }

    pub(crate) const fn removable(&self, _: &[u8]) -> usize {
        match *self {}
    }

    pub(crate) const fn plain_class(&self) -> ByteClasses {
        match *self {}
    }

    pub(crate) const fn find_opener(&mut self, _: &[u8], _: usize, _: u64, _: bool) -> usize {
        match *self {}
    }

    pub(crate) const fn catch_up(&mut self, _: &[u8]) {
        match *self {}
    }

    pub(crate) const fn removed_before(&self, _: u64) -> u64 {
        match *self {}
    }

    pub(crate) fn end_open_code(&mut self, _: &mut Sink<'_>) {
        match *self {}
    }

    pub(crate) const fn open_citation(&mut self) -> OpenCitation {
        match *self {}
    }

    pub(crate) const fn json_room(&self) -> usize {
        match *self {}
    }

    pub(crate) const fn is_prose(&self) -> bool {
        match *self {}
    }

    pub(crate) const fn text(&mut self, _: &[u8], _: &mut Sink<'_>) {
        match *self {}
    }

    pub(crate) const fn switch(&mut self, _: Region, _: &mut Sink<'_>) {
        match *self {}
    }

    pub(crate) const fn drop_opening_line(&mut self) {
        match *self {}
    }

    pub(crate) const fn end_block(&mut self, _: Line, _: &mut Sink<'_>) {
        match *self {}
    }

    pub(crate) const fn removed(&mut self, _: usize, _: u64, _: &mut Sink<'_>) {
        match *self {}
    }

    pub(crate) const fn settle(&mut self, _: &mut Sink<'_>) {
        match *self {}
    }

    pub(crate) const fn finish(&mut self, _: &mut Sink<'_>) {
        match *self {}
    }
}
