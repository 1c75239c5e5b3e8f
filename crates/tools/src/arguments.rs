//! From the argument text of a call to a checked value, and from a type to the schema a model sees.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ToolError;

/// The arguments of one tool.
pub(crate) trait Arguments: DeserializeOwned + JsonSchema {
    /// Says what is wrong beyond the shape; reads nothing but the arguments.
    fn check(&self) -> Result<(), Wrong> {
        Ok(())
    }
}

/// A value that has the right shape and is still not acceptable.
pub(crate) struct Wrong {
    /// Where, as in `edits[0].old`.
    pub(crate) at: String,
    /// What is wrong there.
    pub(crate) why: String,
}

impl Wrong {
    pub(crate) fn new(at: impl Into<String>, why: impl Into<String>) -> Self {
        Self { at: at.into(), why: why.into() }
    }

    pub(crate) fn refused(self, tool: &str) -> ToolError {
        ToolError::InvalidArgs { tool: tool.to_owned(), at: self.at, why: self.why }
    }
}

/// Reads the argument text of a call to `tool`; empty text counts as `{}`.
pub(crate) fn parse<T: Arguments>(tool: &str, text: &str) -> Result<T, ToolError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let parsed = decode::<T>(text).and_then(|arguments| arguments.check().map(|()| arguments));
    parsed.map_err(|wrong| wrong.refused(tool))
}

fn decode<T: DeserializeOwned>(text: &str) -> Result<T, Wrong> {
    // A struct also decodes from an array; only an object names its arguments.
    if !text.trim_start().starts_with('{') {
        return Err(Wrong::new("arguments", "expected a JSON object"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let at = error.path().to_string();
        Wrong::new(if at == "." { "arguments".to_owned() } else { at }, error.inner().to_string())
    })?;
    json.end().map_err(|error| Wrong::new("arguments", error.to_string()))?;
    Ok(value)
}

/// Returns the JSON schema of `T` with nothing in it that providers stumble over: no references, no
/// number formats, no `null` beside the type of an optional value.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    // The root's doc comment is the type's, for readers of the code; the tool has its own description.
    if let Some(root) = schema.as_object_mut() {
        root.remove("description");
        root.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    schema
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            // A property may be called `title` too; then its value is a schema, not a text.
            keys.retain(|key, value| !(matches!(key.as_str(), "title" | "format") && value.is_string()));
            if let Some(kind) = keys.get("type").and_then(sole_type) {
                keys.insert("type".to_owned(), kind);
            }
            // Where a doc comment breaks its lines means nothing to a model.
            if let Some(Value::String(text)) = keys.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            keys.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn sole_type(kinds: &Value) -> Option<Value> {
    let mut others = kinds.as_array()?.iter().filter(|kind| *kind != "null");
    let kind = others.next()?;
    others.next().is_none().then(|| kind.clone())
}
