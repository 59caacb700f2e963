//! `--message-format=short`: lines that quickfix lists and problem matchers take.

use dpor_testsuite::tool::Tool;

/// At line 5 column 3 T1 writes, at line 10 column 3 main; line 2 declares.
const RACE: &str = "#include <pthread.h>
int shared;
static void *work(void *unused) {
  (void)unused;
  shared = 1;
  return 0;
}
int main(void) {
  pthread_t t; pthread_create(&t, 0, work, 0);
  shared = 2;
  pthread_join(t, 0);
}
";

/// A line as gcc's problem matchers read it: file, line, column, severity, message. The column may be missing.
fn matched(line: &str) -> Option<(&str, u32, Option<u32>, &str, &str)> {
    let (place, message) = line.split_once(": ")?;
    let (severity, message) = message.split_once(": ")?;
    let is_severity = ["error", "warning", "note"].contains(&severity);
    let mut parts = place.rsplitn(3, ':');
    let (last, before, file) = (parts.next()?, parts.next()?, parts.next());
    let it = match (file, before.parse()) {
        (Some(file), Ok(line)) => (file, line, Some(last.parse().ok()?), severity, message),
        _ => (
            place.rsplit_once(':')?.0,
            last.parse().ok()?,
            None,
            severity,
            message,
        ),
    };
    is_severity.then_some(it)
}

#[test]
fn both_sides_of_a_race_are_lines_of_their_own() {
    let tool = Tool::new("packages-editors");
    // Without -g: what dpor-cc adds for itself has columns.
    for flags in [&["-g"][..], &["-g0", "-g1"]] {
        let binary = tool.compile("race", RACE, flags);
        let checked = tool.check(&binary, &["--message-format=short"], &[]);
        assert_eq!(checked.ran.code, 42, "{}", checked.ran.shown());
        let lines = checked.ran.stdout.lines();
        let mut lines: Vec<_> = lines.filter_map(matched).collect();
        let file = lines[0].0;
        assert!(file.ends_with("race.c"), "{file}");
        assert!(lines.iter().all(|line| line.0 == file));
        let (_, line, column, severity, message) = lines.remove(0);
        // Either may be the one that finds it.
        assert!(line == 5 || line == 10, "{line}");
        assert_eq!(
            (column, severity),
            (Some(10), "error"),
            "{}",
            checked.ran.shown()
        );
        assert!(
            message.starts_with("data race on ") && message.ends_with(" [data-race]"),
            "{message}"
        );
        lines.sort_unstable();
        let places: Vec<_> = lines.iter().map(|it| (it.1, it.2, it.3)).collect();
        let accesses = [(5, Some(10), "note"), (10, Some(10), "note")];
        // -g1 has no variables.
        let declared = (2, None, "note");
        match flags.len() {
            1 => assert_eq!(
                places,
                [declared, accesses[0], accesses[1]],
                "{}",
                checked.ran.shown()
            ),
            _ => assert_eq!(places, accesses, "{}", checked.ran.shown()),
        }
    }
}

/// The lines of a check that VS Code and Vim are to take.
fn lines() -> (Tool, String) {
    let tool = Tool::new("packages-editors-lines");
    let binary = tool.compile("race", RACE, &["-g"]);
    let checked = tool.check(&binary, &["--message-format=short"], &[]);
    (tool, checked.ran.stdout)
}

/// The task that the book gives, with its matcher.
#[test]
fn vs_code_takes_the_lines() {
    let page = include_str!("../../../../docs/integration.md");
    let text = page.split("```json\n").nth(1).expect("a task");
    let text = text.split("```").next().expect("its end");
    let tasks: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let matcher = &tasks["tasks"][0]["problemMatcher"];
    let regexp = |value: &serde_json::Value| {
        regex::Regex::new(value.as_str().expect("an expression")).expect("it can be read")
    };
    let pattern = &matcher["pattern"];
    let line = regexp(&pattern["regexp"]);
    let (_tool, output) = lines();
    let found: Vec<_> = output
        .lines()
        .filter_map(|text| line.captures(text))
        .collect();
    let group = |name: &str| pattern[name].as_u64().expect("a group") as usize;
    let first = &found[0];
    let of = |name| first.get(group(name)).map(|text| text.as_str());
    assert!(of("file").is_some_and(|file| file.ends_with("race.c")));
    assert!(matches!(of("line"), Some("5" | "10")));
    assert_eq!((of("column"), of("severity")), (Some("10"), Some("error")));
    assert_eq!(of("message"), Some("data race on shared"));
    assert_eq!(of("code"), Some("data-race"));
    // Both accesses, and the declaration, which has no column.
    let notes = found[1..]
        .iter()
        .map(|note| note.get(3).map(|column| column.as_str()));
    let mut notes: Vec<_> = notes.collect();
    notes.sort_unstable();
    assert_eq!(notes, [None, Some("10"), Some("10")], "{output}");
    let background = &matcher["background"];
    let ends = regexp(&background["endsPattern"]);
    assert_eq!(
        output.lines().filter(|text| ends.is_match(text)).count(),
        1,
        "{output}"
    );
    assert!(regexp(&background["beginsPattern"]).is_match("dpor: /x/race.c was saved"));
}

/// The compiler plugin, in a Vim without a terminal.
#[test]
fn vim_takes_the_lines() {
    if !super::project::has(&[("vim", "vim-nox")]) {
        return;
    }
    let (tool, output) = lines();
    let file = tool.path("output.txt");
    std::fs::write(&file, &output).expect("it can be written");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let plugin = root.with_file_name("packaging").join("vim");
    let said = tool.path("quickfix.txt");
    drop(std::fs::remove_file(&said));
    let item = "printf('%s:%d:%d:%s:%s', fnamemodify(bufname(v:val.bufnr), ':t'), v:val.lnum, v:val.col, v:val.type, v:val.text)";
    let commands = [
        format!("set runtimepath+={}", plugin.display()),
        "compiler dpor".to_owned(),
        format!("cgetfile {}", file.display()),
        format!(
            "call writefile([&makeprg] + map(getqflist(), \"{item}\"), '{}')",
            said.display()
        ),
        "qall!".to_owned(),
    ];
    let mut vim = std::process::Command::new("vim");
    vim.args(["-N", "-u", "NONE", "-i", "NONE", "-es"]);
    for command in &commands {
        vim.args(["-c", command]);
    }
    let ran = tool.run(&mut vim, "");
    let said = std::fs::read_to_string(&said).unwrap_or_else(|_| panic!("{}", ran.shown()));
    let said: Vec<&str> = said.lines().collect();
    assert!(
        said[0].starts_with("dpor check --message-format=short"),
        "{said:?}"
    );
    let is_error = |line: &str| {
        line == "race.c:5:10:e:data race on shared [data-race]"
            || line == "race.c:10:10:e:data race on shared [data-race]"
    };
    assert!(is_error(said[1]), "{said:#?}");
    let notes = said[2..]
        .iter()
        .filter(|line| line.starts_with("race.c:") && line.contains(":n:"));
    assert_eq!((notes.count(), said.len()), (3, 5), "{said:#?}");
}

/// What Emacs' compilation mode makes of the file `output.txt`: file, line, column and severity of each line that it takes.
const EMACS: &str = r#"(progn
  (require 'compile)
  (insert-file-contents "output.txt")
  (compilation-mode)
  (compilation--ensure-parse (point-max))
  (let ((place (point-min)) seen)
    (while (< place (point-max))
      (let ((message (get-text-property place 'compilation-message)))
        (when (and message (not (memq message seen)))
          (push message seen)
          (let ((loc (compilation--message->loc message)))
            (princ (format "%s:%s:%s:%s\n"
              (file-name-nondirectory (caar (compilation--loc->file-struct loc)))
              (compilation--loc->line loc)
              (compilation--loc->col loc)
              (compilation--message->type message)))))
        (setq place (next-single-property-change place 'compilation-message nil (point-max)))))))"#;

/// Its own patterns, without a package or a setting.
#[test]
fn emacs_takes_the_lines() {
    if !super::project::has(&[("emacs", "emacs-nox")]) {
        return;
    }
    let (tool, output) = lines();
    std::fs::write(tool.path("output.txt"), &output).expect("it can be written");
    let mut emacs = std::process::Command::new("emacs");
    emacs.args(["-Q", "--batch", "--eval", EMACS]);
    emacs.current_dir(tool.path("."));
    let ran = tool.run(&mut emacs, "");
    let mut taken: Vec<&str> = ran.stdout.lines().collect();
    assert!(!taken.is_empty(), "{}", ran.shown());
    // 2 is an error, 0 a note.
    let error = taken.remove(0);
    assert!(
        ["race.c:5:10:2", "race.c:10:10:2"].contains(&error),
        "{}",
        ran.shown()
    );
    taken.sort_unstable();
    let notes = ["race.c:10:10:0", "race.c:2:nil:0", "race.c:5:10:0"];
    assert_eq!(taken, notes, "{}", ran.shown());
}
