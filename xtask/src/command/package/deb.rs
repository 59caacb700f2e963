//! `cargo xtask package deb`: a Debian package.
//!
//! ```text
//! /usr/lib/dpor/          an installation, as `cargo xtask install` makes it
//! /usr/bin/dpor…          links to its commands
//! /usr/include/dpor.h     /usr/lib/cmake/dpor     links, too
//! /usr/lib/pkgconfig/dpor.pc     /usr/share/{man,doc,bash-completion,…}
//! ```
//!
//! A folder of its own, because dpor-cc looks for headers and libraries beside itself and must not put those
//! of /usr before others. Source: Debian Policy 4.6, chapters 3, 5, 9 and 12.

use super::artefact::{self, provide_tools, Artefact};
use super::reproducible;
use crate::package::{self, VERSION};
use crate::process;
use crate::stop::{Context, Outcome};
use crate::tree;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes packages, and the package that has it.
const NEEDS: [(&str, &str); 4] = [
    ("dpkg-deb", "dpkg"),
    ("dpkg-shlibdeps", "dpkg-dev"),
    ("strip", "binutils"),
    ("gzip", "gzip"),
];

/// Where the installation is.
const HOME: &str = "usr/lib/dpor";

/// Options of `deb`.
#[derive(clap::Args, Debug)]
pub struct Deb {
    #[command(flatten)]
    artefact: Artefact,
}

impl Deb {
    /// Builds and packages; prints where the package is.
    ///
    /// # Errors
    /// If it does not build, or a tool is missing or fails.
    pub fn run(&self) -> Outcome {
        provide(&self.artefact)?;
        make(&self.artefact).map(drop)
    }
}

/// Tools, and what is to be packaged.
///
/// # Errors
/// If it does not build, or a tool is missing.
pub fn provide(artefact: &Artefact) -> Outcome {
    provide_tools(&NEEDS)?;
    artefact.provide()
}

/// Packages what was built; the package's path.
///
/// # Errors
/// If a file cannot be read or written, or a tool fails.
pub fn make(artefact: &Artefact) -> Outcome<PathBuf> {
    let architecture = process::output_of(Command::new("dpkg").arg("--print-architecture"))?;
    let name = format!("dpor_{VERSION}_{architecture}.deb");
    artefact.make(&name, |staged, package| {
        let root = Root(staged.join("root"));
        artefact.install(&root.at(HOME))?;
        root.make(&architecture, package)
    })
}

/// The folder that stands for `/`.
struct Root(PathBuf);

impl Root {
    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn make(&self, architecture: &str, package: &Path) -> Outcome {
        self.share()?;
        self.link()?;
        self.document()?;
        self.control(architecture)?;
        reproducible::set_modes(&self.0)?;
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.env("SOURCE_DATE_EPOCH", reproducible::epoch()?);
        // What several threads compress depends on how many they are.
        dpkg.args(["--root-owner-group", "--threads-max=1", "--build"]);
        process::run(dpkg.arg(&self.0).arg(package))
    }

    /// Manual pages and completions, where everybody's are.
    fn share(&self) -> Outcome {
        let (from, to) = (self.at(HOME).join("share"), self.at("usr/share"));
        std::fs::rename(&from, &to).while_doing(to.display())?;
        let pages = to.join("man/man1");
        for page in std::fs::read_dir(&pages).while_doing(pages.display())? {
            gzip(&page.while_doing(pages.display())?.path())?;
        }
        let completions = [("zsh/site-functions", "zsh/vendor-completions")];
        for (from, to_name) in completions {
            let (from, to) = (to.join(from), to.join(to_name));
            std::fs::rename(&from, &to).while_doing(to.display())?;
        }
        Ok(())
    }

    fn link(&self) -> Outcome {
        let others = ["dpor-gcc", "dpor-g++", "dpor-gfortran"];
        for name in ["dpor", "dpor-cc", "dpor-c++"].into_iter().chain(others) {
            self.link_to(
                &format!("usr/bin/{name}"),
                &format!("../lib/dpor/bin/{name}"),
            )?;
        }
        self.link_to("usr/include/dpor.h", "../lib/dpor/include/dpor.h")?;
        self.link_to("usr/lib/cmake/dpor", "../dpor/lib/cmake/dpor")?;
        package::pkg_config("/usr/lib/dpor", &self.at("usr/lib/pkgconfig/dpor.pc"))
    }

    fn link_to(&self, link: &str, target: &str) -> Outcome {
        let link = self.at(link);
        let folder = link.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).while_doing(folder.display())?;
        std::os::unix::fs::symlink(target, &link).while_doing(link.display())
    }

    /// Policy 12.5 and 12.7: copyright and changelog.
    fn document(&self) -> Outcome {
        let folder = self.at("usr/share/doc/dpor");
        let changes = folder.join("changelog");
        process::place(&tree::root().join("CHANGELOG.md"), &changes)?;
        gzip(&changes)?;
        process::place(&tree::root().join("README.md"), &folder.join("README.md"))?;
        let mut copyright = String::from(COPYRIGHT);
        for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let license = tree::root().join(license);
            let text = std::fs::read_to_string(&license).while_doing(license.display())?;
            let _ = write!(copyright, "\n{text}");
        }
        let file = folder.join("copyright");
        std::fs::write(&file, copyright).while_doing(file.display())
    }

    /// The control file (policy 5.3).
    fn control(&self, architecture: &str) -> Outcome {
        let text = format!(
            "Package: dpor\n\
             Version: {VERSION}\n\
             Architecture: {architecture}\n\
             Maintainer: The dpor developers <dpor@example.invalid>\n\
             Installed-Size: {}\n\
             Depends: {}\n\
             Recommends: g++\n\
             Suggests: cmake, pkg-config\n\
             Section: devel\n\
             Priority: optional\n{DESCRIPTION}",
            reproducible::kilobytes(&self.0)?,
            self.dependencies()?,
        );
        let folder = self.at("DEBIAN");
        std::fs::create_dir_all(&folder).while_doing(folder.display())?;
        let file = folder.join("control");
        std::fs::write(&file, text).while_doing(file.display())
    }

    /// Libraries, and a compiler that there is a pass for.
    fn dependencies(&self) -> Outcome<String> {
        // It wants the control file of a source package.
        let folder = self.0.with_file_name("source");
        let control = folder.join("debian/control");
        std::fs::create_dir_all(folder.join("debian")).while_doing(folder.display())?;
        std::fs::write(
            &control,
            "Source: dpor\n\nPackage: dpor\nArchitecture: any\n",
        )
        .while_doing(control.display())?;
        let mut shlibdeps = Command::new("dpkg-shlibdeps");
        shlibdeps.current_dir(&folder);
        let passes = artefact::passes(&self.at(HOME))?;
        // What passes have no library for comes from clang, which loads them. Some name its library: it comes with the
        // compiler, of which one is enough.
        shlibdeps.args(["-O", "--warnings=0"]);
        shlibdeps.args(passes.iter().map(|(llvm, _)| format!("-xlibllvm{llvm}")));
        shlibdeps.args(artefact::binaries(&self.at(HOME))?);
        let libraries = process::output_of(&mut shlibdeps)?;
        let libraries = libraries.trim_start_matches("shlibs:Depends=");
        let compilers: Vec<String> = { passes.iter() }
            .map(|(llvm, _)| format!("clang-{llvm}"))
            .collect();
        Ok(format!("{}, {libraries}, libc6-dev", compilers.join(" | ")))
    }
}

/// Replaces the file by a compressed one that does not depend on the time.
fn gzip(file: &Path) -> Outcome {
    process::output_of(Command::new("gzip").args(["-9n"]).arg(file)).map(drop)
}

const COPYRIGHT: &str =
    "dpor is distributed under the MIT license or the Apache License, Version 2.0, at \
                         your choice. Both follow.\n";

const DESCRIPTION: &str = "Description: model checker for programs with threads\n \
    dpor runs a program in C or C++ under every interleaving of its threads that\n \
    can make a difference, and says either that it is verified or which schedule\n \
    breaks it: data races, deadlocks, failed assertions, crashes and others.\n .\n \
    dpor-cc and dpor-c++ are clang and clang++ with its instrumentation.\n";
