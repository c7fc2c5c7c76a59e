//! C interface of provstream: a stream of text or of a provider's response, stripped, or gated by a policy.
//!
//! `include/provstream.h` declares the functions and describes the settings and lines. The same functions are the exports of the
//! WebAssembly module.
#![allow(unsafe_code, reason = "functions that C calls take pointers")]

mod settings;
mod stream;

use std::panic::{AssertUnwindSafe, catch_unwind};

use self::settings::StreamOptions;
use self::stream::Stream;

/// Bytes that belong to a stream or are static. `data` is not null if `len` is not 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ProvstreamBytes {
    /// First byte.
    pub data: *const u8,
    /// Length in bytes.
    pub len: usize,
}

impl ProvstreamBytes {
    const fn of(bytes: &[u8]) -> Self {
        Self {
            data: bytes.as_ptr(),
            len: bytes.len(),
        }
    }
}

/// Stream of text or of a provider's response.
pub struct Provstream {
    stream: Result<Stream, String>,
}

impl Provstream {
    /// Calls the stream. If it panics, the stream has an error from then on, and nothing is returned.
    fn call(&mut self, function: impl FnOnce(&mut Stream) -> &[u8]) -> ProvstreamBytes {
        let Ok(stream) = &mut self.stream else {
            return ProvstreamBytes::of(&[]);
        };
        let called = catch_unwind(AssertUnwindSafe(|| ProvstreamBytes::of(function(stream))));
        called.unwrap_or_else(|_| {
            self.stream = Err("internal error: the stream cannot be continued".into());
            ProvstreamBytes::of(&[])
        })
    }
}

/// Returns the bytes that a caller passes.
///
/// # Safety
///
/// Unless `len` is 0, `data` points to `len` bytes that nobody changes meanwhile.
unsafe fn slice<'a>(data: *const u8, len: usize) -> &'a [u8] {
    match len {
        0 => &[],
        // SAFETY: by the contract of this function.
        len => unsafe { std::slice::from_raw_parts(data, len) },
    }
}

/// Creates a stream from settings in JSON; never null. `provstream_error` says whether the settings are valid.
///
/// # Safety
///
/// Unless `len` is 0, `settings` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn provstream_new(settings: *const u8, len: usize) -> *mut Provstream {
    // SAFETY: by the contract of this function.
    let settings = unsafe { slice(settings, len) };
    let stream = catch_unwind(|| Ok(Stream::new(&StreamOptions::read(settings)?)));
    Box::into_raw(Box::new(Provstream {
        stream: stream.unwrap_or_else(|_| Err("internal error".into())),
    }))
}

/// Returns the error of a stream, in UTF-8; empty for a stream without an error. The bytes are valid until the next call with the stream.
///
/// # Safety
///
/// `stream` comes from `provstream_new` and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn provstream_error(stream: *const Provstream) -> ProvstreamBytes {
    // SAFETY: by the contract of this function.
    let error = unsafe { stream.as_ref() }.and_then(|stream| stream.stream.as_ref().err());
    ProvstreamBytes::of(error.map_or(&[], String::as_bytes))
}

/// Takes the next bytes of the input, and returns those of the output that are certain. They are valid until the next call
/// with the stream. Returns nothing after an error and after the end.
///
/// # Safety
///
/// `stream` comes from `provstream_new` and is not freed. Unless `len` is 0, `data` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn provstream_push(
    stream: *mut Provstream,
    data: *const u8,
    len: usize,
) -> ProvstreamBytes {
    // SAFETY: by the contract of this function.
    let (stream, chunk) = unsafe { (stream.as_mut(), slice(data, len)) };
    stream.map_or(ProvstreamBytes::of(&[]), |stream| {
        stream.call(|stream| stream.push(chunk))
    })
}

/// Ends the input, and returns the last bytes of the output, as `provstream_push` does.
///
/// # Safety
///
/// `stream` comes from `provstream_new` and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn provstream_finish(stream: *mut Provstream) -> ProvstreamBytes {
    // SAFETY: by the contract of this function.
    let stream = unsafe { stream.as_mut() };
    stream.map_or(ProvstreamBytes::of(&[]), |stream| {
        stream.call(Stream::finish)
    })
}

/// Returns the events of the last `provstream_push` or `provstream_finish`, a line of JSON each. The bytes are valid until the
/// next call with the stream. Empty unless the settings ask for events.
///
/// # Safety
///
/// `stream` comes from `provstream_new` and is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn provstream_events(stream: *const Provstream) -> ProvstreamBytes {
    // SAFETY: by the contract of this function.
    let stream = unsafe { stream.as_ref() }.and_then(|stream| stream.stream.as_ref().ok());
    ProvstreamBytes::of(stream.map_or(&[], Stream::events))
}

/// Frees a stream. Null is allowed.
///
/// # Safety
///
/// `stream` comes from `provstream_new`, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn provstream_free(stream: *mut Provstream) {
    if !stream.is_null() {
        // SAFETY: by the contract of this function.
        drop(unsafe { Box::from_raw(stream) });
    }
}

/// Returns the version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn provstream_version() -> ProvstreamBytes {
    ProvstreamBytes::of(env!("CARGO_PKG_VERSION").as_bytes())
}

/// Memory of the WebAssembly module for what its host passes.
#[cfg(target_arch = "wasm32")]
mod memory {
    use std::alloc::{Layout, alloc, dealloc};

    /// Reserves `len` bytes. Returns null if `len` is 0 or there is no memory.
    #[unsafe(no_mangle)]
    extern "C" fn provstream_alloc(len: usize) -> *mut u8 {
        match Layout::array::<u8>(len) {
            // SAFETY: the size is not 0.
            Ok(layout) if len > 0 => unsafe { alloc(layout) },
            _ => std::ptr::null_mut(),
        }
    }

    /// Frees `len` bytes from [`provstream_alloc`].
    ///
    /// # Safety
    ///
    /// `data` comes from `provstream_alloc(len)`, and is not used any more.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn provstream_dealloc(data: *mut u8, len: usize) {
        if let Ok(layout) = Layout::array::<u8>(len)
            && !data.is_null()
        {
            // SAFETY: by the contract of this function.
            unsafe { dealloc(data, layout) };
        }
    }
}
