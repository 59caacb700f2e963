//! `dpor check --states`: the states are those of a model that is enumerated here, and what users see.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::tool::Tool;
use std::collections::BTreeSet;

/// Peterson's lock for ever, whose critical section is two events.
pub const PETERSON: &str = "
#include <dpor.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int wants[2], turn, inside;
DPOR_PROPOSITION(first_wants, wants[0])
static void *work(void *number) {
    int me = (int)(long)number;
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, 1 - me);
        while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {}
        atomic_fetch_add(&inside, 1);
        atomic_fetch_sub(&inside, 1);
        atomic_store(&wants[me], 0);
    }
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)1L);
    work(0);
}
";

/// A state of that program once both threads are there: where each is, and the variables.
type Model = ([u8; 2], [u8; 2], u8, i8);

/// The state after a step of thread `me`, each of whose steps is one access.
fn after((at, wants, turn, inside): Model, me: usize) -> Model {
    let (mut at, mut wants, mut turn, mut inside) = (at, wants, turn, inside);
    let other = 1 - me;
    at[me] = match at[me] {
        0 => {
            wants[me] = 1;
            1
        }
        1 => {
            turn = other as u8;
            2
        }
        2 if wants[other] == 0 => 4,
        2 => 3,
        3 if usize::from(turn) == other => 2,
        3 => 4,
        4 => {
            inside += 1;
            5
        }
        5 => {
            inside -= 1;
            6
        }
        _ => {
            wants[me] = 0;
            0
        }
    };
    (at, wants, turn, inside)
}

/// The numbers of states and of steps of the model.
pub fn enumerated() -> (u64, u64) {
    let first: Model = ([0; 2], [0; 2], 0, 0);
    let (mut seen, mut todo, mut steps) = (BTreeSet::from([first]), vec![first], 0);
    while let Some(state) = todo.pop() {
        for me in [0, 1] {
            steps += 1;
            let next = after(state, me);
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    (seen.len() as u64, steps)
}

/// With the state before the second thread, and the step that creates it. Without a look at races nothing but memory,
/// stacks and objects tells states apart; the optimizer leaves nothing dead in them.
#[test]
fn states_are_those_of_the_model() {
    let (states, steps) = enumerated();
    for llvm in Tool::versions() {
        let tool = Tool::with(&format!("states-model-{llvm}"), llvm);
        for level in ["-O1", "-O2", "-O3"] {
            let program = tool.compile(&format!("peterson{level}"), PETERSON, &[level]);
            for reductions in ["--reductions=none", "--seed=7"] {
                let options = ["--states", "--races=off", reductions];
                let found = tool.check(&program, &options, &[]).report;
                assert_eq!(found.verdict, Verdict::Verified);
                let visited = found.states.expect("states were remembered");
                assert_eq!(visited.states, states + 1, "{llvm} {level} {reductions}");
                let expected = (visited.rounds == 1).then_some(steps + 1);
                assert!(
                    expected.is_none() || visited.steps == expected,
                    "{visited:?}"
                );
            }
        }
    }
}

#[test]
fn what_cannot_be_asked_is_refused_in_a_sentence() {
    let tool = Tool::new("states-refused");
    let program = tool.compile("peterson", PETERSON, &[]);
    let cases: [(&[&str], &str); 13] = [
        (
            &["--states=bitstate", "--no-starvation"],
            "--states=bitstate keeps no graph",
        ),
        (
            &["--max-depth", "5"],
            "--max-depth is for a search over states",
        ),
        (
            &["--max-states", "5"],
            "--max-states is for a search over states",
        ),
        (&["--states", "-j", "2"], "--states is for one process"),
        (&["--states", "--save", "kept"], "cannot be kept"),
        (&["--states", "--iterative"], "exclude each other"),
        (
            &["--states=bitstate", "--bound", "2"],
            "--bound is for --states=compact",
        ),
        (&["--states", "--checkpoint=fork"], "exclude each other"),
        (&["--no-starvation", "--fair=none"], "--fair=weak"),
        (
            &["--ltl", "G(first_wants -> "],
            "a formula is missing here\n  G(first_wants -> \n                   ^",
        ),
        (&["--ltl", "X first_wants"], "there is no next"),
        (&["--ltl", "G F other"], "there is no proposition `other`"),
        (&["--ltl", "G F other"], "the program states first_wants"),
    ];
    for (options, sentence) in cases {
        let mut command = tool.dpor("check");
        let ran = tool.run(command.args(options).arg(&program), "");
        assert_eq!(ran.code, 2, "{options:?}: {}", ran.shown());
        assert!(
            ran.stderr.contains(sentence),
            "{options:?}: {}",
            ran.shown()
        );
    }
}

/// The trace of a run that goes on for ever is the way to its loop, and the loop once round.
#[test]
fn a_loop_has_its_place_in_the_trace() {
    let tool = Tool::new("states-loop");
    let program = tool.compile("peterson", PETERSON, &[]);
    let found = tool.check(&program, &["--ltl", "G !first_wants"], &[]);
    assert_eq!(found.report.verdict, Verdict::Bug);
    let finding = &found.report.findings[0];
    assert_eq!(finding.kind, FindingKind::Ltl);
    let begins = finding.loop_begins.expect("it goes on for ever") as usize;
    let (stem, around) = finding.trace.split_at(begins);
    assert!(!around.is_empty());
    // The wish of thread 0 is in the run, and each thread moves in the loop or waits for the other.
    let wishes = |step: &&dpor_report::Step| step.thread == 0 && step.operation == "atomic-store";
    assert!(stem.iter().chain(around).any(|step| wishes(&step)));
    let said = format!("the loop begins with step {} of the trace", begins + 1);
    assert!(finding.details.contains(&said), "{:?}", finding.details);
}

/// Of bits nothing is proved; with few of them less is visited, and with enough all that there is without a graph.
#[test]
fn bits_are_no_proof() {
    let tool = Tool::new("states-bits");
    let program = tool.compile("peterson", PETERSON, &["-O2"]);
    let run = |memory: &str| {
        let options = ["--states=bitstate", "--races=off", "--reductions=none"];
        let found = tool.check(
            &program,
            &[&options[..], &["--states-memory", memory]].concat(),
            &[],
        );
        assert_eq!(found.report.verdict, Verdict::Incomplete);
        assert_eq!(found.ran.code, 0, "{}", found.ran.shown());
        let states = found.report.states.clone().expect("states were visited");
        assert_eq!(
            (states.keeps.as_str(), states.complete),
            ("bitstate", false)
        );
        assert!(states.bits.as_ref().is_some_and(|bits| bits.finished));
        (states, found.ran.stdout)
    };
    let (all, said) = run("1048576");
    let (states, steps) = enumerated();
    assert_eq!((all.states, all.steps), (states + 1, Some(steps + 1)));
    let verdict = format!("no bug in {} states ", all.states);
    for words in [&verdict, "bits of 1 MB, ", "Not a proof"] {
        assert!(said.contains(words), "{said}");
    }
    // 64 bits: each state that is met sets one at least.
    let (few, _) = run("8");
    assert!(few.states < all.states, "{few:?}");
    assert!(few.bits.is_some_and(|bits| bits.taken_for_others > 0.01));
}

/// Where ways are cut nothing is verified and no formula holds; where none is, all is as without the limit.
#[test]
fn a_limit_of_depth_is_no_verdict() {
    let tool = Tool::new("states-depth");
    let program = tool.compile("peterson", PETERSON, &[]);
    let asked = ["--ltl", "F first_wants", "--max-depth"];
    let cut = tool.check(&program, &[&asked[..], &["6"]].concat(), &[]);
    assert_eq!(cut.report.verdict, Verdict::Incomplete);
    assert_eq!(cut.report.reason.as_deref(), Some("max-depth: 6"));
    assert_eq!(cut.ran.code, 3, "{}", cut.ran.shown());
    let states = cut.report.states.expect("states were remembered");
    assert!(states.holds.is_empty() && states.depth <= 7, "{states:?}");
    let whole = tool.check(&program, &[&asked[..], &["10000"]].concat(), &[]);
    assert_eq!(whole.report.verdict, Verdict::Verified);
    let states = whole.report.states.expect("states were remembered");
    assert_eq!(states.holds.len(), 1);
}

/// One thread writes to two channels, the other waits for both.
const TWO_CHANNELS: &str = "
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef SOCKETS
#define MAKE(ends) socketpair(AF_UNIX, SOCK_STREAM, 0, ends)
#else
#define MAKE(ends) pipe(ends)
#endif
static int one[2], other[2], back[2];
static void *send_both(void *unused) {
    for (;;) {
        char c;
        write(one[1], \"a\", 1);
        write(other[1], \"b\", 1);
        read(back[0], &c, 1);
        read(back[0], &c, 1);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    MAKE(one);
    MAKE(other);
    pipe(back);
#ifndef POLL
    int set = epoll_create1(0);
    struct epoll_event first = {EPOLLIN, {.fd = one[0]}}, second = {EPOLLIN, {.fd = other[0]}};
    epoll_ctl(set, EPOLL_CTL_ADD, one[0], &first);
    epoll_ctl(set, EPOLL_CTL_ADD, other[0], &second);
#endif
    pthread_create(&thread, 0, send_both, 0);
    for (;;) {
        char c;
#ifdef POLL
        struct pollfd both[2] = {{one[0], POLLIN, 0}, {other[0], POLLIN, 0}};
        poll(both, 2, -1);
        int ready = both[0].revents ? one[0] : other[0];
#else
        struct epoll_event event;
        epoll_wait(set, &event, 1, -1);
        int ready = event.data.fd;
#endif
        read(ready, &c, 1);
        write(back[1], \"x\", 1);
    }
}
";

/// Nothing of the kernel's or the processor's tells states apart: another check of the same program finds the same.
#[test]
fn a_check_finds_the_same_states_again() {
    let tool = Tool::new("states-again");
    for (name, flags) in [
        ("epoll", &[][..]),
        ("sockets", &["-DSOCKETS"]),
        ("poll", &["-DPOLL"]),
        ("poll-sockets", &["-DPOLL", "-DSOCKETS"]),
    ] {
        let program = tool.compile(name, TWO_CHANNELS, flags);
        let visited = || {
            let options = ["--states", "--races=off", "--reductions=none"];
            let report = tool.check(&program, &options, &[]).report;
            assert_eq!(report.verdict, Verdict::Verified, "{name}");
            let states = report.states.expect("states were remembered");
            (states.states, states.steps)
        };
        let first = visited();
        for again in 1..6 {
            assert_eq!(visited(), first, "{name}, {again}");
        }
    }
    let program = tool.compile("epoll", TWO_CHANNELS, &[]);
    let found = tool.check(&program, &["--states", "--max-states=100"], &[]);
    let line = { found.ran.stdout.lines() }
        .find(|line| line.starts_with("what made states differ lately: "));
    let names = |name| line.is_some_and(|line| line.contains(name));
    let is_named =
        names("a set of epoll in ") && names("the state of pipes, sockets and event counters in ");
    assert!(is_named, "{}", found.ran.shown());
}

/// A counter makes the search endless: the report names it.
#[test]
fn what_made_states_differ_is_named() {
    let tool = Tool::new("states-differ");
    let text = "
#include <pthread.h>
static unsigned long served;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        served++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
}
";
    let program = tool.compile("served", text, &[]);
    for limit in ["--max-states=500", "--time-limit=1"] {
        let found = tool.check(&program, &["--states", limit], &[]);
        assert_eq!(found.report.verdict, Verdict::Incomplete);
        let states = found.report.states.expect("states were remembered");
        let first = &states.differing[0];
        assert_eq!(first.object.name, "served", "{limit}: {states:?}");
        assert!(first.share > 99.0, "{limit}: {states:?}");
        let line = "what made states differ lately: served";
        assert!(found.ran.stdout.contains(line), "{}", found.ran.shown());
    }
}
