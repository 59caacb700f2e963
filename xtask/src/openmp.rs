//! The OpenMP runtime: runtime/openmp, compiled by the dpor-cc that was just built, as a program's own code is.

use crate::process::{self, place};
use crate::stop::{Context, Outcome};
use crate::tree;
use std::path::PathBuf;
use std::process::Command;

/// What its source files are called in reports: a path of what is installed, so that its calls are a library's.
const SHOWN_AS: &str = "/usr/lib/dpor/openmp";

/// The warnings are errors where it is compiled, but for parameters that the interface has and nothing needs.
const FLAGS: [&str; 7] = ["-c", "-O2", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror"];

fn folder() -> PathBuf {
    tree::root().join("runtime/openmp")
}

/// The C files, in the order of their names.
fn sources() -> Outcome<Vec<PathBuf>> {
    let folder = folder();
    let entries = std::fs::read_dir(&folder).while_doing(folder.display())?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    sources.sort();
    Ok(sources)
}

/// Builds the library and puts it and its header into the product. Clang's `-lomp` finds it by its name.
///
/// # Errors
/// What does not compile.
pub fn build() -> Outcome {
    let product = tree::product();
    let folder = folder();
    place(
        &folder.join("omp.h"),
        &product.join("include/dpor/openmp/omp.h"),
    )?;
    let objects = tree::scratch("openmp");
    let mut archived = Command::new("ar");
    let archive = objects.join("libomp.a");
    archived.arg("rcsD").arg(&archive);
    for source in sources()? {
        // By its name alone, which is what the object says of it.
        let source = source.file_name().unwrap_or_default();
        let object = objects.join(source).with_extension("o");
        let mut compiler = Command::new(tree::tool("dpor-cc"));
        compiler.current_dir(&folder).args(FLAGS);
        // Of several the last counts: nothing of this machine stays.
        for (from, to) in [(tree::root(), "/usr/lib/dpor"), (&*folder, SHOWN_AS)] {
            compiler.arg(format!("-ffile-prefix-map={}={to}", from.display()));
        }
        process::run(compiler.arg(source).arg("-o").arg(&object))?;
        archived.arg(object);
    }
    if archive.exists() {
        std::fs::remove_file(&archive).while_doing(archive.display())?;
    }
    process::run(&mut archived)?;
    place(&archive, &product.join("lib/dpor/openmp/libomp.a"))
}
