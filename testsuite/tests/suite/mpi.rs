//! Ranks of MPI: needs `mpirun` and a dpor that was built with MPI. Run by `cargo xtask cluster`; by
//! `cargo test` only with `--ignored`. What does not need MPI itself is in ranks.rs.

use dpor_report::{Report, Verdict};
use dpor_testsuite::limited::Ran;
use dpor_testsuite::processes::{children, send, until, LONG, LONGER_EXECUTIONS, LONG_EXECUTIONS};
use dpor_testsuite::tool::{self, Tool};
use dpor_testsuite::trial::{mpirun, product};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program of two executions, one of which fails: the load comes after the store.
const FAILS: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int cell;
static void *store(void *unused) {
    atomic_store(&cell, 1);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, store, 0);
    assert(atomic_load(&cell) == 0);
    pthread_join(thread, 0);
    return 0;
}
";

/// A check by so many ranks, to be completed: `after` is what mpirun is told besides.
fn ranks(number: u32, json: &Path, options: &[&str]) -> Command {
    drop(std::fs::remove_file(json));
    let mut command = mpirun(&number.to_string(), &product().join("bin/dpor"));
    command.args(["check", "--mpi", "--json"]).arg(json);
    command.args(options);
    command
}

struct Case {
    tool: Tool,
    program: PathBuf,
    json: PathBuf,
}

impl Case {
    fn new(name: &str, text: &str, flags: &[&str]) -> Case {
        let tool = Tool::new(&format!("mpi-{name}"));
        let program = tool.compile(name, text, flags);
        let json = tool.path(&format!("{name}.json"));
        Case {
            tool,
            program,
            json,
        }
    }

    fn run(&self, number: u32, options: &[&str]) -> (Ran, Report) {
        let mut command = ranks(number, &self.json, options);
        let ran = self.tool.run(command.arg(&self.program), "");
        let report = tool::read(&self.json).unwrap_or_else(|why| panic!("{why}: {}", ran.shown()));
        (ran, report)
    }
}

#[test]
#[ignore = "needs MPI"]
fn two_to_eight_ranks_explore_the_same() {
    let case = Case::new("same", LONG, &[]);
    for (number, workers) in [(1, "-j2"), (2, "-j1"), (3, "-j2"), (4, "-j1"), (8, "-j1")] {
        let (ran, report) = case.run(number, &[workers]);
        assert_eq!(report.verdict, Verdict::Verified, "{}", ran.shown());
        assert_eq!(report.executions.complete, LONG_EXECUTIONS);
        assert_eq!(report.executions.total(), LONG_EXECUTIONS);
        assert_eq!(ran.code, 0);
        let sharing = report.sharing.expect("there are several");
        assert!(sharing.items_moved >= u64::from(number) - 1, "{sharing:?}");
    }
}

#[test]
#[ignore = "needs MPI"]
fn a_finding_is_told_once_and_ends_all() {
    let case = Case::new("fails", FAILS, &[]);
    let (ran, report) = case.run(4, &["--workers-after=0"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(report.verdict, Verdict::Bug);
    let [finding] = &report.findings[..] else {
        panic!("{}", ran.shown())
    };
    // The thread that could load has to be left for the one that stores.
    assert!(finding.minimal && finding.preemptions == 1, "{finding:?}");
    assert!(finding.critical_step.is_some(), "{finding:?}");
    assert_eq!(ran.stdout.matches("error[").count(), 1, "{}", ran.stdout);
}

#[test]
#[ignore = "needs MPI"]
fn a_rank_that_is_killed_leaves_what_was_saved() {
    let case = Case::new("killed", LONG, &["-DLAST=4"]);
    let file = case.tool.path("killed.dpor");
    drop(std::fs::remove_file(&file));
    let save = format!("--save={}", file.display());
    let mut command = ranks(3, &case.json, &[&save]);
    // The time that rank 0 has for its report; mpirun waits as long before it asks for it.
    command
        .arg(&case.program)
        .env("OMPI_MCA_odls_base_sigkill_timeout", "5")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let launcher = command.spawn().expect("mpirun starts");
    until("file", || file.exists().then_some(()));
    let drivers = children(launcher.id());
    assert_eq!(drivers.len(), 3);
    assert!(send("-KILL", drivers[2]));
    let ended = launcher.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        said.contains("signal 9") && !ended.status.success(),
        "{said}"
    );
    let report = tool::read(&case.json).expect("rank 0 reports");
    assert_eq!(report.verdict, Verdict::Incomplete);
    let (ran, second) = case.run(2, &[&format!("--resume={}", file.display())]);
    assert!(second.resumed > 0);
    assert_eq!(second.resumed, report.executions.total(), "{}", ran.shown());
    assert_eq!(second.executions.total(), LONGER_EXECUTIONS);
    assert_eq!(second.verdict, Verdict::Verified);
}

#[test]
#[ignore = "needs MPI"]
fn a_rank_whose_program_is_killed_is_named() {
    let case = Case::new("named", LONG, &["-DLAST=4"]);
    let file = case.tool.path("named.dpor");
    drop(std::fs::remove_file(&file));
    let save = format!("--save={}", file.display());
    let mut command = ranks(3, &case.json, &[&save]);
    command
        .arg(&case.program)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut launcher = command.spawn().expect("mpirun starts");
    until("file", || file.exists().then_some(()));
    let programs = children(children(launcher.id())[1]);
    assert!(send("-KILL", programs[0]));
    launcher.wait().expect("it ends");
    let report = tool::read(&case.json).expect("rank 0 reports");
    assert_eq!(report.verdict, Verdict::Incomplete);
    let reason = report.reason.clone().expect("it says why");
    assert!(
        reason.starts_with("rank ") && reason.contains("killed by SIGKILL"),
        "{reason}"
    );
    let (ran, second) = case.run(4, &[&format!("--resume={}", file.display())]);
    assert_eq!(second.resumed, report.executions.total(), "{}", ran.shown());
    assert_eq!(second.executions.total(), LONGER_EXECUTIONS);
}

#[test]
#[ignore = "needs MPI"]
fn a_limit_and_a_signal_leave_the_rest() {
    let case = Case::new("limits", LONG, &[]);
    let file = case.tool.path("limits.dpor");
    let save = format!("--save={}", file.display());
    let (ran, first) = case.run(3, &[&save, "--max-executions=100000"]);
    assert_eq!(first.executions.total(), 100_000, "{}", ran.shown());
    assert_eq!(ran.code, 3);
    let resume = format!("--resume={}", file.display());
    let (ran, last) = case.run(2, &[&resume]);
    assert_eq!(last.resumed, 100_000, "{}", ran.shown());
    assert_eq!(last.executions.total(), LONG_EXECUTIONS);
    // And by one process without MPI.
    let mut alone = case.tool.dpor("check");
    drop(std::fs::remove_file(&case.json));
    let json = ["--json".as_ref(), case.json.as_os_str()];
    case.tool
        .run(alone.args(json).arg(&resume).arg(&case.program), "");
    let alone = tool::read(&case.json).expect("a report");
    assert_eq!(alone.executions.total(), LONG_EXECUTIONS);
    assert_eq!(alone.resumed, 100_000);
}

#[test]
#[ignore = "needs MPI"]
fn what_does_not_fit_is_refused() {
    let case = Case::new("refused", FAILS, &[]);
    let source = case.tool.path("refused.c");
    for (options, expect) in [
        (vec!["--commit-files"], "exclude each other"),
        (vec!["-j64"], "-j from 1 to 63"),
    ] {
        let mut command = ranks(1, &case.json, &options);
        let ran = case.tool.run(command.arg(&case.program), "");
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stderr.contains(expect), "{}", ran.shown());
    }
    let ran = case.tool.run(ranks(1, &case.json, &[]).arg(source), "");
    assert!(ran.stderr.contains("compile"), "{}", ran.shown());
}

/// Two ranks each in two network namespaces, joined by a cable, over TCP alone.
#[test]
#[ignore = "needs MPI and a superuser"]
fn ranks_of_two_hosts_explore_the_same() {
    let case = Case::new("hosts", LONG, &[]);
    let script = case.tool.path("hosts.sh");
    std::fs::write(&script, HOSTS).expect("it can be written");
    drop(std::fs::remove_file(&case.json));
    let mut command = Command::new("sh");
    command
        .arg(&script)
        .arg(product().join("bin/dpor"))
        .arg(&case.program)
        .arg(&case.json)
        .arg(case.tool.path("agent.sh"))
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let ran = case.tool.run(&mut command, "");
    let report = tool::read(&case.json).unwrap_or_else(|why| panic!("{why}: {}", ran.shown()));
    assert_eq!(report.verdict, Verdict::Verified, "{}", ran.shown());
    assert_eq!(report.executions.total(), LONG_EXECUTIONS);
    let hosts: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|l| l.starts_with("node"))
        .collect();
    let count = |name: &str| hosts.iter().filter(|&&host| host == name).count();
    assert_eq!((count("nodea"), count("nodeb")), (2, 2), "{}", ran.shown());
    let bytes = ran
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("bytes "));
    let bytes: u64 = bytes.and_then(|n| n.parse().ok()).expect("a number");
    assert!(bytes > 10_000, "{bytes} bytes went over the cable");
}

/// `$1` dpor, `$2` the program, `$3` the report, `$4` a script that starts what is to run on the other host.
const HOSTS: &str = "
set -e
a=dpora$$ b=dporb$$
clean() { ip netns del $a; ip netns del $b; }
ip netns add $a; ip netns add $b; trap clean EXIT
ip link add va$$ type veth peer name vb$$
ip link set va$$ netns $a; ip link set vb$$ netns $b
ip netns exec $a ip addr add 10.77.0.1/24 dev va$$
ip netns exec $b ip addr add 10.77.0.2/24 dev vb$$
for n in $a:va$$ $b:vb$$; do
    ip netns exec ${n%:*} ip link set ${n#*:} up
    ip netns exec ${n%:*} ip link set lo up
done
printf '#!/bin/sh\\nshift\\nexec ip netns exec %s unshare --uts sh -c \"hostname nodeb; $*\"\\n' $b > $4
chmod +x $4
ip netns exec $a unshare --uts sh -c \"hostname nodea; mpirun --oversubscribe --quiet -n 4 \\
    --host 10.77.0.1:2,10.77.0.2:2 --mca plm_rsh_agent $4 --mca btl tcp,self \\
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \\
    sh -c 'hostname; exec $1 check --mpi --json $3 $2'\"
echo bytes $(ip netns exec $a cat /sys/class/net/va$$/statistics/rx_bytes)
";
