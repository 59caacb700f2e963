//! The native program as the engine has it, with what the runtime knows of it.

use crate::between::Between;
use crate::runtime::{of_engine, Runtime};

/// The program under test. Its state is the process's memory, and what the runtime knows.
///
/// There is one, and the engine has it. A step borrows it as a whole, so that while a fiber runs nobody
/// holds a reference to what the fiber changes.
pub struct Native(pub(crate) Between<Runtime>);

impl Native {
    /// The program as the engine has it, at the root.
    ///
    /// # Safety
    /// This is called once in a process, on the engine's context ([`Shared::engine`](crate::between::Shared::engine)).
    pub unsafe fn of_engine() -> Native {
        // SAFETY: by the caller's promise no other engine's side exists, and fibers run only while it is borrowed.
        let known = unsafe { of_engine() };
        Native(known.expect("[dpor internal bug] the engine begins at the root"))
    }

    /// What the runtime knows, between two steps.
    #[inline(always)]
    pub fn rt(&mut self) -> &mut Runtime {
        self.0.get()
    }

    /// The runtime's knowledge between two steps, to be read.
    #[inline(always)]
    pub fn look(&self) -> &Runtime {
        self.0.look()
    }
}
