//! What surrounds a process, and changes with who starts it.

use super::{empty, orders, reader};
use dpor_testsuite::tool::Tool;
use std::process::{Command, Stdio};

/// A shell that starts `dpor check` with a cache in `"$@"`.
fn shell(tool: &Tool, text: &str, folder: &str, program: &str, args: &[&str]) -> Command {
    let check = tool.dpor("check");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", text, "sh"]).arg(check.get_program());
    command.args(["check", &format!("--cache={folder}"), program, "--"]);
    command.args(args).current_dir(tool.path("."));
    command.env_remove("DPOR_OPTIONS").env_remove("DPOR_CACHE");
    command
}

fn line(found: u64, how: &str) -> String {
    let count = orders(found);
    let word = if count == 1 {
        "execution"
    } else {
        "executions"
    };
    format!("verified: all {count} {word}{how}\n")
}

#[test]
fn another_process_to_start_from_is_another_check() {
    let tool = Tool::new("cache-surroundings");
    let program = reader(&tool, false);
    let program = program.to_str().expect("UTF-8");
    let folder = empty(&tool, "kept");
    std::fs::create_dir_all(tool.path("in")).expect("made");
    std::fs::write(tool.path("two"), "22").expect("written");
    std::fs::write(tool.path("three"), "333").expect("written");
    let nothing = &["nothing"][..];
    // What a shell does first, the arguments, and what the program finds.
    let all = [
        ("exec \"$@\"", nothing, 1),
        ("umask 077; exec \"$@\"", nothing, 1),
        ("ulimit -c 7; exec \"$@\"", nothing, 1),
        // Where it is, and not by what the shell says of it.
        ("unset PWD OLDPWD; exec \"$@\"", nothing, 1),
        ("cd in; unset PWD OLDPWD; exec \"$@\"", nothing, 1),
        ("DIGIT=2 exec \"$@\"", &["variable", "DIGIT"], 2),
        ("DIGIS=2 exec \"$@\"", &["variable", "DIGIT"], 1),
        ("trap '' USR1; exec \"$@\"", nothing, 1),
        ("exec \"$@\" 2> /dev/null", nothing, 1),
        ("\"$@\" | cat", nothing, 1),
        ("exec \"$@\"", &["nice"], 0),
        ("exec nice -n 2 \"$@\"", &["nice"], 2),
        ("exec nice -n 3 \"$@\"", &["nice"], 3),
        ("exec \"$@\"", &["inherited"], 1),
        ("exec \"$@\" 9< two", &["inherited"], 2),
        ("exec \"$@\" 9< three", &["inherited"], 3),
        ("exec \"$@\"", &["kind"], 1),
        ("exec \"$@\" < in", &["kind"], 1),
        (": | \"$@\"", &["kind"], 2),
        ("exec \"$@\" < two", &["input"], 2),
        ("exec \"$@\" < three", &["input"], 3),
        ("{ read -r line; \"$@\"; } < three", &["input"], 1),
    ];
    let check = |text: &str, args: &[&str], found: u64, is_cached: bool| {
        let mut command = shell(&tool, text, &folder, program, args);
        let ran = tool.run(&mut command, "");
        let how = if is_cached { " (cached)" } else { "" };
        assert_eq!(ran.stdout, line(found, how), "{text} {}", ran.shown());
    };
    for (text, args, found) in all {
        check(text, args, found, false);
        check(text, args, found, true);
    }
    for (text, args, found) in all {
        check(text, args, found, true);
    }
}

/// What a pipe has to say is not known, by whatever name or call a program asks for it.
#[test]
fn what_waits_in_a_pipe_is_asked_for_each_time() {
    let tool = Tool::new("cache-waiting");
    let program = reader(&tool, false);
    let program = program.to_str().expect("UTF-8");
    let folder = empty(&tool, "kept");
    for (args, found) in [
        (&["waiting"][..], [1, 2]),
        (&["again", "/dev/stdin"], [2, 3]),
        (&["again", "/proc/self/fd/0"], [2, 3]),
        (&["again", "/proc/thread-self/fd/0"], [2, 3]),
    ] {
        for (text, found) in ["2", "33"].into_iter().zip(found) {
            let text = format!("printf {text} | \"$@\"");
            let mut command = shell(&tool, &text, &folder, program, args);
            let ran = tool.run(command.stdin(Stdio::null()), "");
            assert_eq!(ran.stdout, line(found, ""), "{args:?} {}", ran.shown());
        }
    }
    assert_eq!(std::fs::read_dir(&folder).map_or(0, Iterator::count), 0);
}

/// A program may look at the name by which it was started.
#[test]
fn the_name_of_a_program_counts() {
    let tool = Tool::new("cache-name");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    let name = program.file_name().expect("a name").to_str();
    let name = format!("./{}", name.expect("UTF-8"));
    let check = |program: &str| {
        let mut command = shell(&tool, "exec \"$@\"", &folder, program, &["name"]);
        tool.run(&mut command, "").stdout
    };
    let program = program.to_str().expect("UTF-8");
    for how in ["", " (cached)"] {
        assert_eq!(check(program), line(2, how));
        assert_eq!(check(&name), line(1, how));
    }
}
