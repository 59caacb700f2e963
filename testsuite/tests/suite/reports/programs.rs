//! The programs, and checks of them in a folder of their own.

use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use std::path::PathBuf;

/// A race: line 6, column 12, twice; 4 bytes declared in line 2. Nothing else is wrong with it.
pub const RACE: &str = "#include <pthread.h>
int balance;
int other;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *deposit(void *unused) {
    balance++;
    pthread_mutex_lock(&m);
    other++;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, deposit, 0);
    pthread_create(&b, 0, deposit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// An atomic store and load in any order, so that there is something to explore; then `body` in main.
pub fn ordinary(body: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <string.h>\n\
         #include <unistd.h>\n\
         atomic_int cell;\n\
         static void *work(void *unused) {{ atomic_store(&cell, 1); return unused; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); int s = cell;\n\
         pthread_join(t, 0); (void)s;\n{body}\nreturn 0; }}\n"
    )
}

/// Characters that one format or another gives a meaning to, and a control character.
pub const ODD: &str = "a \"b\" <c> &d; 'e' ]]> é % #1 \u{1}";

/// A check that fails with a message of [`ODD`] characters, at column 12 in bytes of a line in which
/// `é` and `ü` stand before it.
pub const ODD_PROGRAM: &str = "#include <dpor.h>
#include <pthread.h>
static int \u{e9};
static void *work_\u{e9}(void *unused) {
    { \"\u{fc}\"; \u{e9}++; }
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work_\u{e9}, 0);
    \u{e9}++;
    pthread_join(t, 0);
    return 0;
}
";

/// Programs of one verdict each: name, text, options, exit code.
pub fn one_of_each() -> [(&'static str, String, &'static [&'static str], i32); 5] {
    [
        ("verified", ordinary(""), &[], 0),
        ("bug", RACE.to_owned(), &[], 42),
        ("incomplete", ordinary(""), &["--max-executions=1"], 3),
        ("unsupported", ordinary("fork();"), &[], 4),
        // A program that never has a second thread.
        ("plain", "int main(void) { return 7; }".to_owned(), &[], 42),
    ]
}

/// Compiles and checks a program with `--FORMAT FILE`; the file's text.
pub fn report(
    tool: &Tool,
    format: &str,
    name: &str,
    text: &str,
    options: &[&str],
) -> (Ran, String) {
    let binary = tool.compile(name, text, &["-Wno-unused-value"]);
    let file = tool.path(&format!("{name}.{format}"));
    drop(std::fs::remove_file(&file));
    let mut command = tool.dpor("check");
    command.current_dir(folder(tool));
    command.arg(format!("--{format}")).arg(&file);
    command.args(options).arg(&binary);
    let ran = tool.run(&mut command, "");
    let text = std::fs::read_to_string(&file);
    let text = text.unwrap_or_else(|why| panic!("{}: {why}: {}", file.display(), ran.shown()));
    (ran, text)
}

/// The test's own folder.
pub fn folder(tool: &Tool) -> PathBuf {
    tool.path("")
}
