//! `dpor diff` as written and as meant.

use super::{is_source, Check, LowCheck, MessageFormat, ProgressWhen, Target};
use clap::{Arg, Args};
use dpor_abi::options::Options;
use std::path::PathBuf;

/// `dpor diff`.
#[derive(Args, Debug)]
// Changed arguments go to the end, and the program's arguments must stay the last.
#[command(mut_arg("files", sources), mut_arg("args", |args| args))]
pub struct LowDiff {
    /// Two optimization levels; they replace every -O of --cflags or of the build
    #[arg(
        long,
        value_name = "LEVELS",
        default_value = "-O0,-O2",
        allow_hyphen_values = true
    )]
    pub levels: String,
    /// Instead of sources: a command that builds the program with dpor-cc or dpor-c++, run for each level in a copy of the current folder
    #[arg(long, value_name = "COMMAND", requires = "program", conflicts_with_all = ["files", "cflags"])]
    pub build: Option<String>,
    /// The program that the command builds
    #[arg(long, value_name = "PATH", requires = "build")]
    pub program: Option<PathBuf>,
    /// As for `dpor check`, whose options these are.
    #[command(flatten)]
    pub check: LowCheck,
}

/// Sources, which are not needed where there is a build command.
fn sources(files: Arg) -> Arg {
    files
        .required(false)
        .value_name("FILE")
        .help("Sources (C, C++, LLVM bitcode)")
}

/// A comparison as meant.
#[derive(Clone, Debug)]
pub struct Diff {
    /// What is built.
    pub what: Levelled,
    /// At these levels.
    pub levels: [String; 2],
    /// Arguments of the program.
    pub args: Vec<String>,
    /// For the runtime.
    pub options: Options,
    /// Where the JSON report goes.
    pub json: Option<PathBuf>,
    /// Form of the differences.
    pub message_format: MessageFormat,
    /// When the progress line is shown.
    pub progress: ProgressWhen,
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
        let levels = levels(&self.levels)?;
        self.refuse()?;
        if let Some(program) = &self.program {
            // One program stands for both.
            self.check.files = vec![program.clone()];
        }
        if self.check.files.is_empty() {
            return Err("give sources, or --build and --program".to_owned());
        }
        if let (None, Some(odd)) = (&self.build, self.check.files.iter().find(|f| !is_source(f))) {
            return Err(format!(
                "'{}' is no source file by its name; a program is built at each level by --build \
                 and --program",
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
        let what = match (self.build, target) {
            (Some(command), target) => Levelled::Build {
                command,
                program: match target {
                    Target::Program(program) => program,
                    Target::Sources { files, .. } => {
                        return Err(format!("--program: {} is a source", files[0].display()))
                    }
                },
            },
            (None, Target::Sources { files, cflags }) => Levelled::Sources { files, cflags },
            (None, Target::Program(program)) => {
                return Err(format!("{} is no source", program.display()))
            }
        };
        Ok(Diff {
            what,
            levels,
            args,
            options,
            json: reports.json,
            message_format,
            progress,
        })
    }

    /// Options of a check that mean nothing for two.
    fn refuse(&self) -> Result<(), String> {
        let LowCheck {
            settings,
            test_filter,
            reports,
            ..
        } = &self.check;
        let given = [
            ("test-filter", test_filter.is_some()),
            ("sarif", reports.sarif.is_some()),
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
        let sources = diff("diff a.c b.cpp --races=off -- -p").unwrap();
        assert_eq!(sources.levels, ["-O0", "-O2"]);
        assert_eq!(sources.args, ["-p"]);
        let expect = Levelled::Sources {
            files: vec!["a.c".into(), "b.cpp".into()],
            cflags: vec!["-O2".to_owned(), "-g".to_owned()],
        };
        assert_eq!(sources.what, expect);
        let build = diff("diff --build make --program ./x --levels -O1,-O3").unwrap();
        let expect = Levelled::Build {
            command: "make".to_owned(),
            program: "./x".into(),
        };
        assert_eq!(build.what, expect);
        assert_eq!(build.levels, ["-O1", "-O3"]);
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
            ("diff a.c --save s", "--save is for one program"),
            ("diff a.c --mpi", "--mpi is for one program"),
            ("diff a.c --races=odd", "--races"),
        ] {
            let message = diff(line).unwrap_err();
            assert!(message.contains(expect), "{line}: {message}");
        }
    }
}
