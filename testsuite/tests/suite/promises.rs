//! What the runtime promises and one program with a header cannot show: refused system calls at the
//! start, wall time, pipes, every number of a system call, and docs/promises.md itself.

use dpor_report::{Report, Verdict};
use dpor_testsuite::tool::{self, Tool};
use dpor_testsuite::trial;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs its arguments with `personality` refused, except to ask: as containers do.
const REFUSING: &str = "
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **arguments) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 98;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
    execv(arguments[1], arguments + 1);
    return count;
}
";

/// Races on a global, on the heap and on main's stack; a mutex and an atomic.
const OBJECTS: &str = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int balance, *heap;
atomic_int cell;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *local) {
    balance++;
    heap[3]++;
    pthread_mutex_lock(&mutex);
    atomic_store(&cell, 1);
    pthread_mutex_unlock(&mutex);
    *(int *)local = 3;
    return 0;
}
int main(void) {
    pthread_t thread;
    int local = 0;
    heap = calloc(10, sizeof *heap);
    pthread_create(&thread, 0, work, &local);
    balance++;
    heap[3]++;
    local = 4;
    pthread_mutex_lock(&mutex);
    atomic_load(&cell);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return local == 5;
}
";

/// What must not depend on where things lie: all of a report but times, sizes and file names.
fn without_times(report: &Report) -> String {
    let mut value = serde_json::to_value(report).expect("a report is JSON");
    let fields = value.as_object_mut().expect("an object");
    for name in [
        "seconds",
        "executions_per_second",
        "peak_rss_bytes",
        "checkpoints",
        "notes",
        // With what the clocks showed at the root.
        "options",
    ] {
        fields.remove(name);
    }
    for finding in fields["findings"].as_array_mut().expect("a list") {
        finding["replay"].take();
    }
    remove_addresses(&mut value);
    value.to_string()
}

/// Addresses stand beside names, for debuggers.
fn remove_addresses(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.remove("address");
            fields.values_mut().for_each(remove_addresses);
        }
        serde_json::Value::Array(members) => members.iter_mut().for_each(remove_addresses),
        _ => {}
    }
}

/// A random address that the program was given, if it is named: hexadecimal, and not short.
fn names_an_address(text: &str) -> bool {
    text.split("0x")
        .skip(1)
        .any(|rest| rest.chars().take_while(char::is_ascii_hexdigit).count() >= 9)
}

#[test]
fn a_refused_personality_is_one_note_and_objects_keep_their_names() {
    let tool = Tool::new("promises-personality");
    let source = tool.path("refusing.c");
    std::fs::write(&source, REFUSING).expect("written");
    let refusing = tool.path("refusing");
    let built = tool.run(tool.clang().arg("-o").arg(&refusing).arg(&source), "");
    assert_eq!(built.code, 0, "{}", built.shown());
    let binary = tool.compile("objects", OBJECTS, &["-O1"]);
    let fixed = tool.check(&binary, &["-k"], &[]);
    assert_eq!(fixed.report.verdict, Verdict::Bug, "{}", fixed.ran.shown());
    let note = |report: &Report| {
        let told = |note: &&String| note.contains("addresses are randomized");
        report.notes.iter().filter(told).count()
    };
    assert_eq!(note(&fixed.report), 0, "{:?}", fixed.report.notes);
    for round in 0..3 {
        let json = tool.path(&format!("refused_{round}.json"));
        drop(std::fs::remove_file(&json));
        let dpor = tool.dpor("check").get_program().to_owned();
        let mut command = Command::new(&refusing);
        command.arg(&dpor).args(["check", "-k", "--json"]);
        command.arg(&json).arg(&binary).env_remove("DPOR_OPTIONS");
        let ran = tool.run(&mut command, "");
        let report = tool::read(&json).unwrap_or_else(|e| panic!("{e}: {}", ran.shown()));
        assert_eq!(note(&report), 1, "{:?}", report.notes);
        assert_eq!(without_times(&report), without_times(&fixed.report));
        assert!(!names_an_address(&ran.stdout), "{}", ran.stdout);
        // A schedule found with the addresses of one run is replayed with those of another.
        let mut command = Command::new(&refusing);
        command.arg(&dpor).arg("replay");
        let replay = tool.run(command.arg(format!("{}#1", fixed.json.display())), "");
        assert_eq!(replay.code, 42, "{}", replay.shown());
    }
}

/// About 0.4 s of computation between two events, at 1 to 4 GHz; a chain, so not vectorized.
const COMPUTES: &str = "
#include <pthread.h>
unsigned long sum;
static void *work(void *unused) {
    unsigned long value = 1;
    for (unsigned long i = 0; i < 300000000; i++) {
        value = value * 3 + i;
        __asm__ volatile(\"\" : \"+r\"(value));
    }
    sum = value;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
";

fn signal(name: &str, process: u32) {
    let status = Command::new("kill")
        .args([format!("-{name}"), process.to_string()])
        .status();
    assert!(status.is_ok_and(|status| status.success()), "kill -{name}");
}

/// The process that a command started, once it is there.
fn child_of(command: &Child) -> u32 {
    let path = format!("/proc/{0}/task/{0}/children", command.id());
    let begin = Instant::now();
    loop {
        let children = std::fs::read_to_string(&path).unwrap_or_default();
        if let Some(first) = children.split_whitespace().next() {
            return first.parse().expect("a number");
        }
        assert!(begin.elapsed() < Duration::from_secs(10), "no child");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_step_limit_is_processor_time() {
    let tool = Tool::new("promises-step-limit");
    let binary = tool.compile("computes", COMPUTES, &[]);
    let mut command = tool.dpor("check");
    command.args(["--step-limit", "5"]).arg(&binary);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let begin = Instant::now();
    let child = command.spawn().expect("dpor starts");
    let program = child_of(&child);
    // In the middle of the computation, whose wall time then is more than the limit.
    std::thread::sleep(Duration::from_millis(100));
    signal("STOP", program);
    std::thread::sleep(Duration::from_secs(8));
    signal("CONT", program);
    let output = child.wait_with_output().expect("dpor ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(begin.elapsed() > Duration::from_secs(8));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("verified"), "{text}");
}

/// A program that says whether libgcc_s is there before main, and whether what needs an unwinder adds no library.
const UNWINDER: &str = "
#define _GNU_SOURCE
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
static int before_main;
static unsigned long long added;
static atomic_int cell;
static int look(struct dl_phdr_info *object, size_t size, void *found) {
    (void)size;
    added = object->dlpi_adds;
    if (strstr(object->dlpi_name, \"libgcc_s\")) *(int *)found = 1;
    return 0;
}
__attribute__((constructor)) static void construct(void) {
    dl_iterate_phdr(look, &before_main);
}
static void *work(void *unused) {
    void *frames[8];
    atomic_store(&cell, 1);
    if (backtrace(frames, 8) == 0) return unused;
    pthread_exit(0);
}
int main(void) {
    pthread_t thread;
    int found = 0;
    if (!before_main) return 1;
    unsigned long long before = added;
    pthread_create(&thread, 0, work, 0);
    atomic_load(&cell);
    pthread_join(thread, 0);
    dl_iterate_phdr(look, &found);
    return added == before ? 0 : 2;
}
";

#[test]
fn the_unwinder_is_loaded_before_main_and_never_later() {
    let tool = Tool::new("promises-unwinder");
    let binary = tool.compile("unwinder", UNWINDER, &[]);
    let checked = tool.check(&binary, &[], &[]);
    let shown = checked.ran.shown();
    assert_eq!(checked.report.verdict, Verdict::Verified, "{shown}");
    assert_eq!(checked.report.executions.complete, 2, "{shown}");
    // Without the runtime the same program has no unwinder before main: the question can be answered no.
    let plain = tool.path("unwinder-plain");
    let mut clang = tool.clang();
    clang.args(["-O2", "-pthread", "-o"]).arg(&plain);
    let built = tool.run(clang.arg(tool.path("unwinder.c")), "");
    assert_eq!(built.code, 0, "{}", built.shown());
    assert_eq!(tool.run(&mut Command::new(&plain), "").code, 1);
}

/// Two threads of ten additions whose results are used, memory of the heap, and output.
const STEADY: &str = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int cell;
static void *work(void *unused) {
    int *seen = malloc(10 * sizeof *seen);
    for (int i = 0; i < 10; i++) seen[i] = atomic_fetch_add(&cell, 1);
    int last = seen[9];
    free(seen);
    return last < 0 ? unused : 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    printf(\"%d\\n\", atomic_load(&cell));
    return 0;
}
";

#[test]
fn in_the_steady_state_a_page_faults_no_more() {
    let tool = Tool::new("promises-steady");
    let binary = tool.compile("steady", STEADY, &[]);
    let faults = |executions: u64| {
        let limit = format!("--max-executions={executions}");
        let checked = tool.check(&binary, &["--reductions=none", &limit], &[]);
        let report = checked.report;
        assert_eq!(report.executions.total(), executions);
        assert!(report.checkpoints.restored >= executions - 1);
        report.checkpoints.faults
    };
    let warm = faults(200);
    assert!(warm > 0, "no page was protected");
    // A hundred times as many restores, and not one page is asked about again.
    assert_eq!(faults(20_000), warm);
}

/// Reads a line before there is a second thread and one in each thread afterwards.
const LINES: &str = "
#include <dpor.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int line(void) {
    char text[32] = \"\";
    return fgets(text, sizeof text, stdin) ? atoi(text) : -1;
}
static int other;
static void *work(void *unused) { other = line(); return unused; }
int main(void) {
    pthread_t thread;
    setvbuf(stdin, 0, _IONBF, 0);
    int first = line();
    pthread_create(&thread, 0, work, 0);
    int mine = line();
    pthread_join(thread, 0);
    dpor_observe(\"first\", first);
    dpor_observe(\"mine\", mine);
    dpor_observe(\"other\", other);
    dpor_observe(\"end\", line());
    return 0;
}
";

#[test]
fn standard_input_is_read_once_also_from_a_pipe() {
    let tool = Tool::new("promises-input");
    let binary = tool.compile("lines", LINES, &[]);
    let json = tool.path("lines.json");
    drop(std::fs::remove_file(&json));
    let mut command = tool.dpor("check");
    command
        .args(["--outcomes", "--json"])
        .arg(&json)
        .arg(&binary);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("dpor starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"1\n2\n3\n").expect("written");
    drop(input);
    let output = child.wait_with_output().expect("dpor ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let report = tool::read(&json).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(report.verdict, Verdict::Verified, "{text}");
    // Two lines for two threads, in both orders; the first went to main before, and is never seen
    // again.
    let mut seen: Vec<(i64, i64, i64, i64)> = report
        .outcomes
        .iter()
        .map(|o| {
            (
                o.values["first"],
                o.values["mine"],
                o.values["other"],
                o.values["end"],
            )
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [(1, 2, 3, -1), (1, 3, 2, -1)], "{text}");
}

/// Makes one system call, with all six arguments alike, in a second thread.
const ANY_CALL: &str = "
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static long number, argument;
static char pages[8192];
static void *work(void *unused) {
    long x = argument;
    syscall(number, x, x, x, x, x, x);
    return unused;
}
int main(int count, char **arguments) {
    static const char *const at = pages;
    long kinds[] = {0, -1, 8, (long)at};
    pthread_t thread;
    if (count < 3) return 1;
    number = atol(arguments[1]);
    argument = kinds[atol(arguments[2])];
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
";

/// Numbers of system calls on x86-64 go up to here, with room for those to come.
const NUMBERS: u32 = 480;

#[test]
fn every_system_call_ends_in_a_verdict() {
    let tool = Tool::new("promises-calls");
    let binary = tool.compile("any_call", ANY_CALL, &[]);
    let mut unsupported = 0;
    for number in 0..NUMBERS {
        // Nothing is there at 8 and below, and nothing is as long as -1 bytes.
        for argument in 0..4 {
            let (number, argument) = (number.to_string(), argument.to_string());
            let mut command = tool.dpor("check");
            command.arg("--output=none").arg(&binary).arg("--");
            let ran = tool.run(command.args([&number, &argument]), "");
            // Never a hang (`run` has a limit), never a failure of the tool.
            let code = ran.code;
            assert!(
                [0, 4, 42].contains(&code),
                "{number}({argument}): {}",
                ran.shown()
            );
            if code == 4 {
                unsupported += 1;
                let named =
                    ran.stdout.contains("unsupported: ") && ran.stdout.contains("any_call.c:");
                assert!(named, "{number}({argument}): {}", ran.shown());
                if argument == "0" && ran.stdout.contains("system call ") {
                    // What its name refuses does not depend on the arguments.
                    break;
                }
            }
        }
    }
    // Of the numbers up to 334 and from 424 on, most change the system.
    assert!(unsupported > 150, "{unsupported}");
}

/// Draws a bit from the processor, which nobody controls, and does one thing or another.
const DRAWS: &str = "
#include <dpor.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int even, odd, cell;
static void *work(void *unused) {
    unsigned long drawn = 0;
    for (int i = 0; i < 16; i++) {
        unsigned long long bits;
        if (_rdrand64_step(&bits)) drawn ^= bits;
        atomic_store(drawn & 1 ? &odd : &even, 1);
    }
    atomic_fetch_add(&cell, 1);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int first = atomic_load(&even), second = atomic_load(&odd);
    atomic_fetch_add(&cell, 1);
    pthread_join(thread, 0);
    dpor_assert(first >= 0 && second >= 0);
    return 0;
}
";

#[test]
fn nondeterminism_is_named_and_is_no_bug() {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if !information.contains(" rdrand") {
        println!("skipped: a processor with rdrand");
        return;
    }
    let tool = Tool::new("promises-nondeterminism");
    let binary = tool.compile("draws", DRAWS, &["-mrdrnd"]);
    for checkpoint in ["--checkpoint=snapshot", "--checkpoint=restart"] {
        let checked = tool.check(&binary, &["-k", checkpoint], &[]);
        let shown = checked.ran.shown();
        assert_eq!(checked.report.verdict, Verdict::Unsupported, "{shown}");
        assert_eq!(checked.ran.code, 4, "{shown}");
        assert!(checked.report.findings.is_empty(), "{shown}");
        let reason = checked.report.reason.unwrap_or_default();
        assert!(reason.starts_with("nondeterminism: "), "{reason}");
        // The first event that is not as it was.
        assert!(
            reason.contains("atomic-") && reason.contains("draws.c:"),
            "{reason}"
        );
    }
}

/// Files that docs/promises.md names, in code quotes.
fn named_files(page: &str) -> Vec<PathBuf> {
    let quoted = page.split('`').skip(1).step_by(2);
    let endings = [".c", ".cc", ".rs", ".ll"];
    quoted
        .filter(|word| word.contains('/') && endings.iter().any(|end| word.ends_with(end)))
        .map(PathBuf::from)
        .collect()
}

#[test]
fn every_test_of_the_promises_exists() {
    let page = std::fs::read_to_string(trial::root().join("docs/promises.md")).expect("the page");
    let named = named_files(&page);
    assert!(named.len() > 40, "{named:?}");
    let missing: Vec<&PathBuf> = named
        .iter()
        .filter(|file| !trial::root().join(file).is_file())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    // And the other way round: a program made to show a promise is in the table.
    let folder = trial::programs().join("promises");
    for entry in std::fs::read_dir(folder).expect("the folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_program = name.ends_with(".c") || name.ends_with(".cc");
        let is_named = named.iter().any(|file| file.ends_with(Path::new(&name)));
        assert!(is_named || !is_program, "{name} is not in docs/promises.md");
    }
}

/// All Rust files under a folder of the repository, with their text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut left = vec![trial::root().join(folder)];
    let mut all = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            left.extend(entries.flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("text");
            all.push((path, text));
        }
    }
    assert!(!all.is_empty(), "{folder}");
    all
}

/// Lines that are not comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_start);
    lines.filter(|line| !line.starts_with("//"))
}

#[test]
fn code_on_a_fiber_keeps_to_the_ground_rules() {
    let forbidden = [
        "thread_local!",
        "std::thread",
        "println!",
        "eprintln!",
        "std::io",
    ];
    let crates = ["machine", "engine", "workers", "interpose"];
    let all = crates.map(|name| sources(&format!("runtime/{name}/src")));
    for (path, text) in all.into_iter().flatten() {
        // Unit tests, at a file's end, run in a process like any other.
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code(product) {
            let found = forbidden.iter().find(|&&word| line.contains(word));
            assert_eq!(found, None, "{}: {line}", path.display());
        }
    }
}

#[test]
fn the_search_has_no_unsafe_code_and_no_libc() {
    for name in ["explorer", "races"] {
        let folder = format!("runtime/{name}");
        let root = std::fs::read_to_string(trial::root().join(format!("{folder}/src/lib.rs")));
        assert!(
            root.expect("lib.rs").contains("#![forbid(unsafe_code)]"),
            "{name}"
        );
        let manifest = std::fs::read_to_string(trial::root().join(format!("{folder}/Cargo.toml")));
        let manifest = manifest.expect("Cargo.toml");
        let dependencies = manifest
            .split("[dev-dependencies]")
            .next()
            .unwrap_or_default();
        for word in ["libc", "rustix", "nix"] {
            let named = dependencies.lines().any(|line| line.starts_with(word));
            assert!(!named, "{name} depends on {word}");
        }
    }
}

/// Makes a file and appends to it before there is a second thread, by system calls made by hand, which are
/// the kernel's; 20 executions follow.
const APPENDS: &str = "
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int cell;
int seen[2];
static void *work(void *mine) {
    for (int i = 0; i < 3; i++) *(int *)mine += atomic_fetch_add(&cell, 1);
    return 0;
}
int main(int count, char **arguments) {
    pthread_t one, two;
    int file = syscall(SYS_open, arguments[count - 1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || syscall(SYS_write, file, \"once\\n\", 5) != 5 || syscall(SYS_close, file)) return 1;
    pthread_create(&one, 0, work, &seen[0]);
    pthread_create(&two, 0, work, &seen[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
";

#[test]
fn what_comes_before_the_root_is_run_once() {
    let tool = Tool::new("promises-once");
    let binary = tool.compile("appends", APPENDS, &[]);
    let file = tool.path("lines.txt");
    for checkpoint in ["--checkpoint=snapshot", "--checkpoint=restart"] {
        drop(std::fs::remove_file(&file));
        let path = file.to_string_lossy();
        let options = ["--reductions=none", checkpoint];
        let checked = tool.check(&binary, &options, &[&path]);
        // Two threads of three additions with used results: 6! / (3! 3!).
        assert_eq!(
            checked.report.executions.complete,
            20,
            "{}",
            checked.ran.shown()
        );
        assert_eq!(std::fs::read_to_string(&file).expect("text"), "once\n");
    }
}

/// Does one thing to the file of its last argument before there is a second thread. First it makes, writes,
/// renames and removes files of its own.
const DAMAGES: &str = "
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *work(void *unused) { return unused; }
int main(int count, char **arguments) {
    pthread_t thread;
    char own[] = \"own_XXXXXX\";
    const char *file = arguments[count - 1], *how = arguments[1];
    if (count < 3 || chdir(arguments[2])) return 1;
    int made = mkstemp(own);
    if (write(made, own, 3) != 3 || close(made) || truncate(own, 1) || unlink(own)) return 2;
    FILE *other = fopen(\"other.txt\", \"w\");
    if (!other || fclose(other) || rename(\"other.txt\", \"third.txt\")) return 3;
    if (remove(\"third.txt\")) return 4;
    if (!strcmp(how, \"truncates\")) close(open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666));
    if (!strcmp(how, \"appends\")) fclose(fopen(file, \"a\"));
    if (!strcmp(how, \"removes\")) unlink(file);
    if (!strcmp(how, \"renames\")) rename(file, \"renamed.txt\");
    if (!strcmp(how, \"covers\")) { fclose(fopen(\"new.txt\", \"w\")); rename(\"new.txt\", file); }
    if (!strcmp(how, \"reads\")) fclose(fopen(file, \"r\"));
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
";

#[test]
fn files_from_before_the_check_stay_as_they_were() {
    let tool = Tool::new("promises-files");
    let binary = tool.compile("damages", DAMAGES, &[]);
    let folder = tool.path("folder");
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir(&folder).expect("made");
    let file = folder.join("mine.txt");
    std::fs::write(&file, "mine").expect("written");
    let (inside, path) = (folder.to_string_lossy(), file.to_string_lossy());
    for how in [
        "truncates",
        "appends",
        "removes",
        "renames",
        "covers",
        "reads",
    ] {
        for options in [&[][..], &["--checkpoint=restart"]] {
            let checked = tool.check(&binary, options, &[how, &inside, &path]);
            let shown = checked.ran.shown();
            assert_eq!(checked.report.verdict, Verdict::Verified, "{how}: {shown}");
            assert_eq!(
                std::fs::read_to_string(&file).expect("there"),
                "mine",
                "{how}"
            );
            let entries = std::fs::read_dir(&folder).expect("there").count();
            assert_eq!(entries, 1, "{how}");
        }
    }
    // By itself it is the plain program.
    let mut alone = Command::new(&binary);
    let arguments = ["truncates", &*inside, &*path];
    let ran = tool.run(alone.args(arguments).env_remove("DPOR_OPTIONS"), "");
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(std::fs::read_to_string(&file).expect("there"), "");
}

/// Makes one file and removes the other while there are threads; whether it ends with an error follows
/// from the order of the threads if it is told to.
const CHANGES: &str = "
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int order;
static void *work(void *unused) { atomic_store(&order, 1); return unused; }
int main(int count, char **arguments) {
    pthread_t thread;
    if (count < 3) return 1;
    pthread_create(&thread, 0, work, 0);
    int first = atomic_load(&order);
    pthread_join(thread, 0);
    int file = open(arguments[1], O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0 || write(file, first ? \"late\" : \"soon\", 4) != 4) return 2;
    if (close(file) || unlink(arguments[2])) return 3;
    if (count > 3 && first) abort();
    return 0;
}
";

#[test]
fn files_of_the_reported_execution_are_written_on_request_only() {
    let tool = Tool::new("promises-commit");
    let binary = tool.compile("changes", CHANGES, &[]);
    let (new, old) = (tool.path("new.txt"), tool.path("old.txt"));
    let (made, gone) = (new.to_string_lossy(), old.to_string_lossy());
    for checkpoint in ["--checkpoint=snapshot", "--checkpoint=restart"] {
        // The first execution, of a verified program; the one with the finding.
        for (arguments, verdict, expect) in [
            (vec![&*made, &*gone], Verdict::Verified, "soon"),
            (vec![&*made, &*gone, "abort"], Verdict::Bug, "late"),
        ] {
            drop(std::fs::remove_file(&new));
            std::fs::write(&old, "old").expect("written");
            let checked = tool.check(&binary, &[checkpoint], &arguments);
            let shown = checked.ran.shown();
            assert_eq!(checked.report.verdict, verdict, "{shown}");
            assert!(!new.exists(), "{shown}");
            assert_eq!(std::fs::read_to_string(&old).expect("there"), "old");
            let options = [checkpoint, "--commit-files"];
            let checked = tool.check(&binary, &options, &arguments);
            assert_eq!(checked.report.verdict, verdict, "{}", checked.ran.shown());
            assert_eq!(std::fs::read_to_string(&new).expect("there"), expect);
            assert!(!old.exists());
        }
    }
}

/// Makes folders, links and files that are mapped, some of them before its second thread; removes what it
/// finds in the folder of its argument.
const FOLDERS: &str = "
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static char *map;
static void *work(void *unused) { map[1] = 'i'; return unused; }
int main(int count, char **arguments) {
    pthread_t thread;
    if (count < 2 || chdir(arguments[1])) return 1;
    if (mkdir(\"made\", 0750) || mkdir(\"made/inner\", 0700)) return 2;
    int file = open(\"made/inner/file\", O_RDWR | O_CREAT, 0640);
    if (write(file, \"h_!\", 3) != 3) return 3;
    map = mmap(0, 3, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    if (symlink(\"inner/file\", \"made/link\") || link(\"made/inner/file\", \"made/twin\")) return 4;
    int old = open(\"old/mapped\", O_RDWR);
    char *bytes = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_SHARED, old, 0);
    memcpy(bytes, \"NEW\", 3);
    if (unlink(\"old/gone\") || rmdir(\"old/folder\") || rename(\"old/link\", \"old/other\")) return 5;
    return 0;
}
";

#[test]
fn folders_links_and_mapped_files_are_written_on_request_only() {
    let tool = Tool::new("promises-folders");
    let binary = tool.compile("folders", FOLDERS, &[]);
    let folder = tool.path("folder");
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).expect("there");
    let target = |path: &str| std::fs::read_link(folder.join(path)).expect("a link");
    for checkpoint in ["--checkpoint=snapshot", "--checkpoint=restart"] {
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(folder.join("old/folder")).expect("made");
        for name in ["mapped", "gone"] {
            std::fs::write(folder.join("old").join(name), "old.").expect("written");
        }
        std::os::unix::fs::symlink("mapped", folder.join("old/link")).expect("made");
        let inside = folder.to_string_lossy();
        for _ in 0..2 {
            let checked = tool.check(&binary, &[checkpoint], &[&inside]);
            let shown = checked.ran.shown();
            assert_eq!(checked.report.verdict, Verdict::Verified, "{shown}");
            assert!(!folder.join("made").exists());
            assert_eq!(
                (read("old/mapped"), read("old/gone")),
                ("old.".into(), "old.".into())
            );
            assert_eq!(target("old/link"), Path::new("mapped"));
            assert!(folder.join("old/folder").is_dir());
        }
        let checked = tool.check(&binary, &[checkpoint, "--commit-files"], &[&inside]);
        let shown = checked.ran.shown();
        assert_eq!(checked.report.verdict, Verdict::Verified, "{shown}");
        assert_eq!(
            (read("made/inner/file"), read("made/twin")),
            ("hi!".into(), "hi!".into())
        );
        assert_eq!(target("made/link"), Path::new("inner/file"));
        assert_eq!(
            (read("made/link"), read("old/mapped")),
            ("hi!".into(), "NEW.".into())
        );
        assert_eq!(target("old/other"), Path::new("mapped"));
        let left = std::fs::read_dir(folder.join("old"))
            .expect("there")
            .count();
        assert_eq!(left, 2, "mapped and other");
        std::fs::write(folder.join("made/twin"), "both").expect("written");
        assert_eq!(read("made/inner/file"), "both");
    }
}
