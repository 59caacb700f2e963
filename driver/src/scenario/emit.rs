//! `--emit`: the scenario in which something was found, as a program of its own.
//!
//! The test writes it itself, run natively ([`crate::scenario`]), since it knows what its calls return one after the other.
//! It includes the user's source with `DPOR_SCENARIO_FIXED`, by which `DPOR_SCENARIO` only says what there is. The program is
//! checked before anything is said of it: one that does not show the finding is not what was asked for.

use crate::exploration::{complete, prepare, search};
use crate::flags::{is_cxx, Check, Scope, Target};
use crate::framework::natively;
use crate::install::Installation;
use crate::launch::Stdout;
use crate::program::Program;
use crate::schedule::{build_of, Schedule};
use crate::words::quoted;
use dpor_abi::options::Options;
use dpor_report::{Finding, Report, Saved, Verdict};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A program that is wanted.
#[derive(Debug)]
pub struct Emit<'a> {
    file: &'a Path,
    /// The source that has `DPOR_SCENARIO`.
    source: PathBuf,
    /// The others, which are linked with it.
    others: Vec<PathBuf>,
    cflags: &'a [String],
}

impl<'a> Emit<'a> {
    /// `source`: the name that the test has for its source.
    ///
    /// # Errors
    /// One sentence: why there can be no such program.
    pub fn new(file: &'a Path, target: &'a Target, source: &str) -> Result<Emit<'a>, String> {
        let Target::Sources { files, cflags } = target else {
            return Err(
                "--emit: not for a program, whose compiler options are not known: give the sources"
                    .to_owned(),
            );
        };
        let real = |path: &Path| path.canonicalize().ok();
        let wanted = real(Path::new(source));
        let place = files
            .iter()
            .position(|one| wanted.is_some() && real(one) == wanted);
        let place = place.ok_or_else(|| {
            format!("--emit: none of the sources is {source}, which has DPOR_SCENARIO")
        })?;
        let mut others = files.clone();
        let source = others.remove(place);
        if is_cxx(file) != is_cxx(&source) {
            return Err(format!(
                "--emit: {} includes {}: both have to be C, or C++, by their names",
                file.display(),
                source.display()
            ));
        }
        if real(file).is_some_and(|file| files.iter().any(|one| real(one).as_ref() == Some(&file)))
        {
            return Err(format!("--emit: {} is one of the sources", file.display()));
        }
        Ok(Emit {
            file,
            source,
            others,
            cflags,
        })
    }

    /// Writes the program, checks it and writes the schedule that fails; what to say of it.
    ///
    /// # Errors
    /// One sentence: why it is not there, or does not show the finding.
    pub fn write(
        &self,
        program: &Program,
        report: &Report,
        check: &Check,
        seconds: f64,
    ) -> Result<String, String> {
        let failed = |why: String| format!("--emit: {why}");
        let Some(finding) = report.findings.first() else {
            return Err(failed("nothing was found".to_owned()));
        };
        let body = body(program, report, finding).map_err(failed)?;
        let text = self.text(finding, &body)?;
        let cannot = |why| failed(format!("{} cannot be written: {why}", self.file.display()));
        std::fs::write(self.file, text).map_err(cannot)?;
        let schedule = self.schedule(finding, check, seconds).map_err(failed)?;
        let to = self.file.with_extension("schedule");
        std::fs::write(&to, schedule.text()?)
            .map_err(|why| failed(format!("{} cannot be written: {why}", to.display())))?;
        let files = self.files().map(|file| quoted(&file.display().to_string()));
        let flags = self.cflags.iter().map(|flag| quoted(flag));
        Ok(format!(
            "emitted: dpor check {} --cflags {}\nits schedule: dpor replay {}",
            files.collect::<Vec<_>>().join(" "),
            quoted(&flags.collect::<Vec<_>>().join(" ")),
            quoted(&to.display().to_string())
        ))
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.file).chain(self.others.iter().map(PathBuf::as_path))
    }

    /// The whole program.
    fn text(&self, finding: &Finding, body: &str) -> Result<String, String> {
        let mut flags = self
            .cflags
            .iter()
            .map(|flag| quoted(flag))
            .fold(String::new(), |all, flag| all + &flag + " ");
        if !self.others.is_empty() {
            let others = self
                .others
                .iter()
                .map(|file| quoted(&file.display().to_string()));
            let _ = write!(flags, "{} ", others.collect::<Vec<_>>().join(" "));
        }
        let mut text = String::new();
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let compiler = match is_cxx(self.file) {
            true => "c++",
            false => "cc",
        };
        let mut say = |line: &str| {
            // A backslash at its end would draw the next line into the comment.
            let line = line.trim_end_matches('\\');
            let _ = match line.is_empty() {
                true => writeln!(text, "//"),
                false => writeln!(text, "// {line}"),
            };
        };
        say(&format!("{}: {}", finding.kind, finding.message));
        finding.details.iter().for_each(|line| say(line));
        say("");
        say(&format!(
            "dpor-{compiler} {flags}{name} -o {stem} && dpor check ./{stem}"
        ));
        say("finds it. Without the checker it is a test like any other, which fails if the threads happen to run so:");
        say(&format!(
            "{compiler} {flags}-DDPOR_DISABLE -I(where dpor.h is) {name} -o {stem} -pthread"
        ));
        let source = self.included()?;
        let _ = writeln!(
            text,
            "#define DPOR_SCENARIO_FIXED\n#include \"{}\"\n",
            source.display()
        );
        Ok(text + body)
    }

    /// The path of the user's source as the program has it: of a file in the same folder, or below, what is behind that.
    fn included(&self) -> Result<PathBuf, String> {
        let real = |path: &Path| {
            let real = path.canonicalize();
            real.map_err(|why| format!("--emit: {}: {why}", path.display()))
        };
        let source = real(&self.source)?;
        let folder = match self.file.parent() {
            Some(folder) if folder != Path::new("") => real(folder)?,
            _ => real(Path::new("."))?,
        };
        Ok(source
            .strip_prefix(&folder)
            .map(Path::to_owned)
            .unwrap_or(source))
    }

    /// A schedule of the program that shows the finding.
    fn schedule(&self, finding: &Finding, check: &Check, seconds: f64) -> Result<Schedule, String> {
        let files: Vec<PathBuf> = self.files().map(Path::to_owned).collect();
        let one = Check {
            target: Target::Sources {
                files: files.clone(),
                cflags: self.cflags.to_vec(),
            },
            args: Vec::new(),
            options: Options {
                time_limit_seconds: seconds,
                ..check.options.clone()
            },
            scope: Scope::Program,
            ..check.clone()
        };
        let shown = self.file.display();
        let installation = Installation::of_this_command()?;
        let Some((program, _compiled)) = prepare(&installation, &one.target)? else {
            return Err(format!("{shown} does not compile"));
        };
        let mut report = search(&one, &program, Stdout::Nowhere, None)?;
        complete(&mut report, &one);
        let same = report
            .findings
            .iter()
            .find(|other| other.kind == finding.kind);
        let Some(same) = same.cloned().filter(|_| report.verdict == Verdict::Bug) else {
            return Err(format!(
                "{shown} has the scenario alone, which does not show the {}: {}{}",
                finding.kind,
                report.verdict,
                report
                    .reason
                    .as_ref()
                    .map_or(String::new(), |why| format!(" ({why})"))
            ));
        };
        let saved = Saved {
            report,
            sources: files,
            cflags: self.cflags.to_vec(),
            build: build_of(&program.path),
            listed: Vec::new(),
        };
        Ok(Schedule::of(&saved, same))
    }
}

/// What the test writes of the scenario in which the finding is.
fn body(program: &Program, report: &Report, finding: &Finding) -> Result<String, String> {
    let number = scenario_of(finding)
        .ok_or_else(|| "the schedule does not tell which scenario it is of".to_owned())?;
    let mut command = program.command();
    command
        .args(&report.args)
        .arg(format!("--dpor-emit={number}"));
    let output = natively(program, &mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let all = between(&text, "dpor scenario begins\n", "dpor scenario ends\n");
    all.map(str::to_owned).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        let last = last.strip_prefix("dpor scenario: ").unwrap_or(last);
        format!("the test does not write its scenario: {last}")
    })
}

/// The scenario was the first choice.
fn scenario_of(finding: &Finding) -> Option<u32> {
    let schedule: dpor_report::Schedule = finding.schedule.parse().ok()?;
    Some(schedule.decisions.first()?.alternative)
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let begin = text.find(from)? + from.len();
    let length = text[begin..].find(to)?;
    Some(&text[begin..begin + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[&str]) -> Target {
        Target::Sources {
            files: files.iter().map(PathBuf::from).collect(),
            cflags: vec!["-O2".to_owned()],
        }
    }

    #[test]
    fn what_cannot_be_emitted() {
        let here = |name: &str| format!("{}/{name}", env!("CARGO_MANIFEST_DIR"));
        let (one, other) = (here("src/lib.rs"), here("src/main.rs"));
        let check = |file: &str, target: &Target, source: &str, expect: &str| {
            let error = Emit::new(Path::new(file), target, source).unwrap_err();
            assert!(error.contains(expect), "{error}");
        };
        let both = sources(&[&one, &other]);
        check(
            "x.c",
            &Target::Program("x".into()),
            &one,
            "give the sources",
        );
        check("x.c", &both, "/none.cc", "none of the sources");
        check("x.cc", &both, &one, "both have to be C, or C++");
        check(&other, &both, &one, "one of the sources");
        let emit = Emit::new(Path::new("x.c"), &both, &other).unwrap();
        assert_eq!(emit.source, PathBuf::from(&other));
        assert_eq!(emit.others, [PathBuf::from(&one)]);
    }

    #[test]
    fn what_is_between() {
        assert_eq!(between("ab<\nx\n>\n", "<\n", ">\n"), Some("x\n"));
        assert_eq!(between("<\nx", "<\n", ">\n"), None);
    }
}
