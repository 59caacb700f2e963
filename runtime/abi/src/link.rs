//! Between the driver and the program of one MPI rank: a socket on which frames go both ways.
//!
//! ```text
//!   program of rank a ──► driver of rank a ══ MPI ══► driver of rank b ──► program of rank b
//! ```
//!
//! A frame is a head of [`HEAD`] bytes and a body that only programs read. To the driver the head names
//! the rank it is for, from the driver the one it comes from.

/// Bytes of a head: the body's length and a rank, in little-endian order.
pub const HEAD: usize = 8;

/// Stands in place of a rank where the driver itself says something, as text.
pub const DRIVER: u32 = u32::MAX;

/// The head of a frame.
pub fn head(rank: u32, length: u32) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..].copy_from_slice(&rank.to_le_bytes());
    head
}

/// Rank and body of the first frame of `bytes`, with how many bytes it takes; `None`: it is not whole yet.
pub fn first(bytes: &[u8]) -> Option<(u32, &[u8], usize)> {
    let word = |at: usize| {
        let word = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    };
    let (length, rank) = (word(0)? as usize, word(4)?);
    let body = bytes.get(HEAD..HEAD + length)?;
    Some((rank, body, HEAD + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_taken_when_it_is_whole() {
        let mut bytes = head(7, 3).to_vec();
        assert_eq!(first(&bytes[..5]), None);
        bytes.extend(b"ab");
        assert_eq!(first(&bytes), None);
        bytes.extend(b"cd");
        assert_eq!(first(&bytes), Some((7, b"abc".as_slice(), 11)));
    }
}
