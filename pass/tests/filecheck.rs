//! Every `tests/ir/*.ll` through opt with the plugin, checked by FileCheck against its own comments.
//!
//! Header lines: `;@ env: NAME=VALUE`, `;@ passes: LIST` (default `dpor`), `;@ llvm: N` (needs at
//! least N), `;@ fails: TEXT` (opt must fail and print TEXT; nothing else is checked), `;@ warns: TEXT`
//! (opt must print TEXT; without it, nothing). The verifier runs over every result.

mod toolchain;

use std::path::Path;
use toolchain::{llvm_version, plugin, printed, run, scratch, source, succeed, tool};

/// Values of the header line `key`.
fn header<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let prefix = format!(";@ {key}: ");
    text.lines()
        .filter_map(|line| line.strip_prefix(prefix.as_str()))
        .collect()
}

/// Checks the file, and says in words what is wrong with its result, if anything.
fn check(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("readable test");
    let needs = header(&text, "llvm")
        .first()
        .map_or(0, |n| n.parse().expect("a version"));
    if llvm_version() < needs {
        return None;
    }
    let name = file.file_stem().expect("a name").to_string_lossy();
    let result = scratch(&format!("{name}.out.ll"));
    let passes = header(&text, "passes")
        .first()
        .copied()
        .unwrap_or("dpor")
        .to_string();
    let mut opt = tool("opt");
    opt.arg("-load-pass-plugin")
        .arg(plugin())
        .arg("-verify-each")
        .arg("-S")
        .arg(file);
    opt.arg(format!("-passes={passes},verify"))
        .arg("-o")
        .arg(&result);
    for setting in header(&text, "env") {
        let (variable, value) = setting.split_once('=').expect("NAME=VALUE");
        opt.env(variable, value);
    }
    let output = run(&mut opt);
    let all = printed(&output);
    if let Some(message) = header(&text, "fails").first() {
        let as_expected = !output.status.success() && all.contains(message);
        return (!as_expected).then(|| format!("{name} should fail with: {message}\n{all}"));
    }
    if !output.status.success() {
        return Some(format!("{name}: {all}"));
    }
    let warning = header(&text, "warns").first().copied().unwrap_or("");
    if !all.contains(warning) || (warning.is_empty() && !all.is_empty()) {
        return Some(format!(
            "{name}: expected to be told {warning:?}, got {all:?}"
        ));
    }
    let output = run(tool("FileCheck").arg(file).arg("--input-file").arg(&result));
    (!output.status.success()).then(|| format!("{name}: {}", printed(&output)))
}

#[test]
fn every_file_matches_its_comments() {
    let mut files: Vec<_> = std::fs::read_dir(source("ir"))
        .expect("folder of tests")
        .map(|entry| entry.expect("readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ll"))
        .collect();
    files.sort();
    assert!(files.len() >= 14, "only {} tests found", files.len());
    let wrong: Vec<String> = files.iter().filter_map(|file| check(file)).collect();
    assert!(
        wrong.is_empty(),
        "{} files:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The escape tests are worth something only as long as they are many, and each looks at a hook.
#[test]
fn escape_tests_are_many() {
    let count = |name: &str, what: &str| {
        let text = std::fs::read_to_string(source(name)).expect("readable test");
        text.lines().filter(|line| line.starts_with(what)).count()
    };
    assert!(count("ir/escape_shared.ll", "; CHECK: call void @__dpor_") >= 50);
    assert!(count("ir/escape_private.ll", "; CHECK-NOT: @__dpor_") >= 36);
}

/// With the analysis off, everything that it would have proved private has a hook.
#[test]
fn the_analysis_can_be_turned_off() {
    let verbose = |shared: bool| {
        let mut opt = tool("opt");
        opt.arg("-load-pass-plugin")
            .arg(plugin())
            .arg("-passes=dpor")
            .arg("-disable-output");
        opt.arg(source("ir/escape_private.ll"))
            .env("DPOR_PASS_VERBOSE", "1");
        if shared {
            opt.env("DPOR_PASS", "shared-all");
        }
        printed(&succeed(&mut opt))
    };
    // One access is through a swifterror variable, a register, which no call can take: its load
    // and its store are private whatever is asked for.
    assert!(verbose(true).contains(" 2 private"), "{}", verbose(true));
    let analysed = verbose(false);
    let counts: Vec<u32> = analysed
        .split_whitespace()
        .filter_map(|w| w.parse().ok())
        .collect();
    let [seen, instrumented, private] = counts[..] else {
        panic!("{analysed}")
    };
    // Stores to blocks of the heap have hooks, though one thread alone can reach them: three functions have one, and
    // the one with two nodes has three.
    assert_eq!((instrumented, private), (6, seen - 6), "{analysed}");
}
