//! Creates the real threads whose stacks and thread-local storage the fibers borrow.
//!
//! A borrowed thread blocks all signals, records where its things are, and waits on a futex for
//! ever, with system calls made in this file. `pthread_attr_setstack` puts stack, thread-local
//! storage and descriptor into one mapping of ours, so their extents are known without knowledge
//! of glibc's structures, and `pthread_getattr_np` is right.

use super::{x86_64, Area};
use crate::state::Kept;
use crate::sys::{self, PAGE};
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering};

/// `pthread_create` of the C library.
pub type PthreadCreate = unsafe extern "C" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    extern "C" fn(*mut c_void) -> *mut c_void,
    *mut c_void,
) -> c_int;

/// Bytes of a borrowed stack; only touched pages cost memory.
pub const STACK_BYTES: usize = 8 << 20;

/// What a borrowed thread tells.
static THREAD_POINTER: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
static STACK_POINTER: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
static TLS_LOW: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
/// Written last.
static READY: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Creates `count` of them by `create`; `None` if the system refuses.
///
/// # Safety
/// `create` is the C library's: a function that stands in for it would not come back here.
pub unsafe fn borrow(count: usize, create: PthreadCreate) -> Option<Vec<Area>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | libc::MAP_STACK;
    let all = sys::map(0, count * STACK_BYTES, flags)? as usize;
    let before = block_signals();
    let areas: Option<Vec<Area>> = (0..count)
        .map(|k| one(all + k * STACK_BYTES, create))
        .collect();
    restore_signals(before);
    let mut areas = areas?;
    // libc links each descriptor to the one created after it.
    areas
        .iter_mut()
        .for_each(|area| area.birth = storage(area).to_vec());
    Some(areas)
}

/// An area's thread-local storage and descriptor.
fn storage(area: &Area) -> &[u8] {
    // SAFETY: the thread parked; its storage is readable and no longer changes.
    unsafe { core::slice::from_raw_parts(area.tls_low as *const u8, area.end - area.tls_low) }
}

fn one(start: usize, create: PthreadCreate) -> Option<Area> {
    // SAFETY: our own fresh mapping; the lowest page becomes the guard.
    unsafe { sys::protect(start, PAGE, libc::PROT_NONE) };
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut thread = MaybeUninit::<libc::pthread_t>::uninit();
    READY.store(0, Ordering::SeqCst);
    let stack = (start + PAGE) as *mut c_void;
    // SAFETY: libc initializes the attributes; the stack range is ours, live for ever and used by
    // nobody else.
    let failed = unsafe {
        libc::pthread_attr_init(attributes.as_mut_ptr());
        libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack, STACK_BYTES - PAGE);
        create(
            thread.as_mut_ptr(),
            attributes.as_ptr(),
            park,
            start as *mut c_void,
        )
    };
    if failed != 0 {
        return None;
    }
    while READY.load(Ordering::SeqCst) == 0 {
        // SAFETY: waits while READY is 0; spurious returns are looped over.
        unsafe {
            sys::call6(
                libc::SYS_futex,
                &READY as *const _ as usize,
                libc::FUTEX_WAIT as usize,
                0,
                0,
                0,
                0,
            )
        };
    }
    let end = start + STACK_BYTES;
    let tls_low = TLS_LOW.load(Ordering::SeqCst) & !63;
    Some(Area {
        start,
        end,
        tls_low,
        thread_pointer: THREAD_POINTER.load(Ordering::SeqCst),
        // Pages of their own for thread-local storage and descriptor, which hardly ever change.
        stack_top: (STACK_POINTER.load(Ordering::SeqCst) - 512) & !(PAGE - 1),
        birth: Vec::new(),
    })
}

/// Body of a borrowed thread. `area`: start of its mapping.
extern "C" fn park(area: *mut c_void) -> *mut c_void {
    let start = area as usize;
    let mark = 0u64;
    THREAD_POINTER.store(x86_64::thread_pointer(), Ordering::SeqCst);
    STACK_POINTER.store(&mark as *const u64 as usize, Ordering::SeqCst);
    TLS_LOW.store(lowest_tls(start, start + STACK_BYTES), Ordering::SeqCst);
    READY.store(1, Ordering::SeqCst);
    let nothing = AtomicUsize::new(0);
    // SAFETY: wakes the creator, then waits on a word that nobody changes.
    unsafe {
        sys::call6(
            libc::SYS_futex,
            &READY as *const _ as usize,
            libc::FUTEX_WAKE as usize,
            1,
            0,
            0,
            0,
        );
        loop {
            sys::call6(
                libc::SYS_futex,
                &nothing as *const _ as usize,
                libc::FUTEX_WAIT as usize,
                0,
                0,
                0,
                0,
            );
        }
    }
}

/// Lowest address in `start..end` at which the calling thread has thread-local storage of some
/// loaded object; its thread pointer if there is none.
pub fn lowest_tls(start: usize, end: usize) -> usize {
    struct Search {
        start: usize,
        end: usize,
        lowest: usize,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: dl_iterate_phdr passes a valid record and the pointer given below.
        let (data, search) = unsafe {
            (
                (*info).dlpi_tls_data as usize,
                &mut *search.cast::<Search>(),
            )
        };
        if data >= search.start && data < search.end {
            search.lowest = search.lowest.min(data);
        }
        0
    }
    let mut search = Search {
        start,
        end,
        lowest: x86_64::thread_pointer(),
    };
    // SAFETY: the callback gets the pointer while `search` lives.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.lowest
}

fn block_signals() -> libc::sigset_t {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: both sets are initialized by libc.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    }
}

fn restore_signals(before: libc::sigset_t) {
    // SAFETY: `before` is the set that `block_signals` got from the kernel, and is only read.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &before, core::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fiber::x86_64::{prepare, set_thread_pointer, switch, CONTROL_AT_START};

    static CREATOR: AtomicUsize = AtomicUsize::new(0);
    static FIBER: AtomicUsize = AtomicUsize::new(0);
    static SELF: AtomicUsize = AtomicUsize::new(0);

    /// Asks libc who it is, with the borrowed thread's thread-local storage.
    extern "C" fn ask(_: usize) -> ! {
        // SAFETY: reads the thread's descriptor; then the creator goes on for good.
        unsafe {
            SELF.store(libc::pthread_self() as usize, Ordering::SeqCst);
            *libc::__errno_location() = 7;
            switch(FIBER.as_ptr(), CREATOR.load(Ordering::SeqCst));
        }
        unreachable!("nobody goes on with it")
    }

    #[test]
    fn a_fiber_is_the_thread_whose_stack_and_storage_it_borrows() {
        // SAFETY: `create` is libc's own `pthread_create`, as `borrow` asks for.
        let areas = unsafe { borrow(2, libc::pthread_create) }.expect("two threads");
        for area in &areas {
            assert_eq!(area.end - area.start, STACK_BYTES);
            assert!(area.start < area.stack_top && area.stack_top <= area.tls_low);
            assert!((area.tls_low..area.end).contains(&area.thread_pointer));
            assert_eq!(area.stack_top % PAGE, 0);
            assert_eq!(area.birth.len(), area.end - area.tls_low);
        }
        assert!(areas[0].end <= areas[1].start || areas[1].end <= areas[0].start);

        let mine = x86_64::thread_pointer();
        // SAFETY: the borrowed thread sleeps for ever; until the own thread pointer is back, only the fiber runs.
        unsafe {
            let fiber = prepare(areas[0].stack_top, ask, 0, CONTROL_AT_START);
            set_thread_pointer(areas[0].thread_pointer);
            switch(CREATOR.as_ptr(), fiber);
            set_thread_pointer(mine);
        }
        assert_eq!(SELF.load(Ordering::SeqCst), areas[0].thread_pointer);

        assert_ne!(storage(&areas[0]), areas[0].birth);
        areas[0].reset();
        assert_eq!(storage(&areas[0]), areas[0].birth);
    }
}
