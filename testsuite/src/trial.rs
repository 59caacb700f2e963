//! One program, compiled one way, checked every way its header asks for.

mod replay;

use crate::compiled;
use crate::deal::Way;
use crate::header::{Checkpoints, Header, Mode};
use crate::limited::{self, Ran};
use crate::normalise::normalise;
use crate::verify;
use dpor_report::{Report, Verdict};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("testsuite/ is a folder of the repository")
}

/// Where the programs are.
pub fn programs() -> PathBuf {
    root().join("testsuite/programs")
}

fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// What `cargo xtask build` left.
pub fn product() -> PathBuf {
    target().join("dpor")
}

/// A program compiled one way.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The source file.
    pub file: PathBuf,
    /// One revision of it.
    pub header: Header,
    /// Optimization level, without the dash.
    pub level: String,
    /// Major version of the clang.
    pub llvm: u32,
    /// True if `dpor-gcc` compiles the program instead.
    pub gcc: bool,
    /// The ways in which the program is checked besides with snapshots, the first choice first.
    pub ways: Vec<Way>,
    /// True if the program is checked in all of these ways, instead of the first that can be.
    pub each: bool,
    /// True if golden reports are rewritten instead of compared.
    pub bless: bool,
    /// True if the pass treats every variable as shared, instead of finding out which are.
    pub shared_all: bool,
    /// True if the trial's files lie apart from those of the same trial among the test programs, which may run beside
    /// it.
    pub apart: bool,
    /// Variables that checks have in their environment, besides: the runtime may be another than the
    /// product's, and broken. What is left of such trials lies apart.
    pub environment: Vec<(&'static str, OsString)>,
}

/// Number of MPI ranks by which every program is checked besides one process, if somebody wants that.
fn ranks() -> Option<String> {
    std::env::var("DPOR_TEST_MPI").ok()
}

/// A command that runs so many ranks, on this machine however few cores it has.
pub fn mpirun(ranks: &str, command: &Path) -> Command {
    let mut mpirun = Command::new("mpirun");
    mpirun
        .args(["--oversubscribe", "-n", ranks])
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .arg(command);
    mpirun
}

impl Trial {
    /// `clang-19/litmus/sb.c@O2`, with `[revision]` if there is one.
    pub fn name(&self) -> String {
        let revision = match self.header.revision.as_str() {
            "" => String::new(),
            name => format!("[{name}]"),
        };
        format!(
            "clang-{}/{}{revision}@{}",
            self.llvm,
            self.relative(),
            self.level
        )
    }

    fn relative(&self) -> String {
        let file = self.file.strip_prefix(programs()).unwrap_or(&self.file);
        file.to_string_lossy().into_owned()
    }

    /// Folder of what is built with one compiler: reports name files in it.
    fn built(&self) -> PathBuf {
        let all = if self.shared_all { "-shared-all" } else { "" };
        let apart = if self.apart { "-apart" } else { "" };
        let own = self
            .environment
            .iter()
            .map(|(_, value)| value.to_string_lossy());
        let own: String = own
            .map(|value| format!("-{}", value.replace('/', "_")))
            .collect();
        let compiler = match self.gcc {
            true => "gcc".to_owned(),
            false => format!("clang-{}", self.llvm),
        };
        let folder = format!("{compiler}{all}{apart}{own}");
        target().join("testsuite").join(folder)
    }

    /// A path in that folder that no other trial uses.
    fn stem(&self, suffix: &str) -> PathBuf {
        let revision = &self.header.revision;
        let name: String = format!("{} {revision} {}", self.relative(), self.level)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        self.built().join(format!("{name}{suffix}"))
    }

    fn limit(&self) -> Duration {
        Duration::from_secs(self.header.seconds)
    }

    /// Compiles and checks.
    ///
    /// # Errors
    /// Everything that is not as the header says.
    pub fn run(&self) -> Result<(), String> {
        let binary = self.compile()?;
        match self.header.mode {
            Mode::Check => self.check_all(&binary),
            Mode::Alone | Mode::Off => self.run_itself(&binary),
        }
    }

    /// Compiles and checks once; in what it is not as the header says.
    ///
    /// # Errors
    /// If there is no report.
    pub fn differences(&self) -> Result<(Report, Vec<String>), String> {
        let report = self.measure()?;
        let differences = verify::differences(&self.header, &self.relative(), &report);
        Ok((report, differences))
    }

    /// Compiles and checks once, whatever the header expects.
    ///
    /// # Errors
    /// If there is no report.
    pub fn measure(&self) -> Result<Report, String> {
        let binary = self.compile()?;
        Ok(self.report(&binary, "snapshot", &[])?.1)
    }

    fn compile(&self) -> Result<PathBuf, String> {
        let binary = self.stem("");
        let folder = binary.parent().expect("the stem is in a folder");
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let cxx = self.file.extension().is_some_and(|e| e == "cc");
        let tool = match (self.gcc, cxx) {
            (false, false) => "dpor-cc",
            (false, true) => "dpor-c++",
            (true, false) => "dpor-gcc",
            (true, true) => "dpor-g++",
        };
        let mut command = Command::new(product().join("bin").join(tool));
        let bin = format!("/usr/lib/llvm-{}/bin", self.llvm);
        command
            .env("DPOR_CLANG", format!("{bin}/clang"))
            .env("DPOR_CLANGXX", format!("{bin}/clang++"))
            .args([format!("-{}", self.level), "-g".to_owned()])
            .args(&self.header.cflags)
            .arg(&self.file);
        if self.shared_all {
            command.env("DPOR_PASS", "shared-all");
        }
        let kept = target().join("testsuite/compiled");
        let compiler = match self.gcc {
            true => "/usr/bin/gcc".to_owned(),
            false => format!("{bin}/clang"),
        };
        let place = compiled::place(&kept, &command, &self.file, compiler.as_ref(), &product())
            .map_err(|error| format!("what is compiled: {error}"))?;
        if std::fs::copy(&place, &binary).is_ok() {
            return Ok(binary);
        }
        let ran = self.start(command.arg("-o").arg(&binary), "_cc", "")?;
        if ran.code != 0 || !ran.stderr.is_empty() {
            return Err(format!("compiling is not silent: {}", ran.shown()));
        }
        compiled::keep(&binary, &place).map_err(|error| format!("{}: {error}", place.display()))?;
        Ok(binary)
    }

    fn start(&self, command: &mut Command, suffix: &str, stdin: &str) -> Result<Ran, String> {
        // Options in the caller's environment must not reach the programs.
        if self.header.mode != Mode::Off {
            command.env_remove("DPOR_OPTIONS");
            command.env_remove("COLUMNS");
        }
        let stem = self.stem(suffix).with_extension("run");
        limited::run(command, &stem, stdin, self.limit())
            .map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))
    }

    fn run_itself(&self, binary: &Path) -> Result<(), String> {
        let mut command = Command::new(binary);
        command.args(&self.header.program_args);
        if self.header.mode == Mode::Off {
            command.env("DPOR_OPTIONS", "off=1");
        }
        let ran = self.start(&mut command, "_alone", &self.header.stdin)?;
        let mut wrong = Vec::new();
        if ran.code != self.header.exit {
            wrong.push(format!("expected exit code {}", self.header.exit));
        }
        if let Some(expect) = &self.header.outputs {
            if !expect.contains(&ran.stdout) {
                wrong.push(format!("expected one of {expect:?}"));
            }
        }
        all_right(&wrong, &ran)
    }

    fn check_all(&self, binary: &Path) -> Result<(), String> {
        let first = match self.header.checkpoints {
            Checkpoints::Restart => "restart",
            _ => "snapshot",
        };
        let report = self.check(binary, first, &[])?;
        if let Some(ranks) = ranks() {
            let can = first == "snapshot" && !self.header.is_bounded();
            return match can {
                true => self.compare_with_ranks(binary, &report, &ranks),
                false => Ok(()),
            };
        }
        let total = report.executions.total();
        let ways = { self.ways.iter() }.filter(|way| way.can(&self.header, Some(total)));
        for &way in ways.take(if self.each { usize::MAX } else { 1 }) {
            self.compare(binary, &report, way)
                .map_err(|error| format!("dealt {way:?}: {error}"))?;
        }
        if self.header.dfs {
            self.compare_with_dfs(binary, &report)?;
        }
        if self.header.replay {
            self.replay(&report)?;
        }
        Ok(())
    }

    /// Checks once more, in another way, and compares what must not depend on the way.
    fn compare(&self, binary: &Path, one: &Report, way: Way) -> Result<(), String> {
        let wrong = match way {
            Way::Restart => verify::disagreements(one, &self.check(binary, "restart", &[])?),
            Way::Fork => verify::disagreements(one, &self.check(binary, "fork", &[])?),
            Way::Parts => {
                verify::disagreements_of_workers(one, &self.check_in_two_parts(binary, one)?)
            }
            Way::Workers => {
                verify::disagreements_of_workers(one, &self.check(binary, "workers", &[])?)
            }
        };
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(format!("other than with snapshots: {}", wrong.join("; "))),
        }
    }

    /// Checks with MPI, and compares. What is one process's own differs: its input, the files that it writes.
    fn compare_with_ranks(&self, binary: &Path, one: &Report, ranks: &str) -> Result<(), String> {
        let mut args = self.header.args.iter();
        let cannot = args.any(|arg| arg.starts_with("--commit-files") || arg.starts_with("-j"));
        if cannot || !self.header.stdin.is_empty() || !self.header.parts {
            return Ok(());
        }
        let how = format!("ranks{ranks}");
        let wrong = verify::disagreements_of_workers(one, &self.check(binary, &how, &[])?);
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(format!("one worker and ranks: {}", wrong.join("; "))),
        }
    }

    /// Two workers are stopped where half of `one`'s executions are done, and two others go on.
    fn check_in_two_parts(&self, binary: &Path, one: &Report) -> Result<Report, String> {
        let half = one.executions.total() / 2;
        let left = self.stem("_left").with_extension("dpor");
        let left = left.to_string_lossy();
        let most = format!("--max-executions={half}");
        let (ran, first) = self.report(binary, "workers", &["--save", &left, &most])?;
        let is_cut = |report: &Report| {
            let reason = report.reason.as_deref().unwrap_or_default();
            report.verdict == Verdict::Incomplete && reason.contains("max-executions")
        };
        // The limit may be reached between what was found and the end of the search.
        let goes_on = is_cut(&first) || (first.verdict == Verdict::Bug && first.reason.is_some());
        if !goes_on {
            return match first.verdict == one.verdict {
                true => self.check(binary, "workers", &[]),
                false => Err(format!("not the verdict of one: {}", ran.shown())),
            };
        }
        let is_lost = |note: &String| note.starts_with("what is left after a death is not in");
        if first.notes.iter().any(is_lost) {
            return self.check(binary, "workers", &[]);
        }
        let second = self.check(binary, "workers", &["--resume", &left])?;
        match second.resumed == first.executions.total() {
            true => Ok(second),
            // What was learnt later made it begin anew.
            false if second.resumed == 0 => Ok(second),
            false => Err(format!(
                "{} executions of {:?} are taken up",
                second.resumed, first.executions
            )),
        }
    }

    fn json(&self, how: &str) -> PathBuf {
        self.stem(&format!("_{how}")).with_extension("json")
    }

    /// Runs `dpor check` and compares with the header.
    fn check(&self, binary: &Path, how: &str, more: &[&str]) -> Result<Report, String> {
        let (ran, report) = self.report(binary, how, more)?;
        let mut wrong = verify::differences(&self.header, &self.relative(), &report);
        let code = verify::exit_code(report.verdict);
        if ran.code != code {
            wrong.push(format!("exit code {}, expected {code}", ran.code));
        }
        all_right(&wrong, &ran).map_err(|error| format!("checkpoint {how}: {error}"))?;
        if self.header.golden && how == "snapshot" {
            self.compare_golden(&ran.stdout)?;
        }
        Ok(report)
    }

    fn report(&self, binary: &Path, how: &str, more: &[&str]) -> Result<(Ran, Report), String> {
        let json = self.json(how);
        // A report left by an earlier run must not pass for this one's.
        drop(std::fs::remove_file(&json));
        let checkpoint = match how {
            "restart" | "fork" => how,
            _ => "auto",
        };
        // Shared from the beginning, however small the search is.
        let workers: &[&str] = match how {
            "workers" => &["-j2", "--workers-after=0"],
            _ if how.starts_with("ranks") => &["--mpi", "--workers-after=0"],
            _ => &[],
        };
        // How far a limit of time goes is another in every run, and runs are compared: all of it, or nothing.
        let minimize = match self.header.golden {
            true => "--minimize-time=60",
            false => "--minimize-time=0",
        };
        let dpor = product().join("bin/dpor");
        let mut command = match how.strip_prefix("ranks") {
            None => Command::new(dpor),
            Some(ranks) => mpirun(ranks, &dpor),
        };
        command
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .args(["check", "--json"])
            .arg(&json)
            .arg(format!("--checkpoint={checkpoint}"))
            // More than pay, so that they are part of what is tested.
            .arg("--checkpoint-after=4")
            .arg(minimize)
            .args(workers)
            .args(&self.header.args)
            .args(more)
            .arg(binary);
        if !self.header.program_args.is_empty() {
            command.arg("--").args(&self.header.program_args);
        }
        let ran = self.start(&mut command, &format!("_{how}"), &self.header.stdin)?;
        let text = std::fs::read_to_string(&json)
            .map_err(|error| format!("no JSON report ({error}): {}", ran.shown()))?;
        let report =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", json.display()))?;
        Ok((ran, report))
    }

    fn compare_with_dfs(&self, binary: &Path, report: &Report) -> Result<(), String> {
        let (_, dfs) = self.report(binary, "dfs", &["--search=dfs"])?;
        let values = |report: &Report| -> std::collections::BTreeSet<_> {
            report.outcomes.iter().map(|o| o.values.clone()).collect()
        };
        if dfs.verdict != report.verdict || values(&dfs) != values(report) {
            return Err(format!(
                "--search=dfs: {} with {:?}, but optimal: {} with {:?}",
                dfs.verdict, dfs.outcomes, report.verdict, report.outcomes
            ));
        }
        if dfs.executions.total() < report.executions.total() {
            return Err("--search=dfs has fewer executions than optimal".to_owned());
        }
        Ok(())
    }

    fn compare_golden(&self, text: &str) -> Result<(), String> {
        let normal = normalise(text, &programs(), &self.built());
        let extension = match self.header.revision.as_str() {
            "" => "report".to_owned(),
            name => format!("{name}.report"),
        };
        let golden = self.file.with_extension(extension);
        if self.bless {
            return std::fs::write(&golden, normal)
                .map_err(|error| format!("{}: {error}", golden.display()));
        }
        let expect = std::fs::read_to_string(&golden)
            .map_err(|error| format!("{}: {error}; cargo xtask bless", golden.display()))?;
        if normal == expect {
            return Ok(());
        }
        Err(format!(
            "not as {}:\n--- expected\n{expect}--- found\n{normal}",
            golden.display()
        ))
    }
}

fn all_right(wrong: &[String], ran: &Ran) -> Result<(), String> {
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\n{}", wrong.join("\n"), ran.shown()))
    }
}
