//! Exceptions that a thread handles and that others may get hold of.

/// Exceptions that a thread handles and that it took an `exception_ptr` of.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Captured {
    /// Addresses of the exceptions' headers; 0: an unused place.
    pub(super) headers: [usize; 4],
    /// Whether there were more exceptions at once than places, so that any exception may be one of
    /// these.
    pub(super) many: bool,
}

impl Captured {
    /// Adds one.
    pub(super) fn add(&mut self, header: usize) {
        if self.headers.contains(&header) {
            return;
        }
        match self.headers.iter_mut().find(|known| **known == 0) {
            Some(free) => *free = header,
            None => self.many = true,
        }
    }

    /// Forgets one. Whether it may have been there.
    pub(super) fn take(&mut self, header: usize) -> bool {
        match self.headers.iter_mut().find(|known| **known == header) {
            Some(known) => {
                *known = 0;
                true
            }
            None => self.many,
        }
    }
}
