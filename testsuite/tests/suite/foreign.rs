//! Code that was not built with `dpor-cc`, in objects of the program and in libraries: what is said when two
//! threads enter it.
//!
//! Each case is a foreign part, compiled by clang alone, and a program that uses it. What is right follows from
//! the foreign part: if it has an atomic instruction, or memory of its own that what the threads call may write,
//! nobody knows what was missed; otherwise it works on what it is given.

use dpor_report::{FindingKind, LibraryState, Verdict};
use dpor_testsuite::tool::{Checked, Tool};
use std::path::PathBuf;

/// Two threads call `enter`, then main asks `left`.
const TWO: &str = r#"
#include <pthread.h>
#include <stdlib.h>
void enter(int *of_caller); int left(void);
int of_program;
static int of_caller[2];
static void *run(void *p) { enter(p); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, &of_caller[0]);
    pthread_create(&b, 0, run, &of_caller[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    left();
}
"#;

/// A program whose threads add to a variable of its own, between `enter` and `leave`.
const PROTECTED: &str = r#"
#include <pthread.h>
void enter(void); void leave(void);
static int sum;
static void *run(void *p) { enter(); sum++; leave(); return p; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return sum != 2;
}
"#;

/// How the foreign part is linked.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Object,
    Archive,
    Library,
}

/// The foreign part, compiled by clang alone: the file, and the options that link it.
fn foreign(tool: &Tool, kind: Kind, name: &str, text: &str, flags: &[&str]) -> Vec<String> {
    let is_c = !text.contains("extern \"C\"");
    let source = tool.path(&format!("{name}_part.{}", if is_c { "c" } else { "cc" }));
    std::fs::write(&source, text).expect("the source can be written");
    let folder = tool.path("").display().to_string();
    let (file, how): (PathBuf, &[&str]) = match kind {
        Kind::Library => (tool.path(&format!("lib{name}.so")), &["-shared", "-fPIC"]),
        Kind::Object | Kind::Archive => (tool.path(&format!("{name}.o")), &["-c"]),
    };
    let mut clang = tool.clang();
    clang
        .args(["-O2", "-o"])
        .arg(&file)
        .args(how)
        .arg(&source)
        .args(flags);
    let ran = tool.run(&mut clang, "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let path = file.display().to_string();
    let mut linked = match kind {
        Kind::Object => vec![path],
        Kind::Library => vec![path, format!("-Wl,-rpath,{folder}")],
        Kind::Archive => {
            let archive = tool.path(&format!("lib{name}.a"));
            drop(std::fs::remove_file(&archive));
            let ar = tool.clang().get_program().to_owned();
            let mut ar = std::process::Command::new(PathBuf::from(ar).with_file_name("llvm-ar"));
            let ran = tool.run(ar.arg("rc").arg(&archive).arg(&file), "");
            assert_eq!(ran.code, 0, "{}", ran.shown());
            vec![format!("-L{folder}"), format!("-l{name}")]
        }
    };
    if !is_c {
        linked.push("-lstdc++".to_owned());
    }
    linked
}

fn check(
    tool: &Tool,
    (kind, name): (Kind, &str),
    (part, program): (&str, &str),
    options: &[&str],
) -> Checked {
    let linked = foreign(tool, kind, name, part, &[]);
    let linked: Vec<&str> = linked.iter().map(String::as_str).collect();
    let source = tool.path(&format!("{name}.c"));
    std::fs::write(&source, program).expect("the source can be written");
    let binary = tool.path(name);
    let mut command = tool.compiler("dpor-cc");
    command.args(["-O1", "-g"]).arg(&source).args(&linked);
    let ran = tool.run(command.arg("-o").arg(&binary), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let warning = "is not built with dpor-cc: what its code does is not seen";
    assert_eq!(
        ran.stderr.contains(warning),
        kind != Kind::Library,
        "{}",
        ran.shown()
    );
    tool.check(&binary, options, &[])
}

/// A counter of the part's own; of the program's; one that the linker finds for it.
const COUNTER: &str =
    "static int n; void enter(int *p) { n++; (void)p; } int left(void) { return n; }";
const OF_PROGRAM: &str =
    "extern int of_program; void enter(int *p) { of_program++; (void)p; } int left(void) { return 0; }";
const THROUGH_POINTER: &str = "static int n; static int *const all[] = { &n, &n }; \
     void enter(int *p) { (*all[*p & 1])++; } int left(void) { return n; }";
/// Whoever comes first fills a table; the same by C++, whose library holds a lock meanwhile.
const TABLE: &str = "static int table[16], is_filled; int left(void) { return table[1]; } void enter(int *p) { \
     if (!is_filled) { for (int k = 0; k < 16; k++) table[k] = k * k; is_filled = 1; } *p = table[*p & 15]; }";
const LOCAL: &str = "struct Squares { int table[16]; Squares() { for (int k = 0; k < 16; k++) table[k] = k * k; } }; \
     extern \"C\" void enter(int *p) { static Squares all; *p = all.table[*p & 15]; } \
     extern \"C\" int left() { return 0; }";
/// The counter is on the heap, and the part reads where: set when it was loaded; set by main before the threads.
const ON_HEAP: &str = "#include <stdlib.h>\nstatic long *n; \
     __attribute__((constructor)) static void set(void) { n = calloc(1, sizeof *n); } \
     void enter(int *p) { ++*n; (void)p; } int left(void) { return *n; }";
const MADE_BEFORE: &str =
    "#include <stdlib.h>\nstruct state { int n; }; static struct state *kept; \
     void make(void) { kept = calloc(1, sizeof *kept); } \
     void enter(int *p) { *p = ++kept->n; } int left(void) { return kept->n; }";
/// A ticket lock: no exchange, one addition.
const TICKETS: &str = "#include <stdatomic.h>\nstatic atomic_uint next, now; \
     void enter(void) { unsigned mine = atomic_fetch_add(&next, 1); while (atomic_load(&now) != mine); } \
     void leave(void) { atomic_store_explicit(&now, now + 1, memory_order_release); }";
/// A test-and-set lock.
const SPINS: &str = "#include <stdatomic.h>\nstatic atomic_flag f; \
     void enter(void) { while (atomic_flag_test_and_set(&f)); } void leave(void) { atomic_flag_clear(&f); }";

#[test]
fn threads_may_meet_there() {
    let tool = Tool::new("foreign_meet");
    let made = TWO.replace(
        "pthread_t a, b;",
        "void make(void); make(); pthread_t a, b;",
    );
    let state = "keeps state of its own";
    let atomics = "synchronises by itself";
    for (kind, name, part, program, file, why) in [
        (Kind::Object, "counter", COUNTER, TWO, "counter.o", state),
        (
            Kind::Archive,
            "member",
            COUNTER,
            TWO,
            "libmember.a(member.o)",
            state,
        ),
        (Kind::Library, "shared", COUNTER, TWO, "libshared.so", state),
        (Kind::Object, "global", OF_PROGRAM, TWO, "global.o", state),
        (
            Kind::Library,
            "pointer",
            THROUGH_POINTER,
            TWO,
            "libpointer.so",
            state,
        ),
        (Kind::Object, "table", TABLE, TWO, "table.o", state),
        (Kind::Library, "local", LOCAL, TWO, "liblocal.so", state),
        (Kind::Library, "heap", ON_HEAP, TWO, "libheap.so", state),
        (
            Kind::Library,
            "made",
            MADE_BEFORE,
            &made,
            "libmade.so",
            state,
        ),
        (Kind::Object, "spins", SPINS, PROTECTED, "spins.o", atomics),
        (
            Kind::Library,
            "tickets",
            TICKETS,
            PROTECTED,
            "libtickets.so",
            atomics,
        ),
    ] {
        for options in [
            &[][..],
            &["-j2", "--workers-after=0"],
            &["--checkpoint=restart"],
        ] {
            let checked = check(&tool, (kind, name), (part, program), options);
            let report = checked.report;
            assert_eq!(
                report.verdict,
                Verdict::Unsupported,
                "{}",
                checked.ran.shown()
            );
            let reason = report.reason.unwrap_or_default();
            assert!(reason.contains(file) && reason.contains(why), "{reason}");
            assert!(report.findings.is_empty(), "{name}: {:?}", report.findings);
            // One way is enough for the others.
            if name != "counter" && name != "tickets" {
                break;
            }
        }
    }
}

/// A library that writes what it is given, also through a function that it is given; what it keeps is written by a
/// function that no thread calls while others live.
const WORKS_ON_ARGUMENTS: &str =
    "static int set; void enter(int *p) { (*p)++; } int left(void) { return ++set; }";
/// A library that reads a variable of its own that is no pointer, and compares one that is.
const READS: &str = "static int limit = 3; static char *name; \
     void enter(int *p) { if (*p < limit && !name) (*p)++; } int left(void) { return limit = 4, name = 0, 0; }";
const CALLS_BACK: &str = "void twice(int *p, void (*f)(int *)) { f(p); f(p); }";
const CALLED_BACK: &str = r#"
#include <pthread.h>
void twice(int *p, void (*f)(int *));
static int of_caller[2];
static void add(int *p) { ++*p; }
static void *run(void *p) { twice(p, add); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, &of_caller[0]);
    pthread_create(&b, 0, run, &of_caller[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return of_caller[0] != 2;
}
"#;

/// Neither makes events, so there is one execution.
#[test]
fn it_works_on_what_it_is_given() {
    let tool = Tool::new("foreign_harmless");
    for (kind, name, part, program, file) in [
        (Kind::Object, "plain", WORKS_ON_ARGUMENTS, TWO, "plain.o"),
        (
            Kind::Library,
            "given",
            WORKS_ON_ARGUMENTS,
            TWO,
            "libgiven.so",
        ),
        (Kind::Library, "reads", READS, TWO, "libreads.so"),
        (Kind::Library, "back", CALLS_BACK, CALLED_BACK, "libback.so"),
    ] {
        let checked = check(&tool, (kind, name), (part, program), &[]);
        let report = checked.report;
        assert_eq!(report.verdict, Verdict::Verified, "{}", checked.ran.shown());
        assert_eq!(report.executions.complete, 1);
        let note = format!("{file} is not instrumented and was entered by 2 threads");
        assert_eq!(report.notes, [note]);
        let known = report.scope.libraries.iter().find(|l| l.name == file);
        let known = known.map(|library| (library.state, library.threads));
        assert_eq!(known, Some((LibraryState::TrustedByInspection, 2)));
    }
}

/// An inline function that both parts define, and that two threads of the program call. The linker takes the
/// first: if that is the foreign one, there is no hook in it and none before its calls, so nobody knows who entered;
/// in the other case the threads are seen to race, or have nothing in common.
#[test]
fn inline_functions_may_come_from_there() {
    let tool = Tool::new("foreign_inline");
    let counts = "__attribute__((noinline)) inline int next(int *) { static int n; return ++n; }";
    let works = "__attribute__((noinline)) inline int next(int *p) { return ++*p; }";
    let refused = "inline.o is not built with dpor-cc and keeps state of its own";
    let noted =
        "inline.o is not instrumented, and instrumented code calls functions of it as its own";
    for (text, foreign_is_first, verdict, said) in [
        (counts, true, Verdict::Unsupported, Some(refused)),
        (works, true, Verdict::Verified, Some(noted)),
        (counts, false, Verdict::Bug, None),
        (works, false, Verdict::Verified, None),
    ] {
        let part = format!("{text} extern \"C\" int left() {{ int own = 0; return next(&own); }}");
        let linked = foreign(&tool, Kind::Object, "inline", &part, &[]);
        let program = format!("{text}{CALLS_INLINE}");
        let source = tool.path("program.cc");
        std::fs::write(&source, program).expect("the source can be written");
        let binary = tool.path("program");
        let source = source.display().to_string();
        let mut command = tool.compiler("dpor-c++");
        command.args(["-O1", "-g", "-o"]).arg(&binary);
        match foreign_is_first {
            true => command.args(&linked).arg(source),
            false => command.arg(source).args(&linked),
        };
        let ran = tool.run(&mut command, "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let checked = tool.check(&binary, &[], &[]);
        let report = checked.report;
        assert_eq!(report.verdict, verdict, "{}", checked.ran.shown());
        let told = { report.notes.iter() }
            .chain(&report.reason)
            .map(String::as_str);
        let told: Vec<&str> = told.filter(|line| line.contains("inline.o")).collect();
        assert_eq!(told, Vec::from_iter(said), "{}", checked.ran.shown());
    }
}

const CALLS_INLINE: &str = r#"
#include <pthread.h>
extern "C" int left();
static int own[2];
static void *run(void *p) { next((int *)p); return p; }
int main() {
    pthread_t a, b;
    pthread_create(&a, 0, run, &own[0]);
    pthread_create(&b, 0, run, &own[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    left();
}
"#;

/// Only main enters it while the other thread lives.
const ALONE: &str = r#"
#include <pthread.h>
void enter(int *p); int left(void);
static void *run(void *p) { return p; }
int main(void) {
    pthread_t a;
    int own = 0;
    pthread_create(&a, 0, run, 0);
    enter(&own);
    left();
    pthread_join(a, 0);
}
"#;

#[test]
fn one_thread_is_nothing_to_speak_of() {
    let tool = Tool::new("foreign_alone");
    let checked = check(&tool, (Kind::Library, "alone"), (COUNTER, ALONE), &[]);
    let report = checked.report;
    assert_eq!(report.verdict, Verdict::Verified, "{}", checked.ran.shown());
    assert!(report.notes.is_empty(), "{:?}", report.notes);
    let states: Vec<_> = { report.scope.libraries.iter() }
        .filter(|library| ["alone", "libalone.so", "libc.so.6"].contains(&library.name.as_str()))
        .map(|library| library.state)
        .collect();
    let expect = [
        LibraryState::Instrumented,
        LibraryState::OneThread,
        LibraryState::TrustedByTable,
    ];
    assert_eq!(states, expect);
}

#[test]
fn the_user_may_accept_it() {
    let tool = Tool::new("foreign_trusted");
    for trusted in ["accepted.o", "acc*", "some/folder/accepted.o"] {
        let options = ["--trust", trusted];
        let checked = check(&tool, (Kind::Object, "accepted"), (COUNTER, TWO), &options);
        let report = checked.report;
        assert_eq!(report.verdict, Verdict::Verified, "{}", checked.ran.shown());
        let told = report
            .notes
            .iter()
            .any(|note| note == "accepted.o is trusted (--trust): what its code reads, writes and orders was not seen, and no other order was tried because of it");
        assert!(told, "{:?}", report.notes);
    }
    let checked = check(
        &tool,
        (Kind::Object, "refused"),
        (COUNTER, TWO),
        &["--trust", "other.o"],
    );
    assert_eq!(checked.report.verdict, Verdict::Unsupported);
}

/// The threads come to the second library through two others, each of which one thread enters.
#[test]
fn threads_may_meet_in_a_third() {
    let tool = Tool::new("foreign_third");
    let third = foreign(&tool, Kind::Library, "third", COUNTER, &[]);
    let third: Vec<&str> = third.iter().map(String::as_str).collect();
    let mut linked = Vec::new();
    for (name, function) in [("first", "one"), ("second", "other")] {
        let part = format!("void enter(int *p); void {function}(int *p) {{ enter(p); ++*p; }}");
        linked.extend(foreign(&tool, Kind::Library, name, &part, &third));
    }
    linked.extend(third.iter().map(|option| option.to_string()));
    let program = r#"
        #include <pthread.h>
        void one(int *p); void other(int *p);
        static int a, b;
        static void *run(void *p) { one(p); return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, run, &a);
            other(&b);
            pthread_join(t, 0);
        }"#;
    let linked: Vec<&str> = linked.iter().map(String::as_str).collect();
    let checked = tool.check(&tool.compile("three", program, &linked), &[], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Unsupported,
        "{}",
        checked.ran.shown()
    );
    let reason = checked.report.reason.unwrap_or_default();
    assert_eq!(
        reason,
        "libthird.so is not built with dpor-cc and keeps state of its own"
    );
}

/// A thread begins in a library, whose function a program without an address of its own knows by an entry in its
/// table of jumps.
#[test]
fn a_thread_may_begin_there() {
    let tool = Tool::new("foreign_begin");
    let part = "static int n; void *enter(void *p) { n++; return p; }";
    let linked = foreign(&tool, Kind::Library, "begin", part, &[]);
    let program = r#"
        #include <pthread.h>
        void *enter(void *p);
        int main(void) {
            pthread_t a, b;
            pthread_create(&a, 0, enter, 0);
            pthread_create(&b, 0, enter, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
        }"#;
    for (name, flags) in [("moved", &[][..]), ("fixed", &["-no-pie", "-fno-pie"])] {
        let linked = linked.iter().map(String::as_str);
        let flags: Vec<&str> = linked.chain(flags.iter().copied()).collect();
        let checked = tool.check(&tool.compile(name, program, &flags), &[], &[]);
        assert_eq!(
            checked.report.verdict,
            Verdict::Unsupported,
            "{}",
            checked.ran.shown()
        );
        assert!(checked
            .report
            .reason
            .unwrap_or_default()
            .contains("libbegin.so"));
    }
}

/// The part begins the only other thread, and waits for it in its own way, all in one call of main's: both are in
/// there. What the thread did comes before what main does then, and nobody saw why; so it is no race.
#[test]
fn the_call_that_begins_the_second_thread_counts() {
    let tool = Tool::new("foreign_forks");
    let part = "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n\
         static atomic_int done; static void (*body)(void); \
         static void *run(void *p) { body(); atomic_store(&done, 1); return p; } \
         void aside(void (*f)(void)) { pthread_t t; body = f; pthread_create(&t, 0, run, 0); \
             pthread_detach(t); while (!atomic_load(&done)) sched_yield(); }";
    let program = r#"
        void aside(void (*f)(void));
        static int sum;
        static void add(void) { __atomic_fetch_add(&sum, 1, __ATOMIC_SEQ_CST); }
        int main(void) {
            aside(add);
            return sum != 1;
        }"#;
    for (kind, name) in [(Kind::Library, "aside"), (Kind::Object, "beside")] {
        let checked = check(&tool, (kind, name), (part, program), &["-k"]);
        let report = checked.report;
        assert_eq!(
            report.verdict,
            Verdict::Unsupported,
            "{}",
            checked.ran.shown()
        );
        let reason = report.reason.unwrap_or_default();
        assert!(reason.contains("synchronises by itself"), "{reason}");
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }
}

/// A thread waits in the part for what main does after it: no livelock, no endless loop.
#[test]
fn who_waits_there_waits_for_others() {
    let tool = Tool::new("foreign_wait");
    let part = "int enter(volatile int *p) { while (!*p); return 1; }";
    let program = r#"
        #include <pthread.h>
        int enter(volatile int *p);
        static volatile int flag;
        static void *run(void *p) { enter(&flag); return p; }
        int main(void) {
            pthread_t a;
            pthread_create(&a, 0, run, 0);
            flag = 1;
            pthread_join(a, 0);
        }"#;
    let options = ["--step-limit", "0.2"];
    let checked = check(&tool, (Kind::Object, "wait"), (part, program), &options);
    assert_eq!(
        checked.report.verdict,
        Verdict::Unsupported,
        "{}",
        checked.ran.shown()
    );
    let reason = checked.report.reason.unwrap_or_default();
    assert!(
        reason.contains("wait.o") && reason.contains("wait for each other"),
        "{reason}"
    );
    assert!(checked.report.findings.is_empty());
}

/// What fails before one's eyes is a bug, whatever else was not seen.
#[test]
fn an_assertion_that_fails_has_failed() {
    let tool = Tool::new("foreign_assert");
    let program = TWO.replace("left();", "if (left() == 2) abort();");
    let checked = check(&tool, (Kind::Object, "fails"), (COUNTER, &program), &["-k"]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Bug,
        "{}",
        checked.ran.shown()
    );
    let kinds: Vec<FindingKind> = checked.report.findings.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FindingKind::Abort]);
}

/// Annotations of a lock that nobody sees order what it protects, by any compiler's code and without a header.
/// Its own orders are not explored, so the user has to accept it. The threads make no event: one execution.
#[test]
fn annotated_locks_order() {
    let tool = Tool::new("foreign_annotated");
    let lock = |acquire: &str, release: &str| {
        SPINS
            .replace("set(&f)); }", &format!("set(&f)); {acquire}; }}"))
            .replace(
                "{ atomic_flag_clear",
                &format!("{{ {release}; atomic_flag_clear"),
            )
    };
    for (name, acquire, release) in [
        ("tsan", "void __tsan_acquire(void *); __tsan_acquire(&f)", "void __tsan_release(void *); __tsan_release(&f)"),
        (
            "valgrind",
            "void AnnotateHappensAfter(char *, int, void *); AnnotateHappensAfter(0, 0, &f)",
            "void AnnotateHappensBefore(char *, int, void *); AnnotateHappensBefore(0, 0, &f)",
        ),
        (
            "rwlock",
            "void AnnotateRWLockAcquired(char *, int, void *, long); AnnotateRWLockAcquired(0, 0, &f, 1)",
            "void AnnotateRWLockReleased(char *, int, void *, long); AnnotateRWLockReleased(0, 0, &f, 1)",
        ),
    ] {
        let part = lock(acquire, release);
        let trust = format!("{name}.o");
        let options = ["--trust", trust.as_str()];
        let checked = check(&tool, (Kind::Object, name), (&part, PROTECTED), &options);
        assert_eq!(checked.report.verdict, Verdict::Verified, "{}", checked.ran.shown());
        assert_eq!(checked.report.executions.complete, 1);
    }
    // Without them the accepted lock is no lock.
    let options = ["--trust", "bare.o"];
    let checked = check(&tool, (Kind::Object, "bare"), (SPINS, PROTECTED), &options);
    assert_eq!(
        checked.report.verdict,
        Verdict::Bug,
        "{}",
        checked.ran.shown()
    );
}
