//! `dpor check --watch`: a check for each time that a source is saved.

use dpor_testsuite::tool::Tool;
use rustix::process::{kill_process, Pid, Signal};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{channel, Receiver};
use std::time::Duration;

/// How long a line may take.
const PATIENCE: Duration = Duration::from_secs(60);

const PROGRAM: &str = "
#include <pthread.h>
#include \"counter.h\"
static void *add(void *unused) { COUNT; return unused; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";
const RACING: &str = "static int counter;\n#define COUNT counter++\n";
const ATOMIC: &str = "static _Atomic int counter;\n#define COUNT counter++\n";

/// Starts a check that watches; the command, and the lines that it prints.
fn watch(tool: &Tool, arguments: &[&str], file: &Path) -> (Child, Receiver<String>) {
    let mut command = tool.dpor("check");
    command.arg("--watch").args(arguments).arg(file);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let (sender, lines) = channel();
    let output: Box<dyn Read + Send> = Box::new(child.stdout.take().expect("a pipe"));
    let errors = Box::new(child.stderr.take().expect("a pipe"));
    for pipe in [output, errors] {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let lines = BufReader::new(pipe).lines().map_while(Result::ok);
            lines.map_while(|line| sender.send(line).ok()).count()
        });
    }
    (child, lines)
}

/// Waits for a line that has this; the lines up to it.
fn wait_for(lines: &Receiver<String>, part: &str) -> Vec<String> {
    let mut all = Vec::new();
    while !all.last().is_some_and(|line: &String| line.contains(part)) {
        let line = lines.recv_timeout(PATIENCE);
        all.push(line.unwrap_or_else(|_| panic!("{part} comes behind {all:#?}")));
    }
    all
}

fn end(mut child: Child) -> Option<i32> {
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    child.wait().expect("it ends").code()
}

#[test]
fn a_saved_source_or_header_is_checked_again() {
    let tool = Tool::new("watched");
    let (source, header) = (tool.path("count.c"), tool.path("counter.h"));
    let write = |file: &Path, text: &str| std::fs::write(file, text).expect("it can be written");
    write(&source, PROGRAM);
    write(&header, RACING);
    let (child, lines) = watch(&tool, &[], &source);
    wait_for(&lines, "bug found: data-race");
    write(&header, ATOMIC);
    wait_for(&lines, "verified");
    // What is written beside the sources, and is none, does not count.
    write(&tool.path("count.json"), "{}");
    write(&source, &PROGRAM.replace("COUNT;", "COUNT; COUNT2;"));
    wait_for(&lines, "COUNT2");
    // Editors write another file and rename it.
    let beside = tool.path("count.c~");
    write(&beside, &PROGRAM.replace("pthread_join(b, 0);", ""));
    std::fs::rename(&beside, &source).expect("it can be renamed");
    let since = wait_for(&lines, "verified");
    assert!(
        since
            .iter()
            .any(|line| line.ends_with("/count.c was saved")),
        "{since:#?}"
    );
    assert!(
        !since.iter().any(|line| line.contains("count.json")),
        "{since:#?}"
    );
    // The exit code is that of the last check.
    assert_eq!(end(child), Some(0));
}

#[test]
fn a_check_that_still_runs_ends_when_a_source_is_saved() {
    let tool = Tool::new("watched-long");
    let source = tool.path("long.c");
    let many = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *work(void *unused) { for (int i = 0; i < TURNS; i++) x = x * 3 + 1; return unused; }
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
";
    let write = |turns: &str| {
        let text = many.replace("TURNS", turns);
        std::fs::write(&source, text).expect("it can be written");
    };
    write("100");
    let (child, lines) = watch(&tool, &["--progress=always"], &source);
    // It would take for ever.
    wait_for(&lines, "executions, ");
    write("1");
    wait_for(&lines, "incomplete: interrupted");
    wait_for(&lines, "verified");
    assert_eq!(end(child), Some(0));
}

#[test]
fn bad_input_is_said_once() {
    let tool = Tool::new("watched-bad");
    let ran = tool.run(tool.dpor("check").args(["--watch", "nowhere.c"]), "");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("nowhere.c"), "{}", ran.shown());
}
