//! Instrumented libraries that the program unloads again: nothing of them is looked at any more.

use dpor_report::Verdict;
use dpor_testsuite::tool::Tool;
use std::path::Path;

/// Loads the library and unloads it: `BEFORE` the second thread is there, `TWICE` then, or in it.
fn program(library: &Path) -> String {
    format!(
        "
#include <dlfcn.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static void load(void) {{ library = dlopen(\"{}\", RTLD_NOW); }}
static void *work(void *unused) {{
    pthread_mutex_lock(&mutex);
#if !defined BEFORE && !defined TWICE
    if (library) dlclose(library);
    library = 0;
#endif
    pthread_mutex_unlock(&mutex);
    return unused;
}}
int main(void) {{
    load();
    if (!library) return 1;
#if defined BEFORE || defined TWICE
    dlclose(library);
#endif
#ifdef TWICE
    load();
#endif
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
}}
",
        library.display()
    )
}

#[test]
fn an_unloaded_library_is_not_looked_at() {
    let tool = Tool::new("unloaded");
    let text = "int next(int x) { return x + 1; }";
    let library = tool.compile("library.so", text, &["-shared", "-fPIC"]);
    let text = program(&library);
    let by_states = ["--states"];
    for (name, flags, options, verdict) in [
        ("before", &["-DBEFORE"][..], &[][..], Verdict::Verified),
        ("before", &["-DBEFORE"], &by_states, Verdict::Verified),
        ("twice", &["-DTWICE"], &[], Verdict::Verified),
        ("twice", &["-DTWICE"], &by_states, Verdict::Verified),
        ("meanwhile", &[], &by_states, Verdict::Unsupported),
    ] {
        let binary = tool.compile(name, &text, flags);
        let checked = tool.check(&binary, options, &[]);
        let found = checked.report.verdict;
        assert_eq!(
            found,
            verdict,
            "{name} {options:?}: {}",
            checked.ran.shown()
        );
    }
}
