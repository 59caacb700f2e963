//! The GitHub action and the GitLab component: what they run is run here, as far as it is a script.

use crate::{archive, folder, programs, text, BUILD};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

fn packaging(file: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.with_file_name("packaging").join(file)
}

fn documents(file: &str) -> Vec<Yaml> {
    let text = std::fs::read_to_string(packaging(file)).expect("the file");
    YamlLoader::load_from_str(&text).unwrap_or_else(|why| panic!("{file}: {why}"))
}

fn entries(map: &Yaml) -> impl Iterator<Item = (&str, &Yaml)> {
    let map = map.as_hash().into_iter().flatten();
    map.map(|(key, value)| (key.as_str().expect("a name"), value))
}

/// What a project says, and the defaults of the rest. None may be asked for and not be there.
fn inputs<'a>(declared: &'a Yaml, given: &[(&'a str, &str)]) -> BTreeMap<&'a str, String> {
    let value = |(name, input): (&'a str, &Yaml)| {
        let given = given.iter().find(|(of, _)| *of == name);
        let default = || {
            input["default"]
                .as_str()
                .unwrap_or_else(|| panic!("{name} is needed"))
        };
        (
            name,
            given.map_or_else(default, |(_, value)| value).to_owned(),
        )
    };
    let all: BTreeMap<_, _> = entries(declared).map(value).collect();
    assert!(
        given.iter().all(|(name, _)| all.contains_key(name)),
        "{all:?}"
    );
    all
}

/// The text with the values of the inputs between these brackets.
fn filled(text: &str, inputs: &BTreeMap<&str, String>, [open, close]: [&str; 2]) -> String {
    let fill = |text: String, (name, value): (&&str, &String)| {
        text.replace(&format!("{open} inputs.{name} {close}"), value)
    };
    inputs.iter().fold(text.to_owned(), fill)
}

/// A folder with the project, and the inputs for it.
fn project(test: &str) -> (PathBuf, Vec<(&'static str, &'static str)>) {
    let folder = folder(test);
    programs(&folder);
    let package = archive().to_str().expect("text");
    let given = vec![
        ("package", package),
        ("build", BUILD),
        ("programs", "build/*_test\n"),
    ];
    (folder, given)
}

fn reports_are_there(folder: &Path) {
    let of = |name: &str| {
        let file = folder.join("dpor-reports").join(name);
        std::fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
    };
    assert!(of("race_test.sarif").contains("\"data-race\""));
    assert!(of("race_test.xml").contains("<failure"));
    assert!(!of("fixed_test.xml").contains("<failure"));
}

#[test]
fn the_github_action() {
    let (folder, given) = project("github");
    let action = &documents("github/action.yml")[0];
    let inputs = inputs(&action["inputs"], &given);
    let file = |name: &str| folder.join(name);
    for name in ["path", "output", "summary"] {
        std::fs::write(file(name), "").expect("a file");
    }
    let mut codes = Vec::new();
    for step in action["runs"]["steps"].as_vec().expect("steps") {
        let Some(run) = step["run"].as_str() else {
            // Of others; they come last, whatever was found.
            let condition = step["if"].as_str().expect("a condition");
            assert!(condition.contains("!cancelled()"), "{condition}");
            continue;
        };
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", run]);
        assert_eq!(step["shell"].as_str(), Some("bash"));
        // Inputs come as variables only: no text of theirs is a command.
        assert!(!run.contains("${{"), "{run}");
        for (name, value) in entries(&step["env"]) {
            let value = value.as_str().expect("text");
            bash.env(name, filled(value, &inputs, ["${{", "}}"]));
        }
        let added = std::fs::read_to_string(file("path")).expect("the file");
        let added = added.lines().map(|line| format!("{line}:"));
        let path = added.collect::<String>() + &std::env::var("PATH").expect("PATH");
        bash.env("PATH", path).current_dir(&folder);
        bash.env("HOME", folder.join("home"))
            .env_remove("DPOR_OPTIONS");
        bash.env("GITHUB_ACTION_PATH", packaging("github"));
        bash.env("GITHUB_PATH", file("path"));
        bash.env("GITHUB_OUTPUT", file("output"));
        bash.env("GITHUB_STEP_SUMMARY", file("summary"));
        let output = bash.output().expect("bash runs");
        codes.push(output.status.code());
        let said = (text(&output.stdout), text(&output.stderr));
        assert!(matches!(codes.last(), Some(Some(0 | 42))), "{said:?}");
    }
    // Installed, built, and found.
    assert_eq!(codes, [Some(0), Some(0), Some(42)]);
    reports_are_there(&folder);
    let output = std::fs::read_to_string(file("output")).expect("the file");
    assert_eq!(output, "code=42\n");
    let summary = std::fs::read_to_string(file("summary")).expect("the file");
    assert!(
        summary.contains("| `build/race_test` | bug found"),
        "{summary}"
    );
}

#[test]
fn the_gitlab_component() {
    let (folder, mut given) = project("gitlab");
    // Nothing is installed here.
    given.push(("packages", ""));
    let documents = documents("gitlab/templates/dpor.yml");
    let [spec, jobs] = documents.as_slice() else {
        panic!("two documents");
    };
    let inputs = inputs(&spec["spec"]["inputs"], &given);
    let (name, job) = entries(jobs).next().expect("a job");
    let fill = |text: &str| filled(text, &inputs, ["$[[", "]]"]);
    assert_eq!(fill(name), "dpor");
    let mut script = String::new();
    for part in ["before_script", "script"] {
        for line in job[part].as_vec().expect("lines") {
            script += &format!("{}\n", line.as_str().expect("a line"));
        }
    }
    // The component is one file, and its scripts are those of packaging/ci.
    for name in ["ci/install.sh", "ci/check.sh"] {
        let file = std::fs::read_to_string(packaging(name)).expect("the script");
        assert!(script.contains(&file), "{name} is another in the component");
    }
    let mut bash = Command::new("bash");
    bash.args(["-eo", "pipefail", "-c", &script])
        .current_dir(&folder);
    bash.env("HOME", folder.join("home"))
        .env_remove("DPOR_OPTIONS");
    for (name, value) in entries(&job["variables"]) {
        let value = value.as_str().or_else(|| value["value"].as_str());
        bash.env(name, fill(value.expect("text")));
    }
    let output = bash.output().expect("bash runs");
    let said = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(42), "{said:?}");
    reports_are_there(&folder);
    let junit = job["artifacts"]["reports"]["junit"].as_str();
    assert_eq!(junit, Some("dpor-reports/*.xml"));
    assert_eq!(job["artifacts"]["when"].as_str(), Some("always"));
}
