//! The C programs of valgrind's helgrind/tests that use only what is modelled.

use super::{check, source, Part};
use crate::stop::Outcome;
use crate::{process, tree};
use dpor_report::{FindingKind as Kind, Report, Severity, Verdict};
use std::path::Path;
use std::process::Command;

/// A program, what it contains by reading its source, and the options that show it.
struct Peer {
    name: &'static str,
    expect: &'static [Kind],
    options: &'static [&'static str],
    remark: &'static str,
}

const fn peer(name: &'static str, expect: &'static [Kind], remark: &'static str) -> Peer {
    Peer {
        name,
        expect,
        options: &[],
        remark,
    }
}

const RACE: &[Kind] = &[Kind::DataRace];

/// Left out: what needs barriers, semaphores, read-write locks, timed waits, sleeping signals,
/// valgrind's own client requests, or inline assembly that reaches memory through a clobber.
const PEERS: [Peer; 21] = [
    peer("cond_init_destroy", &[], "one thread"),
    peer("hg01_all_ok", &[], ""),
    peer("hg02_deadlock", &[Kind::Deadlock], ""),
    Peer {
        name: "hg03_inherit",
        expect: &[Kind::DataRace, Kind::NonzeroExit],
        options: &["-k", "--volatile=plain"],
        remark: "races on a volatile; returns a sum",
    },
    peer("hg04_race", RACE, ""),
    peer("hg05_race2", RACE, "on main's stack"),
    peer("hg06_readshared", &[], ""),
    peer("locked_vs_unlocked1", RACE, ""),
    peer("locked_vs_unlocked2", RACE, ""),
    peer(
        "pth_destroy_cond",
        &[],
        "POSIX: allowed once no thread is blocked on it",
    ),
    peer("t2t", &[], "one thread"),
    peer("tc01_simple_race", RACE, ""),
    peer("tc02_simple_tls", &[], ""),
    peer("tc05_simple_race", RACE, ""),
    peer("tc06_two_races", RACE, ""),
    peer("tc09_bad_unlock", &[Kind::UnlockNotOwner], ""),
    peer(
        "tc14_laog_dinphils",
        &[Kind::Deadlock],
        "5 philosophers, 1,000 rounds",
    ),
    peer("tc16_byterace", RACE, "one byte of ten"),
    peer("tc21_pthonce", RACE, ""),
    peer("tc22_exit_w_lock", &[Kind::Abort], "ends by kill(SIGABRT)"),
    peer("tls_threads", &[], "33 threads"),
];

/// Builds and checks each program.
///
/// # Errors
/// If the sources cannot be fetched. A program that does not build or run is a row.
pub fn run() -> Outcome<Part> {
    let tests = source::fetch("valgrind")?.join("helgrind/tests");
    let mut part = Part {
        text: "\n## helgrind/tests\n\n\
               Expected by reading the program; without a word in \"options\", the first finding ends the check.\n\n\
               | program | options | expected | found | executions | remark |\n|---|---|---|---|---|---|\n"
            .to_owned(),
        wrong: 0,
    };
    for peer in &PEERS {
        let (found, executions) = match examine(peer, &tests) {
            Ok(report) => (found(&report), report.executions.total()),
            Err(stop) => (stop.to_string(), 0),
        };
        let expected = words(peer.expect.iter().copied());
        part.wrong += usize::from(found != expected);
        part.text += &format!(
            "| {} | {} | {expected} | {found} | {executions} | {} |\n",
            peer.name,
            peer.options.join(" "),
            peer.remark
        );
    }
    Ok(part)
}

fn examine(peer: &Peer, tests: &Path) -> Outcome<Report> {
    let program = tree::scratch("peers").join(peer.name);
    let mut compile = Command::new(tree::tool("dpor-cc"));
    // -O0, as valgrind's own test suite builds them: some races are undefined enough to vanish.
    compile.args(["-O0", "-g", "-w", "-DHAVE_TLS=1"]);
    // config.h is made by valgrind's configure; no program of the table needs anything of it.
    compile.arg("-I").arg(empty_config()?);
    compile.arg("-I").arg(tests.join("../../include"));
    compile.arg(tests.join(format!("{}.c", peer.name)));
    process::run(compile.arg("-o").arg(&program))?;
    let mut options = vec!["--max-executions=5000", "--time-limit=60"];
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

fn found(report: &Report) -> String {
    let errors = report
        .findings
        .iter()
        .map(|finding| finding.kind)
        .filter(|kind| kind.severity() == Severity::Error);
    match report.verdict {
        Verdict::Verified | Verdict::Bug => words(errors),
        other => format!("{other}: {}", report.reason.as_deref().unwrap_or("")),
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
