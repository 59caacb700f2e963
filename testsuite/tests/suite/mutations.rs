//! A runtime that is broken on purpose must be noticed.
//!
//! `cargo xtask test` builds the runtime once more, with the feature `mutations`, into target/breakable;
//! programs compiled with what is installed load it from there (`LD_LIBRARY_PATH` comes before the path
//! that the wrapper writes into them), and `DPOR_MUTATION` says what it does wrong
//! (`runtime/engine/src/mutations.rs`).

use dpor_report::Report;
use dpor_testsuite::deal::{self, Version, Way};
use dpor_testsuite::header;
use dpor_testsuite::tool::{self, Tool};
use dpor_testsuite::trial::Trial;
use dpor_testsuite::{random, trial, verify};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder of the runtime that can be broken.
fn breakable() -> PathBuf {
    let folder = trial::product().with_file_name("breakable");
    let library = folder.join("libdpor_rt.so");
    assert!(
        library.exists(),
        "{} is missing; `cargo xtask test mutations` makes it",
        library.display()
    );
    folder
}

/// One check with the runtime in `library`, perhaps broken.
fn check(
    tool: &Tool,
    library: &Path,
    binary: &Path,
    program: &str,
    how: &str,
    broken: bool,
) -> Report {
    let json = tool.path(&format!("{how}.json"));
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command
        .args(["-k", "--outcomes", "--max-executions=2000", "--json"])
        .arg(&json)
        .arg(format!("--checkpoint={how}"))
        .arg("--checkpoint-after=4")
        .arg(binary)
        .args(["--", program])
        .env("LD_LIBRARY_PATH", library);
    if broken {
        command.env("DPOR_MUTATION", "forget-shadow");
    }
    let ran = tool.run(&mut command, "");
    tool::read(&json).unwrap_or_else(|error| panic!("{error}: {}", ran.shown()))
}

#[test]
fn forgetting_the_shadow_on_restore_makes_snapshot_and_restart_differ() {
    let library = breakable();
    let tool = Tool::new("mutations");
    // Programs in which a checkpoint lies between the two accesses of a race in some execution:
    // at the root there is nothing to forget.
    let seeds = [1145, 1276];
    let binary = tool.compile("random", &random::programs(&seeds), &[]);
    let mut noticed = 0;
    for (index, seed) in seeds.iter().enumerate() {
        let program = index.to_string();
        let run = |how, broken| check(&tool, &library, &binary, &program, how, broken);
        let restart = run("restart", true);
        let snapshot = run("snapshot", false);
        assert!(snapshot.checkpoints.taken > 1, "only the root");
        let whole = verify::disagreements(&snapshot, &restart);
        assert!(whole.is_empty(), "seed {seed}: {whole:?}");
        noticed += usize::from(!verify::disagreements(&run("snapshot", true), &restart).is_empty());
    }
    println!("noticed in {noticed} of {} programs", seeds.len());
    assert!(noticed > 0);
}

/// A program without a fault: two orders of a store and a load.
const ORDERS: &str = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cell;
static void *work(void *unused) { atomic_store(&cell, 1); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = atomic_load(&cell);
    pthread_join(thread, 0);
    return seen > 1;
}
";

#[test]
fn a_fault_of_the_search_is_not_the_programs() {
    let library = breakable();
    let tool = Tool::new("mutations-fault");
    let binary = tool.compile("orders", ORDERS, &[]);
    let run = |mutation: &str, how: &str| {
        let mut command = tool.dpor("check");
        command.arg(format!("--checkpoint={how}")).arg(&binary);
        command.env("LD_LIBRARY_PATH", &library);
        command.env("DPOR_MUTATION", mutation);
        tool.run(&mut command, "")
    };
    for how in ["snapshot", "restart"] {
        assert_eq!(run("none", how).code, 0);
        for mutation in ["fault", "panic"] {
            let ran = run(mutation, how);
            assert_eq!(ran.code, 2, "{mutation}, {how}: {}", ran.shown());
            let own = ran.stderr.contains("[dpor internal bug]");
            assert!(own, "{mutation}, {how}: {}", ran.shown());
        }
    }
}

/// Programs with one race, of which the detector knows only if it judges what these mutations leave out.
const RACES: [(&str, &str, &[&str]); 4] = [
    (
        "no-looks",
        "await/looks.c",
        &["-DWAIT=atomic_load(&word)==1"],
    ),
    ("no-looks", "await/looks.c", &["-DOWNER"]),
    ("no-looks", "await/looks.c", &["-DHIDDEN"]),
    (
        "ordered-signal",
        "races/unlocked_signal.c",
        &["-DWAKE=pthread_cond_broadcast"],
    ),
];

#[test]
fn a_detector_that_does_not_judge_looks_or_lets_signals_order_is_noticed() {
    let library = breakable();
    let tool = Tool::new("mutations-races");
    for (number, (mutation, program, flags)) in RACES.into_iter().enumerate() {
        let text = std::fs::read_to_string(trial::programs().join(program));
        let text = text.expect("the program is readable");
        let binary = tool.compile(&format!("race_{number}"), &text, flags);
        let races = |mutation: &str| {
            let mut command = tool.dpor("check");
            command.arg("-k").arg(&binary);
            command.env("LD_LIBRARY_PATH", &library);
            command.env("DPOR_MUTATION", mutation);
            tool.run(&mut command, "").stdout.contains("[data-race]")
        };
        assert!(races("none"), "{program} {flags:?}");
        assert!(
            !races(mutation),
            "{program} {flags:?}: {mutation} is not noticed"
        );
    }
}

/// The first execution is too long, and the other one fails.
const CUT: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag, busy; // Not static: others might look.
static void *sets(void *unused) { atomic_store(&flag, 1); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sets, 0);
    int is_set = atomic_load(&flag);
    for (int k = 0; k < (is_set ? 1 : 300); k++) atomic_store(&busy, k);
    pthread_join(thread, 0);
    assert(!is_set);
}
";

/// Two threads enter what is not instrumented and has memory of its own.
const ENTERS: &str = "
#include <pthread.h>
int count(void);
static void *run(void *unused) { count(); return unused; }
int main(void) {
    pthread_t threads[2];
    for (int k = 0; k < 2; k++) pthread_create(&threads[k], 0, run, 0);
    for (int k = 0; k < 2; k++) pthread_join(threads[k], 0);
}
";
const ENTERED: &str = "static int calls; int count(void) { return ++calls; }";

/// Mutations that change a verdict: the mutation; the file of a program or its text; the option of a check; its exit
/// code without and with that.
const VERDICTS: [(&str, &str, &str, [i32; 2]); 7] = [
    ("return-waits", "exit/handler_stops.c", "-k", [0, 42]),
    ("trusts-all", ENTERS, "-k", [4, 0]),
    ("one-order", "races/one_order.c", "--races=warn", [3, 0]),
    (
        "no-turns",
        "await/polls_locked.c",
        "--max-events=300",
        [0, 3],
    ),
    ("ends-cut", CUT, "--max-events=100", [42, 3]),
    ("frames-live", "stack/returned.c", "-k", [42, 0]),
    ("never-early", "timed/leaves_early.c", "-k", [42, 0]),
];

#[test]
fn a_runtime_that_says_verified_too_early_or_too_late_is_noticed() {
    let library = breakable();
    let tool = Tool::new("mutations-verdicts");
    let part = tool.path("part.o");
    let source = tool.path("part.c");
    std::fs::write(&source, ENTERED).expect("the source can be written");
    let mut clang = tool.clang();
    clang.args(["-O2", "-c", "-o"]).arg(&part).arg(&source);
    assert_eq!(tool.run(&mut clang, "").code, 0);
    for (mutation, program, option, codes) in VERDICTS {
        let file = trial::programs().join(program);
        let flags = match program {
            ENTERS => vec![part.to_str().expect("it is text")],
            _ => vec!["-DPOLLERS=1"],
        };
        let text = std::fs::read_to_string(file).unwrap_or_else(|_| program.to_owned());
        let binary = tool.compile(mutation, &text, &flags);
        let found = ["none", mutation].map(|mutation| {
            let mut command = tool.dpor("check");
            command.arg(option).arg(&binary);
            command.env("LD_LIBRARY_PATH", &library);
            command.env("DPOR_MUTATION", mutation);
            tool.run(&mut command, "").code
        });
        assert_eq!(found, codes, "{mutation}");
    }
}

/// Mutations that a program notices in whatever way it is searched: the mutation, and the program with the revision.
const NOTICED: [(&str, &str, &str); 13] = [
    ("ends-all", "exit/sys_exit.c", "thread"),
    ("names-lossy", "annotations/observe_bytes.c", "latin1"),
    ("front-free", "heap/in_front.c", "page"),
    ("alone-free", "heap/one_thread.c", "used"),
    ("members-free", "cxx/library_members.cc", "racy"),
    ("vacuous-verified", "annotations/assume_nothing.c", "race"),
    ("all-strong", "atomics/weaker.c", ""),
    ("own-library", "cxx/atomic_shared_ptr.cc", "c11"),
    ("one-class", "annotations/classes.c", "below"),
    ("no-progress", "forever/under_mutex.c", "server"),
    ("any-status", "findings/exit_status.c", "other"),
    ("turns-once", "await/left_out_locked.c", "wrong"),
    ("ends-deaf", "signals/before_the_end.c", "handlers"),
];

#[test]
fn a_fault_that_other_peoples_programs_showed_is_noticed_if_it_comes_back() {
    let versions = [Version {
        llvm: Tool::new("mutations-back").llvm(),
        is_full: true,
    }];
    for (mutation, program, revision) in NOTICED {
        let mut trials = dealt(program, &versions, "none");
        trials.retain(|trial| trial.header.revision == revision);
        let whole = trials.first().expect("the revision is dealt").clone();
        let broken = Trial {
            environment: environment(mutation),
            ..whole.clone()
        };
        assert_eq!(whole.run(), Ok(()), "{program}[{revision}]");
        assert!(
            broken.run().is_err(),
            "{program}[{revision}]: {mutation} is not noticed"
        );
    }
}

/// Mutations that some way of searching notices: the mutation, and the ways that then differ; empty: all.
const WRONG: [(&str, &[Way]); 7] = [
    ("forget-shadow", &[]),
    ("fault", &[]),
    ("panic", &[]),
    ("ends-early", &[Way::Restart]),
    ("wrong-fork", &[Way::Fork]),
    ("forget-found", &[Way::Parts]),
    ("lose-found", &[Way::Workers, Way::Parts]),
];

/// A few programs as they are dealt. In the last, a checkpoint lies between the accesses of a race.
const DEALT: [&str; 4] = [
    "litmus/sb.c",
    "litmus/iriw.c",
    "races/publish.c",
    "races/trylock.c",
];

/// How a trial gets a runtime with this mutation.
fn environment(mutation: &str) -> Vec<(&'static str, OsString)> {
    vec![
        ("LD_LIBRARY_PATH", breakable().into()),
        ("DPOR_MUTATION", mutation.into()),
    ]
}

/// The trials of a program, with a runtime that has this mutation.
fn dealt(program: &str, versions: &[Version], mutation: &str) -> Vec<Trial> {
    let file = trial::programs().join(program);
    let text = std::fs::read_to_string(&file).expect("the program is readable");
    let headers = header::parse(&text).expect("the header is right");
    let mut trials = deal::trials(&file, &headers, versions, false);
    for trial in &mut trials {
        trial.environment = environment(mutation);
    }
    trials
}

/// The trials of [`DEALT`] that fail with this mutation, with why.
fn noticed(mutation: &str) -> Vec<(Option<Way>, String)> {
    let versions: Vec<Version> = { Tool::versions().into_iter() }
        .map(|llvm| Version {
            llvm,
            is_full: true,
        })
        .collect();
    let mut failed = Vec::new();
    for program in DEALT {
        for trial in dealt(program, &versions, mutation) {
            if let Err(why) = trial.run() {
                failed.push((
                    trial.ways.first().copied(),
                    format!("{}: {why}", trial.name()),
                ));
            }
        }
    }
    println!("{mutation}: noticed by {} trials", failed.len());
    failed
}

#[test]
fn what_is_dealt_notices_each_fault() {
    let whole = noticed("none");
    assert!(whole.is_empty(), "{whole:?}");
    for (mutation, ways) in WRONG {
        let failed = noticed(mutation);
        assert!(!failed.is_empty(), "{mutation} is not noticed");
        for (way, why) in failed {
            // Whoever is searched in another way does not see it: that one has to be dealt to somebody.
            let is_its = way.is_some_and(|way| ways.contains(&way) && why.contains("dealt"));
            assert!(ways.is_empty() || is_its, "{mutation}: {why}");
        }
    }
}

/// The trials of the programs that go on for ever, with a runtime that has this mutation.
fn for_ever(mutation: &str) -> Vec<Trial> {
    let llvm = Tool::versions().pop().expect("there is a version of LLVM");
    let version = [Version {
        llvm,
        is_full: true,
    }];
    let folder =
        std::fs::read_dir(trial::programs().join("states")).expect("the programs are there");
    let mut programs: Vec<String> = folder
        .map(|entry| entry.expect("the folder is readable").file_name())
        .map(|name| format!("states/{}", name.to_string_lossy()))
        .filter(|name| name.ends_with(".c"))
        .collect();
    programs.sort();
    let trials = programs
        .iter()
        .map(|program| dealt(program, &version, mutation));
    // Optimized code keeps values in registers.
    let mut trials: Vec<Trial> = trials.flatten().collect();
    trials.retain(|trial| trial.name().ends_with("@O2"));
    trials
}

/// Registers that are taken for dead where states are remembered hold rubbish: no verdict is another.
#[test]
fn what_is_in_dead_registers_is_noticed_by_nobody() {
    let trials = for_ever("rubbish-dead");
    assert!(trials.len() > 50, "only {}", trials.len());
    let failed: Vec<String> = { trials.iter() }
        .filter_map(|trial| Some(format!("{}: {}", trial.name(), trial.run().err()?)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A counter that is dead in its register makes states of one: as many with zeros there as with rubbish, and more with the
/// counter.
#[test]
fn dead_registers_that_are_kept_are_noticed() {
    let states = |mutation: &str| {
        let mut trials = for_ever(mutation);
        trials.retain(|trial| trial.name().contains("/ipc.c[right]"));
        let trial = trials.first().expect("the program is dealt");
        let report = trial
            .measure()
            .unwrap_or_else(|why| panic!("{mutation}: {why}"));
        report.states.expect("states were remembered").states
    };
    let zeros = states("none");
    assert_eq!(states("rubbish-dead"), zeros);
    assert!(states("keeps-dead") > zeros);
}
