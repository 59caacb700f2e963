//! From the process's first instruction to the root.
//!
//! 1. [`initialize`] runs before every other constructor (`-z initfirst`): reads `DPOR_OPTIONS`;
//!    executes the program anew without address-space randomization, with eager binding (lazily
//!    bound slots in rolled-back memory would be bound again in every execution) and without
//!    glibc's restartable sequences; maps the [`crate::world`]; registers its exit handler first, so
//!    that it runs last.
//! 2. The program runs as itself. `__libc_start_main` is ours only to learn that main returned.
//! 3. Its second thread, its first choice, or under `dpor check` its first misuse or its first change of a
//!    file makes the root (engine/root.rs).

use crate::engine;
use crate::hooks::uninstrumented;
use crate::pthread::failure::Text;
use crate::pthread::{live_objects, uninitialized_mutexes};
use crate::state::Kept;
use crate::world;
use core::ffi::{c_char, c_int, c_void, CStr};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use dpor_abi::options::{Options, Search};
use dpor_abi::{module_flag, ModuleInfo};
use dpor_machine::fiber::x86_64;
use dpor_machine::sys;
use dpor_report::{text, Message};

static OPTIONS: Kept<AtomicPtr<Options>> = Kept::new(AtomicPtr::new(ptr::null_mut()));
static ARGUMENTS: Kept<AtomicPtr<*const c_char>> = Kept::new(AtomicPtr::new(ptr::null_mut()));
static ENVIRONMENT: Kept<AtomicPtr<*const c_char>> = Kept::new(AtomicPtr::new(ptr::null_mut()));
static MODULES: Kept<AtomicPtr<Vec<usize>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));
static NOTES: Kept<AtomicPtr<Vec<String>>> = Kept::new(AtomicPtr::new(ptr::null_mut()));
static MAIN: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// Says in the environment that the process was executed anew; its value is the user's
/// `GLIBC_TUNABLES`, if there was one.
const AGAIN: &str = "DPOR_AGAIN";
const NO_RANDOMIZATION: usize = libc::ADDR_NO_RANDOMIZE as usize;

/// Constructor; the dynamic linker passes what main will get.
extern "C" fn initialize(
    _count: c_int,
    arguments: *mut *const c_char,
    environment: *mut *const c_char,
) {
    ARGUMENTS.store(arguments, Ordering::Relaxed);
    ENVIRONMENT.store(environment, Ordering::Relaxed);
    let text = variable(environment, "DPOR_OPTIONS").unwrap_or_default();
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
        remove(environment, "DPOR_OPTIONS");
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
            variable(environment, "DPOR_MUTATION").is_some_and(|name| name == "alone-free");
        #[cfg(not(feature = "mutations"))]
        let is_left = false;
        if !is_left && !dpor_machine::heap::usable::watch() {
            note("no memory to look for errors of the heap before the second thread");
        }
    }
    if options.strict {
        uninitialized_mutexes::be_strict();
    }
    BEGAN_NS.store(engine::run::monotonic_ns(), Ordering::Relaxed);
    send(options.channel, &Message::Loaded);
    OPTIONS.store(Box::into_raw(Box::new(options)), Ordering::Relaxed);
    std::panic::set_hook(Box::new(panicked));
    crate::exit::register();
}

#[used]
#[link_section = ".init_array"]
static INITIALIZE: extern "C" fn(c_int, *mut *const c_char, *mut *const c_char) = initialize;

/// The options, unless the runtime is off.
pub fn options() -> Option<&'static Options> {
    // SAFETY: written once, never freed.
    unsafe { OPTIONS.load(Ordering::Relaxed).as_ref() }
}

/// Tells the driver that exploration begins.
pub fn announce() {
    if let Some(options) = options() {
        let channel = options.channel;
        if channel >= 0 {
            sys::write_all(channel, b"\"started\"\n");
        }
    }
}

/// The tool cannot do its work: one sentence, exit code 2.
pub fn refuse(why: &str) -> ! {
    refuse_to(options().map(|options| options.channel), why)
}

/// The same, to the driver at the other end of a channel, if there is one.
fn refuse_to(channel: Option<i32>, why: &str) -> ! {
    match channel {
        Some(channel) if channel >= 0 => send(channel, &Message::Failure(why.to_owned())),
        _ => sys::write_all(2, format!("dpor: {why}\n").as_bytes()),
    }
    sys::exit_group(2)
}

/// As [`refuse`], where there is no memory to say it with. `why` has nothing that JSON escapes.
pub fn refuse_plainly(why: &str) -> ! {
    let channel = options().map_or_else(channel_of_process, |options| options.channel);
    let (fd, before, after) = match channel {
        0.. => (channel, "{\"failure\":\"", "\"}\n"),
        _ => (2, "dpor: ", "\n"),
    };
    // A driver names the limit itself.
    let limit = match channel {
        0.. => Text::new(format_args!("")),
        _ => sys::limit_of_address_space().map_or(Text::new(format_args!("")), |limit| {
            Text::new(format_args!(
                "; the address space of a process is limited to {limit} bytes here (ulimit -v)"
            ))
        }),
    };
    for part in [before, why, limit.as_str(), after] {
        sys::write_all(fd, part.as_bytes());
    }
    sys::exit_group(2)
}

/// The channel that the environment names, before options are read; −1: none.
fn channel_of_process() -> i32 {
    let environment = ENVIRONMENT.load(Ordering::Relaxed);
    if environment.is_null() {
        return -1;
    }
    let options =
        strings(environment).find_map(|entry| entry.to_bytes().strip_prefix(b"DPOR_OPTIONS="));
    let mut settings = options.unwrap_or_default().split(|&byte| byte == b':');
    let channel = settings.find_map(|setting| setting.strip_prefix(b"channel="));
    let channel = channel.and_then(|digits| core::str::from_utf8(digits).ok());
    channel.and_then(|digits| digits.parse().ok()).unwrap_or(-1)
}

/// A line for the driver, if there is one.
fn send(channel: i32, message: &Message) {
    if channel >= 0 {
        let line = serde_json::to_string(message).unwrap_or_default();
        sys::write_all(channel, format!("{line}\n").as_bytes());
    }
}

/// The driver would not understand what this runtime says, nor this one what it asks for.
fn another_version(driver: &str) -> String {
    let driver = match driver {
        "" => "does not say its own",
        driver => driver,
    };
    format!(
        "the program's runtime libdpor_rt.so has version {}, and dpor {driver}: \
         build the program again with this dpor's dpor-cc",
        dpor_abi::version()
    )
}

/// Whatever ends the driver (no memory, a runner's limit of time) ends this process: nobody would hear of
/// what it finds. Processes that it forks die with it in turn ([`engine::children`]).
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

/// When the runtime was there, in nanoseconds of the monotonic clock.
static BEGAN_NS: Kept<AtomicU64> = Kept::new(AtomicU64::new(0));

/// From when on a limit of time counts: what the program did before its second thread is a part of the check.
pub fn began_ns() -> u64 {
    BEGAN_NS.load(Ordering::Relaxed)
}

/// The channel in options that are not understood as a whole: those of a driver of another version.
fn channel_in(text: &str) -> Option<i32> {
    let mut settings = text.split(':');
    settings
        .find_map(|setting| setting.strip_prefix("channel="))?
        .parse()
        .ok()
}

/// The runtime is in a state that cannot be: its own fault, or the program overwrote its memory. It must
/// not look like an abort of the program's.
fn panicked(info: &std::panic::PanicHookInfo<'_>) {
    engine::journal::announce(dpor_abi::journal::Announced::Panic, 0, 0);
    refuse(&format!("[dpor internal bug] {info}"))
}

/// Entries of a NULL-terminated vector of strings.
fn strings(vector: *mut *const c_char) -> impl Iterator<Item = &'static CStr> {
    let mut k = 0;
    core::iter::from_fn(move || {
        // SAFETY: the process's own vectors end with NULL.
        let string = unsafe { *vector.add(k) };
        k += 1;
        // SAFETY: entries are NUL-terminated.
        (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) })
    })
}

fn variable(environment: *mut *const c_char, name: &str) -> Option<String> {
    strings(environment).find_map(|entry| {
        let entry = entry.to_str().ok()?;
        entry
            .strip_prefix(name)?
            .strip_prefix('=')
            .map(str::to_owned)
    })
}

/// Takes a variable out of the environment in place.
fn remove(environment: *mut *const c_char, name: &str) {
    let mut kept = 0;
    let entries: Vec<&CStr> = strings(environment).collect();
    for entry in entries {
        let ours = entry
            .to_bytes()
            .strip_prefix(name.as_bytes())
            .is_some_and(|rest| rest.first() == Some(&b'='));
        if !ours {
            // SAFETY: writes at most as many entries as there were.
            unsafe { *environment.add(kept) = entry.as_ptr() };
            kept += 1;
        }
    }
    // SAFETY: as above; there was a terminator at or after this place.
    unsafe { *environment.add(kept) = ptr::null() };
}

/// Executes the program again without randomization, once; afterwards scrubs what that needed.
fn execute_anew(arguments: *mut *const c_char, environment: *mut *const c_char) {
    if let Some(tunables) = variable(environment, AGAIN) {
        for name in [AGAIN, "LD_BIND_NOW", "GLIBC_TUNABLES"] {
            remove(environment, name);
        }
        if !tunables.is_empty() {
            restore(environment, &tunables);
        }
        // SAFETY: asks only.
        let personality = unsafe { sys::call3(libc::SYS_personality, 0xffff_ffff, 0, 0) };
        if personality as usize & NO_RANDOMIZATION == 0 {
            note("addresses are randomized here (personality is refused): replays may name other addresses");
        }
        return;
    }
    // SAFETY: asks, then sets one flag; refused in some containers, and then noted above.
    unsafe {
        let personality = sys::call3(libc::SYS_personality, 0xffff_ffff, 0, 0);
        if personality >= 0 {
            sys::call3(
                libc::SYS_personality,
                personality as usize | NO_RANDOMIZATION,
                0,
                0,
            );
        }
    }
    let tunables = variable(environment, "GLIBC_TUNABLES").unwrap_or_default();
    let all = if tunables.is_empty() {
        String::new()
    } else {
        format!("{tunables}:")
    };
    let added = [
        format!("{AGAIN}={tunables}\0"),
        "LD_BIND_NOW=1\0".to_owned(),
        format!("GLIBC_TUNABLES={all}glibc.pthread.rseq=0\0"),
    ];
    let mut entries: Vec<*const c_char> = strings(environment)
        .filter(|entry| {
            !entry.to_bytes().starts_with(b"GLIBC_TUNABLES=")
                && !entry.to_bytes().starts_with(b"LD_BIND_NOW=")
        })
        .map(CStr::as_ptr)
        .collect();
    entries.extend(added.iter().map(|entry| entry.as_ptr().cast()));
    entries.push(ptr::null());
    let path = c"/proc/self/exe";
    // SAFETY: NUL-terminated strings in NULL-terminated vectors.
    unsafe {
        sys::call3(
            libc::SYS_execve,
            path.as_ptr() as usize,
            arguments as usize,
            entries.as_ptr() as usize,
        )
    };
    // Not executed: go on as we are.
    note("the program could not be executed anew: addresses are randomized");
}

/// Puts the user's GLIBC_TUNABLES back where LD_BIND_NOW or ours stood.
fn restore(environment: *mut *const c_char, tunables: &str) {
    let count = strings(environment).count();
    let entry = Box::leak(format!("GLIBC_TUNABLES={tunables}\0").into_boxed_str());
    // SAFETY: three entries were removed just before, so there is room for one and the terminator.
    unsafe {
        *environment.add(count) = entry.as_ptr().cast();
        *environment.add(count + 1) = ptr::null();
    }
}

/// A sentence about the run as a whole.
pub fn note(text: &str) {
    let mut notes = notes();
    notes.push(text.to_owned());
    NOTES.store(Box::into_raw(Box::new(notes)), Ordering::Relaxed);
}

/// The program may bring its own allocator. Its memory is the program's like any other; only where
/// blocks begin and end is not known.
pub fn note_foreign_allocator() {
    let used = crate::real::first(c"malloc") as usize;
    if !engine::root::is_own(used) {
        note("the program brings its own malloc: heap blocks are not named, and their reuse is not seen");
    }
}

/// Sentences about the run as a whole.
pub fn notes() -> Vec<String> {
    // SAFETY: never freed.
    unsafe { NOTES.load(Ordering::Relaxed).as_ref() }
        .cloned()
        .unwrap_or_default()
}

/// Program and arguments as the process has them.
pub fn command_line() -> Vec<String> {
    strings(ARGUMENTS.load(Ordering::Relaxed))
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect()
}

/// Where the arguments of the process are: above every frame of thread 0.
pub fn arguments() -> usize {
    ARGUMENTS.load(Ordering::Relaxed) as usize
}

/// Whether an address lies in the program itself, which is never unloaded.
pub fn is_of_program(address: usize) -> bool {
    // SAFETY: asks only; the kernel says where the program headers are, and how many.
    let headers = unsafe {
        let first = libc::getauxval(libc::AT_PHDR) as *const libc::Elf64_Phdr;
        if first.is_null() {
            return false;
        }
        core::slice::from_raw_parts(first, libc::getauxval(libc::AT_PHNUM) as usize)
    };
    let own = headers.iter().find(|h| h.p_type == libc::PT_PHDR);
    let base = own.map_or(0, |own| {
        (headers.as_ptr() as usize).wrapping_sub(own.p_vaddr as usize)
    });
    headers.iter().any(|header| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        header.p_type == libc::PT_LOAD && address.wrapping_sub(start) < header.p_memsz as usize
    })
}

/// An instrumented module's constructor calls.
///
/// # Safety
/// `module` is the record that the pass emitted, live as long as the module is loaded.
pub unsafe fn module_loaded(module: *const ModuleInfo) {
    // SAFETY: the pass emitted the record.
    let version = unsafe { (*module).abi_version };
    if version != dpor_abi::ABI_VERSION {
        refuse(&format!(
            "a module was instrumented for version {version} of the runtime, this one has version {}: build it again",
            dpor_abi::ABI_VERSION
        ));
    }
    // SAFETY: as above.
    unsafe {
        crate::hooks::uninstrumented::module_loaded(module);
        uninitialized_mutexes::module_loaded(module);
    }
    // SAFETY: constructors run one after the other.
    let mut modules = unsafe { MODULES.load(Ordering::Relaxed).as_ref() }
        .cloned()
        .unwrap_or_default();
    modules.push(module as usize);
    MODULES.store(Box::into_raw(Box::new(modules)), Ordering::Relaxed);
}

/// Addresses of the records of instrumented modules.
pub fn modules() -> Vec<usize> {
    // SAFETY: never freed.
    unsafe { MODULES.load(Ordering::Relaxed).as_ref() }
        .cloned()
        .unwrap_or_default()
}

/// A note if assertions are compiled out of instrumented modules: of which, unless it is all of them.
pub fn without_assertions() -> Option<String> {
    let all = modules();
    // SAFETY: records that the pass emitted, of modules that are loaded.
    let infos = all
        .iter()
        .map(|&module| unsafe { &*(module as *const ModuleInfo) });
    let without: Vec<&ModuleInfo> = infos
        .filter(|info| info.flags & module_flag::NDEBUG != 0)
        .collect();
    if without.is_empty() {
        return None;
    }
    let note = text::WITHOUT_ASSERTIONS.to_owned();
    if without.len() == all.len() {
        return Some(note);
    }
    let names = without.iter().take(MODULES_NAMED).map(|info| {
        // SAFETY: the pass emitted a NUL-terminated name.
        unsafe { CStr::from_ptr(info.name) }.to_string_lossy()
    });
    let names = names.collect::<Vec<_>>().join(", ");
    let more = match without.len().saturating_sub(MODULES_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{note} of {names}{more}"))
}

/// So many modules are named.
const MODULES_NAMED: usize = 4;

type Main = extern "C" fn(c_int, *mut *const c_char, *mut *const c_char) -> c_int;

/// Stands in for libc's, to wrap main.
///
/// # Safety
/// Called by the program's startup code only.
#[no_mangle]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    count: c_int,
    arguments: *mut *const c_char,
    init: usize,
    fini: usize,
    rtld_fini: usize,
    stack_end: *mut c_void,
) -> c_int {
    MAIN.store(main as *const () as usize, Ordering::Relaxed);
    let start = real!(__libc_start_main: fn(Main, c_int, *mut *const c_char, usize, usize, usize, *mut c_void) -> c_int);
    // SAFETY: passes on what the startup code gave.
    unsafe {
        start(
            main_wrapper,
            count,
            arguments,
            init,
            fini,
            crate::fini::wrap(rtld_fini),
            stack_end,
        )
    }
}

extern "C" fn main_wrapper(
    count: c_int,
    arguments: *mut *const c_char,
    environment: *mut *const c_char,
) -> c_int {
    // SAFETY: main's own arguments.
    unsafe { x86_64::call_on_page(run_main, count, arguments, environment, STACK_BASE.as_ptr()) }
}

/// Main, and what libc does when it returns: goes on in `exit`. So nothing is written above
/// [`stack_base`].
extern "C" fn run_main(
    count: c_int,
    arguments: *mut *const c_char,
    environment: *mut *const c_char,
) -> ! {
    // SAFETY: written by `__libc_start_main`.
    let main: Main = unsafe { core::mem::transmute(MAIN.load(Ordering::Relaxed)) };
    let code = main(count, arguments, environment);
    crate::exit::main_returned();
    crate::exit::real_exit(code)
}

/// The page boundary on thread 0's stack below which main's frames lie; above it are those of libc's start
/// and what the kernel left for the program, which hardly anybody writes. 0 before main.
static STACK_BASE: Kept<AtomicUsize> = Kept::new(AtomicUsize::new(0));

/// See [`STACK_BASE`].
pub fn stack_base() -> usize {
    STACK_BASE.load(Ordering::Relaxed)
}

/// Whether a program that never had a second thread left something that is to be told.
pub fn has_something_to_say() -> bool {
    live_objects::has_something_to_say() || uninitialized_mutexes::has_something_to_say()
}

/// Whether `main` has hooks.
pub fn is_main_instrumented() -> bool {
    uninstrumented::is_instrumented(MAIN.load(Ordering::Relaxed))
}
