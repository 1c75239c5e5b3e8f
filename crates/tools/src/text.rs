//! What counts as text, and where it may be cut.

use std::path::Path;

use crate::ToolError;
use crate::error::shown;

/// A NUL byte this close to the start makes a file binary, as it does for git and grep.
const NUL_WINDOW_BYTES: usize = 8 * 1024;

/// Returns the bytes of a file as text, or says what the file is instead.
pub(crate) fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<String, ToolError> {
    let binary = |kind| ToolError::BinaryFile { path: shown(path), kind };
    if let Some(kind) = image_kind(&bytes) {
        return Err(binary(kind));
    }
    if bytes.iter().take(NUL_WINDOW_BYTES).any(|byte| *byte == 0) {
        return Err(binary("a binary file"));
    }
    String::from_utf8(bytes).map_err(|_| binary("not valid UTF-8"))
}

/// Names the image format by its first bytes (the signatures of the formats' own specifications).
fn image_kind(bytes: &[u8]) -> Option<&'static str> {
    let riff_form = bytes.get(8..12).filter(|_| bytes.starts_with(b"RIFF"));
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("a PNG image"),
        [0xff, 0xd8, 0xff, ..] => Some("a JPEG image"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("a GIF image"),
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => Some("a TIFF image"),
        [0, 0, 1, 0, ..] => Some("an icon image"),
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some("a BMP image"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => Some("an AVIF image"),
        _ if riff_form == Some(b"WEBP") => Some("a WebP image"),
        _ => None,
    }
}

/// Returns the greatest position up to `bytes_max` where `text` may be cut.
pub(crate) fn cut_at(text: &str, bytes_max: usize) -> usize {
    text.floor_char_boundary(bytes_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bytes: &[u8]) -> &'static str {
        match from_bytes(Path::new("x"), bytes.to_vec()) {
            Err(ToolError::BinaryFile { kind, .. }) => kind,
            other => panic!("expected a binary file, got {other:?}"),
        }
    }

    #[test]
    fn images_are_named_by_their_type() {
        assert_eq!(kind(b"\x89PNG\r\n\x1a\nrest"), "a PNG image");
        assert_eq!(kind(b"\xff\xd8\xff\xe0"), "a JPEG image");
        assert_eq!(kind(b"GIF89a..."), "a GIF image");
        assert_eq!(kind(b"RIFF\x01\x00\x00\x00WEBPVP8 "), "a WebP image");
    }

    #[test]
    fn a_nul_near_the_start_and_bad_utf8_are_binary() {
        assert_eq!(kind(b"abc\0def"), "a binary file");
        assert_eq!(kind(b"abc\xffdef"), "not valid UTF-8");
    }

    #[test]
    fn a_nul_far_from_the_start_is_text() {
        let mut bytes = vec![b'a'; NUL_WINDOW_BYTES];
        bytes.push(0);
        assert!(from_bytes(Path::new("x"), bytes).is_ok());
    }
}
