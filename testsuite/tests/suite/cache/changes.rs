//! What was read changes, and what is read otherwise.

use super::{cached, empty, orders, reader};
use dpor_testsuite::limited::Ran;
use dpor_testsuite::tool::Tool;
use std::path::PathBuf;

#[test]
#[expect(clippy::too_many_lines, reason = "a table of changes")]
fn a_verdict_is_taken_over_until_what_was_read_changes() {
    let tool = Tool::new("cache-read");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    let data = PathBuf::from(empty(&tool, "data"));
    std::fs::create_dir(&data).expect("made");
    let at = |name: &str| data.join(name).to_str().expect("UTF-8").to_owned();
    let write = |name: &str, text: &str| std::fs::write(at(name), text).expect("written");
    let written_at = |name: &str, seconds: u64| {
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let file = std::fs::File::options().append(true).open(at(name));
        file.and_then(|file| file.set_modified(time)).expect("set");
    };
    let library = |answer: u32| {
        let text = format!("int answer(void) {{ return {answer}; }}");
        write("answer.c", &text);
        let mut compiler = tool.clang();
        compiler.args(["-shared", "-fPIC", "-o", &at("answer.so"), &at("answer.c")]);
        assert_eq!(tool.run(&mut compiler, "").code, 0);
    };
    let link = |to: &str| {
        let _ = std::fs::remove_file(at("link"));
        std::os::unix::fs::symlink(to, at("link")).expect("linked");
    };
    let remove = |name: &str| std::fs::remove_file(at(name)).expect("removed");
    write("stamped", "");
    // What is read, where, and what changes it, with the number that the program finds then.
    let folder_of = at("");
    type Change<'a> = (&'a str, String, Vec<(Box<dyn Fn() + 'a>, u64)>);
    let changes: [Change<'_>; 6] = [
        (
            "file",
            at("digit"),
            vec![
                (Box::new(|| ()), 1),
                (Box::new(|| write("digit", "2")), 2),
                (Box::new(|| write("digit", "3")), 3),
                (Box::new(|| remove("digit")), 1),
            ],
        ),
        (
            "there",
            at("there"),
            vec![(Box::new(|| ()), 1), (Box::new(|| write("there", "")), 2)],
        ),
        (
            "written",
            at("stamped"),
            vec![
                (Box::new(|| written_at("stamped", 301)), 1),
                (Box::new(|| written_at("stamped", 302)), 2),
            ],
        ),
        (
            "link",
            at("link"),
            vec![(Box::new(|| link("1")), 1), (Box::new(|| link("2")), 2)],
        ),
        (
            "library",
            at("answer.so"),
            vec![(Box::new(|| library(1)), 1), (Box::new(|| library(2)), 2)],
        ),
        (
            "folder",
            folder_of,
            vec![
                // there, stamped, link, answer.c and answer.so are there.
                (
                    Box::new(|| {
                        ["answer.c", "answer.so", "link"]
                            .map(remove)
                            .into_iter()
                            .collect()
                    }),
                    3,
                ),
                (Box::new(|| remove("there")), 2),
            ],
        ),
    ];
    for (how, place, steps) in &changes {
        for (step, (change, found)) in steps.iter().enumerate() {
            change();
            let check = || cached(&tool, &program, &folder, &[how, place]);
            assert_eq!(check(), (false, orders(*found)), "{how} {step}");
            assert_eq!(check(), (true, orders(*found)), "{how} {step}");
        }
    }
}

#[test]
fn other_options_arguments_and_variables_are_another_check() {
    let tool = Tool::new("cache-key");
    let program = reader(&tool, false);
    let folder = empty(&tool, "kept");
    let option = format!("--cache={folder}");
    let run = |more: &[&str], args: &[&str], variable: Option<&str>, input: &str| {
        let mut command = tool.dpor("check");
        command
            .arg(&option)
            .args(more)
            .arg(&program)
            .arg("--")
            .args(args);
        if let Some(value) = variable {
            command.env("DIGIT", value);
        }
        tool.run(&mut command, input)
    };
    // In this order; each for the first time and then again, and at last all once more.
    type Asked<'a> = (&'a [&'a str], &'a [&'a str], Option<&'a str>, &'a str, u64);
    let checks: [Asked<'_>; 7] = [
        (&[], &["variable", "DIGIT"], None, "", 1),
        (&[], &["variable", "DIGIT"], Some("2"), "", 2),
        (&[], &["variable", "DIGIT"], Some("3"), "", 3),
        (&[], &["variable", "OTHER"], Some("3"), "", 1),
        (&["--races=off"], &["variable", "DIGIT"], Some("3"), "", 3),
        (&[], &["input"], None, "2", 2),
        (&[], &["input"], None, "3", 3),
    ];
    let check = |k: usize, is_cached: bool| {
        let (more, args, variable, input, found) = checks[k];
        let ran: Ran = run(more, args, variable, input);
        let has = ran.stdout.contains("(cached)");
        assert_eq!((ran.code, has), (0, is_cached), "{k}: {}", ran.shown());
        let all = format!(": all {} execution", orders(found));
        assert!(ran.stdout.contains(&all), "{k}: {}", ran.shown());
    };
    for k in 0..checks.len() {
        check(k, false);
        check(k, true);
    }
    (0..checks.len()).for_each(|k| check(k, true));
    // A limit that was not reached cuts nothing.
    let ran = run(&["--time-limit=100"], &["input"], None, "3");
    assert!(ran.stdout.contains("(cached)"), "{}", ran.shown());
    // As without a cache.
    let ran = run(&["--no-cache"], &["input"], None, "3");
    assert_eq!(ran.code, 2, "{}", ran.shown());
    let mut command = tool.dpor("check");
    command
        .env("DPOR_CACHE", &folder)
        .arg("--no-cache")
        .arg(&program);
    let ran = tool.run(command.args(["--", "input"]), "3");
    assert_eq!(ran.stdout, "verified: all 20 executions\n");
    // The variable names the folder, and is a part of the environment.
    for line in [
        "verified: all 20 executions\n",
        "verified: all 20 executions (cached)\n",
    ] {
        let mut command = tool.dpor("check");
        command.env("DPOR_CACHE", &folder).arg(&program);
        let ran = tool.run(command.args(["--", "input"]), "3");
        assert_eq!(ran.stdout, line);
    }
}
