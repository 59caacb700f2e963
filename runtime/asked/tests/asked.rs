//! What is told of ordinary programs, against what is known of them.

use dpor_asked::{listen, Look};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// What a shell's command asks for, after what the shell itself needs to begin (`sh -c :`).
fn looks(folder: &Path, text: &str) -> Vec<Look> {
    looks_watched(folder, text, &[])
}

/// The same, with descriptors of which it is told that they are read.
fn looks_watched(folder: &Path, text: &str, watched: &[i32]) -> Vec<Look> {
    let run = |text: &str| {
        let told = Arc::new(Mutex::new(Vec::new()));
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text]).current_dir(folder);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let heard = told.clone();
        let hear = move |look| heard.lock().expect("not poisoned").push(look);
        let listener = listen(&mut command, watched, hear).expect("a listener");
        let mut child = command.spawn().expect("started");
        drop(command);
        child.wait().expect("ended");
        assert!(listener.end());
        let told = told.lock().expect("not poisoned");
        told.clone()
    };
    let own = run(":");
    assert_eq!(own.first(), Some(&Look::Run("/bin/sh".into())));
    let is_library = |look: &Look| matches!(look, Look::Path(path) if path.ends_with("libc.so.6"));
    assert!(own.iter().any(is_library), "{own:?}");
    let mut told = run(text);
    told.retain(|look| !own.contains(look));
    told
}

#[test]
fn files_are_told_by_their_absolute_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it is there");
    std::fs::create_dir(folder.join("in")).expect("made");
    std::fs::write(folder.join("in/a"), "text").expect("written");
    let path = |name: &str| Look::Path(folder.join(name));
    // The shell opens what it redirects from, whether it is there or not, and looks for what it tests.
    assert_eq!(looks(&folder, "read x < in/a"), [path("in/a")]);
    assert_eq!(looks(&folder, "read x < none"), [path("none")]);
    assert_eq!(
        looks(&folder, "[ -e in/a ] && [ -d in ]"),
        [path("in/a"), path("in")]
    );
    assert_eq!(
        looks(&folder, "cd in && read x < a"),
        [path("in"), path("in/a")]
    );
    // A process that it forks is heard, too.
    assert_eq!(looks(&folder, "(read x < in/a)"), [path("in/a")]);
    let written = folder.join("new");
    assert_eq!(
        looks(&folder, "echo x > new"),
        [Look::Path(written.clone())]
    );
    assert_eq!(std::fs::read_to_string(written).expect("written"), "x\n");
}

#[test]
fn programs_that_are_run_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = looks(folder.path(), "exec /bin/cat /dev/null");
    assert!(told.contains(&Look::Run("/bin/cat".into())), "{told:?}");
    assert!(told.contains(&Look::Path("/dev/null".into())), "{told:?}");
}

#[test]
fn descriptors_that_are_watched_are_told_where_they_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a"), "text").expect("written");
    let read = Look::Other("it reads descriptor 0".to_owned());
    for (text, watched, expected) in [
        ("read x", 0, true),
        ("/bin/cat", 0, true),
        // A second number.
        ("exec 3<&0", 0, true),
        // What is opened in its place is told, too: nobody keeps book of what is closed.
        ("read x < a", 0, true),
        ("read x", 7, false),
        ("read x < a", 7, false),
        ("echo x", 0, false),
    ] {
        let told = looks_watched(folder.path(), text, &[watched]);
        assert_eq!(told.contains(&read), expected, "{text}: {told:?}");
    }
}

#[test]
fn what_may_differ_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    // perl is part of every Debian system.
    let told = looks(
        folder.path(),
        "exec /usr/bin/perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0)'",
    );
    let socket = Look::Other(format!("system call {}", libc::SYS_socket));
    assert!(told.contains(&socket), "{told:?}");
}

#[test]
fn a_process_that_lives_on_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let started = std::time::Instant::now();
    let told = looks(folder.path(), "sleep 20 & echo $! > /dev/null; :");
    assert!(started.elapsed().as_secs() < 15);
    let lives = Look::Other("a process that lives on".to_owned());
    assert!(told.contains(&lives), "{told:?}");
}

#[test]
fn a_listener_that_panics_says_so() {
    let mut command = Command::new("/bin/true");
    let hear = |look| assert!(matches!(look, Look::Run(_)), "the program's first file");
    let listener = listen(&mut command, &[], hear);
    let mut child = command.spawn().expect("started");
    drop(command);
    let _ = child.wait();
    assert!(!listener.expect("a listener").end());
}
