//! The C programs of valgrind's helgrind/tests that use only what is modelled.

use super::{check, source, Part};
use crate::stop::Outcome;
use crate::{process, tree};
use dpor_report::{FindingKind as Kind, Report, Severity, Verdict};
use std::path::Path;
use std::process::Command;

/// What a program shows, by reading its source.
enum Expect {
    /// These kinds of findings and no others, none of them warnings.
    Findings(&'static [Kind]),
    /// The verdict `unsupported`, its reason containing this.
    Unsupported(&'static str),
    /// More executions than the limit and no finding in these: the remark says why that is so.
    Limit,
}

use Expect::{Findings, Limit, Unsupported};

/// A program, and the options that show what it contains.
struct Peer {
    name: &'static str,
    expect: Expect,
    options: &'static [&'static str],
    remark: &'static str,
}

const fn peer(name: &'static str, expect: Expect, remark: &'static str) -> Peer {
    Peer {
        name,
        expect,
        options: &["-k"],
        remark,
    }
}

const NOTHING: Expect = Findings(&[]);
const RACE: Expect = Findings(&[Kind::DataRace]);

/// Left out: what needs barriers, semaphores, read-write locks, spin locks or timed waits, and
/// what only talks to valgrind itself.
const PEERS: [Peer; 33] = [
    peer("cond_init_destroy", NOTHING, "one thread"),
    peer(
        "free_is_write",
        RACE,
        "a read and `free`; the sleep orders nothing",
    ),
    peer("hg01_all_ok", NOTHING, "2 orders of one lock"),
    peer("hg02_deadlock", Findings(&[Kind::Deadlock]), ""),
    Peer {
        name: "hg03_inherit",
        expect: Findings(&[Kind::DataRace, Kind::NonzeroExit]),
        options: &["-k", "--volatile=plain"],
        remark: "its race is on a volatile; returns a sum",
    },
    peer("hg04_race", RACE, ""),
    peer("hg05_race2", RACE, "on main's stack"),
    peer("hg06_readshared", NOTHING, ""),
    peer("locked_vs_unlocked1", RACE, ""),
    peer("locked_vs_unlocked2", RACE, ""),
    peer("locked_vs_unlocked3", RACE, "a recursive mutex held twice"),
    peer(
        "pth_destroy_cond",
        NOTHING,
        "POSIX: allowed once no thread is blocked on it",
    ),
    peer(
        "pth_mempcpy_false_races",
        Limit,
        "clean but for a thread that is not joined; the orders of 1,110 lines of output are too many; helgrind accuses it",
    ),
    peer(
        "stackteardown",
        NOTHING,
        "without valgrind's config.h the thread only detaches and returns",
    ),
    peer("t2t", NOTHING, "one thread"),
    peer("tc01_simple_race", RACE, ""),
    peer("tc02_simple_tls", NOTHING, ""),
    peer("tc03_re_excl", NOTHING, "two readers, then a join"),
    peer(
        "tc04_free_lock",
        NOTHING,
        "one thread: a held mutex is freed, which nobody can see",
    ),
    peer("tc05_simple_race", RACE, ""),
    peer("tc06_two_races", RACE, ""),
    peer(
        "tc07_hbl1",
        Unsupported("inline assembly"),
        "`lock; incl (%0)`, its memory only in the clobber",
    ),
    peer("tc08_hbl2", Unsupported("inline assembly"), "the same"),
    peer("tc09_bad_unlock", Findings(&[Kind::UnlockNotOwner]), ""),
    peer("tc10_rec_lock", NOTHING, "one thread"),
    peer(
        "tc11_XCHG",
        Findings(&[Kind::NonzeroExit]),
        "no race: assembly with memory operands; returns 0 or 12,345 by the order",
    ),
    peer(
        "tc13_laog1",
        NOTHING,
        "one thread: lock order alone, which cannot deadlock",
    ),
    peer(
        "tc14_laog_dinphils",
        Limit,
        "has a deadlock, 5 philosophers of 1,000 rounds: the search goes through the orders of the last rounds first",
    ),
    peer("tc15_laog_lockdel", NOTHING, "one thread, as tc13"),
    peer("tc16_byterace", RACE, "one byte of ten"),
    peer("tc21_pthonce", RACE, ""),
    peer(
        "tc22_exit_w_lock",
        Findings(&[Kind::Abort]),
        "ends by kill(SIGABRT)",
    ),
    peer("tls_threads", NOTHING, "33 threads, one lock three times: 3!"),
];

/// The levels at which each is built. -O0 is valgrind's own: at others some races may vanish.
const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// So many executions or seconds each.
const LIMITS: [&str; 2] = ["--max-executions=2000", "--time-limit=30"];

/// Builds and checks each program.
///
/// # Errors
/// If the sources cannot be fetched. A program that does not build or run is a row.
pub fn run() -> Outcome<Part> {
    let tests = source::fetch("valgrind")?.join("helgrind/tests");
    let mut part = Part {
        text: format!(
            "\n## helgrind/tests\n\n\
             Expected by reading each program, found by `dpor check {}` and the options shown.\n\n\
             | program | options | expected | found at -O0 | at -O2 | executions | remark |\n|---|---|---|---|---|---|---|\n",
            LIMITS.join(" ")
        ),
        wrong: 0,
    };
    for peer in &PEERS {
        let mut cells = Vec::new();
        let mut executions = Vec::new();
        for level in LEVELS {
            let (right, said, count) = match examine(peer, level, &tests) {
                Ok(report) => (
                    peer.is_met(&report),
                    found(&report),
                    report.executions.total(),
                ),
                Err(stop) => (false, stop.to_string(), 0),
            };
            part.wrong += usize::from(!right);
            cells.push(if right { said } else { format!("**{said}**") });
            executions.push(count.to_string());
        }
        executions.dedup();
        part.text += &format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            peer.name,
            peer.options.join(" "),
            peer.expected(),
            cells.join(" | "),
            executions.join(", "),
            peer.remark
        );
    }
    Ok(part)
}

impl Peer {
    fn expected(&self) -> String {
        match self.expect {
            Findings(kinds) => words(kinds.iter().copied()),
            Unsupported(what) => format!("unsupported: {what}"),
            Limit => "more executions than the limit".to_owned(),
        }
    }

    fn is_met(&self, report: &Report) -> bool {
        let reason = report.reason.as_deref().unwrap_or("");
        let clean = errors(report).next().is_none();
        match self.expect {
            Findings([]) => clean && report.verdict == Verdict::Verified,
            Findings(_) => {
                report.verdict == Verdict::Bug && words(errors(report)) == self.expected()
            }
            Unsupported(what) => {
                clean && report.verdict == Verdict::Unsupported && reason.contains(what)
            }
            Limit => clean && report.verdict == Verdict::Incomplete && reason.contains("limit of"),
        }
    }
}

fn examine(peer: &Peer, level: &str, tests: &Path) -> Outcome<Report> {
    let program = tree::scratch("peers").join(format!("{}{level}", peer.name));
    let mut compile = Command::new(tree::tool("dpor-cc"));
    compile.args([level, "-g", "-w", "-DHAVE_TLS=1"]);
    // config.h is made by valgrind's configure; no program of the table needs anything of it.
    compile.arg("-I").arg(empty_config()?);
    compile.arg("-I").arg(tests.join("../../include"));
    compile.arg(tests.join(format!("{}.c", peer.name)));
    process::run(compile.arg("-o").arg(&program))?;
    let mut options = LIMITS.to_vec();
    options.push("--output=none");
    options.extend(peer.options);
    check(&program, &options, &[])
}

fn empty_config() -> Outcome<std::path::PathBuf> {
    use crate::stop::Context;
    let folder = tree::scratch("peers/include");
    let file = folder.join("config.h");
    std::fs::write(&file, "").while_doing(file.display())?;
    Ok(folder)
}

fn errors(report: &Report) -> impl Iterator<Item = Kind> + '_ {
    let kinds = report.findings.iter().map(|finding| finding.kind);
    kinds.filter(|kind| kind.severity() == Severity::Error)
}

fn found(report: &Report) -> String {
    match report.verdict {
        Verdict::Verified | Verdict::Bug => words(errors(report)),
        // The place of what is unsupported names a folder of this machine.
        other => {
            let reason = report.reason.as_deref().unwrap_or("");
            format!(
                "{other}: {}",
                reason.split(" at /").next().unwrap_or(reason)
            )
        }
    }
}

fn words(kinds: impl Iterator<Item = Kind>) -> String {
    let mut words: Vec<String> = kinds.map(|kind| kind.to_string()).collect();
    words.sort();
    words.dedup();
    match words.is_empty() {
        true => "nothing".to_owned(),
        false => words.join(", "),
    }
}
