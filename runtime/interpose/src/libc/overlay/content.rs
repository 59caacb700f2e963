//! The bytes of files, in pages of a pool.

use super::overlay;
use crate::libc::syscalls::touch;

const PAGE: usize = 4096;
/// Pages of a file, at most: 1 MiB.
const PAGES: usize = 256;
/// Pages of all files.
const POOL: usize = 1024;

/// Bytes of a file, at most.
pub const BYTES_MAX: u64 = (PAGE * PAGES) as u64;

/// Where the bytes of a file are.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Content {
    /// Bytes.
    pub size: u64,
    /// Number of the page + 1; 0: a hole. Bytes beyond the end are 0.
    pages: [u16; PAGES],
}

/// Pages. Which one a file gets shows nowhere.
#[repr(C)]
pub struct Pool {
    used: [bool; POOL],
    pages: [[u8; PAGE]; POOL],
}

impl Content {
    /// Empty.
    pub fn begin(&mut self) {
        self.size = 0;
        self.pages = [0; PAGES];
    }

    /// Copies what is there from `offset` on, `wanted` bytes at most. Returns how many.
    ///
    /// # Safety
    /// `to` is the program's, writable for that many.
    pub unsafe fn read(&self, offset: u64, to: usize, wanted: usize) -> usize {
        let n = self.size.saturating_sub(offset).min(wanted as u64) as usize;
        touch(to, n);
        let mut done = 0;
        while done < n {
            let at = offset as usize + done;
            let length = (PAGE - at % PAGE).min(n - done);
            let target = (to + done) as *mut u8;
            // SAFETY: the caller's.
            unsafe {
                match usize::from(self.pages[at / PAGE]) {
                    0 => target.write_bytes(0, length),
                    page => {
                        let from = &overlay().pool.pages[page - 1][at % PAGE..];
                        target.copy_from(from.as_ptr(), length);
                    }
                }
            }
            done += length;
        }
        n
    }

    /// Writes. False, and nothing is written: too large, or no room in the pool.
    ///
    /// # Safety
    /// `from` is readable for `length` bytes.
    #[must_use]
    pub unsafe fn write(&mut self, offset: u64, from: usize, length: usize) -> bool {
        let end = offset.saturating_add(length as u64);
        if end > BYTES_MAX {
            return false;
        }
        let mut done = 0;
        while done < length {
            let at = offset as usize + done;
            let part = (PAGE - at % PAGE).min(length - done);
            let Some(page) = self.page(at / PAGE) else {
                return false;
            };
            // SAFETY: the caller's; within the page.
            unsafe {
                let to = overlay().pool.pages[page].as_mut_ptr().add(at % PAGE);
                to.copy_from((from + done) as *const u8, part);
            }
            done += part;
        }
        self.size = self.size.max(end);
        true
    }

    /// The page at this place, which may be new.
    fn page(&mut self, place: usize) -> Option<usize> {
        if self.pages[place] == 0 {
            let pool = &mut overlay().pool;
            let free = pool.used.iter().position(|used| !used)?;
            pool.used[free] = true;
            pool.pages[free] = [0; PAGE];
            self.pages[place] = free as u16 + 1;
        }
        Some(usize::from(self.pages[place]) - 1)
    }

    /// Changes the size. False: too large.
    pub fn cut(&mut self, size: u64) -> bool {
        if size > BYTES_MAX {
            return false;
        }
        let kept = size.div_ceil(PAGE as u64) as usize;
        for page in &mut self.pages[kept..] {
            if let Some(page) = usize::from(core::mem::take(page)).checked_sub(1) {
                overlay().pool.used[page] = false;
            }
        }
        if size < self.size && !size.is_multiple_of(PAGE as u64) {
            if let Some(page) = usize::from(self.pages[kept - 1]).checked_sub(1) {
                overlay().pool.pages[page][size as usize % PAGE..].fill(0);
            }
        }
        self.size = size;
        true
    }
}
