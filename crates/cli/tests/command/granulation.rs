//! `pellucid belief` on granulations: recorded cases, the running example of the paper, and the literal twin on random ones.

use pellucid_testkit::literal::granulation::lattice::Granulation;
use pellucid_testkit::literal::granulation::measure::{ql, sf};
use pellucid_testkit::literal::granulation::search::{minimal, passing};
use pellucid_testkit::random::generator;
use pellucid_testkit::random_lattice::{LatticeCase, lattice_case};
use serde_json::{Value, json};

use crate::common::{Desk, SECRET, root};

/// Recorded decimals.
const CLOSE: f64 = 1e-8;

/// The answers to `cases` in order.
fn answers(cases: &[Value]) -> Vec<Value> {
    let desk = Desk::new();
    desk.write("cases.json", json!({ "cases": cases }).to_string());
    let printed = desk.run(&["belief", "cases.json", "--json"]).ended(0).json();
    let answers: Vec<Value> = printed["answers"].as_array().unwrap().iter().map(|one| one["answer"].clone()).collect();
    assert_eq!(answers.len(), cases.len());
    answers
}

/// All recorded cases; the running example is of kind `aog` like the others.
fn recorded() -> Vec<Value> {
    let text = std::fs::read_to_string(root().join("crates/testkit/golden/granulation.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let mut cases = file["cases"].as_array().unwrap().clone();
    for case in cases.iter_mut().filter(|case| case["kind"] == "aog-running") {
        case["kind"] = json!("aog");
    }
    cases
}

/// Whether both are the same, decimals up to rounding; more keys in `answer` are welcome.
fn same(path: &str, expected: &Value, answer: &Value) {
    match (expected, answer) {
        (Value::Object(keys), Value::Object(_)) => {
            keys.iter().for_each(|(key, value)| same(&format!("{path}.{key}"), value, &answer[key]));
        }
        (Value::Array(items), Value::Array(others)) => {
            assert_eq!(items.len(), others.len(), "{path}: {expected} {answer}");
            items.iter().zip(others).for_each(|(item, other)| same(path, item, other));
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < CLOSE, "{path}: {expected} {answer}");
        }
        _ => assert_eq!(expected, answer, "{path}"),
    }
}

/// What is recorded of the running example, under the keys of the answer.
fn running_expected(recorded: &Value) -> Value {
    let name = |person: &Value| json!(format!("u{}", person.as_u64().unwrap() + 1));
    let names = |people: &Value| people.as_array().unwrap().iter().map(name).collect::<Value>();
    let mut expected = recorded.clone();
    expected["classes_tau"] = recorded["classes_tau"].as_array().unwrap().iter().map(names).collect();
    for key in ["lower_H1", "lower_H2"] {
        expected[key] = names(&recorded[key]);
    }
    expected["ql"] = json!({});
    for one in recorded["ql"].as_array().unwrap() {
        let levels: Vec<String> = one["tau"].as_array().unwrap().iter().map(ToString::to_string).collect();
        expected["ql"][format!("({})", levels.join(", "))] = one["ql"].clone();
    }
    for set in recorded["con"].as_array().unwrap() {
        let values = set["con_values"].as_array().unwrap().iter().map(|value| format!("H{value}"));
        let mut found = set.clone();
        found.as_object_mut().unwrap().remove("con_values");
        expected[values.collect::<Vec<_>>().join(",")] = found;
    }
    expected.as_object_mut().unwrap().remove("con");
    expected
}

#[test]
fn recorded_cases_are_answered_as_recorded() {
    let cases = recorded();
    let mut nodes = 0;
    for (case, answer) in cases.iter().zip(answers(&cases)) {
        let (id, mut expected) = (case["id"].as_str().unwrap(), case["expected"].clone());
        if id == "E.running" {
            same(id, &running_expected(&expected), &answer);
            continue;
        }
        for tau in expected.get("taus").and_then(Value::as_array).into_iter().flatten() {
            let found = answer["taus"].as_array().unwrap().iter().find(|one| one["tau"] == tau["tau"]);
            same(&format!("{id} {}", tau["tau"]), tau, found.unwrap());
            nodes += 1;
        }
        expected.as_object_mut().unwrap().remove("taus");
        same(id, &expected, &answer);
    }
    assert_eq!((cases.len(), nodes), (62, 227));
}

#[test]
fn granulations_that_are_named_are_those_that_are_reported() {
    let mut cases = recorded();
    cases.retain(|case| case["kind"] == "aog" && case["id"] != "E.running");
    for case in &mut cases {
        let taus: Vec<Value> =
            case["expected"]["taus"].as_array().unwrap().iter().map(|tau| tau["tau"].clone()).collect();
        case["input"]["taus"] = json!(taus);
    }
    for (case, answer) in cases.iter().zip(answers(&cases)) {
        same(case["id"].as_str().unwrap(), &case["expected"], &answer);
    }
}

#[test]
fn the_running_example_reads_with_the_sensitive_value_last_and_domains_in_prose() {
    let case = recorded().into_iter().find(|case| case["id"] == "E.running").unwrap();
    let mut other = case.clone();
    let input = other["input"].as_object_mut().unwrap();
    let sensitive = input.remove("sensitive").unwrap();
    input.remove("domains");
    input.remove("weights");
    for (row, value) in input["rows"].as_array_mut().unwrap().iter_mut().zip(sensitive.as_array().unwrap()) {
        row.as_array_mut().unwrap().push(value.clone());
    }
    input.insert(
        "ql_domains".into(),
        json!("DOB = all days 1900-01-01..1999-12-31, ZIP = 00000..99999, height = 100..199; w=1/3 each"),
    );
    let found = answers(&[case.clone(), other]);
    same("E.running", &running_expected(&case["expected"]), &found[1]);
    assert_eq!(found[0], found[1]);
    let sets: Vec<&String> = found[1].as_object().unwrap().keys().filter(|key| key.starts_with('H')).collect();
    assert_eq!(sets, ["H0", "H1", "H2", "H0,H1", "H0,H2", "H1,H2", "H0,H1,H2"]);
}

fn input_of(case: &LatticeCase) -> Value {
    let own: Vec<Vec<usize>> = case.confidential.iter().map(|own| own.iter().copied().collect()).collect();
    let damages: Vec<Vec<u32>> = case.damages.iter().map(|own| own.values().copied().collect()).collect();
    let mut input = json!({
        "rows": case.rows,
        "sensitive": case.sensitive,
        "partitions": case.columns,
        "weights": case.weights,
        "con_values": case.sentences,
        "con_rows": own,
        "damages": damages,
    });
    if let Some(priors) = &case.priors {
        input["priors"] = priors.iter().map(|(a, b)| json!(format!("{a}/{b}"))).collect();
    }
    input
}

#[test]
fn random_cases_are_answered_as_by_the_literal_twin() {
    let cases: Vec<LatticeCase> = (0..500).map(|seed| lattice_case(&mut generator(seed), 12, 3)).collect();
    let searches = ["fast", "incognito", "breadth-first"];
    let asked = cases.iter().enumerate().map(|(at, case)| {
        let mut input = input_of(case);
        input["search"] = json!(searches[at % searches.len()]);
        json!({ "id": at.to_string(), "kind": "aog", "input": input })
    });
    let (mut no_chain, mut several) = (0, 0);
    for (at, (case, answer)) in cases.iter().zip(answers(&asked.collect::<Vec<_>>())).enumerate() {
        let (lattice, secrets) = (case.lattice(), case.secrets());
        let secure = passing(&lattice, &|node| secrets.are_kept(&lattice.classes(&case.rows, node)));
        let most_specific = minimal(&lattice, &secure);
        assert_eq!(answer["lattice_size"], json!(lattice.nodes().len()), "{at}");
        assert_eq!(answer["n_secure"], json!(secure.len()), "{at}");
        assert_eq!(answer["minimal_secure"], json!(most_specific), "{at}");
        let (damages, priors, weights) = (case.scaled_damages(), case.prior_shares(), case.scaled_weights());
        let security = |node: &Granulation| sf(&lattice.classes(&case.rows, node), &secrets, &damages, &priors);
        let expected = lattice.nodes().iter().map(|node| {
            let classes = lattice.classes(&case.rows, node);
            let secure = secrets.are_kept(&classes);
            json!({
                "tau": node, "secure": secure, "classes": classes, "sf": security(node), "ql": ql(&lattice, node, &weights),
            })
        });
        same(&at.to_string(), &expected.collect(), &answer["taus"]);
        let product = |node: &Granulation| security(node) * ql(&lattice, node, &weights);
        match secure.iter().map(product).max_by(f64::total_cmp) {
            Some(best) => same(&format!("{at} best"), &json!({ "sf*ql": best, "exact": true }), &answer["best"]),
            None => assert!(answer["best"].is_null(), "{at}"),
        }
        no_chain += usize::from(!lattice.is_of_chains());
        several += usize::from(most_specific.len() > 1);
    }
    assert!(no_chain > 100 && several > 20, "{no_chain} {several}");
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let path = root().join("examples/belief/granulation.json");
    let printed = Desk::new().run(&["belief", path.to_str().unwrap()]).ended(0).out;
    let documentation = std::fs::read_to_string(root().join("examples/belief/README.md")).unwrap();
    assert!(documentation.contains(&printed), "examples/belief/README.md shows something else than\n{printed}");
}

#[test]
fn what_a_crossover_makes_can_be_read() {
    let desk = Desk::new();
    let input = json!({ "parent1": "01011010", "parent2": "00100101", "cut": 3 });
    desk.write("cases.json", json!({ "id": "pair", "kind": "aog-ga", "input": input }).to_string());
    let expected = "pair (aog-ga): crossover of codes of 8 bits, cut at 3\n  parent 1  01011010  [1, 3, 2]\n  parent 2  \
                    00100101  [0, 4, 0]\n  child 1   01000000  [1, 0, 0], from 01000101, which stands for no granulation\n  \
                    child 2   00001010  [0, 1, 2], from 00111010, which stands for no granulation\n";
    assert_eq!(desk.run(&["belief", "cases.json"]).ended(0).out, expected);
}

#[test]
fn bad_input_is_refused_with_its_case_and_key_and_without_its_values() {
    let good = json!({
        "rows": [["01/02/03", "12", format!("{SECRET}-a")], ["02/03/04", "34", format!("{SECRET}-b")]],
        "levels": { "born": ["dd/mm/yy", "*"], "zip": ["d1d2", "**"] },
        "domains": { "born": ["1900-01-01", "1999-12-31"] },
    });
    let run = |input: &Value| {
        let desk = Desk::new();
        desk.write("cases.json", json!([{ "id": "one", "kind": "aog", "input": input }]).to_string());
        desk.run(&["belief", "cases.json"])
    };
    run(&good).ended(0);
    for (key, value, words) in [
        ("rows", json!([["01/02/03", SECRET, SECRET]]), "key `rows`, row 1: the cell of `zip`"),
        ("rows", json!([["01/02/03", "12", [SECRET]]]), "key `rows` must be a list of text and whole numbers"),
        ("sensitive", json!([SECRET]), "key `rows`, row 1: 3 cells instead of 2"),
        ("con_sets", json!([[SECRET]]), "key `con_sets`"),
        ("con_values", json!([{ "a": SECRET }]), "key `con_values`"),
        ("tau", json!([0, 2]), "key `tau`"),
        ("weight", json!([1, 2]), "did you mean `weights`?"),
    ] {
        let mut bad = good.clone();
        bad[key] = value;
        let outcome = run(&bad).ended(2);
        assert!(outcome.out.is_empty() && outcome.err.contains("cases.json: case `one`: "), "{outcome:#?}");
        assert!(outcome.err.contains(words) && !outcome.err.contains(SECRET), "{outcome:#?}");
    }
}
