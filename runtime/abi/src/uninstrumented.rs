//! What functions without instrumentation read of the program's memory, as far as it is known by name.
//!
//! It matters for memory that threads write atomically: the order of such writes counts as soon as
//! anybody reads it, and no hook tells of the reads of such a function. What is not in these lists may
//! read anything.
//!
//! That a function reads *nothing* means: no memory that a program may write atomically. A mutex, an
//! attribute object, a `FILE` are read, but only these functions write them. It also says that no code
//! runs on its behalf that was not looked at by itself, but for callbacks, which have their own hooks.

use crate::libc_call::{Rule, CALLS};
use crate::thread_api;

/// The memory that a function may read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// The function reads nothing that a program writes atomically.
    Nothing,
    /// The function reads what its pointer arguments point to, and no further.
    Arguments {
        /// An argument that does not count: a `FILE`, or the object of a member function of C++'s
        /// library.
        but: Option<u8>,
    },
    /// Whatever it can reach.
    Anything,
}

/// First characters of the names of functions that read nothing.
const NOTHING: &[&str] = &[
    // The checker's own functions.
    "dpor_",
    "__VERIFIER_",
    "__tsan_",
    "AnnotateHappens",
    "AnnotateRWLock",
    "AnnotateIgnore",
    // Exceptions and unwinding; they read their own records and the tables of the linker.
    "__cxa_",
    "_Unwind_",
    "__gxx_personality",
    "__clang_call_terminate",
    // C++'s threads, which call their namesakes in C, and what only throws.
    "_ZNSt6thread",
    "_ZNKSt6thread",
    "_ZNSt11this_thread",
    "_ZNSt18condition_variable",
    "_ZNSt6chrono",
    "_ZSt9terminatev",
    "_ZSt16__throw_bad_cast",
    "_ZSt17__throw_bad_alloc",
    "_ZSt19__throw_",
    "_ZSt20__throw_",
    "_ZSt21__throw_",
    "_ZSt24__throw_",
    "_ZSt25__throw_",
    "_ZSt28__throw_",
    "_ZNSt8ios_base4Init",
    // `operator new` and `operator delete`, in all their forms.
    "_Znw",
    "_Zna",
    "_Zdl",
    "_Zda",
];

/// Whole names of functions that read nothing.
#[rustfmt::skip] // A table: many names to a line.
const NOTHING_NAMED: &[&str] = &[
    // The heap is the runtime's. What a block contains is copied by `realloc` alone.
    "malloc", "calloc", "free", "cfree", "aligned_alloc", "memalign", "posix_memalign", "valloc",
    "pvalloc", "free_sized", "free_aligned_sized", "malloc_usable_size",
    // Clocks write to their arguments only; what a sleep is asked for the runtime reads and notes.
    "time", "clock", "clock_gettime", "clock_getres", "gettimeofday", "times", "timespec_get",
    "nanosleep", "clock_nanosleep", "sleep", "usleep",
    "getpid", "gettid", "getppid", "getuid", "sched_getcpu", "sysconf", "getpagesize",
    "rand", "srand", "random", "srandom", "getrandom", "getentropy", "arc4random",
    "exit", "_exit", "_Exit", "quick_exit", "atexit", "raise",
    "__errno_location", "__stack_chk_fail", "__tls_get_addr", "__h_errno_location",
    "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "tolower", "toupper",
    "setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "longjmp", "_longjmp", "siglongjmp",
    "__longjmp_chk",
    // Mathematics: `errno` keeps the compiler from saying so.
    "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "exp", "exp2", "expm1", "fabs",
    "floor", "fma", "fmax", "fmin", "fmod", "hypot", "ldexp", "lgamma", "llround", "log", "log10",
    "log1p", "log2", "lrint", "lround", "nearbyint", "pow", "remainder", "rint", "round", "sin",
    "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
    "acosf", "asinf", "atanf", "atan2f", "ceilf", "cosf", "expf", "floorf", "fmodf", "hypotf",
    "logf", "log10f", "log2f", "powf", "roundf", "sinf", "sqrtf", "tanf", "truncf",
    "abs", "labs", "llabs", "div", "ldiv",
];

/// Functions that read what their arguments point to, including what `%s` prints, as the text is an argument. Not in
/// the list are those that follow a pointer they are given the address of (`strtok_r`), or that call back (`qsort`: the
/// comparison may have no hooks).
#[rustfmt::skip] // A table: many names to a line.
const ARGUMENTS: &[&str] = &[
    "strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "strxfrm",
    "strcpy", "strncpy", "strcat", "strncat", "stpcpy", "stpncpy", "strlcpy", "strlcat", "strchr",
    "strrchr", "strchrnul", "strstr", "strcasestr", "strpbrk", "strspn", "strcspn", "strdup",
    "strndup", "__strdup", "memchr", "memrchr", "rawmemchr", "memmem", "memccpy", "__strcpy_chk", "__strncpy_chk", "__strcat_chk", "__strncat_chk",
    "__stpcpy_chk", "strerror", "strerror_r", "__xpg_strerror_r",
    "atoi", "atol", "atoll", "atof", "strtol", "strtoll", "strtoul", "strtoull", "strtod", "strtof",
    "strtold", "strtoimax", "strtoumax", "__isoc23_strtol", "__isoc23_strtoll",
    "__isoc23_strtoul", "__isoc23_strtoull",
    "sprintf", "snprintf", "asprintf", "__sprintf_chk", "__snprintf_chk", "__asprintf_chk",
    "sscanf", "__isoc99_sscanf", "__isoc23_sscanf",
    "_ZSt11_Hash_bytesPKvmm", "_ZSt15_Fnv_hash_bytesPKvmm",
    "rand_r", "frexp", "modf",
    "realloc", "reallocarray",
    "printf", "__printf_chk", "puts", "putchar", "putchar_unlocked", "perror", "scanf",
    "__isoc99_scanf", "__isoc23_scanf", "getchar", "getchar_unlocked",
    "read", "write", "send", "recv", "pread", "pread64", "lseek", "lseek64", "dprintf",
    "__dprintf_chk", "open", "open64", "openat", "close", "fopen", "fopen64", "fclose", "access",
    "stat", "fstat", "lstat", "isatty", "unlink", "remove", "poll",
];

/// Functions of C++'s library that read the object they are called on, and what arguments point to. The
/// object is the library's, which alone writes it: a stream, a string, an exception.
const MEMBERS: &[&str] = &[
    "_ZNSo",
    "_ZNSi",
    "_ZSt4endl",
    "_ZSt16__ostream_insert",
    "_ZStlsISt11char_traits",
    "_ZNSt9basic_ios",
    "_ZNKSt9basic_ios",
    "_ZNSt8ios_base",
    "_ZNSt6locale",
    "_ZNKSt6locale",
    "_ZNSt7__cxx1112basic_string",
    "_ZNKSt7__cxx1112basic_string",
    "_ZNSt9exception",
    "_ZNKSt9exception",
    "_ZNSt11logic_error",
    "_ZNSt13runtime_error",
    "_ZNSt12system_error",
    "_ZNSt3_V2",
];

/// Whether a function is an annotation of the order of threads, which the runtime tells from one that is made
/// by code without hooks by where it returns to.
pub fn is_ordering(name: &str) -> bool {
    let orders = [
        "dpor_acquire",
        "dpor_release",
        "__tsan_",
        "AnnotateHappens",
        "AnnotateRWLock",
    ];
    orders.iter().any(|begin| name.starts_with(begin))
}

/// What the function of this name may read.
pub fn reads(name: &str) -> Reads {
    let is_passed = || {
        thread_api::PASSED_THROUGH
            .iter()
            .any(|g| g.1.contains(&name))
    };
    if NOTHING.iter().any(|prefix| name.starts_with(prefix))
        || NOTHING_NAMED.contains(&name)
        || thread_api::MODELLED.contains(&name)
        || thread_api::UNSUPPORTED.contains(&name)
        || is_passed()
    {
        return Reads::Nothing;
    }
    if MEMBERS.iter().any(|prefix| name.starts_with(prefix)) {
        return Reads::Arguments { but: Some(0) };
    }
    if ARGUMENTS.contains(&name) {
        return Reads::Arguments { but: None };
    }
    let call = CALLS.iter().find(|call| call.name == name);
    // The argument lists of `vfprintf` and its like lead further than they point.
    match call.map(|call| call.rule) {
        Some(Rule::Stream(k) | Rule::StreamUnlocked(k)) if !is_indirect(name) => {
            Reads::Arguments { but: Some(k) }
        }
        _ => Reads::Anything,
    }
}

fn is_indirect(name: &str) -> bool {
    let name = name.trim_start_matches('_').trim_start_matches("isoc99_");
    name.trim_start_matches("isoc23_").starts_with('v')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name() {
        let stream = |k| Reads::Arguments { but: Some(k) };
        for (name, expected) in [
            ("pthread_mutex_lock", Reads::Nothing),
            ("pthread_self", Reads::Nothing),
            ("_ZNSt6thread4joinEv", Reads::Nothing),
            ("_Znwm", Reads::Nothing),
            ("printf", Reads::Arguments { but: None }),
            ("fprintf", stream(0)),
            ("fputs", stream(1)),
            ("fwrite", stream(3)),
            ("_ZNSolsEi", stream(0)),
            ("vprintf", Reads::Anything),
            ("vfprintf", Reads::Anything),
            ("__vfprintf_chk", Reads::Anything),
            ("__isoc99_vfscanf", Reads::Anything),
            ("writev", Reads::Anything),
            ("getenv", Reads::Anything),
            ("syscall", Reads::Anything),
            ("foo", Reads::Anything),
            ("strtok_r", Reads::Anything),
            ("strsep", Reads::Anything),
            ("qsort", Reads::Anything),
            ("bsearch", Reads::Anything),
        ] {
            assert_eq!(reads(name), expected, "{name}");
        }
    }
}
