//! `--json` and its published schema, docs/report.schema.json.

use super::programs::{one_of_each, report, ODD_PROGRAM};
use dpor_driver::report::json::text;
use dpor_report::{FindingKind, Saved};
use dpor_testsuite::tool::Tool;
use jsonschema::Validator;
use serde_json::{json, Map, Value};

const SCHEMA: &str = include_str!("../../../../docs/report.schema.json");

fn schema() -> (Value, Validator) {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    (schema, validator)
}

fn wrong(schema: &Validator, report: &Value) -> Vec<String> {
    let error =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    schema.iter_errors(report).map(error).collect()
}

#[test]
fn reports_of_every_verdict_validate() {
    let tool = Tool::new("reports-json");
    let (_, schema) = schema();
    let mut programs: Vec<_> = one_of_each().to_vec();
    let all: &[&str] = &["-k", "--outcomes", "--output=all"];
    programs.push(("odd \"<&>' é", ODD_PROGRAM.to_owned(), all, 42));
    for (name, search) in [
        ("samples", &["--search=pct", "--samples=9"][..]),
        ("bound", &["--bound=1"]),
        (
            "auto",
            &["--search=auto", "--max-executions=1", "--samples=2"],
        ),
        ("workers", &["-j2", "--workers-after=0"]),
    ] {
        programs.push((name, programs[0].1.clone(), search, 0));
    }
    for (name, program, options, code) in programs {
        let (ran, text) = report(&tool, "json", name, &program, options);
        assert!(
            ran.code == code || name == "auto",
            "{name}: {}",
            ran.shown()
        );
        let got: Value = serde_json::from_str(&text).expect("JSON");
        let wrong = wrong(&schema, &got);
        assert!(wrong.is_empty(), "{name}: {}\n{text}", wrong.join("\n"));
    }
}

/// Some value that the schema takes, with every field that may be there and a member in every list.
fn full(schema: &Value, part: &Value, depth: u32) -> Value {
    if let Some(reference) = part["$ref"].as_str() {
        let path = reference.strip_prefix('#').expect("in this file");
        return full(schema, schema.pointer(path).expect("a definition"), depth);
    }
    if let Some(choices) = part["anyOf"].as_array().or(part["oneOf"].as_array()) {
        return full(schema, &choices[0], depth);
    }
    if let Some(word) = part.get("const").or_else(|| part["enum"].get(0)) {
        return word.clone();
    }
    let kind = part["type"].as_str().or_else(|| part["type"][0].as_str());
    match kind.expect("a type") {
        "string" => json!("text"),
        "boolean" => json!(true),
        "integer" => json!(3),
        "number" => json!(2.5),
        "array" => json!([full(schema, &part["items"], depth + 1)]),
        "object" => {
            let fields = part["properties"].as_object().into_iter().flatten();
            // A place has places.
            let inner = |name: &str| name == "inlined_into" || name == "recorded";
            let fields = fields.filter(|(name, _)| depth < 7 || !inner(name));
            let fields = fields.map(|(name, part)| (name.clone(), full(schema, part, depth + 1)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        other => panic!("{other}"),
    }
}

#[test]
fn the_schema_has_the_fields_that_reports_have() {
    let (schema, validator) = schema();
    let published = full(&schema, &schema, 0);
    assert_eq!(wrong(&validator, &published), [""; 0]);
    // Read and written again, nothing is lost: there is no field in the schema that reports lack.
    let saved: Saved = serde_json::from_value(published.clone()).expect("a report");
    let written: Value = serde_json::from_str(&text(&saved).expect("JSON")).expect("JSON");
    assert_eq!(written, published);
    // And none in reports that the schema lacks.
    assert_eq!(wrong(&validator, &written), [""; 0]);
    let kinds = FindingKind::ALL.map(|kind| json!(kind));
    assert_eq!(
        schema["$defs"]["FindingKind"]["enum"],
        json!(kinds.to_vec())
    );
}

/// Renames the fields of a value one at a time; the changed values, with the names.
fn misspelt(value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, inner)| {
                let mut renamed = fields.clone();
                renamed.remove(name);
                renamed.insert(format!("{name}x"), inner.clone());
                let inside = misspelt(inner).into_iter().map(|(path, inner)| {
                    let mut changed = fields.clone();
                    changed.insert(name.clone(), inner);
                    (format!("{name}.{path}"), Value::Object(changed))
                });
                std::iter::once((name.clone(), Value::Object(renamed)))
                    .chain(inside)
                    .collect::<Vec<_>>()
            })
            .collect(),
        Value::Array(members) if members.len() == 1 => {
            let inside = misspelt(&members[0]).into_iter();
            inside.map(|(path, inner)| (path, json!([inner]))).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn a_report_with_a_misspelt_field_does_not_validate() {
    let (schema, validator) = schema();
    let mut report = full(&schema, &schema, 0);
    // Names that the program chooses.
    report["outcomes"][0]["values"] = json!({});
    report["listed"][0]["values"] = json!({});
    let misspelt = misspelt(&report);
    assert!(misspelt.len() > 100, "{}", misspelt.len());
    for (name, report) in misspelt {
        assert!(!validator.is_valid(&report), "{name}");
    }
}
