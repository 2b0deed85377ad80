//! What an archive is cut into: gzip members, zstd frames, or nothing.

use super::codec::{Flate, Stored, Stream, Wrapper, Zstd};
use crate::ingest::libdeflate::{Failure, Inflated, Inflater};
use zstd::zstd_safe::{find_frame_compressed_size, get_dict_id_from_frame, get_error_name};

/// What the stored bytes at a place are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// A member may start here.
    Member,
    /// So many bytes that hold no content.
    Skip(u64),
    /// No member starts here.
    No,
}

/// A way of cutting an archive into members.
pub(super) trait Members {
    /// Whether there are members at all.
    const FRAMED: bool = true;
    /// What a member's first bytes are, to search for.
    const MAGIC: &'static [u8];
    /// What people call such a member.
    const NAME: &'static str;

    /// What starts with `bytes`; at least 18 of them where the input has as many.
    fn start(&self, bytes: &[u8]) -> Start;
    /// Whether the bytes look like a member as real writers make them; asked when searching among damaged bytes.
    fn looks_real(bytes: &[u8]) -> bool;
    /// Whether a member can start here at all: what is tried when members are searched.
    fn could_be(bytes: &[u8]) -> bool {
        Self::looks_real(bytes)
    }
    /// Inflates the whole member at the start of `input`, if it is whole there.
    fn whole(&mut self, input: &[u8], output: &mut [u8]) -> Result<Inflated, Failure>;
    /// The decoder for members read in pieces.
    fn stream(&mut self) -> &mut dyn Stream;
    /// Whether the member that starts here needs a dictionary that is not at hand.
    fn lacks_dictionary(&self, _bytes: &[u8]) -> bool {
        false
    }
}

/// Gzip members (RFC 1952).
pub(super) struct Gzip {
    inflater: Inflater,
    stream: Flate,
}

impl Gzip {
    /// `None` when there is no memory for the decompressor.
    pub(super) fn new() -> Option<Gzip> {
        Some(Gzip { inflater: Inflater::new()?, stream: Flate::new(Wrapper::Gzip) })
    }
}

impl Members for Gzip {
    const MAGIC: &'static [u8] = &[0x1f, 0x8b, 8];
    const NAME: &'static str = "gzip member";

    fn start(&self, bytes: &[u8]) -> Start {
        let seen = bytes.len().min(Self::MAGIC.len());
        match seen > 0 && bytes.get(..seen) == Self::MAGIC.get(..seen) {
            true => Start::Member,
            false => Start::No,
        }
    }

    fn looks_real(bytes: &[u8]) -> bool {
        // Reserved flags clear, an extra-flags byte that some deflater sets, a system that has a number.
        matches!(bytes, [0x1f, 0x8b, 8, flags, _, _, _, _, extra, system, ..]
            if flags & 0xe0 == 0 && matches!(extra, 0 | 2 | 4) && matches!(system, 0..=13 | 255))
    }

    fn could_be(bytes: &[u8]) -> bool {
        // Reserved flags clear (RFC 1952, 2.3.1.2): nothing else is sure, writers put anything into the other fields.
        matches!(bytes, [0x1f, 0x8b, 8, flags, _, _, _, _, _, _, ..] if flags & 0xe0 == 0)
    }

    fn whole(&mut self, input: &[u8], output: &mut [u8]) -> Result<Inflated, Failure> {
        self.inflater.gzip(input, output)
    }

    fn stream(&mut self) -> &mut dyn Stream {
        &mut self.stream
    }
}

/// Zstandard frames, one a record (the IIPC's draft for `.warc.zst`).
pub(super) struct Frames {
    zstd: Zstd,
    has_dictionary: bool,
}

/// First bytes of the skippable frame that holds the dictionary.
const DICTIONARY_FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// A dictionary is decoded to at most this many bytes.
const DICTIONARY_CAP: usize = 16 << 20;

impl Frames {
    /// `None` when there is no memory for the decompressor.
    pub(super) fn new() -> Option<Frames> {
        Some(Frames { zstd: Zstd::new()?, has_dictionary: false })
    }

    /// Bytes of the skippable frame that starts here, its 8 bytes of header included.
    pub(super) fn skippable(bytes: &[u8]) -> Option<u64> {
        match bytes {
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] => {
                Some(8 + u64::from(u32::from_le_bytes([*a, *b, *c, *d])))
            }
            _ => None,
        }
    }

    /// Whether the file starts with a dictionary.
    pub(super) fn has_dictionary_frame(bytes: &[u8]) -> bool {
        bytes.starts_with(&DICTIONARY_FRAME)
    }

    /// Takes the dictionary, itself compressed or not; the error says why it is of no use.
    pub(super) fn load_dictionary(&mut self, stored: &[u8]) -> Result<(), String> {
        let text = |code| get_error_name(code).to_owned();
        if find_frame_compressed_size(stored).is_ok() {
            let mut dictionary = Vec::new();
            let mut zstd = Zstd::new().ok_or("no memory")?;
            let mut used = 0;
            loop {
                let at = dictionary.len();
                dictionary.resize((at + (256 << 10)).min(DICTIONARY_CAP), 0);
                let room = dictionary.get_mut(at..).unwrap_or_default();
                let step = zstd.step(stored.get(used..).unwrap_or_default(), room)?;
                used += step.used;
                dictionary.truncate(at + step.produced);
                if step.ended {
                    break;
                }
                if step.used == 0 && step.produced == 0 {
                    return Err("the dictionary is larger than any real one".to_owned());
                }
            }
            self.zstd.context.load_dictionary(&dictionary).map_err(text)?;
        } else {
            self.zstd.context.load_dictionary(stored).map_err(text)?;
        }
        self.has_dictionary = true;
        Ok(())
    }
}

impl Members for Frames {
    const MAGIC: &'static [u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    const NAME: &'static str = "zstd frame";

    fn start(&self, bytes: &[u8]) -> Start {
        if let Some(length) = Frames::skippable(bytes) {
            return Start::Skip(length);
        }
        let seen = bytes.len().min(Self::MAGIC.len());
        match seen > 0 && bytes.get(..seen) == Self::MAGIC.get(..seen) {
            true => Start::Member,
            false => Start::No,
        }
    }

    fn looks_real(bytes: &[u8]) -> bool {
        // The reserved bit of the frame header is clear (RFC 8878, 3.1.1.1.1).
        bytes.starts_with(Self::MAGIC) && bytes.get(4).is_some_and(|descriptor| descriptor & 0x08 == 0)
    }

    fn whole(&mut self, input: &[u8], output: &mut [u8]) -> Result<Inflated, Failure> {
        let used = find_frame_compressed_size(input).map_err(|_| Failure::Bad)?;
        let frame = input.get(..used).ok_or(Failure::Bad)?;
        match self.zstd.context.decompress(output, frame) {
            Ok(produced) => Ok(Inflated { used, produced }),
            Err(code) if get_error_name(code).contains("too small") => Err(Failure::OutputFull),
            Err(_) => Err(Failure::Bad),
        }
    }

    fn stream(&mut self) -> &mut dyn Stream {
        &mut self.zstd
    }

    fn lacks_dictionary(&self, bytes: &[u8]) -> bool {
        !self.has_dictionary && get_dict_id_from_frame(bytes).is_some()
    }
}

/// An archive that is not compressed: no members, records one after the other.
pub(super) struct Plain {
    stream: Stored,
}

impl Plain {
    pub(super) fn new() -> Plain {
        Plain { stream: Stored }
    }
}

impl Members for Plain {
    const FRAMED: bool = false;
    const MAGIC: &'static [u8] = super::record::START;
    const NAME: &'static str = "record";

    fn start(&self, _bytes: &[u8]) -> Start {
        Start::Member
    }

    fn looks_real(_bytes: &[u8]) -> bool {
        false
    }

    fn whole(&mut self, _input: &[u8], _output: &mut [u8]) -> Result<Inflated, Failure> {
        Err(Failure::Bad)
    }

    fn stream(&mut self) -> &mut dyn Stream {
        &mut self.stream
    }
}
