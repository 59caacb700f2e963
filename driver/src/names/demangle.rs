//! Names of C++ and Rust as their sources have them.

use dpor_report::Place;

/// Makes the names of functions readable.
pub fn demangle_place(place: &mut Place) {
    place.function = demangle(&place.function);
    place.inlined_into.iter_mut().for_each(demangle_place);
    for frame in &mut place.stack {
        frame.function = demangle(&frame.function);
    }
}

/// The readable name of a C++ or Rust symbol; any other name as it is.
pub fn demangle(name: &str) -> String {
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
    let options = cpp_demangle::DemangleOptions::new()
        .no_params()
        .no_return_type();
    let cxx = cpp_demangle::Symbol::new(name).ok();
    let cxx = cxx.filter(|_| name.starts_with("_Z"));
    let readable = cxx.and_then(|symbol| symbol.demangle_with_options(&options).ok());
    readable.unwrap_or_else(|| demangle(name))
}
