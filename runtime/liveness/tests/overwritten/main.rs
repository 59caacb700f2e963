//! What is said to be dead is overwritten, in random programs that a compiler made: they go on as if nothing had happened.

mod hook;
mod program;

use core::ffi::{c_int, c_long};
use dpor_liveness::{Frames, Part};
use dpor_machine::call_frames::Object;
use program::Source;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// The programs share the hook's counters.
static ALONE: Mutex<()> = Mutex::new(());

/// Compiles C++ to a library; false: there is no such compiler.
fn compile(compiler: &str, level: &str, source: &str, library: &Path) -> bool {
    let file = library.with_extension("cc");
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new(compiler);
    command
        .args([level, "-g0", "-w", "-fPIC", "-shared", "-o"])
        .arg(library)
        .arg(&file);
    match command.status() {
        Ok(status) => {
            assert!(status.success(), "{compiler} {level} on {}", file.display());
            true
        }
        Err(_) => false,
    }
}

/// A library that was loaded.
struct Library {
    handle: *mut libc::c_void,
    run: extern "C" fn(extern "C" fn(c_long) -> c_long, c_long) -> c_long,
}

impl Library {
    fn load(path: &Path) -> Library {
        let path = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the library is the test's own, and its constructors do nothing that others would notice.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null(), "{path:?} is loaded");
        // SAFETY: the handle is of a library that is loaded; `run` has this type in every program that is made.
        let run = unsafe {
            let run = libc::dlsym(handle, c"run".as_ptr());
            assert!(!run.is_null());
            core::mem::transmute::<
                *mut libc::c_void,
                extern "C" fn(extern "C" fn(c_long) -> c_long, c_long) -> c_long,
            >(run)
        };
        Library { handle, run }
    }

    /// What is known of its frames; it must not be unloaded before.
    fn frames(&self) -> Frames {
        let part = part_with(self.run as usize).expect("there is call frame information");
        Frames::new(vec![part])
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the library was loaded, and nothing of it is used any more.
        unsafe { libc::dlclose(self.handle) };
    }
}

/// The loaded object in which an address is.
fn part_with(address: usize) -> Option<Part> {
    struct Search {
        address: usize,
        found: Option<Part>,
    }
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut libc::c_void,
    ) -> c_int {
        // SAFETY: dl_iterate_phdr passes a valid record and the pointer given below.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        // SAFETY: the array has `dlpi_phnum` entries.
        let headers =
            unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        // SAFETY: the library that is looked for stays loaded while it is used; others are forgotten at once.
        let object = unsafe { Object::of_headers(info.dlpi_addr as usize, headers) };
        search.found = { object }
            .filter(|object| object.contains(search.address as u64))
            .map(|object| Part::new(object, true));
        c_int::from(search.found.is_some())
    }
    let mut search = Search {
        address,
        found: None,
    };
    // SAFETY: the callback gets the pointer while `search` lives.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

/// Runs a program undisturbed, and then with what is dead overwritten. Returns how much was dead.
fn compare(library: &Library, input: c_long, what: &dyn Fn() -> String) -> usize {
    let run = |frames| hook::with(frames, || (library.run)(hook::hook, input));
    let (expected, _) = run(None);
    let (found, dead) = run(Some(library.frames()));
    assert_eq!(found, expected, "{}", what());
    dead
}

#[test]
fn random_programs_go_on_as_if_nothing_had_happened() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(29);
    let compilers = ["g++", "clang++-19", "clang++-22"];
    let mut dead = 0;
    for number in 0..12 {
        let source = Source::random(&mut random);
        for compiler in compilers {
            let level = ["-O0", "-O1", "-O2", "-O3"][random.usize(..4)];
            let file = folder.path().join(format!("{number}{compiler}.so"));
            if !compile(compiler, level, &source.text, &file) {
                continue;
            }
            let library = Library::load(&file);
            for input in 0..8 {
                let what = || format!("{compiler} {level}, input {input}:\n{}", source.text);
                dead += compare(&library, input, &what);
            }
        }
    }
    assert!(dead > 1000, "so little was dead: {dead}");
}

/// A function that has a value in rbx when it calls the hook, and then executes `after`, which leaves in rax what the
/// function returns; all other registers that a call preserves are overwritten there.
fn by_hand(after: &str) -> String {
    format!(
        "extern \"C\" long run(long (*hook)(long), long input) {{
            long seen;
            asm volatile(
                \"mov $0x1177, %%rbx\\n call *%%rax\\n {after}\\n\"
                \"xor %%ebx, %%ebx\\n xor %%ebp, %%ebp\\n xor %%r12d, %%r12d\\n xor %%r13d, %%r13d\\n\"
                \"xor %%r14d, %%r14d\\n xor %%r15d, %%r15d\"
                : \"=a\"(seen), \"+D\"(input) : \"0\"(hook)
                : \"rbx\", \"rbp\", \"r12\", \"r13\", \"r14\", \"r15\", \"rcx\", \"rdx\", \"rsi\", \"r8\", \"r9\",
                  \"r10\", \"r11\", \"memory\", \"cc\");
            return seen;
        }}"
    )
}

/// What comes after the call, what the function returns, and whether rbx is dead.
const CASES: [(&str, c_long, bool); 9] = [
    ("mov %%rbx, %%rax", 0x1177, false),
    ("mov $5, %%rbx; mov %%rbx, %%rax", 5, true),
    // Writing 32 bits writes all of them, writing 8 does not.
    ("mov $5, %%ebx; mov %%rbx, %%rax", 5, true),
    ("mov $5, %%bl; mov %%rbx, %%rax", 0x1105, false),
    ("xor %%ebx, %%ebx; mov %%rbx, %%rax", 0, true),
    // What is written under a condition may stay.
    (
        "mov $5, %%rax; cmp $0, %%rax; cmove %%rax, %%rbx; mov %%rbx, %%rax",
        0x1177,
        false,
    ),
    // On one way it is read.
    (
        "mov $5, %%rax; cmp $5, %%rax; jne 2f; mov %%rbx, %%rax; 2: nop",
        0x1177,
        false,
    ),
    // An address is read, too.
    ("lea 1(%%rbx), %%rax", 0x1178, false),
    // Where a jump goes through a register, nobody knows.
    (
        "lea 2f(%%rip), %%rax; jmp *%%rax; 2: mov $7, %%rax",
        7,
        false,
    ),
];

#[test]
fn what_a_register_is_dead_by() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().unwrap();
    for (number, (after, expected, is_dead)) in CASES.into_iter().enumerate() {
        let file = folder.path().join(format!("{number}.so"));
        assert!(
            compile("g++", "-O1", &by_hand(after), &file),
            "the build needs a C++ compiler"
        );
        let library = Library::load(&file);
        let (found, dead) = hook::with(Some(library.frames()), || (library.run)(hook::hook, 0));
        assert_eq!(found, expected, "{after}");
        // The other five are dead wherever the ways are known.
        let is_known = !after.contains("jmp *");
        let others = if is_known { 5 } else { 0 };
        assert_eq!(dead, others + usize::from(is_dead), "{after}");
    }
}
