//! The runtime's constructor: everything that is set up before any code of the program runs.

use super::execute_anew::execute_anew;
use crate::process::environment::{remove, variable, ARGUMENTS, ENVIRONMENT};
use crate::process::options::OPTIONS;
use crate::process::refusal::{another_version, channel_in, refuse, refuse_to, send};
use crate::process::{self, note};
use crate::pthread::uninitialized_mutexes;
use crate::{engine, world};
use core::ffi::{c_char, c_int};
use core::sync::atomic::Ordering;
use dpor_abi::options::{Options, Search};
use dpor_machine::sys;
use dpor_report::Message;

/// Constructor; the dynamic linker passes what main will get.
extern "C" fn initialize(
    _count: c_int,
    arguments: *mut *const c_char,
    environment: *mut *const c_char,
) {
    ARGUMENTS.store(arguments, Ordering::Relaxed);
    ENVIRONMENT.store(environment, Ordering::Relaxed);
    // SAFETY: the process's own environment, as the dynamic linker gave it.
    let text = unsafe { variable(environment, "DPOR_OPTIONS") }.unwrap_or_default();
    let options = match Options::parse(&text) {
        // Who draws samples afterwards is the driver.
        Ok(options) if options.search == Search::Auto => Options {
            search: Search::Optimal,
            ..options
        },
        Ok(options) => options,
        Err(why) => refuse_to(channel_in(&text), &format!("DPOR_OPTIONS: {why}")),
    };
    crate::malloc::native(options.off);
    dpor_machine::thread_limit::set(options.many_threads);
    if options.off {
        return;
    }
    engine::given::install(&crate::given::GIVEN);
    execute_anew(arguments, environment);
    let flags = libc::MAP_PRIVATE | libc::MAP_FIXED_NOREPLACE;
    if sys::map(world::ADDRESS, size_of::<world::World>(), flags).is_none() {
        refuse("the address range of the checker is taken");
    }
    if !engine::journal::map(options.journal) {
        refuse("the address range of the checker's journal is taken");
    }
    if options.channel >= 0 {
        if options.driver != dpor_abi::version() {
            refuse_to(Some(options.channel), &another_version(&options.driver));
        }
        die_with_driver(options.channel);
        // The program and what it executes must not write to the driver.
        // SAFETY: the process's own environment, as the dynamic linker gave it.
        unsafe { remove(environment, "DPOR_OPTIONS") };
        // SAFETY: only a flag of a descriptor.
        unsafe {
            sys::call3(
                libc::SYS_fcntl,
                options.channel as usize,
                libc::F_SETFD as usize,
                libc::FD_CLOEXEC as usize,
            )
        };
        crate::libc::before_root::watch();
        // Before the root `mutations` does not answer.
        #[cfg(feature = "mutations")]
        let is_left =
            // SAFETY: the process's own environment, as the dynamic linker gave it.
            unsafe { variable(environment, "DPOR_MUTATION") }.is_some_and(|name| name == "alone-free");
        #[cfg(not(feature = "mutations"))]
        let is_left = false;
        if !is_left && !dpor_machine::heap::usable::watch() {
            note("no memory to look for errors of the heap before the second thread");
        }
    }
    if options.strict {
        uninitialized_mutexes::be_strict();
    }
    process::begins(engine::clock::monotonic_ns());
    send(options.channel, &Message::Loaded);
    OPTIONS.store(Box::into_raw(Box::new(options)), Ordering::Relaxed);
    std::panic::set_hook(Box::new(panicked));
    crate::exit::register();
}

#[used]
#[link_section = ".init_array"]
static INITIALIZE: extern "C" fn(c_int, *mut *const c_char, *mut *const c_char) = initialize;

/// Whatever ends the driver (no memory, a runner's limit of time) ends this process: nobody would hear of
/// what it finds. Processes that it forks die with it in turn (engine/src/children.rs).
///
/// The signal comes at the end of the thread that made this process; the driver's waits for it. If the driver
/// ended before it was asked for, nobody reads the channel any more.
fn die_with_driver(channel: i32) {
    let mut asked = libc::pollfd {
        fd: channel,
        events: 0,
        revents: 0,
    };
    let at_once = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the two structures are valid, and ours.
    unsafe {
        let (option, signal) = (libc::PR_SET_PDEATHSIG as usize, libc::SIGKILL as usize);
        sys::call3(libc::SYS_prctl, option, signal, 0);
        let (asked, at_once) = (&raw mut asked as usize, &raw const at_once as usize);
        sys::call6(libc::SYS_ppoll, asked, 1, at_once, 0, 0, 0);
    }
    if asked.revents & libc::POLLERR != 0 {
        sys::exit_group(2);
    }
}

/// The runtime is in a state that cannot be: its own fault, or the program overwrote its memory. It must
/// not look like an abort of the program's.
fn panicked(info: &std::panic::PanicHookInfo<'_>) {
    engine::journal::announce(dpor_abi::journal::Announced::Panic, 0, 0);
    refuse(&format!("[dpor internal bug] {info}"))
}
