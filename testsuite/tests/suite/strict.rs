//! `--strict` where not all code is compiled by dpor-cc: who may have initialized a mutex without leaving a
//! mark is not accused, and who has marks still is.

use dpor_report::{FindingKind, Verdict};
use dpor_testsuite::tool::{Checked, Tool};
use object::{Object, ObjectSegment, ObjectSymbol};
use std::path::PathBuf;
use std::process::Command;

/// The part of the program that has marks. It locks a mutex of the other part's, and one of its own.
const MAIN: &str = "
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t *mutex_of_part(void);
void lock_in_part(pthread_mutex_t *mutex);
static pthread_mutex_t own;
static pthread_mutex_t *block;
static void *work(void *unused) {
#ifdef LOCK_PART
    pthread_mutex_lock(mutex_of_part());
    pthread_mutex_unlock(mutex_of_part());
#endif
#ifdef LOCK_OWN
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
#endif
#ifdef LOCK_BLOCK
    pthread_mutex_lock(block);
    pthread_mutex_unlock(block);
#endif
#ifdef LET_LOCK
    lock_in_part(&own);
#endif
    return unused;
}
int main(void) {
    pthread_t thread;
    block = calloc(1, sizeof *block);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    free(block);
    return 0;
}
";

/// The part of the program that has no marks.
const PART: &str = "
#include <pthread.h>
#include <stdlib.h>
#ifdef ON_HEAP
static pthread_mutex_t *made;
__attribute__((constructor)) static void make(void) {
    made = malloc(sizeof *made);
    *made = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
__attribute__((destructor)) static void unmake(void) { free(made); }
pthread_mutex_t *mutex_of_part(void) { return made; }
#else
static pthread_mutex_t made = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t *mutex_of_part(void) { return &made; }
#endif
void lock_in_part(pthread_mutex_t *mutex) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
}
";

/// How the part is compiled and linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Without instrumentation, into the program.
    PlainObject,
    /// Without instrumentation, as a library.
    PlainLibrary,
    /// With the pass, but without dpor-cc's headers, into the program.
    PassOnly,
    /// By dpor-cc, as a library.
    Library,
}

fn run(tool: &Tool, command: &mut Command) {
    let ran = tool.run(command, "");
    assert_eq!(ran.code, 0, "{command:?}: {}", ran.shown());
}

fn build(tool: &Tool, part: Part, part_flags: &[&str], flags: &[&str]) -> PathBuf {
    let (source, main) = (tool.path("part.c"), tool.path("main.c"));
    std::fs::write(&source, PART).expect("the source can be written");
    std::fs::write(&main, MAIN).expect("the source can be written");
    let is_library = matches!(part, Part::PlainLibrary | Part::Library);
    let built = tool.path(if is_library { "libpart.so" } else { "part.o" });
    let mut compiler = match part {
        Part::Library => tool.compiler("dpor-cc"),
        _ => tool.clang(),
    };
    if part == Part::PassOnly {
        let product = dpor_testsuite::trial::product();
        let pass = format!("lib/dpor/llvm-{}/libdpor.so", tool.llvm());
        compiler.arg(format!("-fpass-plugin={}", product.join(pass).display()));
    }
    compiler.args(if is_library {
        &["-shared", "-fPIC"][..]
    } else {
        &["-c"]
    });
    compiler.args(part_flags).args(["-O2", "-g"]);
    run(tool, compiler.arg(&source).arg("-o").arg(&built));
    let program = tool.path("program");
    let mut linker = tool.compiler("dpor-cc");
    linker
        .args(flags)
        .args(["-O2", "-g"])
        .arg(&main)
        .arg(&built);
    linker.arg(format!("-Wl,-rpath,{}", tool.path("").display()));
    run(tool, linker.arg("-o").arg(&program));
    program
}

fn check(tool: &Tool, part: Part, part_flags: &[&str], flags: &[&str]) -> Checked {
    let program = build(tool, part, part_flags, flags);
    let checked = tool.check(&program, &["--strict", "-k"], &[]);
    assert_eq!(
        checked.report.verdict,
        Verdict::Verified,
        "{part:?} {part_flags:?} {flags:?}: {}",
        checked.ran.shown()
    );
    checked
}

/// Whether something was found, which can only be a mutex of zeros.
fn is_accused(checked: &Checked) -> bool {
    let findings = &checked.report.findings;
    let kinds = findings.iter().map(|finding| finding.kind);
    assert!(kinds
        .clone()
        .all(|kind| kind == FindingKind::UninitializedObject));
    kinds.count() == 1
}

#[test]
fn initializers_without_marks_are_initializers() {
    let tool = Tool::new("strict-parts");
    for part in [Part::PlainObject, Part::PlainLibrary, Part::PassOnly] {
        let checked = check(&tool, part, &[], &["-DLOCK_PART"]);
        assert!(!is_accused(&checked), "{part:?}: {}", checked.ran.shown());
    }
    // The library's code has marks, its mutex the initializer.
    let checked = check(&tool, Part::Library, &[], &["-DLOCK_PART"]);
    assert!(!is_accused(&checked), "{}", checked.ran.shown());
}

#[test]
fn assignments_without_marks_are_initializers() {
    let tool = Tool::new("strict-assigned");
    for part in [Part::PlainLibrary, Part::PassOnly, Part::Library] {
        let checked = check(&tool, part, &["-DON_HEAP"], &["-DLOCK_PART"]);
        assert!(!is_accused(&checked), "{part:?}: {}", checked.ran.shown());
    }
}

#[test]
fn what_has_marks_is_judged_beside_what_has_none() {
    let tool = Tool::new("strict-own");
    for part in [
        Part::PlainObject,
        Part::PlainLibrary,
        Part::PassOnly,
        Part::Library,
    ] {
        let checked = check(&tool, part, &[], &["-DLOCK_OWN"]);
        assert!(is_accused(&checked), "{part:?}: {}", checked.ran.shown());
        // Blocks may be anybody's, unless everybody who knows of mutexes has marks. An object without
        // instrumentation is not seen in the program it is linked into.
        let checked = check(&tool, part, &[], &["-DLOCK_BLOCK"]);
        let is_seen = matches!(part, Part::PlainLibrary | Part::PassOnly);
        assert_eq!(
            is_accused(&checked),
            !is_seen,
            "{part:?}: {}",
            checked.ran.shown()
        );
    }
}

#[test]
fn callers_without_marks_are_not_judged() {
    let tool = Tool::new("strict-callers");
    for part in [Part::PlainObject, Part::PlainLibrary, Part::PassOnly] {
        let checked = check(&tool, part, &[], &["-DLET_LOCK"]);
        assert!(!is_accused(&checked), "{part:?}: {}", checked.ran.shown());
    }
    let checked = check(&tool, Part::Library, &[], &["-DLET_LOCK"]);
    assert!(is_accused(&checked), "{}", checked.ran.shown());
}

/// A stub for `pthread_mutex_lock`, as those of linkers.
const STUB: &str = r#"
#include <pthread.h>
__asm__(".section .laststub, \"ax\", @progbits\n"
        ".p2align 4\n"
        ".globl last_stub\n"
        "last_stub: jmp *pthread_mutex_lock@GOTPCREL(%rip)\n"
        ".skip 10, 0x90\n"
        ".text");
int last_stub(pthread_mutex_t *mutex);
static pthread_mutex_t zeros;
static void *work(void *unused) {
    last_stub(&zeros);
    pthread_mutex_unlock(&zeros);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
"#;

/// lld puts the stubs at the end of the executable segment, in an order of its own. So does this script with
/// one of ours: it is known for what it is also where the code ends with it.
#[test]
fn the_last_stub_is_a_stub() {
    let tool = Tool::new("strict-stub");
    let script = tool.path("last.ld");
    let text = "SECTIONS { .laststub : { *(.laststub) } } INSERT AFTER .fini;";
    std::fs::write(&script, text).expect("the script can be written");
    let option = format!("-Wl,-T,{}", script.display());
    let program = tool.compile("stub", STUB, &["-fuse-ld=bfd", &option]);
    let bytes = std::fs::read(&program).expect("the program");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let stub = file.symbol_by_name("last_stub").expect("it is global");
    let end = stub.address() + 16;
    let ends = |segment: object::Segment<'_, '_>| segment.address() + segment.size() == end;
    assert!(file.segments().any(ends), "it is not the last of its code");
    let checked = tool.check(&program, &["--strict"], &[]);
    assert!(is_accused(&checked), "{}", checked.ran.shown());
}
