//! docs/report.schema.json: the JSON Schema of the report, from the types that write it.
//!
//! `schemars` derives it. What those types do not say of their JSON is added to each object here:
//!
//! 1. An object has no other fields.
//! 2. A field that may be missing is missing instead of `null`: the types leave out a `None` or write it, never both.
//! 3. Descriptions are one line.
//! 4. There are no defaults: they are what a reader takes for a field that an old report lacks, and a new one has it.

use dpor_report::Saved;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::Schema;
use serde_json::{Map, Value};

/// The text of the file.
pub fn text() -> String {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(as_written));
    let schema = settings.into_generator().into_root_schema_for::<Saved>();
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}

/// Adds to a schema what the types do not say.
fn as_written(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    object.remove("default");
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    let required = object.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| {
        required
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one == name))
    };
    if let Some(Value::Object(fields)) = object.get_mut("properties") {
        for (name, field) in fields {
            if let (false, Value::Object(field)) = (is_required(name), field) {
                take_null(field);
            }
        }
        object.insert("additionalProperties".to_owned(), false.into());
    }
}

/// Takes `null` out of what a field may be.
fn take_null(field: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = field.get_mut("type") {
        types.retain(|word| word != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            field.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = field.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = &mut choices[..] {
            let only = core::mem::take(only);
            field.remove("anyOf");
            field.extend(only);
        }
    }
}
