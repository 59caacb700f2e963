//! Creates the real threads whose stacks and thread-local storage the fibers borrow.
//!
//! A borrowed thread blocks all signals, records where its things are, and waits on a futex for
//! ever, with system calls made in this file: when it is known to sleep, the pages of its stack may be protected.
//! `pthread_attr_setstack` puts stack, thread-local
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
struct Told {
    thread_pointer: AtomicUsize,
    stack_pointer: AtomicUsize,
}

/// How far the thread-local storage of each of them reaches below its thread pointer, in bytes. The first one finds out:
/// they are alike.
static TLS_BELOW: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
/// How many of them have told. They change nothing any more but what they have on their stacks.
static READY: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
/// How many of them the creator waits for.
static AWAITED: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
/// The futex on which they go to sleep, and the one to which the creator moves those that it finds asleep, which counts them.
/// Both hold 0, and nobody is woken.
static SLEEPING: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));
static COUNTED: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Creates `count` of them by `create`, and keeps addresses for `room`: the last one lies at the end, the others from the
/// beginning. `None` if the system refuses.
///
/// # Safety
/// `create` is the C library's: a function that stands in for it would not come back here.
pub unsafe fn borrow(count: usize, room: usize, create: PthreadCreate) -> Option<Vec<Area>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | libc::MAP_STACK;
    let all = sys::map(0, room * STACK_BYTES, flags)? as usize;
    let places = (0..count - 1).chain([room - 1]);
    let starts: Vec<usize> = places.map(|k| all + k * STACK_BYTES).collect();
    let mut areas = begin_all(&starts, create)?;
    areas.iter_mut().for_each(note_birth);
    Some(areas)
}

/// Creates those that there is room for before the last one of `areas`, which `borrow` returned. Nobody has used these since,
/// or memory is as it was then. False if the system refuses.
///
/// # Safety
/// As for [`borrow`].
pub unsafe fn borrow_more(areas: &mut Vec<Area>, create: PthreadCreate) -> bool {
    let last = areas.len() - 1;
    let starts: Vec<usize> = (areas[last - 1].end..areas[last].start)
        .step_by(STACK_BYTES)
        .collect();
    let Some(more) = begin_all(&starts, create) else {
        return false;
    };
    areas.splice(last..last, more);
    // The last one is not idle.
    let idle = areas.len() - 1;
    areas[..idle].iter_mut().for_each(note_birth);
    true
}

/// Notes how a thread was left. libc links each descriptor to the one that was created after it, so that this is done when all
/// are there.
fn note_birth(area: &mut Area) {
    area.birth = storage(area).to_vec();
}

/// Creates one on each of the mappings that begin at `starts`.
fn begin_all(starts: &[usize], create: PthreadCreate) -> Option<Vec<Area>> {
    let count = starts.len();
    let silent = |_| Told {
        thread_pointer: AtomicUsize::new(0),
        stack_pointer: AtomicUsize::new(0),
    };
    let told: Vec<Told> = (0..count).map(silent).collect();
    READY.store(0, Ordering::SeqCst);
    TLS_BELOW.store(0, Ordering::SeqCst);
    let before = block_signals();
    let all_begin = (0..count).all(|k| {
        let begins = begin(starts[k], &told[k], create).is_some();
        if begins && k == 0 {
            // What it finds out is of use to the others, which need not be waited for one by one.
            wait(1);
        }
        begins
    });
    restore_signals(before);
    if !all_begin {
        // Those that did begin write what they tell.
        core::mem::forget(told);
        return None;
    }
    wait(count);
    wait_for_sleep(count);
    let areas = starts.iter().zip(&told);
    Some(areas.map(|(&start, told)| area(start, told)).collect())
}

/// An area's thread-local storage and descriptor.
fn storage(area: &Area) -> &[u8] {
    // SAFETY: the thread parked; its storage is readable and no longer changes.
    unsafe { core::slice::from_raw_parts(area.tls_low as *const u8, area.end - area.tls_low) }
}

/// Begins one on the mapping at `start`; `None` if the system refuses.
fn begin(start: usize, told: &Told, create: PthreadCreate) -> Option<()> {
    // SAFETY: our own fresh mapping; the lowest page becomes the guard.
    unsafe { sys::protect(start, PAGE, libc::PROT_NONE) };
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut thread = MaybeUninit::<libc::pthread_t>::uninit();
    let stack = (start + PAGE) as *mut c_void;
    // SAFETY: libc initializes the attributes; the stack range is ours, live for ever and used by
    // nobody else; `told` lives until the thread has told, or for ever.
    let failed = unsafe {
        libc::pthread_attr_init(attributes.as_mut_ptr());
        libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack, STACK_BYTES - PAGE);
        create(
            thread.as_mut_ptr(),
            attributes.as_ptr(),
            park,
            told as *const Told as *mut c_void,
        )
    };
    (failed == 0).then_some(())
}

/// Waits until `count` of them have told.
fn wait(count: usize) {
    AWAITED.store(count, Ordering::SeqCst);
    loop {
        let ready = READY.load(Ordering::SeqCst);
        if ready >= count {
            return;
        }
        // The one that makes the number `count` wakes the creator. It reads what it is compared with after it counted.
        futex(&READY, libc::FUTEX_WAIT, ready);
    }
}

/// Waits until `count` of them, which have told, sleep: from then on the pages of their stacks may be protected.
fn wait_for_sleep(count: usize) {
    let (sleeping, counted) = (
        &SLEEPING as *const _ as usize,
        &COUNTED as *const _ as usize,
    );
    let mut asleep = 0;
    loop {
        let (operation, most) = (libc::FUTEX_CMP_REQUEUE as usize, i32::MAX as usize);
        // SAFETY: both words are statics. Nobody is woken.
        let moved =
            unsafe { sys::call6(libc::SYS_futex, sleeping, operation, 0, most, counted, 0) };
        asleep += usize::try_from(moved).unwrap_or(0);
        if asleep >= count {
            return;
        }
        // SAFETY: no argument.
        unsafe { sys::call3(libc::SYS_sched_yield, 0, 0, 0) };
    }
}

/// A system call on a futex, without a time-out.
fn futex(word: &AtomicUsize, operation: c_int, value: usize) {
    let word = word as *const AtomicUsize as usize;
    // SAFETY: the word outlives the call; spurious returns are looped over by all callers.
    unsafe { sys::call6(libc::SYS_futex, word, operation as usize, value, 0, 0, 0) };
}

/// What is known of one that has told.
fn area(start: usize, told: &Told) -> Area {
    let thread_pointer = told.thread_pointer.load(Ordering::SeqCst);
    let stack_pointer = told.stack_pointer.load(Ordering::SeqCst);
    Area {
        start,
        end: start + STACK_BYTES,
        tls_low: (thread_pointer - TLS_BELOW.load(Ordering::SeqCst)) & !63,
        thread_pointer,
        // Pages of their own for thread-local storage and descriptor, which hardly ever change.
        stack_top: (stack_pointer - 512) & !(PAGE - 1),
        birth: Vec::new(),
    }
}

/// Body of a borrowed thread. `told`: its [`Told`].
extern "C" fn park(told: *mut c_void) -> *mut c_void {
    // SAFETY: the creator keeps it until this thread has told.
    let told = unsafe { &*told.cast::<Told>() };
    let mark = 0u64;
    let (thread_pointer, stack_pointer) = (x86_64::thread_pointer(), &raw const mark as usize);
    told.thread_pointer.store(thread_pointer, Ordering::SeqCst);
    told.stack_pointer.store(stack_pointer, Ordering::SeqCst);
    if READY.load(Ordering::SeqCst) == 0 {
        // Descriptor and thread-local storage lie above this stack.
        let lowest = lowest_tls(stack_pointer, thread_pointer);
        TLS_BELOW.store(thread_pointer - lowest, Ordering::SeqCst);
    }
    let ready = READY.fetch_add(1, Ordering::SeqCst) + 1;
    if ready >= AWAITED.load(Ordering::SeqCst) {
        futex(&READY, libc::FUTEX_WAKE, 1);
    }
    #[cfg(test)]
    tests::dawdle();
    loop {
        futex(&SLEEPING, libc::FUTEX_WAIT, 0);
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
    use std::sync::{Mutex, PoisonError};

    /// Makes long what is short: that a thread has told and does not sleep yet.
    pub(super) fn dawdle() {
        for k in 0..10_000_000 {
            core::hint::black_box(k);
        }
    }

    /// A process has one creator.
    static ONE: Mutex<()> = Mutex::new(());
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

    /// A thread that still wrote on its stack would end the process.
    #[test]
    fn their_stacks_may_be_protected_at_once() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..2 {
            // SAFETY: `create` is libc's own `pthread_create`.
            let mut areas = unsafe { borrow(8, 16, libc::pthread_create) }.expect("eight threads");
            assert!(areas.iter().all(sleeps_protected));
            // SAFETY: as above; the areas are writable again.
            assert!(unsafe { borrow_more(&mut areas, libc::pthread_create) });
            assert_eq!(areas.len(), 16);
            assert!(areas.windows(2).all(|two| two[0].end == two[1].start));
            assert!(areas
                .iter()
                .all(|area| area.birth.len() == area.end - area.tls_low));
            assert!(areas.iter().all(sleeps_protected));
        }
    }

    /// Protects a thread's stack for as long as another thread may take to run.
    fn sleeps_protected(area: &Area) -> bool {
        let (start, bytes) = (area.stack_top, area.end - area.stack_top);
        // SAFETY: the pages are the thread's, which sleeps.
        unsafe {
            let protected = sys::protect(start, bytes, libc::PROT_READ);
            sys::call3(libc::SYS_sched_yield, 0, 0, 0);
            protected && sys::protect(start, bytes, libc::PROT_READ | libc::PROT_WRITE)
        }
    }

    #[test]
    fn a_fiber_is_the_thread_whose_stack_and_storage_it_borrows() {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `create` is libc's own `pthread_create`, as `borrow` asks for.
        let areas = unsafe { borrow(2, 2, libc::pthread_create) }.expect("two threads");
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
