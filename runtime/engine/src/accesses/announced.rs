//! The call that instrumented code is about to make, as the hook before it says.

use crate::atomic_site::AtomicSite;
use core::sync::atomic::AtomicUsize;
use dpor_machine::state::Kept;

/// What the hook before a call stores, at every call: three words.
pub struct Hook {
    /// Site of the call.
    pub site: AtomicSite,
    /// Address of the hook's return address, which is the slot of the call that follows, unless
    /// arguments are pushed.
    pub slot: AtomicUsize,
    /// The hook's return address.
    pub after: AtomicUsize,
}

/// The last call that the pass announced, of whichever thread.
pub static HOOK: Kept<Hook> = Kept::new(Hook {
    site: AtomicSite::unknown(),
    slot: AtomicUsize::new(0),
    after: AtomicUsize::new(0),
});
