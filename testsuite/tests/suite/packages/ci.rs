//! The script that the examples for build servers run, and that they name what it leaves.

use super::project::{has, Project};
use serde_json::Value;

#[test]
fn the_script_leaves_the_reports_that_the_services_collect() {
    if !has(&[("cmake", "cmake"), ("make", "make")]) {
        return;
    }
    let project = Project::new("ci", "account");
    project.cmake();
    let ran = project.shell("sh ci/check.sh");
    assert_eq!(ran.code, 42, "{}", ran.shown());
    for (name, kinds) in [
        ("deposit_test", &[][..]),
        ("balance_test", &["data-race"]),
        ("transfer_test", &["deadlock"]),
    ] {
        let text = |extension: &str| {
            let file = project.path(&format!("reports/{name}.{extension}"));
            std::fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
        };
        let log: Value = serde_json::from_str(&text("sarif")).expect("SARIF");
        let results = log["runs"][0]["results"].as_array().expect("a list");
        let found: Vec<_> = results
            .iter()
            .filter_map(|result| result["ruleId"].as_str())
            .collect();
        assert_eq!(found, kinds, "{name}");
        let xml = text("xml");
        let document = roxmltree::Document::parse(&xml).expect("XML");
        let failures = document
            .descendants()
            .filter(|node| node.has_tag_name("failure"));
        assert_eq!(failures.count(), kinds.len(), "{xml}");
    }
    // The services' files cannot be run here; that they speak of the same files can be seen.
    for (file, collected) in [
        ("github.yml", "sarif_file: reports\n"),
        ("gitlab.yml", "junit: reports/*.xml\n"),
    ] {
        let text = std::fs::read_to_string(project.path("ci").join(file)).expect("the example");
        for part in [
            collected,
            "sh ci/check.sh\n",
            "/usr/lib/cmake/dpor/dpor-toolchain.cmake\n",
        ] {
            assert!(text.contains(part), "{file}: {part}");
        }
    }
}
