//! `dpor diff` as written and as meant.

use super::{is_source, Check, FailOn, LowCheck, MessageFormat, ProgressWhen, Target};
use clap::{Arg, Args};
use dpor_abi::options::Options;
use std::path::PathBuf;

/// `dpor diff`.
#[derive(Args, Debug)]
// Changed arguments go to the end, and the program's arguments must stay the last.
#[command(mut_arg("files", sources), mut_arg("args", |args| args))]
pub struct LowDiff {
    /// Two optimization levels, which replace every -O of --cflags or of the build [default: -O0,-O2, unless two versions are given]
    #[arg(long, value_name = "LEVELS", allow_hyphen_values = true)]
    pub levels: Option<String>,
    /// Compare the work tree with this revision of it (git): both are built by --build
    #[arg(
        long,
        value_name = "REV",
        requires = "build",
        conflicts_with = "levels"
    )]
    pub base: Option<String>,
    /// Instead of sources: a command that builds the program with dpor-cc or dpor-c++, run for each level, or each version, in a copy of the folder
    #[arg(long, value_name = "COMMAND", requires = "program", conflicts_with_all = ["files", "cflags"])]
    pub build: Option<String>,
    /// The program that the command builds
    #[arg(long, value_name = "PATH", requires = "build")]
    pub program: Option<PathBuf>,
    /// What makes the exit code 42: difference, whatever only one side has; introduced, what only the second has [default: difference]
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub fail_on: FailOn,
    /// As for `dpor check`, whose options these are.
    #[command(flatten)]
    pub check: LowCheck,
}

/// Sources, which are not needed where there is a build command.
fn sources(files: Arg) -> Arg {
    files.required(false).value_name("FILE").help(
        "Sources of a program (C, C++, LLVM bitcode) to compare at two levels; or OLD NEW: two \
         programs, or two sources that each have a main",
    )
}

/// A comparison as meant.
#[derive(Clone, Debug)]
pub struct Diff {
    /// What is compared.
    pub what: Subject,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// For the runtime.
    pub options: Options,
    /// What of the comparison is a failure.
    pub fail_on: FailOn,
    /// Where the JSON report goes.
    pub json: Option<PathBuf>,
    /// Where what is new goes as SARIF.
    pub sarif: Option<PathBuf>,
    /// Form of the differences.
    pub message_format: MessageFormat,
    /// When the progress line is shown.
    pub progress: ProgressWhen,
}

/// The two sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One program at two levels.
    Levels(Levelled, [String; 2]),
    /// Two sources: versions if each has a main, else of one program, to be compared at these levels.
    SourcesOrVersions {
        /// C, C++ or LLVM.
        files: [PathBuf; 2],
        /// Compiler arguments.
        cflags: Vec<String>,
        /// The levels, if it is one program.
        levels: [String; 2],
    },
    /// Two programs, the older one first.
    Programs([PathBuf; 2]),
    /// A revision of a git work tree, and the work tree.
    WorkTree {
        /// Any name that git has for the revision.
        revision: String,
        /// For `sh -c`.
        command: String,
        /// What it makes.
        program: PathBuf,
    },
}

/// What is built at each level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Levelled {
    /// Compiled by us.
    Sources {
        /// C, C++ or LLVM.
        files: Vec<PathBuf>,
        /// Compiler arguments.
        cflags: Vec<String>,
    },
    /// Built by a command.
    Build {
        /// For `sh -c`.
        command: String,
        /// What it makes.
        program: PathBuf,
    },
}

impl LowDiff {
    /// What is meant.
    ///
    /// `environment` is the value of `DPOR_OPTIONS`, empty without.
    ///
    /// # Errors
    /// One sentence that names the option.
    pub fn understand(mut self, environment: &str) -> Result<Diff, String> {
        let says_levels = self.levels.is_some();
        let levels = levels(self.levels.as_deref().unwrap_or("-O0,-O2"))?;
        self.refuse()?;
        let programs = self.two_programs(says_levels)?;
        if let Some(program) = programs
            .as_ref()
            .map(|[_, new]| new)
            .or(self.program.as_ref())
        {
            // One program stands for both.
            self.check.files = vec![program.clone()];
        }
        if self.check.files.is_empty() {
            return Err("give sources, two programs, or --build and --program".to_owned());
        }
        let is_built = self.build.is_some() || programs.is_some();
        if let (false, Some(odd)) = (is_built, self.check.files.iter().find(|f| !is_source(f))) {
            return Err(format!(
                "'{}' is no source file by its name; a program is built at each level by --build \
                 and --program, and two programs are compared as OLD NEW",
                odd.display()
            ));
        }
        let Check {
            target,
            args,
            options,
            reports,
            message_format,
            progress,
            ..
        } = self.check.understand(environment)?;
        let what = match (programs, self.build, target) {
            (Some(programs), ..) => Subject::Programs(programs),
            (None, Some(_), Target::Sources { files, .. }) => {
                return Err(format!("--program: {} is a source", files[0].display()))
            }
            (None, Some(command), Target::Program(program)) => match self.base {
                Some(revision) => Subject::WorkTree {
                    revision,
                    command,
                    program,
                },
                None => Subject::Levels(Levelled::Build { command, program }, levels),
            },
            (None, None, Target::Sources { files, cflags }) => {
                match <[PathBuf; 2]>::try_from(files) {
                    Ok(files) if !says_levels => Subject::SourcesOrVersions {
                        files,
                        cflags,
                        levels,
                    },
                    Ok(files) => {
                        let files = files.to_vec();
                        Subject::Levels(Levelled::Sources { files, cflags }, levels)
                    }
                    Err(files) => Subject::Levels(Levelled::Sources { files, cflags }, levels),
                }
            }
            (None, None, Target::Program(program)) => {
                return Err(format!("{} is no source", program.display()))
            }
        };
        Ok(Diff {
            what,
            args,
            options,
            fail_on: self.fail_on,
            json: reports.json,
            sarif: reports.sarif,
            message_format,
            progress,
        })
    }

    /// The two programs that were given, if these are no sources.
    fn two_programs(&self, says_levels: bool) -> Result<Option<[PathBuf; 2]>, String> {
        let [old, new] = self.check.files.as_slice() else {
            return Ok(None);
        };
        let [(old_shown, old_is), (new_shown, new_is)] =
            [old, new].map(|file| (file.display(), is_source(file)));
        match (old_is, new_is) {
            (true, true) => Ok(None),
            (false, false) if says_levels => Err(format!(
                "--levels is for one program that is built at each of them, and {old_shown} and \
                 {new_shown} are two that are built: leave it out"
            )),
            (false, false) if old == new => {
                Err(format!("{old_shown} is given twice: give OLD and NEW"))
            }
            (false, false) => Ok(Some([old.clone(), new.clone()])),
            (true, false) => Err(format!(
                "{old_shown} is a source and {new_shown} is none: give two sources or two programs"
            )),
            (false, true) => Err(format!(
                "{new_shown} is a source and {old_shown} is none: give two sources or two programs"
            )),
        }
    }

    /// Options of a check that mean nothing for two.
    fn refuse(&self) -> Result<(), String> {
        let LowCheck {
            settings,
            test_filter,
            reports,
            cache,
            ..
        } = &self.check;
        let given = [
            ("test-filter", test_filter.is_some()),
            ("cache", cache.is_some()),
            ("junit", reports.junit.is_some()),
            ("dot", reports.dot.is_some()),
            ("graph", reports.graph.is_some()),
            ("html", reports.html.is_some()),
        ];
        let given = given
            .iter()
            .find(|(_, given)| *given)
            .map(|(name, _)| *name);
        let refused = settings.first_of(&["save", "resume", "mpi", "commit-files", "suppress"]);
        match refused.or(given) {
            Some(name) => Err(format!("--{name} is for one program: not with dpor diff")),
            None => Ok(()),
        }
    }
}

/// Two different optimization levels.
fn levels(text: &str) -> Result<[String; 2], String> {
    let levels: Vec<String> = text
        .split(',')
        .map(|level| level.trim().to_owned())
        .collect();
    let levels: [String; 2] = levels
        .try_into()
        .map_err(|_| format!("--levels: '{text}' is not two levels, as in -O0,-O2"))?;
    if let Some(odd) = levels.iter().find(|level| !is_level(level)) {
        return Err(format!(
            "--levels: '{odd}' is no optimization level, as in -O0,-O2"
        ));
    }
    match levels[0] == levels[1] {
        true => Err(format!("--levels: both are {}", levels[0])),
        false => Ok(levels),
    }
}

/// Whether it is an argument of clang's that says how much to optimize.
pub fn is_level(text: &str) -> bool {
    let level = text.strip_prefix("-O");
    level
        .is_some_and(|level| matches!(level, "fast" | "0" | "1" | "2" | "3" | "s" | "z" | "g" | ""))
}

#[cfg(test)]
mod tests {
    use super::super::{Low, LowCommand};
    use super::*;
    use clap::Parser;

    fn diff(line: &str) -> Result<Diff, String> {
        let words = std::iter::once("dpor").chain(line.split_whitespace());
        let low = Low::try_parse_from(words).map_err(|error| error.to_string())?;
        match low.command {
            LowCommand::Diff(diff) => diff.understand(""),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn what_is_compared() {
        let levels = |first: &str, second: &str| [first.to_owned(), second.to_owned()];
        let cflags = || vec!["-O2".to_owned(), "-g".to_owned()];
        let sources = |files: &[&str]| Levelled::Sources {
            files: files.iter().map(PathBuf::from).collect(),
            cflags: cflags(),
        };
        let three = diff("diff a.c b.cpp c.c --races=off -- -p").unwrap();
        assert_eq!(three.args, ["-p"]);
        let expect = Subject::Levels(sources(&["a.c", "b.cpp", "c.c"]), levels("-O0", "-O2"));
        assert_eq!(three.what, expect);
        let what = |line: &str| diff(line).map(|diff| diff.what);
        let expect = Subject::Levels(sources(&["a.c", "b.c"]), levels("-O0", "-O3"));
        assert_eq!(what("diff a.c b.c --levels -O0,-O3"), Ok(expect));
        let build = Levelled::Build {
            command: "make".to_owned(),
            program: "./x".into(),
        };
        let expect = Subject::Levels(build, levels("-O1", "-O3"));
        let line = "diff --build make --program ./x --levels -O1,-O3";
        assert_eq!(what(line), Ok(expect));
    }

    #[test]
    fn what_versions_are() {
        let what = |line: &str| diff(line).map(|diff| diff.what);
        // Whether each has a main is seen later.
        let expect = Subject::SourcesOrVersions {
            files: ["a.c".into(), "b.c".into()],
            cflags: vec!["-g".to_owned()],
            levels: ["-O0".to_owned(), "-O2".to_owned()],
        };
        assert_eq!(what("diff a.c b.c --cflags -g"), Ok(expect));
        let expect = Subject::Programs(["old".into(), "./new".into()]);
        assert_eq!(what("diff old ./new"), Ok(expect));
        let expect = Subject::WorkTree {
            revision: "HEAD~1".to_owned(),
            command: "make".to_owned(),
            program: "./x".into(),
        };
        let line = "diff --base HEAD~1 --build make --program ./x";
        assert_eq!(what(line), Ok(expect));
    }

    #[test]
    fn what_is_refused() {
        for (line, expect) in [
            ("diff", "give sources"),
            ("diff ./x", "no source file by its name"),
            ("diff --build make", "--program"),
            ("diff --program x", "--build"),
            ("diff --build make --program x a.c", "cannot be used with"),
            ("diff a.c --levels -O2", "not two levels"),
            ("diff a.c --levels -O2,-O2", "both are -O2"),
            ("diff a.c --levels -O2,-g", "no optimization level"),
            ("diff ./old ./new --levels -O0,-O1", "leave it out"),
            ("diff ./x ./x", "given twice"),
            ("diff a.c ./x", "two sources or two programs"),
            ("diff ./x a.c", "two sources or two programs"),
            ("diff ./x ./y ./z", "no source file by its name"),
            ("diff ./x ./y --cflags -g", "--cflags is for sources"),
            ("diff --base HEAD", "--build"),
            ("diff --base HEAD --build make", "--program"),
            (
                "diff --base HEAD --build make --program x --levels -O0,-O1",
                "cannot be used with",
            ),
            ("diff a.c --save s", "--save is for one program"),
            ("diff a.c --mpi", "--mpi is for one program"),
            ("diff a.c --junit x", "--junit is for one program"),
            ("diff a.c --fail-on removed", "--fail-on"),
            ("diff a.c --races=odd", "--races"),
        ] {
            let message = diff(line).unwrap_err();
            assert!(message.contains(expect), "{line}: {message}");
        }
    }
}
