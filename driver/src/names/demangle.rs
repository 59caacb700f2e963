//! Names of C++ and Rust as their sources have them.

use super::readable::{bare, readable};
use dpor_report::Place;

/// Makes the names of functions readable.
pub fn demangle_place(place: &mut Place) {
    place.function = demangle(&place.function);
    place.inlined_into.iter_mut().for_each(demangle_place);
    for frame in &mut place.stack {
        frame.function = demangle(&frame.function);
    }
}

/// Makes the names of functions short enough for a reader.
pub fn readable_place(place: &mut Place) {
    place.function = readable_function(&place.function);
    place.inlined_into.iter_mut().for_each(readable_place);
    for frame in &mut place.stack {
        frame.function = readable_function(&frame.function);
    }
}

/// The name of a function for a reader: [`readable()`].
pub fn readable_function(name: &str) -> String {
    readable(&demangle(name))
}

/// The name of a function that a thread began with, for a reader: also short of its parameters. That of a region of
/// OpenMP tells it from the function that has the region.
pub fn readable_start(name: &str) -> String {
    if is_region(name) {
        return REGION.to_owned();
    }
    let function = readable(bare(&demangle_bare(name)));
    let is_part = [".omp_outlined", "._omp_fn."]
        .iter()
        .any(|part| name.contains(part));
    match is_part {
        true => format!("region in {function}"),
        false => function,
    }
}

/// What compilers put behind the name of a copy of a function that they made, or of a part of one. The last two: what
/// clang and gcc make of a region of OpenMP.
const CLONES: [&str; 9] = [
    "llvm.",
    "constprop.",
    "isra.",
    "part.",
    "cold",
    "lto_priv.",
    "specialized.",
    "omp_outlined",
    "_omp_fn.",
];

/// How the functions begin that clang makes of a region of OpenMP without the name of the function that has it: those of
/// tasks, and up to LLVM 16 all.
const REGIONS: [&str; 2] = [".omp_outlined.", ".omp_task_entry."];
/// Their name for a reader.
const REGION: &str = "OpenMP region";

/// Whether clang made one function of the other: `main.omp_outlined` passes what a region shares on to
/// `main.omp_outlined_debug__`, and `.omp_task_entry.` what a task has to `.omp_outlined.`.
pub fn passes_on_to(outer: &str, inner: &str) -> bool {
    let body = inner.strip_suffix("_debug__");
    is_region(inner) && is_region(outer) || body == Some(outer)
}

/// Whether it is one of [`REGIONS`].
fn is_region(name: &str) -> bool {
    REGIONS.iter().any(|begin| name.starts_with(begin))
}

/// The name without what compilers put behind it where they made another function of it.
fn without_clones(name: &str) -> &str {
    // C has such names for variables of functions, too.
    let is_numbered = name.starts_with("_Z");
    let is_clone = |at: &usize| {
        let rest = &name[at + 1..];
        CLONES.iter().any(|clone| rest.starts_with(clone))
            || is_numbered && rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let mut dots = name.match_indices('.').map(|(at, _)| at);
    dots.find(is_clone).map_or(name, |at| &name[..at])
}

/// The readable name of a C++ or Rust symbol; any other name as it is.
pub fn demangle(name: &str) -> String {
    if is_region(name) {
        return REGION.to_owned();
    }
    let name = without_clones(name);
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    if !name.starts_with("_Z") {
        return name.to_owned();
    }
    let cxx = cpp_demangle::Symbol::new(name).ok();
    let readable = cxx.and_then(|symbol| symbol.demangle().ok());
    readable.unwrap_or_else(|| name.to_owned())
}

/// [`demangle`], without parameters and return type.
pub fn demangle_bare(name: &str) -> String {
    if is_region(name) {
        return REGION.to_owned();
    }
    let name = without_clones(name);
    let options = cpp_demangle::DemangleOptions::new()
        .no_params()
        .no_return_type();
    let cxx = cpp_demangle::Symbol::new(name).ok();
    let cxx = cxx.filter(|_| name.starts_with("_Z"));
    let readable = cxx.and_then(|symbol| symbol.demangle_with_options(&options).ok());
    readable.unwrap_or_else(|| demangle(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_that_compilers_make_have_the_name_of_the_function() {
        let check = |name: &str, expect: &str| assert_eq!(demangle(name), expect);
        check("work.constprop.0", "work");
        check("work.llvm.1234567", "work");
        check("work.part.0.cold", "work");
        check("_Z3fooi.isra.0", "foo(int)");
        check("work.cold", "work");
        check("main.omp_outlined", "main");
        check("main.omp_outlined_debug__", "main");
        check("_ZL3addi.omp_outlined_debug__.2", "add(int)");
        check("main._omp_fn.0", "main");
        check(".omp_outlined..1", "OpenMP region");
        check(".omp_task_entry.", "OpenMP region");
        // What the optimizer made of a member of a variable.
        check("_ZL1a.0", "a");
        // A variable of a function in C.
        check("count.1", "count.1");
        assert_eq!(
            demangle_bare("_ZN4bank7depositEv.lto_priv.3"),
            "bank::deposit"
        );
    }

    #[test]
    fn functions_that_threads_begin_with_have_no_parameters() {
        let check = |name: &str, expect: &str| assert_eq!(readable_start(name), expect);
        check("add()", "add");
        check("bool Bank::move(int, char (*)(int)) const", "Bank::move");
        check("_ZN4bank7depositEi", "bank::deposit");
        check("main::$_0::operator()() const", "lambda in main");
        check("Less::operator()(int) const", "Less::operator()");
        check("main.omp_outlined_debug__", "region in main");
        check("_Z3addi._omp_fn.1", "region in add");
        check(".omp_outlined..1", "OpenMP region");
        check("add", "add");
        check("", "");
    }

    #[test]
    fn what_hands_a_region_on_is_known() {
        let check = |outer, inner, expect| assert_eq!(passes_on_to(outer, inner), expect);
        check("main.omp_outlined", "main.omp_outlined_debug__", true);
        check("f.omp_outlined", "main.omp_outlined_debug__", false);
        check(".omp_task_entry.", ".omp_outlined.", true);
        check(".omp_task_entry..2", ".omp_outlined..1", true);
        check("main", "main.omp_outlined_debug__", false);
        check("f", "f", false);
    }
}
