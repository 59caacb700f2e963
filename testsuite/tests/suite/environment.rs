//! What surrounds a check and fails it: limits of the system, a reader that leaves, a full disk, an end that
//! nobody can catch; names that are no text. None of it is the program's fault.

use dpor_report::Verdict;
use dpor_testsuite::limited::Ran;
use dpor_testsuite::processes::{children, send, until, ENDLESS};
use dpor_testsuite::tool::{self, Tool};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The smallest program.
const NOTHING: &str = "int main(void) { return 0; }\n";

/// Two threads, and a race.
const RACE: &str = "
#include <pthread.h>
static int x;
static void *work(void *unused) { x++; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    x++;
    pthread_join(thread, 0);
    return 0;
}
";

/// `dpor check OPTIONS BINARY` in a shell that did `before`.
fn check_after(tool: &Tool, before: &str, options: &[&str], binary: &Path) -> Ran {
    let dpor = tool.dpor("check");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{before} && exec \"$0\" check \"$@\"")]);
    shell.arg(dpor.get_program()).args(options).arg(binary);
    shell.env_remove("DPOR_OPTIONS");
    tool.run(&mut shell, "")
}

/// One sentence on standard error, which has all of `parts`, and exit code 2.
fn assert_fails(ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.shown());
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.shown());
    for part in parts {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.shown());
    }
}

#[test]
fn a_limit_of_the_system_is_named_and_is_no_bug() {
    let tool = Tool::new("environment-limits");
    let one = tool.compile("one", NOTHING, &[]);
    let two = tool.compile("two", RACE, &[]);
    for binary in [&one, &two] {
        for (limit, named) in [
            ("-v 2000000", "2,048,000,000 bytes here (ulimit -v)"),
            ("-v 20000000", "20,480,000,000 bytes here (ulimit -v)"),
            ("-d 1000", "1,024,000 bytes here (ulimit -d)"),
            ("-d 50000", "51,200,000 bytes here (ulimit -d)"),
        ] {
            let options = ["-j", "2", "--workers-after", "0"];
            let ran = check_after(&tool, &format!("ulimit {limit}"), &options, binary);
            assert_fails(&ran, &[named]);
        }
    }
    // Blocks of 512 bytes, or of 1,024 in some shells.
    let ran = check_after(&tool, "ulimit -f 10", &[], &two);
    assert_fails(&ran, &["(ulimit -f)"]);
    // The program by itself, which explores without dpor.
    let mut alone = Command::new("sh");
    alone
        .args(["-c", "ulimit -v 2000000 && exec \"$0\""])
        .arg(&two);
    let ran = tool.run(alone.env_remove("DPOR_OPTIONS"), "");
    assert_fails(&ran, &["dpor: ", "2048000000 bytes here (ulimit -v)"]);
}

#[test]
fn a_runtime_of_another_version_is_refused() {
    let tool = Tool::new("environment-version");
    let binary = tool.compile("one", NOTHING, &[]);
    let answer = |options: &str| {
        let mut alone = Command::new(&binary);
        tool.run(alone.env("DPOR_OPTIONS", options), "")
    };
    // Standard output is the channel of a driver that is another's, or older than the question.
    for (driver, named) in [
        ("driver=9.8/7", "dpor 9.8/7"),
        ("model=sc", "dpor does not say its own"),
    ] {
        let ran = answer(&format!("channel=1:{driver}"));
        assert_eq!(ran.code, 2, "{}", ran.shown());
        assert!(ran.stdout.starts_with("{\"failure\":"), "{}", ran.shown());
        assert!(ran.stdout.contains(named), "{}", ran.shown());
        assert!(ran.stdout.contains(&dpor_abi::version()), "{}", ran.shown());
    }
    // The runtime asks for the same version as this test: what it says next is that it is there.
    let ran = answer(&format!("channel=1:driver={}", dpor_abi::version()));
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "\"loaded\"\n"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_program_that_cannot_begin_has_no_bug() {
    let tool = Tool::new("environment-begin");
    let gone = tool.path("libgone.so");
    let mut clang = tool.clang();
    clang.args(["-shared", "-fPIC", "-xc", "/dev/null", "-o"]);
    let ran = tool.run(clang.arg(&gone), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let needs = ["-Wl,--no-as-needed", &*gone.to_string_lossy()];
    let binary = tool.compile("needs", RACE, &needs);
    std::fs::remove_file(&gone).expect("it was there");
    let ran = check_after(&tool, "true", &[], &binary);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.shown());
    // The dynamic linker's line, and ours.
    assert!(ran.stderr.contains("libgone.so"), "{}", ran.shown());
    let ours = "ended (exit status: 127) before the checker's runtime was there";
    assert!(ran.stderr.contains(ours), "{}", ran.shown());
}

/// Main says where its frame is.
const WHERE: &str = "
#include <stdio.h>
int main(void) {
    int local = 0;
    printf(\"%p\\n\", (void *)&local);
    return 0;
}
";

#[test]
fn addresses_do_not_depend_on_how_long_the_environment_is() {
    let tool = Tool::new("environment-length");
    let binary = tool.compile("where", WHERE, &[]);
    // A page has 4,096 bytes: some two of these are on two sides of its boundary, whatever else is there.
    let answers = [0, 1_000, 2_000, 3_000, 4_000, 30_000].map(|bytes| {
        let mut check = tool.dpor("check");
        check.env("PADDING", "x".repeat(bytes));
        let ran = tool.run(check.arg(&binary), "");
        assert_eq!(ran.code, 0, "{}", ran.shown());
        let address = ran.stdout.lines().next().map(str::to_owned);
        address
            .filter(|line| line.starts_with("0x"))
            .expect("an address")
    });
    for answer in &answers {
        assert_eq!(*answer, answers[0]);
    }
}

#[test]
fn a_sanitizer_that_is_linked_in_is_named() {
    let tool = Tool::new("environment-sanitizer");
    // What AddressSanitizer's runtime defines, and a program with it must not be checked.
    let text = format!("void __asan_init(void) {{}}\n{RACE}");
    let binary = tool.compile("sanitized", &text, &[]);
    let ran = check_after(&tool, "true", &[], &binary);
    assert_fails(&ran, &["-fsanitize=address"]);
    // A name that only resembles it.
    let text = format!("void my_asan_init(void) {{}}\n{NOTHING}");
    let binary = tool.compile("named", &text, &[]);
    assert_eq!(check_after(&tool, "true", &[], &binary).code, 0);
}

/// Whether a process is there and not only waits to be waited for.
fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat
        .rsplit_once(") ")
        .map(|(_, rest)| rest.starts_with(['Z', 'X']));
    state == Some(false)
}

/// All processes of a check end when dpor does, by a signal that it cannot catch or one that it can.
fn nothing_is_left(name: &str, options: &[&str], signal: &str) {
    let tool = Tool::new(&format!("environment-left-{name}"));
    let binary = tool.compile("endless", ENDLESS, &[]);
    let mut command = tool.dpor("check");
    command.args(options).arg(&binary);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut dpor = command.spawn().expect("dpor starts");
    let program = until("program", || children(dpor.id()).first().copied());
    let forked = until("forked process", || {
        let forked = children(program);
        (!forked.is_empty()).then_some(forked)
    });
    assert!(send(signal, dpor.id()));
    dpor.wait().expect("dpor ends");
    for process in forked.into_iter().chain([program]) {
        until("end", || (!lives(process)).then_some(()));
    }
}

#[test]
fn no_worker_is_left_by_an_end_that_cannot_be_caught() {
    nothing_is_left("workers", &["-j", "2", "--workers-after", "0"], "-KILL");
}

#[test]
fn no_fork_is_left_by_an_end_that_cannot_be_caught() {
    nothing_is_left("fork", &["--checkpoint=fork"], "-KILL");
}

#[test]
fn no_worker_is_left_by_a_terminal_that_is_closed() {
    nothing_is_left("closed", &["-j", "2", "--workers-after", "0"], "-HUP");
}

#[test]
fn no_program_is_left_that_spins_before_its_second_thread() {
    let tool = Tool::new("environment-spins");
    let text = "int main(void) { for (volatile int i = 0;; i++); }\n";
    let binary = tool.compile("spins", text, &[]);
    let mut command = tool.dpor("check");
    command
        .arg(&binary)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut dpor = command.spawn().expect("dpor starts");
    let program = until("program", || children(dpor.id()).first().copied());
    assert!(send("-KILL", dpor.id()));
    dpor.wait().expect("dpor ends");
    until("end", || (!lives(program)).then_some(()));
}

#[test]
fn a_disk_that_is_full_is_said_once_and_nothing_is_promised() {
    let tool = Tool::new("environment-disk");
    let binary = tool.compile("race", RACE, &[]);
    let size = std::fs::metadata(&binary).expect("the program").len();
    assert!(size < 1 << 20);
    let ran = check_after(&tool, "true", &["--json", "/dev/full"], &binary);
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("/dev/full cannot be written"),
        "{}",
        ran.shown()
    );
    // A report of its own is written where there is room, and is what can be replayed.
    assert!(!ran.stdout.contains("/dev/full#"), "{}", ran.shown());
}

#[test]
fn a_program_whose_path_is_no_text_is_checked() {
    let tool = Tool::new("environment-path");
    let binary = tool.compile("race", RACE, &[]);
    let odd = binary.with_file_name(OsString::from_vec(b"od\xffd".to_vec()));
    std::fs::copy(&binary, &odd).expect("copied");
    let ran = check_after(&tool, "true", &[], &odd);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(
        ran.stdout
            .contains("bug found: data-race, after 1 execution"),
        "{}",
        ran.shown()
    );
    assert!(
        ran.stdout.contains("it cannot be replayed"),
        "{}",
        ran.shown()
    );
    assert!(!ran.stdout.contains("replay: "), "{}", ran.shown());
}

/// One atomic object with any orders has nothing that could be reordered; nor have only sequentially consistent
/// accesses.
const ONE_OBJECT: &str = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int x;
static void *work(void *unused) {
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire));
    x++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
";

/// The program is verified, and these are the notes beside the verdict.
fn is_verified_with_notes(
    tool: &Tool,
    (name, text): (&str, &str),
    options: &[&str],
    expect: &[&str],
) {
    let binary = tool.compile(name, text, &[]);
    let checked = tool.check(&binary, options, &[]);
    let shown = checked.ran.shown();
    assert_eq!(checked.report.verdict, Verdict::Verified, "{shown}");
    assert_eq!(checked.report.notes, expect, "{shown}");
}

#[test]
fn weaker_accesses_are_named_only_where_they_can_matter() {
    let tool = Tool::new("environment-weaker");
    let check = |name: &str, text: &str, options: &[&str], expect: &[&str]| {
        is_verified_with_notes(&tool, (name, text), options, expect);
    };
    check("lock", ONE_OBJECT, &[], &[]);
    let two = ONE_OBJECT.replace("x++;", "atomic_fetch_add(&x, 1);");
    let two = two.replace("static int x;", "static atomic_int x;");
    let note = "verified under sequential consistency; 2 atomic accesses are weaker";
    check("two", &two, &[], &[note]);
    check(
        "workers",
        &two,
        &["-j", "2", "--workers-after", "0"],
        &[note],
    );
    check("restart", &two, &["--checkpoint=restart"], &[note]);
    check("fork", &two, &["--checkpoint=fork"], &[note]);
    let strong = two.replace("memory_order_acquire", "memory_order_seq_cst");
    let strong = strong.replace("memory_order_release", "memory_order_seq_cst");
    check("strong", &strong, &[], &[]);
}

/// A volatile flag, and a counter that is only one thread's.
const VOLATILE: &str = "
#include <pthread.h>
static volatile int flag, own;
static void *set(void *unused) { own++; flag = 1; return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    int seen = flag;
    pthread_join(thread, 0);
    return seen > 1;
}
";

#[test]
fn volatile_accesses_that_another_thread_meets_are_named() {
    let tool = Tool::new("environment-volatile");
    let check = |name: &str, text: &str, options: &[&str], expect: &[&str]| {
        is_verified_with_notes(&tool, (name, text), options, expect);
    };
    let both = "2 volatile accesses are taken for atomic ones (--volatile=plain: for plain ones)";
    check("both", VOLATILE, &[], &[both]);
    let workers = ["-j", "2", "--workers-after", "0"];
    check("workers", VOLATILE, &workers, &[both]);
    check("restart", VOLATILE, &["--checkpoint=restart"], &[both]);
    check("fork", VOLATILE, &["--checkpoint=fork"], &[both]);
    // Beside an access that is an atomic one.
    let one = "1 volatile access is taken for an atomic one (--volatile=plain: for plain ones)";
    let atomic = VOLATILE.replace("seen = flag;", "seen = __atomic_load_n(&flag, 5);");
    check("atomic", &atomic, &[], &[one]);
    // Nobody writes.
    let read = VOLATILE.replace("flag = 1;", "(void)flag;");
    check("read", &read, &[], &[]);
    // For plain ones, of which nothing is to be said: the other thread has ended.
    let plain = ["--volatile=plain"];
    let after = VOLATILE.replace("    int seen = flag;\n", "");
    let after = after.replace("seen > 1", "flag > 1");
    check("after", &after, &plain, &[]);
}

#[test]
fn assertions_that_are_compiled_out_of_a_part_are_named() {
    let tool = Tool::new("environment-ndebug");
    let part = tool.path("part.c");
    std::fs::write(
        &part,
        "#include <assert.h>\nvoid part(int x) { assert(x); (void)x; }\n",
    )
    .expect("written");
    let object = tool.path("part.o");
    let mut compiler = tool.compiler("dpor-cc");
    compiler
        .args(["-O1", "-g", "-DNDEBUG", "-c"])
        .arg(&part)
        .arg("-o")
        .arg(&object);
    let ran = tool.run(&mut compiler, "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let text = format!("void part(int);\n{}", RACE.replace("x++;", "part(1);"));
    let binary = tool.compile("whole", &text, &[&*object.to_string_lossy()]);
    let checked = tool.check(&binary, &[], &[]);
    let expect = format!(
        "assertions are compiled out (-DNDEBUG) of {}",
        part.display()
    );
    assert_eq!(checked.report.notes, [expect], "{}", checked.ran.shown());
    // With one thread the driver says it.
    let alone = tool.compile("alone", NOTHING, &["-DNDEBUG"]);
    let checked = tool.check(&alone, &[], &[]);
    let note = "assertions are compiled out (-DNDEBUG)";
    assert!(
        checked.report.notes.iter().any(|one| one == note),
        "{}",
        checked.ran.shown()
    );
    drop(tool::read(&checked.json).expect("a whole report"));
}
