//! Several ranks on one search, as with `--mpi`, but as threads of the test with channels between them, which
//! delay what they carry. With MPI itself: `cargo xtask cluster`.

use dpor_abi::options::Options;
use dpor_driver::cluster::{self, local, Company};
use dpor_driver::death;
use dpor_driver::launch::Stdout;
use dpor_driver::program::{self, Program};
use dpor_report::{Report, Verdict};
use dpor_testsuite::processes::{
    children, send, until, LONG, LONGER_EXECUTIONS, LONG_EXECUTIONS, ORDERS,
};
use dpor_testsuite::tool::Tool;
use dpor_testsuite::trial::product;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Each of two threads creates two, which take a lock: all ranks have to agree on which thread is which.
/// Four threads that lock once: 4! orders.
const NUMBERED: &str = "
#include <pthread.h>
#include \"dpor.h\"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[4], n;
static void *leaf(void *mine) {
    pthread_mutex_lock(&mutex);
    order[n++] = *(int *)mine;
    pthread_mutex_unlock(&mutex);
    return 0;
}
static void *branch(void *mine) {
    static int numbers[4] = {0, 1, 2, 3};
    pthread_t leaves[2];
    for (int t = 0; t < 2; t++) pthread_create(&leaves[t], 0, leaf, &numbers[*(int *)mine + t]);
    for (int t = 0; t < 2; t++) pthread_join(leaves[t], 0);
    return 0;
}
int main(void) {
    static int numbers[2] = {0, 2};
    pthread_t branches[2];
    for (int t = 0; t < 2; t++) pthread_create(&branches[t], 0, branch, &numbers[t]);
    for (int t = 0; t < 2; t++) pthread_join(branches[t], 0);
    dpor_observe(\"order\", order[0] | order[1] << 2 | order[2] << 4 | order[3] << 6);
    return 0;
}
";

/// The second of two threads overwrites what the checker needs, if it comes first.
const DIES: &str = "
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static atomic_int cell;
static void *work(void *unused) {
    if (atomic_fetch_add(&cell, 1) == 0) memset((char *)0x80000000000, 0x41, 400);
    return unused;
}
static void *quiet(void *unused) {
    atomic_fetch_add(&cell, 1);
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, quiet, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
";

/// Three threads through a ticket lock, which they leave by a store: 3! orders. That several threads store to
/// one place is learnt, and so is that they wait for it.
const LEARNT: &str = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int next, serving;
static int x;
static void *work(void *unused) {
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine) ;
    x++;
    atomic_store(&serving, mine + 1);
    return unused;
}
int main(void) {
    pthread_t threads[3];
    for (int t = 0; t < 3; t++) pthread_create(&threads[t], 0, work, 0);
    for (int t = 0; t < 3; t++) pthread_join(threads[t], 0);
    return 0;
}
";

/// Microseconds that a message takes at most.
const DELAY: u64 = 1_000;

struct Check<'a> {
    binary: &'a Path,
    options: &'a str,
}

impl Check<'_> {
    fn program(&self) -> Program {
        let lib = product().join("lib");
        program::inspect(self.binary, &lib).expect("a program that was compiled")
    }

    fn options(&self) -> Options {
        let text = format!("workers-after=0:{}", self.options);
        Options::parse(&text).expect("options that there are")
    }

    /// Explored by so many ranks. `meanwhile` is called beside them.
    fn by(&self, ranks: u32, meanwhile: impl FnOnce()) -> Report {
        let program = &self.program();
        let options = &self.options();
        let mut companies = local::ranks(ranks, DELAY);
        let mut first = companies.remove(0);
        thread::scope(|scope| {
            for mut company in companies {
                scope.spawn(move || cluster::help(Ok(program), &[], options, &mut company));
            }
            let leads = scope.spawn(move || lead(program, options, &mut first));
            meanwhile();
            leads.join().expect("rank 0 reports").expect("a report")
        })
    }

    fn by_one(&self) -> Report {
        lead_alone(&self.program(), &self.options()).expect("a report")
    }
}

fn lead(program: &Program, options: &Options, company: &mut Company) -> Result<Report, String> {
    let show = &mut |_| {};
    let report = death::explore(program, &[], options, Stdout::Nowhere, show, Some(company));
    company.finish();
    report
}

fn lead_alone(program: &Program, options: &Options) -> Result<Report, String> {
    death::explore(program, &[], options, Stdout::Nowhere, &mut |_| {}, None)
}

/// What must be the same on any number of ranks.
fn essence(report: &Report) -> (dpor_report::Executions, Vec<String>, Verdict) {
    let outcomes = report.outcomes.iter();
    let outcomes = outcomes.map(|o| format!("{:?}: {}", o.values, o.executions));
    let findings = report.findings.iter();
    let findings = findings.map(|f| format!("{} in {}", f.message, f.executions));
    let mut all: Vec<String> = outcomes.chain(findings).collect();
    all.sort();
    (report.executions, all, report.verdict)
}

#[test]
fn threads_have_the_same_numbers_everywhere() {
    let tool = Tool::new("ranks-numbers");
    let binary = tool.compile("numbered", NUMBERED, &[]);
    let check = Check {
        binary: &binary,
        options: "outcomes=1",
    };
    let one = check.by_one();
    assert_eq!(one.executions.complete, 24);
    assert_eq!(one.outcomes.len(), 24);
    for ranks in [2, 3, 5] {
        let several = check.by(ranks, || {});
        assert_eq!(essence(&several), essence(&one), "{:?}", several.reason);
    }
}

#[test]
fn what_rank_0_learnt_all_know() {
    let tool = Tool::new("ranks-learnt");
    let binary = tool.compile("learnt", LEARNT, &[]);
    let check = Check {
        binary: &binary,
        options: "",
    };
    for ranks in [1, 2, 4] {
        let report = check.by(ranks, || {});
        assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
        assert_eq!(report.executions.total(), 6);
    }
}

#[test]
fn bugs_and_limits_are_those_of_one() {
    let tool = Tool::new("ranks-limits");
    let binary = tool.compile("orders", ORDERS, &[]);
    let all = Check {
        binary: &binary,
        options: "keep-going=1:j=2",
    };
    let one = all.by_one();
    assert_eq!(one.executions.complete, 1_540);
    assert_eq!(one.executions.failed, 140);
    assert_eq!(essence(&all.by(3, || {})), essence(&one));

    let first = Check {
        binary: &binary,
        options: "",
    };
    let several = first.by(3, || {});
    assert_eq!(several.verdict, Verdict::Bug);
    assert_eq!(several.findings.len(), 1, "it is told once");

    let limited = Check {
        binary: &binary,
        options: "keep-going=1:max-executions=700",
    };
    let several = limited.by(4, || {});
    assert_eq!(several.executions.total(), 700);
    let reason = several.reason.expect("it says why");
    assert!(reason.contains("max-executions"), "{reason}");
}

#[test]
fn long_searches_are_the_whole() {
    let tool = Tool::new("ranks-long");
    let binary = tool.compile("long", LONG, &[]);
    let check = Check {
        binary: &binary,
        options: "",
    };
    let several = check.by(3, || {});
    assert_eq!(several.verdict, Verdict::Verified, "{:?}", several.reason);
    assert_eq!(several.executions.complete, LONG_EXECUTIONS);
    let sharing = several.sharing.expect("there are several");
    assert!(sharing.items_moved > 1, "{sharing:?}");
    assert_eq!(sharing.rounds, 1);
}

#[test]
fn what_one_rank_leaves_another_number_takes_up() {
    let tool = Tool::new("ranks-parts");
    let binary = tool.compile("parts", LONG, &[]);
    let file = tool.path("parts.dpor");
    let file = file.display();
    let first = Check {
        binary: &binary,
        options: &format!("save={file}:max-executions=100000"),
    };
    let first = first.by(3, || {});
    assert_eq!(first.executions.total(), 100_000, "{:?}", first.reason);
    let second = Check {
        binary: &binary,
        options: &format!("resume={file}"),
    };
    let second = second.by(2, || {});
    assert_eq!(second.resumed, 100_000, "{:?}", second.reason);
    assert_eq!(second.executions.complete, LONG_EXECUTIONS);
    assert_eq!(second.verdict, Verdict::Verified);
}

/// The processes of this test's programs, by the name of their file.
fn programs(binary: &Path) -> Vec<u32> {
    let is_it = |&process: &u32| {
        let exe = std::fs::read_link(format!("/proc/{process}/exe"));
        exe.is_ok_and(|exe| exe == binary)
    };
    let own = children_of_threads();
    own.into_iter().filter(is_it).collect()
}

/// The children of all threads of this process.
fn children_of_threads() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads");
    let all = tasks.flatten().flat_map(|task| {
        let text = std::fs::read_to_string(task.path().join("children"));
        let text = text.unwrap_or_default();
        let numbers = text.split_ascii_whitespace();
        numbers.filter_map(|n| n.parse().ok()).collect::<Vec<u32>>()
    });
    all.collect()
}

#[test]
fn a_worker_that_is_killed_is_replaced() {
    let tool = Tool::new("ranks-killed-worker");
    let binary = tool.compile("killed_worker", LONG, &["-DLAST=4"]);
    let check = Check {
        binary: &binary,
        options: "",
    };
    let mut killed = false;
    let report = check.by(3, || {
        // A worker of the rank whose program was found last.
        let found = until("workers", || {
            let programs = programs(&binary);
            let workers: Vec<u32> = programs.iter().flat_map(|&p| children(p)).collect();
            (programs.len() == 3 && workers.len() == 3).then_some(workers)
        });
        thread::sleep(Duration::from_millis(300));
        killed = send("-KILL", found[2]);
    });
    assert!(killed);
    assert_eq!(report.verdict, Verdict::Verified, "{:?}", report.reason);
    assert_eq!(report.executions.total(), LONGER_EXECUTIONS);
    assert!(report.sharing.expect("there are several").rounds > 1);
}

#[test]
fn a_rank_that_is_lost_ends_the_check_and_leaves_what_was_kept() {
    let tool = Tool::new("ranks-killed-rank");
    let binary = tool.compile("killed_rank", LONG, &["-DLAST=4"]);
    let file = tool.path("killed_rank.dpor");
    drop(std::fs::remove_file(&file));
    let first = Check {
        binary: &binary,
        options: &format!("save={}", file.display()),
    };
    let report = first.by(3, || {
        until("file", || file.exists().then_some(()));
        // Of three programs, one that does not lead: it holds no file named `save` open, so tell by order:
        // the leading one is whose death is told otherwise. Any of those that rank 0 does not lead.
        let leader = leader_of(&binary);
        let other = programs(&binary).into_iter().find(|&p| Some(p) != leader);
        assert!(send("-KILL", other.expect("there are three")));
    });
    assert_eq!(report.verdict, Verdict::Incomplete);
    let reason = report.reason.clone().expect("it says why");
    assert!(
        reason.contains("rank") && reason.contains("SIGKILL"),
        "{reason}"
    );
    let second = Check {
        binary: &binary,
        options: &format!("resume={}", file.display()),
    };
    let second = second.by(2, || {});
    assert_eq!(second.resumed, report.executions.total());
    assert_eq!(second.executions.total(), LONGER_EXECUTIONS);
    assert_eq!(second.verdict, Verdict::Verified, "{:?}", second.reason);
}

/// The program of rank 0, as its environment tells.
fn leader_of(binary: &Path) -> Option<u32> {
    programs(binary).into_iter().find(|process| {
        let path = format!("/proc/{process}/environ");
        let environment = std::fs::read(path).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        let options = variables.find(|v| v.starts_with(b"DPOR_OPTIONS="));
        let options = String::from_utf8_lossy(options.unwrap_or_default()).into_owned();
        options.contains(":cluster=0.")
    })
}

#[test]
fn a_death_on_any_rank_is_found_out() {
    let tool = Tool::new("ranks-death");
    let binary = tool.compile("dies", DIES, &[]);
    let check = Check {
        binary: &binary,
        options: "keep-going=1:reductions=none",
    };
    let one = check.by_one();
    assert_eq!(one.verdict, Verdict::Bug);
    let several = check.by(3, || {});
    assert_eq!(essence(&several), essence(&one));
}

#[test]
fn what_cannot_begin_says_why() {
    let tool = Tool::new("ranks-begins");
    let binary = tool.compile("begins", ORDERS, &[]);
    let program = program::inspect(&binary, &product().join("lib")).expect("a program");
    let other = tool.compile("begins_not", LONG, &[]);
    let other = program::inspect(&other, &product().join("lib")).expect("a program");
    let options = Options::parse("workers-after=0").expect("options");
    let with = |second: Result<&Program, String>| {
        let mut companies = local::ranks(2, 0);
        let (mut helper, mut leader) = (companies.remove(1), companies.remove(0));
        thread::scope(|scope| {
            scope.spawn(|| cluster::help(second, &[], &options, &mut helper));
            lead(&program, &options, &mut leader).expect_err("one rank is not fit")
        })
    };
    let why = with(Err("there is no such file".to_owned()));
    assert_eq!(why, "rank 1: there is no such file");
    let why = with(Ok(&other));
    assert!(
        why.contains("rank 1: ") && why.contains("another program"),
        "{why}"
    );
}
