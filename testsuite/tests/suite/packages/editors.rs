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
