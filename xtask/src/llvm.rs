//! Installed LLVMs: `/usr/lib/llvm-N` as Debian and Ubuntu lay them out.

use crate::process;
use dpor_abi::llvm::VERSIONS;
use std::path::PathBuf;
use std::process::Command;

/// A major version.
pub type Major = u32;

/// The version to install where none is: the newest that Debian 12, Debian 13 and Ubuntu 24.04 all have.
pub const DEFAULT: Major = 19;

/// An LLVM with its clang.
#[derive(Debug, Clone)]
pub struct Llvm {
    /// The major version.
    pub major: Major,
    /// The folder `/usr/lib/llvm-N`.
    pub prefix: PathBuf,
}

impl Llvm {
    /// A program in its `bin`.
    pub fn tool(&self, name: &str) -> PathBuf {
        self.prefix.join("bin").join(name)
    }

    /// Name of the pass's cargo feature.
    pub fn feature(&self) -> String {
        format!("llvm{}", self.major)
    }

    /// The variables under which build scripts look for this LLVM.
    pub fn environment(&self) -> Vec<(String, PathBuf)> {
        let mut variables = vec![("LLVM_CONFIG".to_owned(), self.tool("llvm-config"))];
        // llvm-sys names its variable after the release that it first supported.
        for release in [self.major * 10, self.major * 10 + 1] {
            variables.push((format!("LLVM_SYS_{release}_PREFIX"), self.prefix.clone()));
        }
        // The shim is C++: without g++, this LLVM's clang++ does it.
        if std::env::var_os("CXX").is_none() && process::find("c++").is_none() {
            variables.push(("CXX".to_owned(), self.tool("clang++")));
        }
        variables
    }

    fn at(major: Major) -> Option<Llvm> {
        // Only tests of the commands themselves have another root.
        let root = std::env::var_os("DPOR_LLVM_ROOT").unwrap_or_else(|| "/usr/lib".into());
        let prefix = PathBuf::from(root).join(format!("llvm-{major}"));
        let llvm = Llvm { major, prefix };
        let header = llvm.prefix.join("include/llvm-c/Core.h");
        let complete = llvm.tool("clang").exists() && header.exists();
        (complete && llvm.answers()).then_some(llvm)
    }

    /// Whether the llvm-config of this LLVM runs and agrees about the version.
    fn answers(&self) -> bool {
        process::output_of(Command::new(self.tool("llvm-config")).arg("--version"))
            .is_ok_and(|version| version.split('.').next() == Some(&self.major.to_string()))
    }
}

/// Every supported LLVM that has llvm-config, headers and clang, the one to use first.
pub fn installed() -> Vec<Llvm> {
    VERSIONS.into_iter().filter_map(Llvm::at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_pass_has_a_feature_for_each_version_and_no_other() {
        let manifest = crate::tree::root().join("pass/Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).expect("the pass has a manifest");
        let features = manifest.lines().filter_map(|line| {
            let (key, _) = line.split_once(" = ")?;
            key.strip_prefix("llvm")?.parse().ok()
        });
        let features: BTreeSet<Major> = features.collect();
        assert_eq!(features, BTreeSet::from(VERSIONS));
    }
}
