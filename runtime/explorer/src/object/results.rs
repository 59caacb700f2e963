//! Results of calls.

/// Result of a call that succeeds; the others have the values of Linux.
pub(crate) const OK: i32 = 0;
pub(crate) const EPERM: i32 = 1;
pub(crate) const EAGAIN: i32 = 11;
pub(crate) const EBUSY: i32 = 16;
pub(crate) const EINVAL: i32 = 22;
pub(crate) const EDEADLK: i32 = 35;
pub(crate) const EOVERFLOW: i32 = 75;
pub(crate) const ETIMEDOUT: i32 = 110;
pub(crate) const EOWNERDEAD: i32 = 130;
pub(crate) const ENOTRECOVERABLE: i32 = 131;
