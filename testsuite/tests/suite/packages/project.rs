//! A copy of a project of examples/, built and run by shell commands.

use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use dpor_testsuite::trial;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The copy.
pub struct Project {
    tool: Tool,
    folder: PathBuf,
}

/// Whether these commands or files are there; otherwise the test says which package it was skipped for.
pub fn has(needs: &[(&str, &str)]) -> bool {
    let there = |name: &str| match name.starts_with('/') {
        true => Path::new(name).exists(),
        false => {
            let mut which = Command::new("which");
            let which = which.arg(name).stdout(Stdio::null()).stderr(Stdio::null());
            which.status().is_ok_and(|status| status.success())
        }
    };
    let missing = needs.iter().find(|(name, _)| !there(name));
    if let Some((_, package)) = missing {
        println!("skipped: {package}");
    }
    missing.is_none()
}

impl Project {
    /// A fresh copy of `examples/NAME` for one test.
    ///
    /// # Panics
    /// If it cannot be copied.
    pub fn new(test: &str, name: &str) -> Project {
        let tool = Tool::new(&format!("packages-{test}"));
        let folder = tool.path("project");
        drop(std::fs::remove_dir_all(&folder));
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(&root.with_file_name("examples").join(name), &folder);
        Project { tool, folder }
    }

    /// A file of the copy.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs a line of shell commands there; the commands of dpor are in PATH, and `$DPOR_PREFIX` is the folder that has
    /// them in bin.
    pub fn shell(&self, line: &str) -> Ran {
        let prefix = trial::product();
        let mut command = Command::new("sh");
        command.args(["-ec", line]).current_dir(&self.folder);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", prefix.join("bin").display()));
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
        command.env("DPOR_PREFIX", &prefix).envs(self.tool.clangs());
        for name in ["DPOR_OPTIONS", "LD_LIBRARY_PATH", "CFLAGS", "CXXFLAGS"] {
            command.env_remove(name);
        }
        self.tool.run(&mut command, "")
    }

    /// Runs a line of shell commands there, which must succeed.
    ///
    /// # Panics
    /// If it does not.
    pub fn works(&self, line: &str) -> Ran {
        let ran = self.shell(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.shown());
        ran
    }

    /// Configures and builds with CMake and the toolchain file, in build/.
    pub fn cmake(&self) {
        self.works(
            "cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=$DPOR_PREFIX/lib/cmake/dpor/dpor-toolchain.cmake",
        );
        self.works("cmake --build build");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the folder can be made");
    for entry in std::fs::read_dir(from).expect("the example is there") {
        let path = entry.expect("a file").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, &target).expect("the file can be copied")),
        }
    }
}
