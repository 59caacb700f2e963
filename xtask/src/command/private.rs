//! `cargo xtask private`: how many accesses are proved private, file by file and with the whole program.
//!
//! The pass says for each module that it instruments how many accesses it saw, and how many of them only one
//! thread can make. With link-time optimization there are fewer files between a variable and its uses.

use super::bench::today;
use crate::stop::{Context, Outcome, Stop};
use crate::{source, tree};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `private`.
#[derive(clap::Args, Debug)]
pub struct Private {
    /// With what target/dpor/ has, without building.
    #[arg(long)]
    no_build: bool,
}

/// A program that one call of the compiler makes.
struct Program {
    /// Debian's source package.
    package: &'static str,
    /// Folders of which all C files are compiled, and single files.
    parts: &'static [&'static str],
    /// Files of these folders that are other programs.
    without: &'static [&'static str],
    /// Options of the compiler.
    options: &'static [&'static str],
    /// Libraries to link with, as options of the linker.
    libraries: &'static [&'static str],
}

const PROGRAMS: [Program; 3] = [
    Program {
        package: "pigz",
        parts: &["pigz.c", "yarn.c", "try.c", "zopfli/src/zopfli"],
        without: &["zopfli_bin.c"],
        options: &[],
        libraries: &["-lm", "-lpthread", "-lz"],
    },
    Program {
        package: "zstd",
        parts: &[
            "lib/common",
            "lib/compress",
            "lib/decompress",
            "lib/dictBuilder",
            "programs",
        ],
        without: &[],
        options: &[
            "-DZSTD_MULTITHREAD",
            "-DZSTD_DISABLE_ASM",
            "-DZSTD_LEGACY_SUPPORT=0",
            "-DXXH_NAMESPACE=ZSTD_",
        ],
        libraries: &["-lpthread"],
    },
    Program {
        package: "lz4",
        parts: &["lib", "programs"],
        without: &["lz4_file.c"],
        options: &["-Ilib", "-DXXH_NAMESPACE=LZ4_"],
        libraries: &[],
    },
];

/// Names and options of the kinds of link-time optimization, and of none.
const KINDS: [(&str, &[&str]); 3] = [
    ("file by file", &[]),
    ("`-flto=thin`", &["-flto=thin"]),
    ("`-flto`", &["-flto"]),
];

/// Numbers of accesses as the pass said them: those seen, and those of them that are private.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub seen: u64,
    pub private: u64,
}

impl Counts {
    /// The private accesses in percent of those seen.
    pub fn share(self) -> f64 {
        100.0 * self.private as f64 / self.seen.max(1) as f64
    }
}

impl Private {
    /// Fetches, compiles, and writes the table.
    ///
    /// # Errors
    /// If a package cannot be had or compiled.
    pub fn run(&self) -> Outcome {
        if !self.no_build {
            super::build::Build::default().run()?;
        }
        let mut rows = String::new();
        for program in &PROGRAMS {
            let folder = source::fetch(program.package)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            for level in ["-O0", "-O2"] {
                rows += &format!("| {name} | {level} |");
                for (_, kind) in KINDS {
                    let counts = program.counts(&folder, level, kind)?;
                    let Counts { seen, private } = counts;
                    rows += &format!(" {private} of {seen} ({:.1} %) |", counts.share());
                }
                rows.push('\n');
            }
        }
        let file = tree::root().join("docs/private.md");
        std::fs::write(&file, page(&rows, &today()?)).while_doing(file.display())?;
        print!("{rows}");
        Ok(())
    }
}

impl Program {
    fn counts(&self, folder: &Path, level: &str, kind: &[&str]) -> Outcome<Counts> {
        let mut cc = Command::new(tree::product().join("bin/dpor-cc"));
        cc.current_dir(folder)
            .env("DPOR_PASS_VERBOSE", "1")
            .args([level, "-w", "-Wno-error"])
            .args(kind)
            .args(self.options)
            .args(self.files(folder)?)
            .args(self.libraries)
            .arg("-o")
            .arg(tree::scratch("private").join("program"));
        let output = cc.output().while_doing("dpor-cc")?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(Stop::failed(format!("{}: {said}", self.package)));
        }
        Ok(sum(&said))
    }

    /// The C files, in the order of their names.
    fn files(&self, folder: &Path) -> Outcome<Vec<PathBuf>> {
        let mut files = Vec::new();
        for part in self.parts {
            let part = folder.join(part);
            if part.is_file() {
                files.push(part);
                continue;
            }
            for entry in std::fs::read_dir(&part).while_doing(part.display())? {
                files.push(entry.while_doing(part.display())?.path());
            }
        }
        files.retain(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".c") && !self.without.contains(&&*name)
        });
        files.sort();
        Ok(files)
    }
}

/// The sum of the numbers in all lines "dpor: FILE: N accesses seen, N instrumented, N private".
pub fn sum(said: &str) -> Counts {
    let mut counts = Counts::default();
    for line in said.lines().filter(|line| line.starts_with("dpor: ")) {
        let of = |what: &str| -> u64 {
            let before = line.split(what).next().unwrap_or_default();
            let number = before.trim_end().rsplit(' ').next().unwrap_or_default();
            number.parse().unwrap_or(0)
        };
        counts.seen += of("accesses seen");
        counts.private += of("private");
    }
    counts
}

fn page(rows: &str, day: &str) -> String {
    format!(
        "# Accesses proved private\n\n\
         Written by `cargo xtask private` on {day}.\n\n\
         An access is private if no other thread can reach what it accesses (the analysis: `pass/src/escape/mod.rs`). \
         Such accesses have no hook. What the pass sees is what the optimizer left: with link-time optimization functions \
         are inlined from other files, and the optimizer removes more of the accesses that would have been private.\n\n\
         Programs of Debian's source packages, all files in one call of `dpor-cc`.\n\n\
         | program | level | {} |\n|---|---|---|---|---|\n{rows}",
        KINDS.map(|(name, _)| name).join(" | ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_pass_are_added() {
        let said = "dpor: a.c: 13 accesses seen, 6 instrumented, 7 private\nwarning: 5 private\n\
                    dpor: ld-temp.o: 4 accesses seen, 1 instrumented, 3 private\n";
        let Counts { seen, private } = sum(said);
        assert_eq!((seen, private), (17, 10));
    }
}
