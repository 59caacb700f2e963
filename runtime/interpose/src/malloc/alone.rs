//! Where exploration begins because of the heap: at the first access, while the program has one thread, to bytes that
//! may not be used ([`usable`]). The race detector, which is told then of all blocks, judges it.

use crate::libc::before_root;
use crate::{annotations, engine};
use dpor_machine::heap::usable;
use dpor_model::SiteId;

/// An access before the root, by the process's one thread: whether exploration has begun with it, so that it is
/// to be judged.
#[inline(always)]
pub fn begins(address: u64, bytes: u64, site: SiteId) -> bool {
    usable::forbids(address, bytes) && begin(site)
}

/// The map does not allow an access: exploration begins, unless this is no process that is checked.
#[cold]
pub fn begin(site: SiteId) -> bool {
    if !before_root::is_checked() || annotations::ignoring() {
        return false;
    }
    engine::exploration_begins_with_access();
    engine::runtime::CALL_SITE.set(site);
    engine::begin();
    engine::active()
}
