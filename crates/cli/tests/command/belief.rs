//! `pellucid belief`: recorded cases with exact answers, refusals, kinds that are not known, and bad files.

use std::path::Path;

use pellucid_cases::KINDS;
use serde_json::{Value, json};

use crate::common::{Desk, Outcome, SECRET, root};

/// A good case in which every value of the table is secret.
fn case(id: &str) -> Value {
    json!({
        "id": id,
        "kind": "strategy",
        "input": {
            "table": [format!("{SECRET}-a"), format!("{SECRET}-b"), format!("{SECRET}-a"), format!("{SECRET}-c")],
            "functions": [[[0, 2], [1, 3]], [[0, 1, 2, 3]]],
            "property": { "type": "ratio_le", "delta": "1/2" },
            "jumps": [1, 2, [1, 1]],
        },
    })
}

/// Runs the command on `cases`.
fn ask(cases: &Value, options: &[&str]) -> Outcome {
    let desk = Desk::new();
    desk.write("cases.json", cases.to_string());
    desk.run(&[&["belief", "cases.json"], options].concat())
}

/// Expects `file` to be refused with all `words`, nothing on standard output and no value of the table.
fn refuses(file: impl AsRef<[u8]>, words: &[&str]) {
    let desk = Desk::new();
    desk.write("cases.json", file);
    let outcome = desk.run(&["belief", "cases.json"]).ended(2);
    assert!(outcome.out.is_empty() && outcome.err.starts_with("error: "), "{outcome:#?}");
    assert!(!outcome.err.contains(SECRET), "a value is quoted: {outcome:#?}");
    let remedy = [";", "must be", "must lie"].iter().any(|word| outcome.err.contains(word));
    assert!(outcome.err.contains("cases.json") && remedy, "no file or remedy: {outcome:#?}");
    for word in words {
        assert!(outcome.err.contains(word), "`{word}` is not said: {outcome:#?}");
    }
}

/// Expects a good case with `input.key` replaced to be refused, after a good one.
fn refuses_key(key: &str, value: Value, words: &[&str]) {
    let mut bad = case("second");
    bad["input"][key] = value;
    refuses(json!({ "cases": [case("first"), bad] }).to_string(), &[&["case `second`", key], words].concat());
}

/// The one answer of a file of one case.
fn answer_of(input: Value) -> Value {
    let outcome = ask(&json!({ "id": "one", "kind": "strategy", "input": input }), &["--json"]).ended(0);
    let printed = outcome.json();
    assert_eq!((&printed["answers"][0]["id"], &printed["answers"][0]["kind"]), (&json!("one"), &json!("strategy")));
    printed["answers"][0]["answer"].clone()
}

/// What differs between an answer and what is expected of it, key by key; more keys are welcome, and probabilities of
/// zero may be left out.
fn differences(path: &str, expected: &Value, answer: &Value, found: &mut Vec<String>) {
    match (expected, answer) {
        (Value::Object(keys), Value::Object(_)) => {
            for (key, value) in keys {
                let given = answer.get(key);
                if given.is_none() && (value == "0/1" || value == "0") {
                    continue;
                }
                differences(&format!("{path}.{key}"), value, given.unwrap_or(&json!("(absent)")), found);
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

fn same(expected: &Value, answer: &Value) {
    let mut found = Vec::new();
    differences("answer", expected, answer, &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

/// Whether `answer` has no other probabilities in its posteriors than `expected`.
fn same_posterior_keys(expected: &Value, answer: &Value) {
    for (name, followed) in expected.as_object().unwrap() {
        let rows = followed.get("posterior").and_then(Value::as_array);
        for (at, row) in rows.into_iter().flatten().enumerate() {
            let given = answer[name]["posterior"][at].as_object().unwrap();
            let surplus: Vec<&String> = given.keys().filter(|key| row.get(key.as_str()).is_none()).collect();
            assert!(surplus.is_empty(), "{name}, person {at}: {surplus:?}");
        }
    }
}

/// Tables 1 to 3 of Liu, Wang and Zhang 2010.
#[test]
fn the_bundled_example_is_answered_as_recorded() {
    let path = root().join("examples/belief/six-people.json");
    let printed = Desk::new().run(&["belief", path.to_str().unwrap(), "--json"]).ended(0).json();
    let half = |a: &str, b: &str| json!({ a: "1/2", b: "1/2" });
    let pair = |certain: bool| json!({ "size": 4, "contains_t": certain, "max_ratio": "1/1", "ok": false });
    let quarter = json!({ "cancer": "1/2", "cold": "1/4", "flu": "1/4" });
    let tail = half("headache", "toothache");
    let safe = json!([quarter, quarter, quarter, quarter, tail, tail]);
    let third = json!({ "size": 8, "contains_t": true, "max_ratio": "1/2", "ok": true });
    let expected = json!({
        "per": [
            { "size": 4, "max_ratio": "1/1", "ok": false },
            { "size": 36, "max_ratio": "1/3", "ok": true },
            { "size": 24, "max_ratio": "1/2", "ok": true },
        ],
        "naive": {
            "release": 2,
            "trace": [[1, "per", false], [2, "per", true]],
            "ds": [pair(true), pair(true), pair(false)],
            "posterior": [half("cold", "flu"), half("cold", "flu"), { "cancer": "1/1" }, { "cancer": "1/1" }, tail, tail],
            "posterior_ok": false,
            "phi_size": 24,
            "phi_max_ratio": "1/1",
        },
        "safe": {
            "release": 3,
            "trace": [[1, "ds", false], [2, "ds", false], [3, "ds", true]],
            "ds": [pair(true), pair(true), third],
            "posterior": safe,
            "posterior_ok": true,
            "phi_size": 24,
            "phi_max_ratio": "1/1",
        },
        "exclusive": {
            "release": null,
            "trace": [[1, "per", false], [2, "per", true], [2, "ds", false]],
            "ds": [pair(true), pair(true), pair(false)],
            "phi_size": 72,
            "phi_max_ratio": "1/3",
        },
        "jump:1": {
            "release": 3,
            "trace": [[1, "per", false], [2, "per", true], [2, "ds", false], [3, "per", true], [3, "ds", true]],
            "ds": [pair(true), pair(true), third],
            "posterior": safe,
            "posterior_ok": true,
            "phi_size": 24,
            "phi_max_ratio": "1/1",
        },
        "jump:2": {
            "release": null,
            "trace": [[1, "per", false], [2, "per", true], [2, "ds", false]],
            "ds": [pair(true), pair(true), pair(false)],
            "phi_size": 72,
            "phi_max_ratio": "1/3",
        },
    });
    let answer = &printed["answers"][0]["answer"];
    same(&expected, answer);
    same_posterior_keys(&expected, answer);
    assert!(answer["exclusive"].get("posterior").is_none(), "nothing is released, so there is no posterior");
    assert!(answer["per"][0]["states"].is_u64() && answer["naive"]["ds"][2]["states"].is_u64());
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let path = root().join("examples/belief/six-people.json");
    let printed = Desk::new().run(&["belief", path.to_str().unwrap()]).ended(0).out;
    let documentation = std::fs::read_to_string(root().join("docs/belief.md")).unwrap();
    assert!(documentation.contains(&printed), "docs/belief.md shows something else than\n{printed}");
}

#[test]
fn the_documentation_has_every_kind() {
    let documentation = std::fs::read_to_string(root().join("docs/belief.md")).unwrap();
    let missing = KINDS.iter().filter(|kind| !documentation.contains(&format!("`{}`", kind.id)));
    assert_eq!(missing.map(|kind| kind.id).collect::<Vec<_>>(), [""; 0]);
}

/// A principle that is not closed under mixtures tells safe from 1-jump.
#[test]
fn whole_numbers_are_values_and_their_text_is_the_key() {
    let answer = answer_of(json!({
        "table": [2, 0, 1, 2, 2, 0, 0],
        "functions": [
            [[0, 1], [2, 3, 4], [5, 6]],
            [[0, 1, 2, 3, 4], [5, 6]],
            [[0, 1, 4, 5, 6], [2, 3]],
        ],
        "property": { "type": "band", "delta": "2/3", "eps": "1/4" },
        "jumps": [1],
    }));
    let rows = json!([
        { "0": "2/3", "2": "1/3" }, { "0": "2/3", "2": "1/3" }, { "1": "1/2", "2": "1/2" },
        { "1": "1/2", "2": "1/2" }, { "0": "1/3", "2": "2/3" }, { "0": "2/3", "2": "1/3" },
        { "0": "2/3", "2": "1/3" },
    ]);
    let expected = json!({
        "per": [
            { "size": 6, "max_ratio": "1/1", "ok": false },
            { "size": 20, "max_ratio": "1/1", "ok": false },
            { "size": 20, "max_ratio": "3/5", "ok": true },
        ],
        "safe": { "release": null, "trace": [[1, "ds", false], [2, "ds", false], [3, "ds", false]] },
        "jump:1": { "release": 3, "posterior": rows, "posterior_ok": true },
    });
    same(&expected, &answer);
}

/// The first function passes for every world: nobody comes to the others, and silence is impossible.
#[test]
fn a_set_without_worlds_has_no_ratio_and_no_verdict() {
    let answer = answer_of(json!({
        "table": [2, 1, 2, 3],
        "functions": [[[0, 1, 2, 3]], [[0], [1, 2, 3]]],
        "property": { "type": "recursive", "c": "2", "l": 2 },
        "jumps": [1, [2, 1], 1],
    }));
    let none = json!({ "size": 0, "contains_t": false, "max_ratio": null, "ok": null });
    let row = json!({ "1": "1/4", "2": "1/2", "3": "1/4" });
    for name in ["naive", "safe", "exclusive", "jump:1", "jump:2,1"] {
        let expected = json!({
            "release": 1,
            "ds": [{ "size": 12, "contains_t": true, "max_ratio": "1/2", "ok": true }, none],
            "posterior": [row, row, row, row],
            "phi_size": 0,
            "phi_max_ratio": null,
        });
        same(&expected, &answer[name]);
    }
    assert_eq!(answer.as_object().unwrap().len(), 6, "each jump once");
}

/// Every recorded case, as soon as they are there.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn every_recorded_case_is_answered_as_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/golden/strategy.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("SKIPPED: no recorded cases at {}", path.display());
        return;
    };
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let call = ["belief", path.to_str().unwrap(), "--json", "--kind", "strategy"];
    let printed = Desk::new().run(&call).ended(0).json();
    let cases = recorded["cases"].as_array().unwrap().iter().filter(|case| case["kind"] == "strategy");
    let (cases, answers) = (cases.collect::<Vec<_>>(), printed["answers"].as_array().unwrap());
    assert_eq!(cases.len(), answers.len());
    let mut found = Vec::new();
    for (case, answer) in cases.iter().zip(answers) {
        assert_eq!((&case["id"], &case["kind"]), (&answer["id"], &answer["kind"]));
        differences(case["id"].as_str().unwrap(), &case["expected"], &answer["answer"], &mut found);
        same_posterior_keys(&case["expected"], &answer["answer"]);
    }
    assert!(found.is_empty(), "{} differences, the first: {:#?}", found.len(), &found[..found.len().min(10)]);
}

#[test]
fn any_principle_of_the_registry_may_be_asked_about() {
    let mut closeness = case("close");
    closeness["input"]["property"] = json!({ "principle": "t-closeness", "t": "0.3" });
    let mut both = case("both");
    both["input"]["property"] =
        json!([{ "type": "distinct", "l": 2 }, { "principle": "frequency-l-diversity", "l": 2 }]);
    let printed = ask(&json!([closeness, both]), &["--json"]).ended(0).json();
    assert_eq!(printed["answers"].as_array().unwrap().len(), 2);
    // The groups {a, a} and {b, c} are each at distance 1/2 from {a, a, b, c}.
    assert_eq!(printed["answers"][0]["answer"]["per"][0]["ok"], false);
    assert_eq!(printed["answers"][0]["answer"]["naive"]["release"], 2);
    assert_eq!(printed["answers"][1]["answer"]["per"][1]["ok"], true);
}

#[test]
fn without_json_there_is_a_table_per_case() {
    let text = ask(&json!([case("first"), case("second")]), &[]).ended(0).out;
    for words in
        ["first (strategy): 4 people, 3 values, 2 functions", "second (strategy)", "naive releases g2", "silence"]
    {
        assert!(text.contains(words), "{text}");
    }
    let quiet = ask(&case("one"), &["--no-silence"]).ended(0).out;
    assert!(!quiet.contains("silence"), "{quiet}");
}

#[test]
fn cases_are_chosen_by_id_and_kind() {
    let file = json!({ "cases": [case("first"), case("second"), { "id": "third", "kind": "unheard-of" }] });
    let ids = |options: &[&str]| {
        let printed = ask(&file, &[options, &["--json"]].concat()).ended(0).json();
        let answers = printed["answers"].as_array().unwrap();
        answers.iter().map(|answer| answer["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[]), ["first", "second", "third"]);
    assert_eq!(ids(&["--id", "second", "--id", "first"]), ["first", "second"]);
    assert_eq!(ids(&["--kind", "strategy"]), ["first", "second"]);
    let none = ask(&file, &["--id", "secnd"]).ended(2);
    assert!(none.err.contains("did you mean `second`?") && none.out.is_empty(), "{none:#?}");
    let none = ask(&file, &["--kind", "stratgy"]).ended(2);
    assert!(none.err.contains("did you mean `strategy`?"), "{none:#?}");
}

#[test]
fn kinds_that_are_not_known_are_said_and_passed_over() {
    let odd = json!({ "id": "odd", "kind": "stratgy", "input": 7 });
    let mixed = ask(&json!([odd, case("good")]), &["--json"]).ended(0);
    assert!(mixed.err.contains("case `odd`") && mixed.err.contains("did you mean `strategy`?"), "{mixed:#?}");
    let printed = mixed.json();
    assert_eq!(printed["answers"][0], json!({ "id": "odd", "kind": "stratgy", "unsupported": true }));
    assert!(printed["answers"][1]["answer"].is_object());
    let alone = ask(&odd, &[]).ended(2);
    assert!(alone.err.contains("no case is of a known kind") && alone.out.is_empty(), "{alone:#?}");
}

#[test]
fn a_part_beyond_the_budget_is_refused_and_spoils_nothing_else() {
    // Blocks of 5, 7 and 11 of 77 people cannot be counted in one state.
    let blocks = |size: usize| (0..77).collect::<Vec<usize>>().chunks(size).map(<[usize]>::to_vec).collect::<Vec<_>>();
    let table: Vec<usize> = (0..77).map(|person| person * person % 5).collect();
    let functions = [blocks(5), blocks(7), blocks(11)];
    let property = json!({ "type": "ratio_le", "delta": "1/2" });
    let file = json!([
        { "id": "large", "kind": "strategy",
          "input": { "table": table, "functions": functions, "property": property, "jumps": [1] } },
        case("small"),
    ]);
    let printed = ask(&file, &["--json", "--states", "1"]).ended(0).json();
    let answer = &printed["answers"][0]["answer"];
    let refused = |part: &Value| part["refused"].as_str().is_some_and(|words| words.contains("states"));
    let safe = &answer["safe"];
    assert!(refused(safe) || refused(&safe["ds"][2]) || refused(&safe["phi"]), "{answer:#}");
    assert!(printed["answers"][1]["answer"].is_object());
}

#[test]
fn files_that_are_no_json() {
    refuses("{\n  \"cases\": [,]\n}", &["cases.json: line 2, column 13", "not JSON"]);
    refuses("", &["line 1, column 0"]);
    refuses(b"\xff\xfe{", &["UTF-8"]);
    refuses("[]", &["no cases"]);
    refuses("12", &["an object or a list"]);
    let absent = Desk::new().run(&["belief", "gone.json"]).ended(2);
    assert!(absent.err.contains("`gone.json`: there is no such file") && absent.out.is_empty(), "{absent:#?}");
}

#[test]
fn keys_that_are_missing_or_misspelt() {
    for key in ["id", "kind", "input"] {
        let mut bad = case("second");
        bad.as_object_mut().unwrap().remove(key);
        let name = if key == "id" { "case number 2" } else { "case `second`" };
        refuses(json!([case("first"), bad]).to_string(), &[name, &format!("`{key}` is missing")]);
    }
    for key in ["table", "functions", "property"] {
        let mut bad = case("second");
        bad["input"].as_object_mut().unwrap().remove(key);
        refuses(json!([bad]).to_string(), &["case `second`", &format!("`{key}` is missing")]);
    }
    let misspelt = case("second").to_string().replace("\"jumps\"", "\"jump\"");
    refuses(misspelt, &["case `second`", "`jump`", "did you mean `jumps`?"]);
}

#[test]
fn sequences_that_are_none() {
    refuses_key("functions", json!([]), &["the sequence is empty"]);
    refuses_key("functions", json!([[[0, 1]]]), &["function 1 leaves person 2 out"]);
    refuses_key("functions", json!([[[0, 1, 2, 3]], [[0, 1], [1, 2, 3]]]), &["function 2 puts person 1 into two"]);
    refuses_key("functions", json!([[[0, 1, 2, 3, 4]]]), &["names person 4, but the table has 4 people"]);
    refuses_key("functions", json!([[[0, 1, 2, 3], []]]), &["empty group"]);
    refuses_key("functions", json!("all"), &["must be a list"]);
    refuses_key("table", json!([{ SECRET: 1 }, 2, 3, 4]), &["text and whole numbers"]);
    refuses_key("table", json!([format!("{SECRET}-d"), 2, 3, 4.25]), &["text and whole numbers"]);
}

#[test]
fn jumps_that_do_not_fit() {
    refuses_key("jumps", json!([0]), &["entry 1", "at least 1"]);
    refuses_key("jumps", json!([1, 3]), &["entry 2", "between 1 and 2"]);
    refuses_key("jumps", json!([[1, 1, 1]]), &["3 distances, but the sequence has 2"]);
    refuses_key("jumps", json!([-1]), &["whole numbers"]);
}

#[test]
fn properties_that_are_none() {
    refuses_key("property", json!({ "type": "ratio_lte", "delta": "1/2" }), &["did you mean `ratio_le`?"]);
    refuses_key("property", json!({ "type": "ratio_le" }), &["`delta` is missing"]);
    refuses_key("property", json!({ "type": "ratio_le", "delta": "2" }), &["above 0 and below 1"]);
    refuses_key("property", json!({ "principle": "k-anonymity", "k": 2 }), &["no say on belief"]);
    let hierarchical = json!({ "principle": "t-closeness", "t": "0.3", "distance": "hierarchical" });
    refuses_key("property", hierarchical, &["needs a hierarchy"]);
}

/// A table with functions of blocks that cannot be counted in ten states.
fn crossing() -> Value {
    let blocks = |size: usize| (0..24).collect::<Vec<usize>>().chunks(size).map(<[usize]>::to_vec).collect::<Vec<_>>();
    let table: Vec<String> = (0..24).map(|person| format!("{SECRET}-{}", person * person % 5)).collect();
    json!({
        "id": "crossing",
        "kind": "strategy",
        "input": {
            "table": table,
            "functions": [blocks(4), blocks(6), blocks(9), blocks(12)],
            "property": { "type": "ratio_le", "delta": "1/2" },
        },
    })
}

#[test]
fn a_refused_disclosure_set_is_estimated_when_asked_for() {
    let decimal = |ratio: &Value| {
        let (a, b) = ratio.as_str().unwrap().split_once('/').unwrap();
        a.parse::<f64>().unwrap() / b.parse::<f64>().unwrap()
    };
    let exact = ask(&crossing(), &["--json"]).ended(0).json()["answers"][0]["answer"]["naive"].clone();
    let options = ["--states", "10", "--estimate", "20000", "--seed", "3", "--confidence", "0.99"];
    let run = |json: &[&str]| ask(&crossing(), &[&options, json].concat()).ended(0);
    let printed = run(&["--json"]).json();
    let naive = &printed["answers"][0]["answer"]["naive"];
    // Which question was too large is said.
    for (part, what) in
        [(&naive["ds"][3], "the disclosure set of step 4 for"), (&naive["phi"], "what silence tells of")]
    {
        assert!(part["refused"].as_str().unwrap().starts_with(&format!("counting {what} 24 people")), "{part:#}");
    }
    for (part, truth) in [(&naive["ds"][3], &exact["ds"][3]["max_ratio"]), (&naive["phi"], &exact["phi_max_ratio"])] {
        let estimate = &part["estimate"];
        assert_eq!((&estimate["draws"], &estimate["confidence"]), (&json!(20_000), &json!(0.99)));
        let ends = |key: &str, at: usize| estimate[key][at].as_f64().unwrap();
        let share = estimate["kept"].as_f64().unwrap() / 20_000.0;
        assert!(ends("share", 0) < share && share < ends("share", 1), "{estimate}");
        let (low, at, high) = (ends("max_ratio", 0), ends("max_ratio", 1), ends("max_ratio", 2));
        assert!(low < at && at < high && low <= decimal(truth) && decimal(truth) <= high, "{estimate} {truth}");
    }
    // What can be counted is not estimated.
    assert!(naive["ds"][0].get("estimate").is_none() && naive["ds"][0]["size"].is_u64(), "{naive:#}");
    assert_eq!(run(&["--json"]).json(), printed);
    let text = run(&[]).out;
    for words in ["ds4 is refused", "ds4 by estimate: highest about 0.", ", 99 %, ", " worlds kept of 20,000)"] {
        assert!(text.contains(words), "{text}");
    }
    // The safe strategy looks at earlier disclosure sets, which cannot be decided either.
    let safe = &printed["answers"][0]["answer"]["safe"]["ds"][3]["estimate"]["refused"];
    assert!(safe.as_str().unwrap().contains("the disclosure set of step"), "{printed:#}");
}

#[test]
fn estimates_that_make_no_sense() {
    for (options, words) in [
        (&["--estimate", "0"][..], "draws 0 worlds"),
        (&["--estimate", "10", "--confidence", "1"], "strictly between 0 and 1"),
        (&["--seed", "1"], "--estimate"),
    ] {
        let outcome = ask(&case("one"), options).ended(2);
        assert!(outcome.err.contains(words) && outcome.out.is_empty(), "{outcome:#?}");
    }
}
