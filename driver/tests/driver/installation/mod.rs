//! A folder with bin, lib and a fake program, where the commands run as installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The folder; gone when this value goes.
pub struct Installation {
    folder: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ran {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// For one comparison.
    pub fn text(&self) -> (i32, &str, &str) {
        (self.code, &self.stdout, &self.stderr)
    }
}

impl Installation {
    /// bin, with the lib and include of target/dpor: the real pass and runtime.
    pub fn built() -> Installation {
        let built = Path::new(env!("CARGO_BIN_EXE_dpor"))
            .ancestors()
            .nth(2)
            .unwrap()
            .join("dpor");
        assert!(built.join("lib").is_dir(), "run `cargo xtask build` first");
        let folder = TempDir::new().unwrap();
        let installation = Installation { folder };
        std::fs::create_dir(installation.path("bin")).unwrap();
        for (exe, name) in [
            (env!("CARGO_BIN_EXE_dpor"), "dpor"),
            (env!("CARGO_BIN_EXE_dpor-cc"), "dpor-cc"),
            (env!("CARGO_BIN_EXE_dpor-cc"), "dpor-c++"),
        ] {
            std::fs::copy(exe, installation.path(&format!("bin/{name}"))).unwrap();
        }
        for name in ["lib", "include"] {
            std::os::unix::fs::symlink(built.join(name), installation.path(name)).unwrap();
        }
        installation
    }

    /// bin, lib, and `program` made of `tests/fake`.
    pub fn with_program() -> Installation {
        let folder = TempDir::new().unwrap();
        let installation = Installation { folder };
        for name in ["bin", "lib"] {
            std::fs::create_dir(installation.path(name)).unwrap();
        }
        let copy = |from: &Path, to: &str| std::fs::copy(from, installation.path(to)).unwrap();
        copy(Path::new(env!("CARGO_BIN_EXE_dpor")), "bin/dpor");
        copy(Path::new(env!("CARGO_BIN_EXE_dpor-cc")), "bin/dpor-cc");
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
        let program = std::fs::read_to_string(fake.join("program.c")).expect("readable");
        let version = format!("#define ABI {}", dpor_abi::ABI_VERSION);
        let program = program.replace("#define ABI VERSION", &version);
        std::fs::write(installation.path("program.c"), program).expect("writable");
        copy(&fake.join("runtime.c"), "runtime.c");
        installation.gcc("-shared -fPIC runtime.c -o lib/libdpor_rt.so");
        installation.gcc("program.c -o program -Llib -ldpor_rt -Wl,-rpath,$ORIGIN/lib");
        installation
    }

    /// A file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// An ELF header of a 32-bit x86 program and nothing else (a compiler for it may be missing).
    pub fn elf32(&self, name: &str) {
        let mut header = vec![0_u8; 52];
        // Magic, ELFCLASS32, little-endian, version; then ET_EXEC, EM_386.
        header[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
        header[16] = 2;
        header[18] = 3;
        std::fs::write(self.path(name), header).unwrap();
    }

    /// Runs a command in the folder; it must succeed.
    pub fn run(&self, program: &str, args: &str) {
        let status = Command::new(program)
            .args(args.split_whitespace())
            .current_dir(self.folder.path())
            .status();
        assert!(status.unwrap().success(), "{program} {args}");
    }

    /// The system's C compiler.
    pub fn gcc(&self, args: &str) {
        self.run("cc", args);
    }

    /// `dpor` with the arguments in `line`.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(self.path("bin/dpor"));
        command.args(line.split_whitespace());
        command.current_dir(self.folder.path());
        command.env_remove("DPOR_OPTIONS").stdin(Stdio::null());
        // Cargo's has the folder of the real runtime, if that was built.
        command.env_remove("LD_LIBRARY_PATH");
        command
    }

    /// Runs it.
    pub fn dpor(&self, line: &str) -> Ran {
        let output = self.command(line).output().unwrap();
        Ran {
            code: output.status.code().expect("dpor does not die of a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
