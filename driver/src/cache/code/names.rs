//! Names that no record defines: of the C start-up files, and of the linker. And names that are called though no record
//! says so.

/// Functions of the C start-up files, and of the part of libc that is linked in; and the one that hands a module's record
/// to the runtime. Their code does not depend on the program.
pub const START_UP: &[&str] = &[
    "_start",
    "_dl_relocate_static_pie",
    "deregister_tm_clones",
    "register_tm_clones",
    "__do_global_dtors_aux",
    "frame_dummy",
    "_init",
    "_fini",
    "atexit",
    "at_quick_exit",
    "pthread_atfork",
    "__pthread_atfork",
    "__stack_chk_fail_local",
    "dpor.constructor",
];

/// Data of the same.
const START_UP_DATA: &[&str] = &["__dso_handle", "_IO_stdin_used", "__TMC_END__"];

/// What the linker defines, and says nothing of where code and data are. What is between the first and the last
/// constructor is reached anyway.
const LINKER: &[&str] = &[
    "_GLOBAL_OFFSET_TABLE_",
    "_TLS_MODULE_BASE_",
    "__preinit_array_start",
    "__preinit_array_end",
    "__init_array_start",
    "__init_array_end",
    "__fini_array_start",
    "__fini_array_end",
    "__rela_iplt_start",
    "__rela_iplt_end",
    dpor_abi::foreign::ALL_KNOWN,
    dpor_abi::reach::VOUCHED,
];

/// What the linker and the start-up files define where parts of the program begin and end.
const ENDS: &[&str] = &[
    "_DYNAMIC",
    "__GNU_EH_FRAME_HDR",
    "__ehdr_start",
    "__executable_start",
    "__data_start",
    "data_start",
    "__bss_start",
    "__bss_start__",
    "__bss_end__",
    "_bss_end__",
    "_edata",
    "edata",
    "_end",
    "end",
    "__end__",
    "_etext",
    "etext",
    "__etext",
];

/// Whether the linker or the start-up files define the name. The linker also marks both ends of sections whose names
/// are C identifiers.
pub fn is_linked(name: &str) -> bool {
    is_harmless(name) || ENDS.contains(&name)
}

/// Whether a program that refers to the name learns nothing from it of what it does not reach otherwise. What is in a
/// section that a source names is reached anyway.
pub fn is_harmless(name: &str) -> bool {
    START_UP.contains(&name)
        || START_UP_DATA.contains(&name)
        || LINKER.contains(&name)
        || name.starts_with("__start_")
        || name.starts_with("__stop_")
}

/// Functions that the compiler calls where the program has an operation, and what checked calls (`__strcpy_chk`) become:
/// those of LLVM's RuntimeLibcalls.td whose names do not begin with `__`. The list has the names for `double`; those for
/// other kinds of numbers have `f`, `l` or `f128` behind.
#[rustfmt::skip] // A table: many names to a line.
const OPERATIONS: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "bcmp", "bzero", "mempcpy", "memccpy", "strlen",
    "strcpy", "strncpy", "stpcpy", "stpncpy", "strcat", "strncat", "strlcpy", "strlcat",
    "sprintf", "snprintf", "vsprintf", "vsnprintf", "calloc", "abort", "fegetenv", "fesetenv",
    "fegetmode", "fesetmode", "fegetround", "fesetround", "acos", "asin", "atan", "atan2", "cbrt",
    "ceil", "copysign", "cos", "cosh", "exp", "exp10", "exp2", "fabs", "floor", "fma", "fmaximum",
    "fmaximum_num", "fmax", "fmin", "fminimum", "fminimum_num", "fmod", "frexp", "ldexp",
    "llrint", "llround", "log", "log10", "log2", "lrint", "lround", "modf", "nearbyint", "pow",
    "remainder", "rint", "round", "roundeven", "sin", "sincos", "sincospi", "sinh", "sqrt", "tan",
    "tanh", "trunc",
];

/// Whether the compiler or the system may call a function of this name of its own accord. All names that begin with two
/// underscores are theirs.
pub fn is_called_unseen(name: &str) -> bool {
    let is_reserved = name.starts_with("__") && name != "__clang_call_terminate";
    let operation = name.strip_suffix("f128");
    let operation = operation.or_else(|| name.strip_suffix(['f', 'l']));
    is_reserved
        || name.starts_with("_Unwind_")
        || OPERATIONS.contains(&name)
        || operation.is_some_and(|name| OPERATIONS.contains(&name))
}

/// Whether this is the key of a function that the compiler may put instructions in the place of, so that a program that
/// calls it may not have its name.
pub fn is_operation(key: u64) -> bool {
    let is_it = |name: &str| dpor_abi::reach::key(name.as_bytes()) == key;
    let kinds = ["", "f", "l", "f128"];
    OPERATIONS
        .iter()
        .any(|name| kinds.iter().any(|kind| is_it(&format!("{name}{kind}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_system_and_of_the_program_are_told_apart() {
        for name in ["_end", "__start_tests", "__dso_handle", "_start"] {
            assert!(is_linked(name), "{name}");
        }
        for name in ["_end", "__data_start", "__ehdr_start"] {
            assert!(!is_harmless(name), "{name}");
        }
        for name in ["main", "start", "_ZTV1A", "__cxa_atexit"] {
            assert!(!is_linked(name), "{name}");
        }
    }

    #[test]
    fn operations_are_known_by_their_keys() {
        let key = |name: &str| dpor_abi::reach::key(name.as_bytes());
        assert!(is_operation(key("bcmp")) && is_operation(key("fabsf")));
        assert!(!is_operation(key("strdup")) && !is_operation(key("main")));
    }

    #[test]
    fn what_is_called_for_operations_is_known() {
        for name in [
            "memcpy",
            "sqrtf",
            "powl",
            "floor",
            "fmodf128",
            "__udivti3",
            "_Unwind_Resume",
        ] {
            assert!(is_called_unseen(name), "{name}");
        }
        for name in [
            "main",
            "_Z3powdd",
            "half",
            "__clang_call_terminate",
            "strdup",
        ] {
            assert!(!is_called_unseen(name), "{name}");
        }
    }
}
