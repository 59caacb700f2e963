//! Which files are sources, by their names.

use std::path::Path;

/// Extensions of files that are compiled first.
const C: &[&str] = &["c", "i", "bc", "ll"];
const CXX: &[&str] = &["cc", "cp", "cpp", "cxx", "c++", "C", "CC", "CPP", "ii"];

/// Whether `file` is a source by its name.
pub fn is_source(file: &Path) -> bool {
    extension(file).is_some_and(|e| C.contains(&e)) || is_cxx(file)
}

/// Whether `file` is C++ by its name.
pub fn is_cxx(file: &Path) -> bool {
    extension(file).is_some_and(|e| CXX.contains(&e))
}

fn extension(file: &Path) -> Option<&str> {
    file.extension().and_then(|e| e.to_str())
}
