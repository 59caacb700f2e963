//! `cargo xtask bench` with peers that the environment names: stand-ins that say what GenMC says, or fail.
//! Needs target/dpor (`cargo xtask build`).

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Takes its arguments as GenMC does: its own, then those of the compiler and the source.
const GENMC: &str = "#!/bin/sh
[ \"$1\" = --sc ] && [ \"$2\" = -- ] || { echo 'no --sc --'; exit 2; }
for last; do :; done
[ -f \"$last\" ] || { echo 'no source'; exit 2; }
echo 'No errors were detected.'
echo 'Number of complete executions explored: 36'
echo 'Number of blocked executions seen: 60'
";

/// Fails as a tool does that cannot read the source.
const NIDHUGG: &str = "#!/bin/sh
echo 'unsupported: a call of the library' >&2
exit 1
";

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a script");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&file, runs).expect("one that runs");
    file
}

#[test]
fn peers_do_the_same_program_in_the_same_run() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-peers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let json = folder.join("rows.json");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_xtask"));
    bench.args(["bench", "--prebuilt", "--runs=1", "--only=test and set 3"]);
    bench.arg(format!("--json={}", json.display()));
    bench.env("GENMC", script(&folder, "genmc", GENMC));
    bench.env("NIDHUGG", script(&folder, "nidhuggc", NIDHUGG));
    let output = bench.output().expect("xtask");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");

    let text = std::fs::read_to_string(&json).expect("the rows");
    let table: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let row = &table["rows"][0];
    let (genmc, nidhugg) = (&row["peers"][0], &row["peers"][1]);
    assert_eq!(
        (&genmc["peer"], &genmc["executions"], &genmc["blocked"]),
        (&"GenMC".into(), &36.into(), &60.into())
    );
    assert!(
        genmc["seconds"].is_f64() && row["times_peer"].is_f64(),
        "{row}"
    );
    assert_eq!(
        nidhugg["failure"],
        "exit status: 1: unsupported: a call of the library"
    );
    assert!(nidhugg["seconds"].is_null());
    // Of our own, 36 are complete, too; with every turn, an exchange that fails is an event of its own and
    // its thread waits for the lock again: 162 by brute force over orders of accesses of which reads commute.
    assert_eq!(
        (&row["executions"], &row["every_turn"]["executions"]),
        (&(36 + 42).into(), &162.into())
    );

    let line = said
        .lines()
        .find(|line| line.starts_with("| test and set 3 |"));
    let cells: Vec<&str> = line.expect("the row").split(" | ").collect();
    let [.., goal, _, executions, seconds, failed, none, times] = cells[..] else {
        panic!("{cells:?}")
    };
    assert_eq!(
        (goal, executions, failed, none),
        ("1 times", "36 + 60", "failed", "-")
    );
    assert!(seconds.parse::<f64>().is_ok() && times.trim_end_matches(" |").parse::<f64>().is_ok());
    assert!(
        said.contains(
            "- Nidhugg on `test and set 3`: exit status: 1: unsupported: a call of the library\n"
        ),
        "{said}"
    );
}
