//! What is kept of an output of any length: its head and its tail.

use std::collections::VecDeque;

/// The first and the last bytes of a stream, and how many there were between.
#[derive(Debug)]
pub(crate) struct Kept {
    half_max: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    cut: u64,
}

impl Kept {
    /// Keeps `bytes_max` bytes, half of them from the start.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { half_max: bytes_max / 2, head: Vec::new(), tail: VecDeque::new(), cut: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = self.half_max - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.half_max);
        self.tail.drain(..over);
        self.cut += over as u64;
    }

    /// Returns the output as text. What is no UTF-8 becomes `?`, so that it does not grow.
    pub(crate) fn text(mut self) -> String {
        let tail = self.tail.make_contiguous();
        if self.cut == 0 {
            // A character may lie across the seam.
            self.head.extend_from_slice(tail);
            return readable(&self.head);
        }
        format!("{}\n(… {} bytes cut …)\n{}", readable(&self.head), self.cut, readable(tail))
    }
}

fn readable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push('?');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(bytes_max: usize, pieces: &[&[u8]]) -> String {
        let mut kept = Kept::new(bytes_max);
        pieces.iter().for_each(|piece| kept.push(piece));
        kept.text()
    }

    #[test]
    fn a_short_output_is_kept_whole_across_the_seam() {
        assert_eq!(kept(8, &[b"abc", "é".as_bytes(), b"def"]), "abcédef");
    }

    #[test]
    fn head_and_tail_of_a_long_output_are_kept_and_the_cut_is_counted() {
        assert_eq!(kept(8, &[b"abcd", b"xxxxx", b"xxwxyz"]), "abcd\n(… 7 bytes cut …)\nwxyz");
    }

    #[test]
    fn bad_utf8_does_not_grow() {
        assert_eq!(kept(8, &[b"a\xff\xfeb"]), "a??b");
    }
}
