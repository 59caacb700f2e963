//! Names of C++ and Rust as their sources have them.

use super::readable::readable;
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

/// What compilers put behind the name of a copy of a function that they made, or of a part of one.
const CLONES: [&str; 7] = [
    "llvm.",
    "constprop.",
    "isra.",
    "part.",
    "cold",
    "lto_priv.",
    "specialized.",
];

/// The name without what compilers put behind it where they made another function of it.
fn without_clones(name: &str) -> &str {
    let is_clone = |at: &usize| CLONES.iter().any(|clone| name[at + 1..].starts_with(clone));
    let mut dots = name.match_indices('.').map(|(at, _)| at);
    dots.find(is_clone).map_or(name, |at| &name[..at])
}

/// The readable name of a C++ or Rust symbol; any other name as it is.
pub fn demangle(name: &str) -> String {
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
        // A variable of a function in C.
        check("count.1", "count.1");
        assert_eq!(
            demangle_bare("_ZN4bank7depositEv.lto_priv.3"),
            "bank::deposit"
        );
    }
}
