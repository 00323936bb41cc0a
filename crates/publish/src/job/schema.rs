//! The JSON schema of job files, made from the registries.

use pellucid_model::principle::PRINCIPLES;
use pellucid_model::registry::{EntryInfo, LEFT_OUT, PUBLISHER, ParamKind, RegistryEntry};
use serde_json::{Map, Value, json};

use super::MethodJob;
use crate::function::FUNCTIONS;
use crate::publisher::{PUBLISHERS, Publisher};
use pellucid_model::statistic::ColumnStatistic;

/// The JSON schema (draft 2020-12) of a job file.
pub fn job_schema() -> Value {
    let suppression = (
        "suppression",
        json!({ "type": ["number", "string"], "description": "share of rows that may be left out, for the whole job" }),
    );
    let principles: Vec<Value> = PRINCIPLES
        .iter()
        .map(|entry| section("principle", &entry.info(), std::slice::from_ref(&suppression)))
        .collect();
    let functions: Vec<&str> = FUNCTIONS.iter().map(|entry| entry.id).collect();
    let function = (
        "function",
        json!({ "enum": functions, "description": "how groups are shown; `mbr` when left out, with publisher `search` `hierarchy`" }),
    );
    let publishers = PUBLISHERS.iter().map(|entry| {
        let mut publisher = section(PUBLISHER, &entry.info(), &[function.clone(), suppression.clone()]);
        // The default publisher need not be named.
        if entry.id == MethodJob::default().publisher {
            publisher["required"] = json!([]);
        }
        publisher
    });
    let publishers: Vec<Value> = publishers.collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pellucid job",
        "type": "object",
        "additionalProperties": false,
        "required": ["input", "columns", "privacy"],
        "properties": {
            "input": input(),
            "columns": { "type": "object", "description": "every column of the table", "additionalProperties": column() },
            "privacy": {
                "description": "what must hold; several principles must hold together",
                "oneOf": [{ "anyOf": principles }, { "type": "array", "items": { "anyOf": principles } }],
            },
            "method": { "description": "how to publish", "anyOf": publishers },
            "output": output(),
            "views": views(),
            "report": report(),
        },
    })
}

/// A section whose key `name` says which entry is meant, with the entry's parameters and `others`.
fn section(name: &str, entry: &EntryInfo, others: &[(&str, Value)]) -> Value {
    let mut properties = Map::new();
    properties.insert(name.to_owned(), json!({ "const": entry.id, "description": entry.summary }));
    let mut required = vec![name];
    for param in entry.params {
        let mut kind = match param.kind {
            ParamKind::Integer { min } => json!({ "type": "integer", "minimum": min }),
            ParamKind::Number => json!({ "type": ["number", "string"] }),
            ParamKind::Choice(words) => json!({ "enum": words }),
            ParamKind::Text => json!({ "type": ["integer", "string", "array", "object"] }),
            ParamKind::File => json!({ "type": "string" }),
            ParamKind::Publishers => members(),
        };
        kind["description"] = json!(param.help);
        match param.default {
            Some(LEFT_OUT) => {}
            Some(default) => kind["default"] = json!(default),
            None => required.push(param.name),
        }
        properties.insert(param.name.to_owned(), kind);
    }
    for (other, value) in others {
        properties.insert((*other).to_owned(), value.clone());
    }
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

/// A list of publishers, by name or with parameters; none that takes such a list itself.
fn members() -> Value {
    let plain =
        |entry: &&RegistryEntry<dyn Publisher>| entry.params.iter().all(|param| param.kind != ParamKind::Publishers);
    let entries: Vec<_> = PUBLISHERS.iter().filter(plain).collect();
    let needs_nothing =
        |entry: &&&RegistryEntry<dyn Publisher>| entry.params.iter().all(|param| param.default.is_some());
    let names: Vec<&str> = entries.iter().filter(needs_nothing).map(|entry| entry.id).collect();
    let mut forms = vec![json!({ "enum": names })];
    forms.extend(entries.iter().map(|entry| section(PUBLISHER, &entry.info(), &[])));
    json!({ "type": "array", "minItems": 2, "items": { "anyOf": forms } })
}

fn words() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn on_missing() -> Value {
    json!({ "enum": ["category", "refuse"], "description": "what becomes of missing cells" })
}

fn input() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["path"],
        "properties": {
            "path": { "type": "string", "description": "the table, relative to the job file" },
            "format": { "enum": ["csv", "tsv", "parquet", "arrow"], "description": "from the name when left out" },
            "separator": { "type": "string", "minLength": 1, "maxLength": 1, "description": "detected when left out" },
            "missing": words(),
            "on_missing": on_missing(),
        },
    })
}

fn column() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["role"],
        "properties": {
            "role": { "enum": ["identifier", "quasi", "sensitive", "keep", "drop"] },
            "type": { "enum": ["integer", "decimal", "date", "category"] },
            "hierarchy": hierarchy(),
            "protect": words(),
            "aggregate": {
                "enum": ColumnStatistic::ALL.map(ColumnStatistic::as_str),
                "description": "what microaggregation shows of a quasi column; by its type when left out",
            },
            "missing": words(),
            "on_missing": on_missing(),
        },
    })
}

fn hierarchy() -> Value {
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties });
    let number = json!({ "type": ["number", "string"] });
    json!({
        "description": "how values are joined, level by level",
        "oneOf": [
            { "type": "string", "description": "a file: `;`-separated, no header, a row per value" },
            object(json!({ "file": { "type": "string" }, "separator": { "type": "string" } }), &["file"]),
            object(json!({ "widths": { "type": "array", "items": number.clone(), "minItems": 1 }, "origin": {} }), &["widths"]),
            object(json!({ "borders": { "type": "array", "items": number, "minItems": 2 } }), &["borders"]),
            object(
                json!({
                    "mask": { "enum": ["suffix", "prefix"] },
                    "character": { "type": "string" },
                    "levels": { "type": "array", "items": { "type": "integer", "minimum": 1 } },
                }),
                &["mask"],
            ),
            object(
                json!({ "truncate": { "type": "array", "items": { "enum": ["month", "quarter", "year", "decade"] } } }),
                &["truncate"],
            ),
            object(json!({ "tree": { "type": "object" } }), &["tree"]),
        ],
    })
}

fn output() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "dir": { "type": "string", "default": "release", "description": "the public folder, relative to the job file" },
            "format": { "enum": ["csv", "parquet"], "default": "csv" },
        },
    })
}

fn report() -> Value {
    json!({
        "description": "what the report of a release tells",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "threshold": {
                "type": ["number", "string"],
                "default": "1/5",
                "description": "records that are found with a higher probability are counted as at risk",
            },
            "external": {
                "type": "string",
                "description": "a register of the population, relative to the job file, for the internal edition",
            },
            "queries": {
                "type": "integer",
                "minimum": 0,
                "description": "number of count queries whose error the internal edition tells",
            },
        },
    })
}

fn views() -> Value {
    let range = json!({
        "description": "`[from, to]`, both included and one of them `\"\"` where it is open; a value; or `{ in = [..] }`",
    });
    let view = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "sql": { "type": "string", "description": "`select COLUMN from TABLE where CONDITION`" },
            "show": { "type": "string", "description": "the sensitive column that is shown" },
            "where": { "type": "object", "description": "whom it is shown of; everybody when left out", "additionalProperties": range },
        },
        "oneOf": [{ "required": ["sql"], "maxProperties": 1 }, { "required": ["show"] }],
    });
    let probability = |words: &str, default: f64| json!({ "type": "number", "minimum": 0, "maximum": 1, "default": default, "description": words });
    json!({
        "description": "views of the table and where what was shown is recorded",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "table": { "type": "string", "description": "what the table is called in statements; as its file when left out" },
            "ledger": { "type": "string", "default": "ledger.sqlite", "description": "a file, relative to the job file, or `postgres://..`" },
            "gate": {
                "enum": ["open", "simulatable"],
                "default": "open",
                "description": "decides by what views would reveal, or by what is public already, so that a refusal tells nothing",
            },
            "epsilon": probability("by how much an estimate may leave open whether a probability is above its bound", 0.0),
            "theta": probability("with which probability all intervals of an estimate hold together", 0.95),
            "view": { "type": "array", "description": "views to be decided on", "items": view },
        },
    })
}
