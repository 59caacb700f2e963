//! A place of the program in a static.

use core::sync::atomic::{AtomicU64, Ordering};
use dpor_model::SiteId;

/// A [`SiteId`] that is read and written relaxed: only one thread of the process runs at a time.
#[derive(Default)]
#[repr(transparent)]
pub struct AtomicSite(AtomicU64);

impl AtomicSite {
    /// [`SiteId::UNKNOWN`].
    pub const fn unknown() -> Self {
        AtomicSite(AtomicU64::new(SiteId::UNKNOWN.0))
    }

    /// The place.
    #[inline(always)]
    pub fn get(&self) -> SiteId {
        SiteId(self.0.load(Ordering::Relaxed))
    }

    /// Makes it another place.
    #[inline(always)]
    pub fn set(&self, site: SiteId) {
        self.0.store(site.0, Ordering::Relaxed);
    }
}
