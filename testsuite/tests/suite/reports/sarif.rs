//! The report for code scanning (`--sarif`).

use super::programs::{folder, one_of_each, report, ODD, ODD_PROGRAM, RACE};
use dpor_testsuite::tool::Tool;
use jsonschema::Validator;
use serde_json::{json, Value};
use std::path::PathBuf;
use std::process::Command;

/// The schema of SARIF 2.1.0, which the package of the structures carries.
fn schema() -> Validator {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--manifest-path"]);
    cargo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    // Packages of other systems may never have been downloaded.
    cargo.arg(format!(
        "--filter-platform={}-unknown-linux-gnu",
        std::env::consts::ARCH
    ));
    let output = cargo.output().expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON of cargo metadata");
    let mut packages = metadata["packages"].as_array().expect("packages").iter();
    let sarif = packages.find(|package| package["name"] == "serde-sarif");
    let manifest = sarif.and_then(|package| package["manifest_path"].as_str());
    let manifest = PathBuf::from(manifest.expect("the package's folder"));
    let schema = std::fs::read(manifest.with_file_name("src/schema.json")).expect("the schema");
    let mut schema: Value = serde_json::from_slice(&schema).expect("JSON");
    assert_eq!(
        schema["title"],
        "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
    );
    // A bracket too many in the pattern of a field that we do not write: no regular expression.
    for part in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][part]["properties"]["language"];
        let language = language.as_object_mut().expect("a field");
        assert!(language.remove("pattern").is_some());
    }
    jsonschema::validator_for(&schema).expect("a schema")
}

fn valid(schema: &Validator, text: &str) -> Value {
    let log: Value = serde_json::from_str(text).expect("JSON");
    let wrong: Vec<String> = schema.iter_errors(&log).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{}\n{text}", wrong.join("\n"));
    log
}

#[test]
fn every_verdict_gives_a_valid_log() {
    let tool = Tool::new("reports-sarif");
    let schema = schema();
    for (name, program, options, code) in one_of_each() {
        let (ran, text) = report(&tool, "sarif", name, &program, options);
        assert_eq!(ran.code, code, "{name}: {}", ran.shown());
        let log = valid(&schema, &text);
        let run = &log["runs"][0];
        let results = run["results"].as_array().expect("a list");
        assert_eq!(results.is_empty(), code != 42, "{name}");
        let invocation = &run["invocations"][0];
        let finished = matches!(code, 0 | 42);
        assert_eq!(invocation["executionSuccessful"], finished, "{name}");
        assert_eq!(invocation["exitCode"], code, "{name}");
        let verdict = match name {
            "plain" => "bug",
            verdict => verdict,
        };
        assert_eq!(run["properties"]["verdict"], verdict);
        let mut notices = invocation["toolExecutionNotifications"]
            .as_array()
            .expect("a list")
            .iter();
        let said = notices.any(|notice| notice["level"] == "error");
        assert_eq!(said, !finished, "{name}: {invocation}");
        // The schema is one that can be failed.
        let mut wrong = log.clone();
        wrong["runs"][0]["resluts"] = json!([]);
        assert!(!schema.is_valid(&wrong));
    }
}

/// `dpor diff old.c new.c`: what is new is in a valid log, and nothing else.
#[test]
fn a_comparison_tells_what_is_new() {
    let tool = Tool::new("reports-sarif-diff");
    let schema = schema();
    let sarif = tool.path("new.sarif");
    let check = |old: &str, new: &str, options: &[&str], code: i32, expect: &[&str]| {
        std::fs::write(tool.path("old.c"), old).expect("a source");
        std::fs::write(tool.path("new.c"), new).expect("a source");
        let mut command = tool.dpor("diff");
        command.envs(tool.clangs()).current_dir(tool.path(""));
        command.args(["old.c", "new.c", "--fail-on", "introduced"]);
        let ran = tool.run(command.args(options).arg("--sarif").arg(&sarif), "");
        assert_eq!(ran.code, code, "{}", ran.shown());
        let text = std::fs::read_to_string(&sarif).expect("a report");
        let run = &valid(&schema, &text)["runs"][0];
        let results = run["results"].as_array().expect("a list");
        let kinds: Vec<&Value> = results.iter().map(|one| &one["ruleId"]).collect();
        assert_eq!(kinds, expect, "{}", ran.shown());
        for result in results {
            assert_eq!(result["baselineState"], "new");
            assert!(result["codeFlows"].is_array(), "{result:#}");
        }
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["exitCode"], code);
        assert_eq!(invocation["executionSuccessful"], code != 3);
    };
    let whole = "
#include <pthread.h>
#include <stdatomic.h>
atomic_int n;
static void *add(void *unused) { n++; return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
}
";
    let racy = whole.replace("atomic_int n", "int n");
    let all: &[&str] = &["--plain=explore"];
    check(whole, &racy, all, 42, &["data-race"]);
    check(&racy, whole, all, 0, &[]);
    check(&racy, &racy, all, 0, &[]);
    // What the old one may have, too, was not in the baseline, and is no failure.
    let torn = |text: &str| text.replace("n++", "n = n + 1");
    let cut = &["--plain=explore", "--max-executions=1"];
    check(&torn(whole), &torn(&racy), cut, 3, &["data-race"]);
}

#[test]
fn a_race_has_its_places_and_its_trace() {
    let tool = Tool::new("reports-sarif-race");
    let (_, text) = report(&tool, "sarif", "race", RACE, &[]);
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&json!("data-race"), &json!("error"))
    );
    let rule =
        &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("a number") as usize];
    assert_eq!(rule["id"], "data-race");
    assert!(rule["help"]["text"].is_string(), "{rule}");
    assert_eq!(result["message"]["text"], "data race on balance");
    // Both accesses are the ++ of line 6; the object is declared in line 2.
    let access = json!({
        "artifactLocation": { "uri": "race.c", "uriBaseId": "%SRCROOT%" },
        "region": { "startLine": 6, "startColumn": 12 } });
    let places = [&result["locations"][0], &result["relatedLocations"][0]];
    for place in places {
        assert_eq!(place["physicalLocation"], access);
        assert_eq!(
            place["logicalLocations"][0]["fullyQualifiedName"],
            "deposit"
        );
    }
    let declared = &result["relatedLocations"][1]["physicalLocation"]["region"];
    assert_eq!(declared["startLine"], 2);
    let root = format!("file://{}", folder(&tool).display());
    assert_eq!(run["originalUriBaseIds"]["%SRCROOT%"]["uri"], root);
    // main creates the threads in lines 14 and 15, in this order, whatever comes between.
    let flows = result["codeFlows"][0]["threadFlows"]
        .as_array()
        .expect("a list");
    let ids: Vec<&Value> = flows.iter().map(|flow| &flow["id"]).collect();
    assert_eq!(ids, ["T0", "T1", "T2"]);
    let main = flows[0]["locations"].as_array().expect("a list");
    let lines: Vec<&Value> = main
        .iter()
        .map(|at| &at["location"]["physicalLocation"]["region"]["startLine"])
        .collect();
    assert_eq!(lines, [14, 15]);
    // Every event has a number of its own, from 1, and they rise in each thread.
    let order = |flow: &Value| -> Vec<u64> {
        let events = flow["locations"].as_array().expect("a list").iter();
        events
            .map(|event| event["executionOrder"].as_u64().expect("a number"))
            .collect()
    };
    let orders: Vec<Vec<u64>> = flows.iter().map(order).collect();
    assert!(orders.iter().all(|order| order.is_sorted()), "{orders:?}");
    let mut all = orders.concat();
    all.sort_unstable();
    assert!(all.iter().copied().eq(1..=all.len() as u64), "{orders:?}");
}

#[test]
fn names_and_strings_may_have_any_character() {
    let tool = Tool::new("reports-sarif-odd");
    let (_, text) = report(&tool, "sarif", "odd \"<&>' é", ODD_PROGRAM, &[]);
    let log = valid(&schema(), &text);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["message"]["text"], "data race on é");
    let place = |line: u32, column: u32| {
        json!({
            "artifactLocation": { "uri": "odd%20%22%3C%26%3E%27%20%C3%A9.c", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": line, "startColumn": column } })
    };
    let mut places = [
        &result["locations"][0]["physicalLocation"],
        &result["relatedLocations"][0]["physicalLocation"],
    ];
    places.sort_by_key(|place| place["region"]["startLine"].as_u64());
    // The ++ behind `    { "ü"; é` is the 13th character, and behind `    é` the 6th.
    assert_eq!(places, [&place(5, 13), &place(11, 6)]);

    // Of a report whose strings are odd, too.
    let mut report = dpor_driver::report::plain::empty(
        &dpor_abi::options::Options::default(),
        std::time::Duration::ZERO,
    );
    let status = std::os::unix::process::ExitStatusExt::from_raw(6);
    report
        .findings
        .extend(dpor_driver::report::plain::finding(status));
    report.findings[0].message = ODD.to_owned();
    let view = dpor_driver::report::View::new(&report, dpor_driver::flags::MessageFormat::Human);
    let text = dpor_driver::report::sarif::text(&report, &view).expect("a log");
    let log = valid(&schema(), &text);
    assert_eq!(log["runs"][0]["results"][0]["message"]["text"], ODD);
}
