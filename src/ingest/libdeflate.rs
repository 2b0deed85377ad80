//! Whole gzip members through libdeflate: the only module that calls C, and so the only one with `unsafe`.
//!
//! The safe wrappers at hand do not say how many input bytes a member took, and without that members cannot be walked.
#![allow(unsafe_code)]

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_decompressor, libdeflate_free_decompressor,
    libdeflate_gzip_decompress_ex, libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE,
    libdeflate_result_LIBDEFLATE_SUCCESS,
};
use std::ptr::NonNull;

/// A decompressor with its tables, made once a thread and reused for every member.
pub struct Inflater(NonNull<libdeflate_decompressor>);

/// How many bytes of input a member took and how many bytes of output it gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inflated {
    /// Bytes of the member, header and trailer included.
    pub used: usize,
    /// Bytes written to the output.
    pub produced: usize,
}

/// Why a member was not inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Not a gzip member, a damaged one, or one that goes on after the end of the input.
    Bad,
    /// The output is too small.
    OutputFull,
}

impl Inflater {
    /// Allocates the tables (about 11 KiB); `None` when there is no memory for them.
    pub fn new() -> Option<Inflater> {
        // SAFETY: the call takes no argument and returns null or a decompressor that is ours alone.
        NonNull::new(unsafe { libdeflate_alloc_decompressor() }).map(Inflater)
    }

    /// Inflates the gzip member at the start of `input` (RFC 1952) and checks its CRC-32 and length.
    pub fn gzip(&mut self, input: &[u8], output: &mut [u8]) -> Result<Inflated, Failure> {
        let (mut used, mut produced) = (0usize, 0usize);
        // SAFETY: the decompressor is alive and borrowed mutably; both pointers are valid for the lengths given with
        // them; libdeflate reads and writes inside those lengths only and sets both counts when it succeeds.
        let result = unsafe {
            libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &raw mut used,
                &raw mut produced,
            )
        };
        if result == libdeflate_result_LIBDEFLATE_SUCCESS {
            Ok(Inflated { used, produced })
        } else if result == libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE {
            Err(Failure::OutputFull)
        } else {
            Err(Failure::Bad)
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: the pointer came from libdeflate_alloc_decompressor and is freed once, here.
        unsafe { libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

// SAFETY: a decompressor is plain memory that belongs to no thread, and every use of it needs `&mut`.
unsafe impl Send for Inflater {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_member_tells_how_long_it_is() {
        let mut inflater = Inflater::new().unwrap();
        let first = gzip(b"User-agent: *\n");
        let both = [first.clone(), gzip(b"Disallow: /\n")].concat();
        let mut output = [0u8; 64];
        let told = inflater.gzip(&both, &mut output).unwrap();
        assert_eq!(told, Inflated { used: first.len(), produced: 14 });
        assert_eq!(&output[..14], b"User-agent: *\n");
    }

    #[test]
    fn failures_are_told_apart() {
        let mut inflater = Inflater::new().unwrap();
        let mut member = gzip(&[b'x'; 1000]);
        assert_eq!(inflater.gzip(&member, &mut [0u8; 10]), Err(Failure::OutputFull));
        assert_eq!(inflater.gzip(&member[..member.len() - 1], &mut [0u8; 1000]), Err(Failure::Bad));
        assert_eq!(inflater.gzip(b"", &mut [0u8; 10]), Err(Failure::Bad));
        let crc = member.len() - 8;
        member[crc] ^= 1;
        assert_eq!(inflater.gzip(&member, &mut [0u8; 1000]), Err(Failure::Bad));
    }
}
