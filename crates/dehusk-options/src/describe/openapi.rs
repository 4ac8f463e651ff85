//! The parameters of the HTTP service, in its OpenAPI file.

use crate::definition::{Command, Definition, Kind, Range, Surface};
use crate::definitions::options_of;
use serde_json::{Map, Value, json};

/// The routes that take options: path, method, command, and the parameters of their own that come first.
const ROUTES: [(&str, &str, Command, &[&str]); 5] = [
    ("/v1/extract", "post", Command::Extract, &["url", "site"]),
    ("/v1/batch", "post", Command::Extract, &["site"]),
    ("/v1/sites/{host}", "put", Command::Learn, &[]),
    ("/v1/sites/{host}/learn", "post", Command::Learn, &[]),
    ("/v1/sites/{host}/drift", "post", Command::Drift, &[]),
];

/// Parameters that are no options: the page and its site.
const OWN_PARAMETERS: [&str; 3] = ["url", "site", "host"];

/// The OpenAPI file with the options as they are now. The rest of it stays as it is.
#[must_use]
pub fn openapi(mut file: Value) -> Value {
    let mut parameters = Map::new();
    for (_, _, command, _) in ROUTES {
        for definition in options_of(command, Surface::Service) {
            parameters.entry(parameter_key(command, definition)).or_insert_with(|| parameter(definition));
        }
    }
    for name in OWN_PARAMETERS {
        parameters.insert(name.to_string(), file["components"]["parameters"][name].take());
    }
    file["components"]["parameters"] = Value::Object(parameters);
    for (path, method, command, own) in ROUTES {
        let options = options_of(command, Surface::Service).map(|definition| parameter_key(command, definition));
        let names = own.iter().map(|name| name.to_string()).chain(options);
        let references = names.map(|name| json!({ "$ref": format!("#/components/parameters/{name}") }));
        file["paths"][path][method]["parameters"] = references.collect();
    }
    let options = options_of(Command::Extract, Surface::Service);
    let mut properties: Map<String, Value> =
        options.map(|definition| (definition.name.to_string(), property(definition))).collect();
    properties.insert("site".to_string(), file["components"]["schemas"]["Options"]["properties"]["site"].take());
    file["components"]["schemas"]["Options"]["properties"] = Value::Object(properties);
    file
}

/// Options of one name can differ from command to command.
fn parameter_key(command: Command, definition: &Definition) -> String {
    match (command, definition.name) {
        (Command::Learn, "method") => "learn_method".to_string(),
        (_, name) => name.to_string(),
    }
}

fn parameter(definition: &Definition) -> Value {
    let mut parameter = json!({
        "name": definition.name,
        "in": "query",
        "description": description(definition),
        "schema": schema(definition),
    });
    if matches!(definition.kind, Kind::List(_)) {
        parameter["style"] = json!("form");
        parameter["explode"] = json!(true);
    }
    parameter
}

/// An option in an object: what several values of a query are, can be a list or a text here.
fn property(definition: &Definition) -> Value {
    let mut property = match definition.kind {
        Kind::List(item) => json!({ "oneOf": [kind_schema(*item), schema(definition)] }),
        _ => schema(definition),
    };
    property["description"] = json!(description(definition));
    property
}

/// The help, without the flags of the program.
fn description(definition: &Definition) -> String {
    let mut text = definition.help.replace(" --url implies it, and so does a <base>.", "");
    for choice in definition.kind.choices().into_iter().flatten() {
        text.push_str(&format!(" {}: {}", choice.name, choice.help.replace("--align-share", "align_share")));
    }
    if matches!(definition.name, "max_nodes" | "max_depth") {
        text.push_str(" At most the limit of the service.");
    }
    if let Some(other) = definition.conflicts_with {
        text.push_str(&format!(" Not together with {other}."));
    }
    text
}

fn schema(definition: &Definition) -> Value {
    let mut schema = match definition.kind {
        Kind::List(item) => json!({ "type": "array", "items": kind_schema(*item) }),
        kind => kind_schema(kind),
    };
    // The limits of a service are its own.
    let has_default = !matches!(definition.name, "max_nodes" | "max_depth");
    match (definition.kind, definition.default_text().filter(|_| has_default)) {
        (Kind::Flag, _) => schema["default"] = json!(false),
        (Kind::List(_), Some(text)) => schema["default"] = json!([text]),
        (Kind::Whole, Some(text)) => schema["default"] = json!(text.parse::<u64>().unwrap_or_default()),
        (_, Some(text)) => schema["default"] = json!(text),
        (_, None) => {}
    }
    schema
}

fn kind_schema(kind: Kind) -> Value {
    match kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text | Kind::Path => json!({ "type": "string" }),
        Kind::Whole => json!({ "type": "integer", "minimum": 0 }),
        Kind::Number(Range::Any) => json!({ "type": "number" }),
        Kind::Number(Range::Share) => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }),
        Kind::Number(Range::NotNegative) => json!({ "type": "number", "minimum": 0 }),
        Kind::Focus => json!({ "oneOf": [
            { "type": "string", "enum": ["precision", "balanced", "recall"] },
            { "type": "number", "minimum": 0, "maximum": 1 },
        ] }),
        Kind::Choice(choices) => {
            let names: Vec<&str> = choices().iter().map(|choice| choice.name).collect();
            json!({ "type": "string", "enum": names })
        }
        Kind::List(item) => json!({ "type": "array", "items": kind_schema(*item) }),
    }
}
