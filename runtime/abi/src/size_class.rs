//! Sizes in which the program's heap hands out blocks.
//!
//! Multiples of 16 bytes up to 1,024, then four sizes per doubling (at most a fifth is unused, and
//! unused pages are never touched), up to 32 GB. A size includes the block's 16-byte header.

/// Number of classes.
pub const CLASSES: usize = STEPS + 4 * DOUBLINGS;

/// Bytes in front of every block.
pub const HEADER_BYTES: usize = 16;

/// The largest request that is served, in bytes.
pub const REQUEST_MAX: usize = (1024 << DOUBLINGS) - HEADER_BYTES;

/// Classes that are multiples of 16 bytes.
const STEPS: usize = 64;
const DOUBLINGS: usize = 25;

/// The smallest class that holds `bytes` bytes and a header; `None` above [`REQUEST_MAX`].
#[inline]
pub const fn class_of(bytes: usize) -> Option<usize> {
    if bytes > REQUEST_MAX {
        return None;
    }
    let whole = bytes + HEADER_BYTES;
    if whole <= 1024 {
        // An empty block, too, has bytes of its own: 32 is the smallest size used.
        let class = whole.div_ceil(16) - 1;
        return Some(if class == 0 { 1 } else { class });
    }
    // whole - 1 lies in [2^k, 2^(k+1)), k >= 10; its next two bits say which quarter.
    let last = whole - 1;
    let power = (usize::BITS - 1 - last.leading_zeros()) as usize;
    let quarter = last >> (power - 2) & 3;
    Some(STEPS + (power - 10) * 4 + quarter)
}

/// Bytes of a block of this class, header included. A multiple of 16.
#[inline]
pub const fn bytes_of(class: usize) -> usize {
    if class < STEPS {
        return (class + 1) * 16;
    }
    let (doubling, quarter) = ((class - STEPS) / 4, (class - STEPS) % 4);
    (5 + quarter) << (8 + doubling)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_and_stay_aligned() {
        for class in 1..CLASSES {
            assert!(bytes_of(class) > bytes_of(class - 1), "{class}");
            assert_eq!(bytes_of(class) % 16, 0);
        }
        assert_eq!(bytes_of(CLASSES - 1), REQUEST_MAX + HEADER_BYTES);
    }

    #[test]
    fn a_class_is_the_smallest_that_fits() {
        let mut requests: Vec<usize> = (0..100_000).collect();
        for class in 0..CLASSES {
            let fits = bytes_of(class) - HEADER_BYTES;
            requests.extend([fits.saturating_sub(1), fits, fits + 1]);
        }
        for bytes in requests.into_iter().filter(|&bytes| bytes <= REQUEST_MAX) {
            let class = class_of(bytes).unwrap();
            assert!(bytes_of(class) >= bytes + HEADER_BYTES, "{bytes}");
            assert!(
                class <= 1 || bytes_of(class - 1) < bytes + HEADER_BYTES,
                "{bytes}"
            );
        }
        assert_eq!(class_of(REQUEST_MAX + 1), None);
        assert_eq!(class_of(usize::MAX), None);
    }
}
