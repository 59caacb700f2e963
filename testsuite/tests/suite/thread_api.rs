//! No function of the machine's libc that has to do with threads or processes is forgotten.

use dpor_abi::thread_api::{
    belongs, is_known, CREATES_THREADS, MODELLED, PASSED_THROUGH, UNSUPPORTED,
};
use dpor_testsuite::trial;
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names of the functions and variables that a shared library exports.
fn exported(library: &Path) -> BTreeSet<String> {
    let bytes = std::fs::read(library).unwrap_or_else(|e| panic!("{}: {e}", library.display()));
    let file = object::File::parse(&*bytes).expect("an ELF file");
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .map(|symbol| symbol.name().expect("text").to_owned())
        .collect()
}

/// The libc that this process runs with.
fn libc() -> PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("Linux");
    maps.split_whitespace()
        .find(|word| word.ends_with("/libc.so.6"))
        .expect("glibc")
        .into()
}

/// Exported for other parts of glibc only (version GLIBC_PRIVATE).
const PRIVATE: [&str; 2] = ["__pthread_get_minstack", "__pthread_keys"];

#[test]
fn every_thread_function_of_libc_is_in_the_table() {
    // The rule, apart from the table's own idea of what belongs to it.
    let prefixes = [
        "pthread_",
        "sem_",
        "mtx_",
        "cnd_",
        "thrd_",
        "tss_",
        "exec",
        "posix_spawn",
    ];
    let names = ["fork", "vfork", "_Fork", "clone", "call_once"];
    let all: Vec<String> = exported(&libc())
        .into_iter()
        .filter(|name| {
            prefixes.iter().any(|prefix| name.starts_with(prefix))
                || names.contains(&name.as_str())
                || belongs(name)
        })
        .collect();
    // glibc 2.34 and newer have all of them in libc.so.6: about two hundred.
    assert!(all.len() > 150, "only {} in {:?}", all.len(), libc());
    let forgotten: Vec<_> = all
        .iter()
        .filter(|name| !is_known(name) && !PRIVATE.contains(&name.as_str()))
        .collect();
    assert!(forgotten.is_empty(), "not in any group: {forgotten:?}");
}

#[test]
fn the_runtime_exports_what_it_gives_a_meaning_and_nothing_that_it_passes_through() {
    let libc = exported(&libc());
    let runtime = exported(&trial::product().join("lib/libdpor_rt.so"));
    let answered = MODELLED.iter().chain(UNSUPPORTED).chain(CREATES_THREADS);
    let missing: Vec<_> = answered
        .filter(|name| libc.contains(**name) && !runtime.contains(**name))
        .collect();
    assert!(missing.is_empty(), "libc's own would run: {missing:?}");
    let replaced: Vec<_> = PASSED_THROUGH
        .iter()
        .flat_map(|(_, names)| names.iter())
        .filter(|name| runtime.contains(**name))
        .collect();
    // Modelled as libc calls: an event first, then libc's own function.
    let events = [
        "popen",
        "pthread_sigmask",
        "timer_create",
        "pthread_atfork",
        "__register_atfork",
    ];
    let replaced: Vec<_> = replaced
        .into_iter()
        .filter(|name| !events.contains(name))
        .collect();
    assert!(replaced.is_empty(), "not passed through: {replaced:?}");
}
