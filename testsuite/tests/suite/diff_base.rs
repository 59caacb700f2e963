//! `dpor diff --base REV --build …`: a revision of a git work tree against the work tree, in copies that go.

use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const COUNT: &str = "
#include \"add.h\"
#include <dpor.h>
#include <pthread.h>
atomic_int n;
static void *add(void *unused) {
    ADD(n);
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    dpor_observe(\"n\", n);
}
";

const TORN: &str =
    "#include <stdatomic.h>\n#define ADD(x) do { int s = x; x = s + 1; } while (0)\n";
const WHOLE: &str = "#include <stdatomic.h>\n\n#define ADD(x) x++\n";

/// A git work tree `repo` in the folder of a test: a program that is built from a folder below, with a header above.
struct Tree<'a> {
    tool: &'a Tool,
    top: PathBuf,
}

impl<'a> Tree<'a> {
    fn new(tool: &'a Tool, header: &str) -> Tree<'a> {
        let top = tool.path("repo");
        drop(std::fs::remove_dir_all(&top));
        std::fs::create_dir_all(top.join("src")).expect("folders");
        let tree = Tree { tool, top };
        tree.write("src/count.c", COUNT);
        tree.write("add.h", header);
        tree.write(
            "src/Makefile",
            "x: count.c ../add.h\n\tdpor-cc -O2 -g -pthread -I.. count.c -o x\n",
        );
        tree.write(".gitignore", "x\n*.json\n");
        tree.git(&["init", "-q"]);
        tree.commit();
        tree
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.top.join(name), text).expect("a file");
    }

    fn git(&self, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@t"]);
        let output = git.args(words).current_dir(&self.top).output();
        let output = output.expect("git");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "state"]);
    }

    /// The folder for temporary files of the command, which is to be empty afterwards.
    fn temporary(&self) -> PathBuf {
        let folder = self.tool.path("temporary");
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.tool.dpor("diff");
        command
            .envs(self.tool.clangs())
            .current_dir(self.top.join("src"));
        command.env("TMPDIR", self.temporary());
        command.args(["--program", "./x"]).args(words);
        command
    }

    /// `dpor diff WORDS --build=make --program=./x` in the folder src; nothing stays behind but reports.
    fn diff(&self, words: &[&str]) -> (Ran, Value) {
        let before = self.state();
        let json = self.tool.path("diff.json");
        drop(std::fs::remove_file(&json));
        let mut command = self.command(words);
        let ran = self.tool.run(
            command.args(["--build", "make"]).arg("--json").arg(&json),
            "",
        );
        assert_eq!(self.state(), before, "{}", ran.shown());
        assert!(is_empty(&self.temporary()), "{}", ran.shown());
        let told = std::fs::read_to_string(&json).unwrap_or_else(|_| "null".to_owned());
        (ran, serde_json::from_str(&told).expect("JSON"))
    }

    /// What a command must not change: files, references, work trees, the index.
    fn state(&self) -> [String; 5] {
        let index = std::fs::read(self.top.join(".git/index")).expect("an index");
        [
            self.git(&["status", "--porcelain"]),
            self.git(&["for-each-ref"]),
            self.git(&["worktree", "list"]),
            self.git(&["count-objects", "-v"]),
            index.escape_ascii().to_string(),
        ]
    }
}

fn is_empty(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).expect("a folder");
    entries.next().is_none()
}

fn told(comparison: &Value) -> Vec<String> {
    let all = comparison["differences"].as_array().expect("a list");
    let told = all.iter().map(|one| {
        let effect = one["effect"].as_str().unwrap_or_default();
        format!("{effect} n={}", one["outcome"]["values"]["n"])
    });
    told.collect()
}

#[test]
fn a_revision_and_the_work_tree() {
    let tool = Tool::new("base-tree");
    let tree = Tree::new(&tool, TORN);
    // An earlier build, which is no part of either.
    tree.write("src/x", "stale");
    tree.write("add.h", WHOLE);
    let (ran, comparison) = tree.diff(&["--base", "HEAD"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(told(&comparison), ["removed n=1"], "{}", ran.shown());
    assert_eq!(
        comparison["levels"],
        serde_json::json!(["HEAD", "the work tree"])
    );
    // Places are those of the repository.
    assert!(ran.stdout.contains("src/count.c:7"), "{}", ran.shown());
    assert!(!ran.stdout.contains("dpor-"), "{}", ran.shown());
    tree.commit();
    let (ran, comparison) = tree.diff(&["--base", "HEAD"]);
    assert_eq!(
        (ran.code, told(&comparison).len()),
        (0, 0),
        "{}",
        ran.shown()
    );
    // What is not committed, nor even known to git, counts.
    tree.write("add.h", "#include \"more.h\"\n");
    tree.write("more.h", TORN);
    let (ran, comparison) = tree.diff(&["--base", "HEAD"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(told(&comparison), ["introduced n=1"], "{}", ran.shown());
    let (ran, comparison) = tree.diff(&["--base", "HEAD~1"]);
    assert_eq!(
        (ran.code, told(&comparison).len()),
        (0, 0),
        "{}",
        ran.shown()
    );
}

#[test]
fn the_schedules_run_again_in_the_work_tree() {
    let tool = Tool::new("base-replay");
    let tree = Tree::new(&tool, WHOLE);
    tree.write("add.h", TORN);
    let (ran, comparison) = tree.diff(&["--base", "HEAD"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    let replays = &comparison["differences"][0]["replays"];
    let mut make = tool.compiler("dpor-cc");
    make.args(["-O2", "-g", "-pthread", "-I..", "count.c", "-o", "x"]);
    let made = tool.run(make.current_dir(tree.top.join("src")), "");
    assert_eq!(made.code, 0, "{}", made.shown());
    let replay = |side: usize| {
        let replay = replays[side].as_str().expect("a command");
        let mut command = tool.dpor("replay");
        command.current_dir(tree.top.join("src"));
        tool.run(
            command.arg(replay.strip_prefix("dpor replay ").expect("a replay")),
            "",
        )
    };
    let again = replay(1);
    assert_eq!(again.code, 42, "{}", again.shown());
    assert!(again.stdout.contains("reads n: 1"), "{}", again.shown());
}

#[test]
fn what_is_introduced_is_a_failure() {
    let tool = Tool::new("base-fail");
    let tree = Tree::new(&tool, TORN);
    tree.write("add.h", WHOLE);
    let sarif = tool.path("new.sarif");
    let fail = [
        "--fail-on",
        "introduced",
        "--sarif",
        sarif.to_str().expect("text"),
    ];
    let results = || -> Value {
        let text = std::fs::read_to_string(&sarif).expect("a report");
        let log: Value = serde_json::from_str(&text).expect("JSON");
        log["runs"][0]["results"].clone()
    };
    let (ran, _) = tree.diff(&[&["--base", "HEAD"], &fail[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert!(
        ran.stdout.ends_with("\nnothing is introduced\n"),
        "{}",
        ran.shown()
    );
    assert_eq!(results(), serde_json::json!([]));
    tree.commit();
    tree.write("add.h", TORN);
    let (ran, _) = tree.diff(&[&["--base", "HEAD"], &fail[..]].concat());
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert!(
        ran.stdout.ends_with("\nsomething is introduced\n"),
        "{}",
        ran.shown()
    );
    let results = results();
    assert_eq!(results.as_array().map(Vec::len), Some(1), "{results:#}");
    assert_eq!(results[0]["baselineState"], "new");
    assert_eq!(results[0]["ruleId"], "outcome-difference");
    let message = results[0]["message"]["text"].as_str().unwrap_or_default();
    assert_eq!(message, "an outcome that HEAD does not have: n=1");
    // Places are below the repository, whatever the current folder is.
    let text = results[0].to_string();
    assert!(text.contains("\"uri\":\"src/count.c\""), "{results:#}");
}

#[test]
fn what_cannot_be_built_is_said() {
    let tool = Tool::new("base-wrong");
    let tree = Tree::new(&tool, WHOLE);
    let (ran, _) = tree.diff(&["--base", "none"]);
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("'none' is no revision of"),
        "{}",
        ran.shown()
    );
    tree.write("add.h", "nonsense\n");
    let (ran, _) = tree.diff(&["--base", "HEAD"]);
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("in the work tree, `make` ended with"),
        "{}",
        ran.shown()
    );
    let mut outside = tree.command(&["--base", "HEAD", "--build", "make"]);
    let ran = tool.run(outside.current_dir("/"), "");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr.contains("for the work tree of a git repository"),
        "{}",
        ran.shown()
    );
}

#[test]
fn the_work_tree_is_copied_as_it_is() {
    let tool = Tool::new("base-copy");
    let tree = Tree::new(&tool, TORN);
    tree.write("whole.h", WHOLE);
    tree.write("gone.h", "#error it is there\n");
    tree.commit();
    // A link, a file that is gone, and one whose name is no text of one line.
    std::fs::remove_file(tree.top.join("add.h")).expect("a file");
    std::os::unix::fs::symlink("whole.h", tree.top.join("add.h")).expect("a link");
    std::fs::remove_file(tree.top.join("gone.h")).expect("a file");
    tree.write("odd \n name", "");
    let count = "#if __has_include(\"gone.h\")\n#include \"gone.h\"\n#endif\n".to_owned() + COUNT;
    tree.write("src/count.c", &count);
    let (ran, comparison) = tree.diff(&["--base", "HEAD"]);
    assert_eq!(ran.code, 42, "{}", ran.shown());
    assert_eq!(told(&comparison), ["removed n=1"], "{}", ran.shown());
}

#[test]
fn a_repository_in_the_repository_is_refused() {
    let tool = Tool::new("base-module");
    let tree = Tree::new(&tool, WHOLE);
    let inner = tree.top.join("inner");
    std::fs::create_dir(&inner).expect("a folder");
    std::fs::write(inner.join("x.h"), "").expect("a file");
    for words in [
        &["-C", "inner", "init", "-q"][..],
        &["-C", "inner", "add", "-A"],
        &["-C", "inner", "commit", "-qm", "inner"],
        &["-c", "advice.addEmbeddedRepo=false", "add", "inner"],
    ] {
        tree.git(words);
    }
    tree.commit();
    let (ran, _) = tree.diff(&["--base", "HEAD"]);
    assert_eq!(ran.code, 2, "{}", ran.shown());
    assert!(
        ran.stderr
            .contains("inner is a submodule, which is not copied"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let tool = Tool::new("base-signal");
    let tree = Tree::new(&tool, WHOLE);
    let before = tree.state();
    let mark = tool.path("begun");
    drop(std::fs::remove_file(&mark));
    let build = format!("echo > {}; sleep 100; exit 1", mark.display());
    let mut command = tree.command(&["--base", "HEAD", "--build", &build]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("a process");
    let began = Instant::now();
    while !mark.exists() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it does not begin"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!is_empty(&tree.temporary()), "it builds nowhere");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
    let output = child.wait_with_output().expect("its end");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("interrupted while the program was built"),
        "{said}"
    );
    assert!(is_empty(&tree.temporary()));
    assert_eq!(tree.state(), before);
}
