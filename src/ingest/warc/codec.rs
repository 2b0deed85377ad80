//! Compressed streams behind one face, for archive members that are read piece by piece and for HTTP content encodings.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, get_error_name};

/// Largest zstd window that is decoded, as a power of two: 16 MiB, twice what the standard asks decoders to accept
/// (RFC 8878, 3.1.1.1.2), so that memory stays bounded.
const ZSTD_WINDOW_LOG: u32 = 24;

/// What one step read and wrote.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) used: usize,
    pub(super) produced: usize,
    /// The stream ended, and its checksum was right if it has one.
    pub(super) ended: bool,
}

/// A decompressor that takes its input in pieces.
pub(super) trait Stream {
    /// Forgets everything and awaits a new stream.
    fn restart(&mut self);
    /// Decodes some of `input` into `output`; the error says what is wrong with the stream.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String>;
}

/// What surrounds deflated data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrapper {
    /// RFC 1952.
    Gzip,
    /// RFC 1950.
    Zlib,
    /// RFC 1951.
    Raw,
}

/// Deflate with or without a wrapper, by zlib-rs.
pub(super) struct Flate {
    wrapper: Wrapper,
    /// Whether what comes out in the step that meets damage is given, the error one step later.
    gives_rest: bool,
    inner: Decompress,
}

impl Flate {
    pub(super) fn new(wrapper: Wrapper) -> Flate {
        let inner = match wrapper {
            Wrapper::Gzip => Decompress::new_gzip(15),
            Wrapper::Zlib => Decompress::new(true),
            Wrapper::Raw => Decompress::new(false),
        };
        Flate { wrapper, gives_rest: false, inner }
    }

    /// One that gives what comes out before damage, for bodies: of an archive's member nothing is to be trusted any more.
    pub(super) fn giving_rest(wrapper: Wrapper) -> Flate {
        Flate { gives_rest: true, ..Flate::new(wrapper) }
    }
}

impl Stream for Flate {
    fn restart(&mut self) {
        match self.wrapper {
            // A reset would forget that a gzip header comes first.
            Wrapper::Gzip => self.inner = Decompress::new_gzip(15),
            Wrapper::Zlib => self.inner.reset(true),
            Wrapper::Raw => self.inner.reset(false),
        }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        let (read, written) = (self.inner.total_in(), self.inner.total_out());
        let result = self.inner.decompress(input, output, FlushDecompress::None);
        let used = (self.inner.total_in() - read) as usize;
        let produced = (self.inner.total_out() - written) as usize;
        match result {
            Ok(status) => Ok(Step { used, produced, ended: status == Status::StreamEnd }),
            // What came out before the damage counts; the next step says what is wrong.
            Err(_) if self.gives_rest && produced > 0 => Ok(Step { used, produced, ended: false }),
            // A state that went bad while it still wrote output does not say why any more.
            Err(error) => match error.message() {
                None | Some("repeated call with bad state") => Err("invalid data".to_owned()),
                Some(message) => Err(message.to_owned()),
            },
        }
    }
}

/// Zstandard frames (RFC 8878).
pub(super) struct Zstd {
    pub(super) context: DCtx<'static>,
}

impl Zstd {
    /// `None` when there is no memory for a context.
    pub(super) fn new() -> Option<Zstd> {
        let mut context = DCtx::try_create()?;
        context.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG)).ok()?;
        Some(Zstd { context })
    }
}

impl Stream for Zstd {
    fn restart(&mut self) {
        // It cannot fail: ending a session only clears fields.
        let _ = self.context.reset(ResetDirective::SessionOnly);
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        let mut from = InBuffer::around(input);
        let mut to = OutBuffer::around(output);
        match self.context.decompress_stream(&mut to, &mut from) {
            Ok(hint) => Ok(Step { used: from.pos(), produced: to.pos(), ended: hint == 0 }),
            Err(code) => Err(get_error_name(code).to_owned()),
        }
    }
}

/// Brotli (RFC 7932), without the large windows that the standard does not have.
pub(super) struct Brotli {
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
}

impl Brotli {
    pub(super) fn new() -> Brotli {
        let (bytes, words, codes) = <(StandardAlloc, StandardAlloc, StandardAlloc)>::default();
        Brotli { state: Box::new(BrotliState::new_strict(bytes, words, codes)) }
    }
}

impl Stream for Brotli {
    fn restart(&mut self) {
        *self = Brotli::new();
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        let (mut left, mut used, mut room, mut produced, mut total) = (input.len(), 0, output.len(), 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut used,
            input,
            &mut room,
            &mut produced,
            output,
            &mut total,
            &mut self.state,
        );
        match result {
            BrotliResult::ResultFailure => Err("damaged data".to_owned()),
            BrotliResult::ResultSuccess => Ok(Step { used, produced, ended: true }),
            _ => Ok(Step { used, produced, ended: false }),
        }
    }
}

/// Bytes that are not compressed at all: a stream without an end.
pub(super) struct Stored;

impl Stream for Stored {
    fn restart(&mut self) {}

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, String> {
        let bytes = input.len().min(output.len());
        if let (Some(to), Some(from)) = (output.get_mut(..bytes), input.get(..bytes)) {
            to.copy_from_slice(from);
        }
        Ok(Step { used: bytes, produced: bytes, ended: false })
    }
}
