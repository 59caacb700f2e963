//! The header grammar of test programs. This is its only parser.
//!
//! A directive is a line `//@ key: value`; `//@[rev] key: value` counts only in revision `rev`.
//! A marker is the end of a line, `//~ word` or `//~[rev] word`: a finding must touch this line.
//!
//! | directive | value |
//! |---|---|
//! | `expect` | `verified`, `bug`, `incomplete`, `unsupported`; required where `mode` is `check` |
//! | `kind` | kinds of findings, separated by blanks; all of them and no other must be found |
//! | `executions` | complete executions; the counters below must then match too |
//! | `blocked` `bound-exceeded` `deadlocked` `failed` `redundant` | other counters, 0 if not given |
//! | `outcomes` | `a=1 b=2 \| a=2 b=1`: exactly these; `*3` after one: in three executions |
//! | `outcomes-distinct` | how many different outcomes there are |
//! | `outputs` | what executions write to standard output: exactly these texts, `\|` between them, `\n` for a newline |
//! | `preemptions` | of all findings that are bugs, the one with fewest has as many |
//! | `reason` `message` `note` | text contained in the report's reason, a finding, a note |
//! | `args` | further options of `dpor check` |
//! | `program-args` | arguments of the program |
//! | `stdin` | its standard input, `\n` for a newline |
//! | `cflags` | further options of `dpor-cc` |
//! | `opt` | levels to compile at: `O0 O2`; `O2` if not given |
//! | `revisions` | names; each is checked by itself |
//! | `checkpoint` | `both` (default), `snapshot`, `restart` |
//! | `dfs` | `same-outcomes`: `--search=dfs` must find the same set |
//! | `replay` | `yes` (default for `bug`), `no` |
//! | `mode` | `check` (default); `alone`: run the program itself; `off`: itself, with `DPOR_OPTIONS=off=1` |
//! | `exit` | exit code, for `alone` and `off` |
//! | `smoke` | `yes`: also under the compiler versions that only get a smoke test |
//! | `golden` | `yes`: the text report is compared with `FILE.report`, or `FILE.REVISION.report`; for programs compiled at one level |
//! | `workers` | `no`: workers find more executions, as they do not merge looks at counts (decision 0114); nor is the search saved |
//! | `parts` | `no`: the search is not saved and taken up; for what depends on where the stack lies, or on the process |
//! | `seconds` | time limit per run, 60 if not given |
//! | `known-gap` | why what is expected here is not what it should be |

use dpor_report::{Executions, FindingKind, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Distinct outcomes with their number of executions, where the header gives one.
pub type Outcomes = BTreeMap<BTreeMap<String, i64>, Option<u64>>;

/// The way in which a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Under `dpor check`.
    #[default]
    Check,
    /// Natively, as the plain program that it is.
    Alone,
    /// Natively, as an instrumented program with real threads.
    Off,
}

/// The checkpoints that a program is checked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Checkpoints {
    /// Snapshots and fresh processes, one after the other; their results must be equal.
    #[default]
    Both,
    /// Snapshots only: for programs that would take too long otherwise.
    Snapshot,
    /// Fresh processes only.
    Restart,
}

/// A line that a finding must touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Number of the line, from 1.
    pub line: u32,
    /// The kind of finding, `race` standing for `data-race`.
    pub kind: FindingKind,
}

/// The expectations of one revision of a program.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// Name of the revision; empty if the file has none.
    pub revision: String,
    /// `None` only outside [`Mode::Check`].
    pub expect: Option<Verdict>,
    /// Kinds of findings.
    pub kinds: BTreeSet<String>,
    /// Exact counters, if `executions` or another counter was given.
    pub executions: Option<Executions>,
    /// Exact outcomes.
    pub outcomes: Option<Outcomes>,
    /// Number of distinct outcomes.
    pub outcomes_distinct: Option<usize>,
    /// Exact set of outputs.
    pub outputs: Option<BTreeSet<String>>,
    /// Smallest number of preemptions of its bugs.
    pub preemptions: Option<u64>,
    /// Text in the report's reason.
    pub reason: Option<String>,
    /// Texts in messages or details of findings.
    pub messages: Vec<String>,
    /// Texts in notes.
    pub notes: Vec<String>,
    /// Options of `dpor check`.
    pub args: Vec<String>,
    /// Arguments of the program.
    pub program_args: Vec<String>,
    /// The program's standard input.
    pub stdin: String,
    /// Options of `dpor-cc`.
    pub cflags: Vec<String>,
    /// Optimization levels, without the dash.
    pub levels: Vec<String>,
    /// The checkpoints of its checks.
    pub checkpoints: Checkpoints,
    /// True if `--search=dfs` must find the same outcomes.
    pub dfs: bool,
    /// True if findings are replayed.
    pub replay: bool,
    /// The way in which the program is run.
    pub mode: Mode,
    /// Exit code outside [`Mode::Check`].
    pub exit: i32,
    /// True if the program is part of the smoke test.
    pub smoke: bool,
    /// True if there is a golden report.
    pub golden: bool,
    /// True if what the checks in several parts find is compared with the whole; what depends on where the stack lies
    /// is not.
    pub parts: bool,
    /// True if workers run the same executions as one process.
    pub workers: bool,
    /// Time limit of one run in seconds.
    pub seconds: u64,
    /// Why the expectation is not the right one.
    pub known_gap: Option<String>,
    /// Marked lines.
    pub markers: Vec<Marker>,
}

/// A line that cannot be understood.
#[derive(Debug, PartialEq, Eq)]
pub struct Error {
    /// Number of the line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// The error in words.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

struct Directive<'a> {
    line: usize,
    revision: Option<&'a str>,
    key: &'a str,
    value: &'a str,
}

/// Reads a program's text: one header per revision.
///
/// # Errors
/// The first line that is not in the grammar, or what is missing.
pub fn parse(text: &str) -> Result<Vec<Header>, Error> {
    let mut directives = Vec::new();
    let mut markers = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let at = |message: String| Error {
            line: index + 1,
            message,
        };
        if let Some(rest) = line.trim_start().strip_prefix("//@") {
            directives.push(directive(index + 1, rest).map_err(at)?);
        } else if let Some((_, word)) = line.split_once("//~") {
            let line = u32::try_from(index + 1).map_err(|_| at("too many lines".to_owned()))?;
            let (revision, word) = of_revision(word).map_err(at)?;
            let kind = marker_kind(word.trim()).map_err(at)?;
            markers.push((revision, Marker { line, kind }));
        }
    }
    let names: Vec<&str> = directives
        .iter()
        .filter(|directive| directive.key == "revisions")
        .flat_map(|directive| directive.value.split_whitespace())
        .collect();
    check_names(&directives, &names)?;
    let names = if names.is_empty() { vec![""] } else { names };
    names
        .into_iter()
        .map(|name| assemble(name, &directives, &markers))
        .collect()
}

fn directive(line: usize, rest: &str) -> Result<Directive<'_>, String> {
    let (revision, rest) = of_revision(rest)?;
    let (key, value) = rest.split_once(':').ok_or("not of the form key: value")?;
    Ok(Directive {
        line,
        revision,
        key: key.trim(),
        // What follows two slashes is the reason for the value.
        value: value.split(" //").next().unwrap_or(value).trim(),
    })
}

/// The revision in brackets at the beginning, if there is one, and the rest.
fn of_revision(text: &str) -> Result<(Option<&str>, &str), String> {
    match text.strip_prefix('[') {
        Some(rest) => {
            let (name, rest) = rest.split_once(']').ok_or("']' is missing")?;
            Ok((Some(name), rest))
        }
        None => Ok((None, text)),
    }
}

fn marker_kind(word: &str) -> Result<FindingKind, String> {
    let name = if word == "race" { "data-race" } else { word };
    kind(name)
}

fn kind(name: &str) -> Result<FindingKind, String> {
    serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|_| format!("'{name}' is no kind of finding"))
}

fn check_names(directives: &[Directive<'_>], names: &[&str]) -> Result<(), Error> {
    let unknown = directives.iter().find(|directive| {
        directive
            .revision
            .is_some_and(|name| !names.contains(&name))
    });
    match unknown {
        Some(directive) => Err(Error {
            line: directive.line,
            message: format!("no revision '{}'", directive.revision.unwrap_or("")),
        }),
        None => Ok(()),
    }
}

fn assemble(
    name: &str,
    directives: &[Directive<'_>],
    markers: &[(Option<&str>, Marker)],
) -> Result<Header, Error> {
    let markers = markers.iter();
    let own = markers.filter(|marker| marker.0.is_none_or(|revision| revision == name));
    let mut header = Header {
        revision: name.to_owned(),
        seconds: 60,
        replay: true,
        parts: true,
        workers: true,
        markers: own.map(|marker| marker.1.clone()).collect(),
        ..Header::default()
    };
    for directive in directives {
        if directive.revision.is_none_or(|revision| revision == name) {
            header
                .apply(directive.key, directive.value)
                .map_err(|message| Error {
                    line: directive.line,
                    message: format!("{}: {message}", directive.key),
                })?;
        }
    }
    header
        .finish()
        .map_err(|message| Error { line: 0, message })
}

impl Header {
    fn apply(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "revisions" => {}
            "expect" => self.expect = Some(verdict(value)?),
            "kind" => {
                for word in value.split_whitespace() {
                    self.kinds.insert(kind(word)?.to_string());
                }
            }
            "executions" => self.counters().complete = number(value)?,
            "blocked" => self.counters().blocked = number(value)?,
            "bound-exceeded" => self.counters().bound_exceeded = number(value)?,
            "deadlocked" => self.counters().deadlocked = number(value)?,
            "failed" => self.counters().failed = number(value)?,
            "preemptions" => self.preemptions = Some(number(value)?),
            "redundant" => self.counters().redundant = number(value)?,
            "outcomes" => self.outcomes = Some(outcomes(value)?),
            "outcomes-distinct" => self.outcomes_distinct = Some(number(value)?),
            "outputs" => {
                self.outputs = Some(value.split('|').map(|s| unescape(s.trim())).collect())
            }
            "reason" => self.reason = Some(value.to_owned()),
            "message" => self.messages.push(value.to_owned()),
            "note" => self.notes.push(value.to_owned()),
            "args" => self.args.extend(words(value)),
            "program-args" => self.program_args.extend(words(value)),
            "stdin" => self.stdin = unescape(value),
            "cflags" => self.cflags.extend(words(value)),
            "opt" => self.levels = words(value).collect(),
            _ => return self.apply_how(key, value),
        }
        Ok(())
    }

    /// Directives about how to run rather than what to find.
    fn apply_how(&mut self, key: &str, value: &str) -> Result<(), String> {
        match (key, value) {
            ("checkpoint", "both") => self.checkpoints = Checkpoints::Both,
            ("checkpoint", "snapshot") => self.checkpoints = Checkpoints::Snapshot,
            ("checkpoint", "restart") => self.checkpoints = Checkpoints::Restart,
            ("dfs", "same-outcomes") => self.dfs = true,
            ("replay", "yes") => self.replay = true,
            ("replay", "no") => self.replay = false,
            ("mode", "check") => self.mode = Mode::Check,
            ("mode", "alone") => self.mode = Mode::Alone,
            ("mode", "off") => self.mode = Mode::Off,
            ("exit", code) => self.exit = number(code)?,
            ("smoke", "yes") => self.smoke = true,
            ("golden", "yes") => self.golden = true,
            ("parts", "no") => self.parts = false,
            ("workers", "no") => (self.workers, self.parts) = (false, false),
            ("seconds", seconds) => self.seconds = number(seconds)?,
            ("known-gap", why) => self.known_gap = Some(why.to_owned()),
            _ => return Err(format!("no such directive, or it cannot be '{value}'")),
        }
        Ok(())
    }

    /// Whether the program is searched with a bound of preemptions.
    pub fn is_bounded(&self) -> bool {
        const BOUNDED: [&str; 3] = ["--bound", "--iterative", "--search=icb"];
        let is_bound = |arg: &String| BOUNDED.iter().any(|bounded| arg.starts_with(bounded));
        self.args.iter().any(is_bound)
    }

    fn counters(&mut self) -> &mut Executions {
        self.executions.get_or_insert_with(Executions::default)
    }

    fn finish(mut self) -> Result<Header, String> {
        if self.levels.is_empty() {
            self.levels.push("O2".to_owned());
        }
        let check = self.mode == Mode::Check;
        if check && self.expect.is_none() {
            return Err("'//@ expect:' is missing".to_owned());
        }
        let bug = self.expect == Some(Verdict::Bug);
        if check && bug && self.kinds.is_empty() {
            return Err("a bug needs its kind".to_owned());
        }
        if self.golden && self.levels.len() > 1 {
            return Err("a golden report needs one level".to_owned());
        }
        // A count is meant for the full set of traces: nothing may merge them.
        if self.executions.is_some() && !self.args.iter().any(|a| a.starts_with("--reductions")) {
            self.args.push("--reductions=none".to_owned());
        }
        let lists = self.outcomes.is_some() || self.outcomes_distinct.is_some() || self.dfs;
        if lists && !self.args.iter().any(|a| a == "--outcomes") {
            self.args.push("--outcomes".to_owned());
        }
        if self.outputs.is_some() && !self.args.iter().any(|a| a.starts_with("--output=")) {
            self.args.push("--output=all".to_owned());
        }
        Ok(self)
    }
}

fn verdict(value: &str) -> Result<Verdict, String> {
    serde_json::from_value(serde_json::Value::String(value.to_owned()))
        .map_err(|_| format!("'{value}' is no verdict"))
}

/// Digits, with `,` or `_` between groups.
fn number<T: FromStr>(value: &str) -> Result<T, String> {
    value
        .replace([',', '_'], "")
        .parse()
        .map_err(|_| format!("'{value}' is not a number"))
}

fn words(value: &str) -> impl Iterator<Item = String> + '_ {
    value.split_whitespace().map(str::to_owned)
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n")
}

fn outcomes(value: &str) -> Result<Outcomes, String> {
    let mut all = Outcomes::new();
    for outcome in value.split('|').map(str::trim) {
        let mut values = BTreeMap::new();
        let mut times = None;
        for word in outcome.split_whitespace() {
            if let Some(count) = word.strip_prefix('*') {
                times = Some(number(count)?);
            } else {
                let (name, value) = word
                    .split_once('=')
                    .ok_or_else(|| format!("'{word}' is not of the form name=value"))?;
                values.insert(name.to_owned(), number(value)?);
            }
        }
        if all.insert(values, times).is_some() {
            return Err(format!("'{outcome}' is there twice"));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
