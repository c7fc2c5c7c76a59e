//! Text columns: strings or bytes in any of Arrow's layouts.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType,
    GenericStringType, Int8Type, Int16Type, Int32Type, Int64Type, StringViewType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, GenericByteArray, GenericByteViewArray, OffsetSizeTrait,
};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

/// A column whose values are read as bytes.
///
/// Does not rely on the producer's validation: a value need not be UTF-8, and an offset outside of
/// the column is an error.
pub(super) struct TextColumn {
    kind: ValueKind,
    layout: Layout,
    nulls: Option<NullBuffer>,
    len: usize,
}

enum Layout {
    Small(GenericOffsets<i32>),
    Large(GenericOffsets<i64>),
    View(Views),
    /// Index of each row's value, and the values.
    Dictionary(Vec<Option<usize>>, Box<TextColumn>),
    /// Nulls only.
    Null,
}

struct GenericOffsets<O: OffsetSizeTrait> {
    offsets: OffsetBuffer<O>,
    bytes: Buffer,
}

struct Views {
    views: ScalarBuffer<u128>,
    buffers: Vec<Buffer>,
}

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Strings,
    Bytes,
}

/// An offset is outside of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadOffset;

/// Most bytes of a value that is stored in its view.
const INLINE: usize = 12;

impl TextColumn {
    /// Returns the texts of a column, or `None` if its values are neither strings nor bytes.
    pub(super) fn of(column: &ArrayRef) -> Option<Self> {
        let layout = match column.data_type() {
            DataType::Utf8 => small(column.as_bytes::<GenericStringType<i32>>()),
            DataType::Binary => small(column.as_bytes::<GenericBinaryType<i32>>()),
            DataType::LargeUtf8 => large(column.as_bytes::<GenericStringType<i64>>()),
            DataType::LargeBinary => large(column.as_bytes::<GenericBinaryType<i64>>()),
            DataType::Utf8View => views(column.as_byte_view::<StringViewType>()),
            DataType::BinaryView => views(column.as_byte_view::<BinaryViewType>()),
            DataType::Null => Layout::Null,
            DataType::Dictionary(keys, _) => match **keys {
                DataType::Int8 => dictionary(column.as_dictionary::<Int8Type>()),
                DataType::Int16 => dictionary(column.as_dictionary::<Int16Type>()),
                DataType::Int32 => dictionary(column.as_dictionary::<Int32Type>()),
                DataType::Int64 => dictionary(column.as_dictionary::<Int64Type>()),
                DataType::UInt8 => dictionary(column.as_dictionary::<UInt8Type>()),
                DataType::UInt16 => dictionary(column.as_dictionary::<UInt16Type>()),
                DataType::UInt32 => dictionary(column.as_dictionary::<UInt32Type>()),
                DataType::UInt64 => dictionary(column.as_dictionary::<UInt64Type>()),
                _ => None,
            }?,
            _ => return None,
        };
        let kind = match column.data_type() {
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => ValueKind::Bytes,
            _ => match &layout {
                Layout::Dictionary(_, values) => values.kind,
                _ => ValueKind::Strings,
            },
        };
        Some(Self {
            kind,
            layout,
            nulls: column.nulls().cloned(),
            len: column.len(),
        })
    }

    /// Returns the type of the values.
    pub(super) const fn kind(&self) -> ValueKind {
        self.kind
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of a row, or `None` if the row is null.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Result<Option<&[u8]>, BadOffset> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(None);
        }
        match &self.layout {
            Layout::Small(column) => column.get(row).map(Some),
            Layout::Large(column) => column.get(row).map(Some),
            Layout::View(column) => column.get(row).map(Some),
            Layout::Dictionary(keys, values) => match keys.get(row) {
                Some(Some(key)) if *key < values.len() => values.get(*key),
                Some(Some(_)) => Err(BadOffset),
                _ => Ok(None),
            },
            Layout::Null => Ok(None),
        }
    }

    /// Returns the length of a row in bytes; 0 for a null or unreadable row.
    pub(super) fn size(&self, row: usize) -> usize {
        self.get(row).ok().flatten().map_or(0, <[u8]>::len)
    }

    /// Returns the approximate length of some rows in bytes. With offsets the length is computed
    /// without visiting rows, and includes bytes of null rows.
    pub(super) fn size_of(&self, rows: Range<usize>) -> usize {
        match &self.layout {
            Layout::Small(column) => column.size_of(rows),
            Layout::Large(column) => column.size_of(rows),
            _ => rows.map(|row| self.size(row)).sum(),
        }
    }
}

fn small<T: ByteArrayType<Offset = i32>>(column: &GenericByteArray<T>) -> Layout {
    Layout::Small(GenericOffsets::of(column))
}

fn large<T: ByteArrayType<Offset = i64>>(column: &GenericByteArray<T>) -> Layout {
    Layout::Large(GenericOffsets::of(column))
}

fn views<T: ByteViewType + ?Sized>(column: &GenericByteViewArray<T>) -> Layout {
    Layout::View(Views {
        views: column.views().clone(),
        buffers: column.data_buffers().to_vec(),
    })
}

fn dictionary<K: ArrowDictionaryKeyType>(column: &DictionaryArray<K>) -> Option<Layout> {
    let keys = column.keys().iter();
    let keys = keys.map(|key| key.map(|key| key.to_usize().unwrap_or(usize::MAX)));
    let values = TextColumn::of(column.values())?;
    Some(Layout::Dictionary(keys.collect(), Box::new(values)))
}

impl<O: OffsetSizeTrait> GenericOffsets<O> {
    fn of<T: ByteArrayType<Offset = O>>(column: &GenericByteArray<T>) -> Self {
        Self {
            offsets: column.offsets().clone(),
            bytes: column.values().clone(),
        }
    }

    /// Returns the bytes from the start of the first row to the end of the last.
    fn size_of(&self, rows: Range<usize>) -> usize {
        let [start, end] = [rows.start, rows.end].map(|row| {
            let offset = self.offsets.get(row).and_then(|offset| offset.to_usize());
            offset.map_or(0, |offset: usize| offset.min(self.bytes.len()))
        });
        end.saturating_sub(start)
    }

    #[inline]
    fn get(&self, row: usize) -> Result<&[u8], BadOffset> {
        let (Some(start), Some(end)) = (self.offsets.get(row), self.offsets.get(row + 1)) else {
            return Err(BadOffset);
        };
        let range = start.to_usize().zip(end.to_usize());
        let (start, end) = range.ok_or(BadOffset)?;
        self.bytes.get(start..end).ok_or(BadOffset)
    }
}

impl Views {
    /// Returns the value of a row. Layout of a view: Arrow columnar format, variable-size binary
    /// view.
    #[inline]
    fn get(&self, row: usize) -> Result<&[u8], BadOffset> {
        let view = self.views.get(row).ok_or(BadOffset)?;
        let word = |at: u32| (view >> (32 * at)) as u32 as usize;
        let length = word(0);
        if length <= INLINE {
            let start = row * size_of::<u128>() + size_of::<u32>();
            let bytes = self.views.inner().as_slice();
            return bytes.get(start..start + length).ok_or(BadOffset);
        }
        let (buffer, start) = (word(2), word(3));
        let buffer = self.buffers.get(buffer).ok_or(BadOffset)?;
        buffer.get(start..start + length).ok_or(BadOffset)
    }
}
