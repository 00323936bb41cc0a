//! `pellucid belief` on cases about publishers: recorded cases with exact answers, examples, refusals and bad input.

use serde_json::{Value, json};

use crate::common::{Desk, Outcome, SECRET, root};

/// What differs between an answer and what is expected of it, key by key; more keys are welcome, and probabilities of
/// zero may be left out.
fn differences(path: &str, expected: &Value, answer: &Value, found: &mut Vec<String>) {
    match (expected, answer) {
        (Value::Object(keys), Value::Object(_)) => {
            for (key, value) in keys {
                match answer.get(key) {
                    Some(given) => differences(&format!("{path}.{key}"), value, given, found),
                    None if value == "0/1" => {}
                    None => found.push(format!("{path}.{key} is absent")),
                }
            }
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            for (at, (item, other)) in items.iter().zip(others).enumerate() {
                differences(&format!("{path}[{at}]"), item, other, found);
            }
        }
        _ if expected == answer => {}
        _ => found.push(format!("{path}: expected {expected}, got {answer}")),
    }
}

/// Whether nobody is believed to have a value that is not recorded.
fn same_values(path: &str, expected: &Value, answer: &Value) {
    for (person, row) in expected["risk"].as_object().into_iter().flatten() {
        let surplus =
            answer["risk"][person].as_object().unwrap().keys().find(|value| row.get(value.as_str()).is_none());
        assert_eq!(surplus, None, "{path}: {person}");
    }
    for (at, output) in expected["outputs"].as_array().into_iter().flatten().enumerate() {
        same_values(path, output, &answer["outputs"][at]);
    }
}

#[test]
fn every_recorded_case_is_answered_as_recorded() {
    let path = root().join("crates/testkit/golden/transparent.json");
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let printed = Desk::new().run(&["belief", path.to_str().unwrap(), "--json"]).ended(0).json();
    let (cases, answers) = (recorded["cases"].as_array().unwrap(), printed["answers"].as_array().unwrap());
    assert_eq!(cases.len(), answers.len());
    let mut found = Vec::new();
    let mut kinds = std::collections::BTreeMap::new();
    for (case, answer) in cases.iter().zip(answers) {
        assert_eq!((&case["id"], &case["kind"]), (&answer["id"], &answer["kind"]));
        let (id, expected, answer) = (case["id"].as_str().unwrap(), &case["expected"], &answer["answer"]);
        differences(id, expected, answer, &mut found);
        same_values(id, expected, answer);
        for (name, expected) in expected.as_object().unwrap() {
            if expected["outputs"].is_array() {
                same_values(&format!("{id}.{name}"), expected, &answer[name]);
            }
        }
        *kinds.entry(case["kind"].as_str().unwrap()).or_insert(0) += 1;
    }
    assert!(found.is_empty(), "{} differences, the first: {:#?}", found.len(), &found[..found.len().min(10)]);
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let documentation = std::fs::read_to_string(root().join("examples/belief/README.md")).unwrap();
    for name in ["publishers", "opt-gen", "violation", "optimal", "mask", "minimality", "assign"] {
        let path = root().join(format!("examples/belief/{name}.json"));
        let printed = Desk::new().run(&["belief", path.to_str().unwrap()]).ended(0).out;
        assert!(documentation.contains(&printed), "examples/belief/README.md shows something else than\n{printed}");
    }
}

#[test]
fn what_a_choice_and_what_silence_give_away_is_answered_as_recorded() {
    let text = std::fs::read_to_string(root().join("crates/testkit/golden/strategy.json")).unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let printed = ask(&recorded, &["--json", "--kind", "meta", "--kind", "phi"]).ended(0).json();
    let cases = recorded["cases"].as_array().unwrap().iter();
    let cases: Vec<&Value> = cases.filter(|case| case["kind"] == "meta" || case["kind"] == "phi").collect();
    let answers = printed["answers"].as_array().unwrap();
    assert_eq!((cases.len(), answers.len()), (2, 2));
    let mut found = Vec::new();
    for (case, answer) in cases.iter().zip(answers) {
        differences(case["id"].as_str().unwrap(), &case["expected"], &answer["answer"], &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_documented_choice_gives_somebody_away() {
    let documentation = std::fs::read_to_string(root().join("docs/attacks.md")).unwrap();
    let path = root().join("examples/belief/best-of.json");
    let printed = Desk::new().run(&["belief", path.to_str().unwrap(), "--id", "best-of"]).ended(0).out;
    assert!(documentation.contains(&printed), "docs/attacks.md shows something else than\n{printed}");
    let silence = Desk::new().run(&["belief", path.to_str().unwrap(), "--id", "silence"]).ended(0).out;
    assert!(silence.contains("jump:1 releases nothing in 114 worlds, highest 9/19"), "{silence}");
}

fn ask(cases: &Value, options: &[&str]) -> Outcome {
    let desk = Desk::new();
    desk.write("cases.json", cases.to_string());
    desk.run(&[&["belief", "cases.json"], options].concat())
}

fn case() -> Value {
    json!({ "id": "one", "kind": "transparent", "input": {
        "external": { "Ann": [1], "Bob": [2], "Cate": [3], "Don": [9] },
        "table": { "Ann": format!("{SECRET}-a"), "Bob": format!("{SECRET}-b") },
        "domain": [format!("{SECRET}-a"), format!("{SECRET}-b")], "l": 2, "algorithm": "tailor",
    } })
}

#[test]
fn silence_is_evidence_like_any_release() {
    let mut silent = case();
    silent["input"]["table"] = json!({ "Ann": format!("{SECRET}-a") });
    let answer = ask(&silent, &["--json"]).ended(0).json()["answers"][0]["answer"].clone();
    assert_eq!(answer["outputs"][0]["rows"], Value::Null);
    // 3^4 - 1 worlds; both values occur equally often in C(4, 2) * 2 + C(4, 4) * 6 = 18 of them.
    assert_eq!(
        (&answer["instances"], &answer["weight"], &answer["nothing_instances"]),
        (&json!(62), &json!("62/1"), &json!(62))
    );
    assert_eq!(answer["risk_for"], Value::Null);
}

#[test]
fn too_many_worlds_are_refused_part_by_part() {
    let printed = ask(&json!([case()]), &["--json", "--states", "100"]).ended(0).json();
    let words = printed["answers"][0]["answer"]["refused"].as_str().unwrap().to_owned();
    assert!(words.starts_with("there are 80 possible originals to try, the limit is 2; take fewer people"), "{words}");
    let text = ask(&json!([case()]), &["--states", "100"]).ended(0).out;
    assert!(text.contains("tailor: refused: there are 80"), "{text}");
}

#[test]
fn bad_input_is_refused_with_the_key_and_without_a_value() {
    for (key, value, words) in [
        ("external", json!({}), "key `external`: nobody is known"),
        ("table", json!({ SECRET: "a" }), "key `table` must be about people of `external`"),
        ("table", json!({ "Ann": 1.5 }), "key `table` must be a list of text and whole numbers"),
        ("norm", json!([3, 4]), "key `norm`: the norm has 2 numbers, people have 1 quasi value;"),
        ("options", json!({ "disjoint": 1 }), "key `options` must be an object whose `disjoint` is true or false"),
        ("domain", json!(SECRET), "key `domain` must be a list"),
        ("l", json!(0), "key `l` must be 1 or more"),
    ] {
        let mut bad = case();
        bad["input"][key] = value;
        let outcome = ask(&bad, &[]).ended(2);
        assert!(outcome.out.is_empty() && outcome.err.contains(words), "{outcome:#?}");
        assert!(outcome.err.contains("cases.json: case `one`") && !outcome.err.contains(SECRET), "{outcome:#?}");
    }
    let misspelt = case().to_string().replace("\"algorithm\"", "\"algoritm\"");
    let outcome = ask(&serde_json::from_str(&misspelt).unwrap(), &[]).ended(2);
    assert!(outcome.err.contains("did you mean `algorithm`?"), "{outcome:#?}");
}

#[test]
fn a_publisher_that_changes_values_needs_a_domain() {
    let mut masked = case();
    masked["input"]["algorithm"] = json!("mask");
    masked["input"]["options"] = json!({ "k": 2 });
    let answer = ask(&masked, &["--json"]).ended(0).json()["answers"][0]["answer"].clone();
    assert!(answer["outputs"][0]["weight"].is_string(), "{answer:#}");
    masked["input"].as_object_mut().unwrap().remove("domain");
    let answer = ask(&masked, &["--json"]).ended(0).json()["answers"][0]["answer"].clone();
    assert!(answer["refused"].as_str().unwrap().contains("say which in `domain`"), "{answer:#}");
}
