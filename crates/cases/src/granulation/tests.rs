//! Reading inputs, and answers that can be worked out by hand.

use serde_json::json;

use super::*;

fn input() -> Value {
    json!({
        "rows": [[0], [1], [2], [5]],
        "sensitive": ["a", "b", "a", "a"],
        "con_values": ["a"],
        "divisors": [[1, 2, 3, 6]],
        "domain_sizes": [6],
    })
}

fn worded() -> Value {
    json!({
        "rows": [["2001-02-28", "07", -1, "x"], ["2001-03-01", "17", 4, "y"], ["2002-03-01", "08", 9, "x"]],
        "levels": {
            "born": ["yyyy-mm-dd", "mm", "yyyy", "*"],
            "zip": ["d1d2", "d1*", "*d2", "**"],
            "depth": ["I1", "I5", "*"],
        },
        "domains": { "born": ["2001-01-01", "2002-12-31"], "depth": [-5, 9] },
        "tau": [1, 2, 1],
    })
}

fn answer(input: &Value) -> Value {
    Granulations::read(input).unwrap().answer(&AnswerOptions::default()).unwrap().json()
}

fn with(mut input: Value, key: &str, value: Value) -> Value {
    input[key] = value;
    input
}

#[test]
fn partitions_that_form_no_chain_are_all_searched() {
    // Blocks of two leave {2} alone, blocks of three {5}; only all together are secure.
    let found = answer(&input());
    assert_eq!((&found["lattice_size"], &found["n_secure"]), (&json!(4), &json!(1)));
    assert_eq!(found["minimal_secure"], json!([[3]]));
    let found = answer(&with(input(), "rows", json!([[2], [3], [4], [5]])));
    // {2, 3} {4, 5} is not secure, {2} {3, 4, 5} neither.
    assert_eq!(found["minimal_secure"], json!([[3]]));
    let found = answer(&with(input(), "sensitive", json!(["a", "b", "b", "b"])));
    assert_eq!(found["minimal_secure"], json!([[1], [2]]));
    assert_eq!(found["n_secure"], json!(3));
    let taus: Vec<&Value> = found["taus"].as_array().unwrap().iter().map(|tau| &tau["classes"]).collect();
    assert_eq!(json!(taus), json!([[[0], [1], [2], [3]], [[0, 1], [2], [3]], [[0, 1, 2], [3]], [[0, 1, 2, 3]]]));
}

#[test]
fn a_value_that_nobody_has_threatens_nobody() {
    let found = answer(&with(input(), "con_values", json!(["c", ["d", "e"]])));
    assert_eq!((&found["n_secure"], &found["minimal_secure"]), (&json!(4), &json!([[0]])));
    assert_eq!(found["best"]["tau"], json!([0]));
    assert_eq!(found["best"]["sf*ql"], json!(1.0));
}

#[test]
fn secrets_of_ones_own_damages_and_priors_count() {
    // Only the last person keeps `a`, and is never alone but on the finest level and with blocks of three.
    let own = with(with(input(), "con_values", json!(["a", "b"])), "con_rows", json!([[], [], [1], [0]]));
    let own = with(own, "rows", json!([[0], [1], [2], [4]]));
    let found = answer(&with(own.clone(), "sensitive", json!(["b", "b", "b", "a"])));
    assert_eq!(found["minimal_secure"], json!([[3]]));
    let found = answer(&with(own, "sensitive", json!(["b", "b", "a", "b"])));
    assert_eq!(found["minimal_secure"], json!([[0]]));
    // Someone alone is known for certain: the gain is 1, whatever the prior, and the damage says how much that counts.
    let even = with(with(input(), "con_values", json!(["a", "b"])), "taus", json!([[0]]));
    assert_eq!(answer(&even)["taus"][0]["sf"], json!(0.5));
    let uneven = with(even.clone(), "damages", json!([3, "1"]));
    assert_eq!(answer(&uneven)["taus"][0]["sf"], json!(1.0 - (3.0 * 0.75 + 0.25) / 4.0));
    let by_person = with(even.clone(), "damages", json!([[1, 1], [1, 1], [1, 1], [1, 3]]));
    assert_eq!(answer(&by_person)["taus"][0]["sf"], json!(1.0 - (3.0 * 0.5 + 0.25) / 4.0));
    let known = with(even, "priors", json!([1, null]));
    assert_eq!(answer(&known)["taus"][0]["sf"], json!(1.0 - 0.5 / 4.0));
}

#[test]
fn levels_in_words_need_not_form_chains() {
    let found = answer(&worded());
    assert_eq!(found["lattice_size"], json!(48));
    // February and 7, March and 7, March and 8.
    assert_eq!(found["classes_tau"], json!([["u1"], ["u2"], ["u3"]]));
    assert_eq!(found["lower_Hx"], json!(["u1", "u3"]));
    assert_eq!(found["lower_Hy"], json!(["u2"]));
    // By month {u1} {u2, u3}, by last digit {u1, u2} {u3}, by five {u1} {u2} {u3}.
    assert_eq!(found["fig4_median_date"], json!(["2001-02-28", "2001-03-01"]));
    assert_eq!(found["fig4_median_zip"], json!(["07", "08"]));
    assert_eq!(found["fig4_mean_depth"], json!([-1, 4, 9]));
    assert_eq!(found["Hx"]["tau_secure"], json!(false));
    assert!(found["Hx,Hy"]["sf_tau"].is_f64() && found["ql"]["(0, 0, 0)"] == json!(1.0), "{found}");
    let broken = answer(&with(worded(), "tau", json!([3, 3, 2])));
    assert_eq!(broken["fig4_mean_depth"], json!([4]));
}

#[test]
fn domains_may_stand_in_a_sentence() {
    let mut prose = worded();
    prose.as_object_mut().unwrap().remove("domains");
    prose["ql_domains"] = json!("born = all days 2001-01-01..2002-12-31, zip = 00..99; depth = -5..9; equal weights");
    assert_eq!(answer(&prose), answer(&worded()));
}

#[test]
fn sets_can_be_chosen_and_are_not_all_asked_about_when_values_are_many() {
    let chosen = answer(&with(worded(), "con_sets", json!([["y", "x"], ["x", "y"], ["y"]])));
    let sets: Vec<&String> = chosen.as_object().unwrap().keys().filter(|key| key.starts_with('H')).collect();
    assert_eq!(sets, ["Hx,Hy", "Hy"]);
    let rows: Vec<Value> = (0..8).map(|row| json!([row, row])).collect();
    let many = json!({ "rows": rows, "divisors": [[1, 8]], "domain_sizes": [8] });
    let found = answer(&many);
    assert_eq!(found.as_object().unwrap().keys().filter(|key| key.starts_with('H')).count(), 9);
}

#[test]
fn the_searches_of_the_papers_are_answered_by_the_fast_one_and_a_genetic_one_says_what_it_cannot() {
    let expected = answer(&input());
    for search in ["fast", "incognito", "breadth-first"] {
        assert_eq!(answer(&with(input(), "search", json!(search))), expected, "{search}");
    }
    let genetic = answer(&with(input(), "search", json!("genetic")));
    assert!(genetic["minimal_secure"]["refused"].as_str().unwrap().contains("genetic"), "{genetic}");
    assert_eq!((&genetic["best"]["tau"], &genetic["best"]["exact"]), (&json!([3]), &json!(false)));
}

#[test]
fn lattices_too_large_to_walk_are_refused_part_by_part_or_searched_genetically() {
    let rows: Vec<Value> = [0, 100, 300, 511].iter().map(|&value| json!(vec![value; 9])).collect();
    let divisors: Vec<u32> = (0..10).map(|power| 1 << power).collect();
    let large = json!({
        "rows": rows, "sensitive": ["a", "b", "a", "b"], "con_values": ["a"], "divisors": vec![divisors; 9],
        "domain_sizes": vec![512; 9], "taus": [vec![9; 9], vec![0; 9]],
    });
    let found = answer(&large);
    assert_eq!(found["lattice_size"], json!(1_000_000_000));
    for key in ["n_secure", "minimal_secure", "best"] {
        assert!(found[key]["refused"].as_str().unwrap().contains("1000000000 granulations"), "{found}");
    }
    assert_eq!((&found["taus"][0]["secure"], &found["taus"][1]["secure"]), (&json!(true), &json!(false)));
    let genetic = answer(&with(large, "search", json!("genetic")));
    assert!(genetic["best"]["sf*ql"].as_f64().unwrap() > 0.0, "{genetic}");
}

#[test]
fn bad_input_is_refused_with_its_key() {
    let base = with(input(), "con_values", json!(["a", "b"]));
    for (key, value, words) in [
        ("rows", json!([]), "key `rows` is empty"),
        ("rows", json!([[0], [1, 2], [3], [4]]), "key `rows`, row 2: 2 cells instead of 1"),
        ("rows", json!([[0], [6], [3], [4]]), "key `rows`, row 2: the cell of `column 1` is no value of its domain"),
        ("sensitive", json!(["a"]), "key `sensitive` has 1 value, but `rows` 4"),
        ("divisors", json!([[2, 3, 6]]), "key `divisors`: the partitions of column `column 1` have no most specific"),
        ("divisors", json!([[1, 2, 3]]), "have no least specific one"),
        ("divisors", json!([[0, 1]]), "key `divisors` must be made of numbers of at least 1"),
        ("divisors", json!([]), "key `domain_sizes` has 1 column, but"),
        ("domain_sizes", json!([1_000_000_000]), "key `domain_sizes`, column 1: the domain has 1000000000 values"),
        ("partitions", json!([[[0]]]), "keys `divisors` and `partitions` say the same"),
        ("weights", json!(["1/2", "1/2"]), "key `weights` has 2 entries for 1 column"),
        ("weights", json!([0]), "key `weights` must be made of numbers of at least 0, one of them above 0"),
        ("damages", json!([1]), "key `damages` has 1 entry instead of 2"),
        ("damages", json!([1, 0]), "key `damages` must be made of numbers above 0"),
        ("priors", json!([1, 2]), "key `priors` must be made of probabilities"),
        ("con_rows", json!([[0], [0], [0], [2]]), "key `con_rows` must be made of numbers of entries"),
        ("tau", json!([4]), "key `tau` must be granulations"),
        ("taus", json!([[0, 0]]), "key `taus` must be granulations"),
        ("search", json!("fats"), "key `search`: no search `fats`, did you mean `fast`?"),
    ] {
        let message = Granulations::read(&with(base.clone(), key, value)).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
    for (key, value, words) in [
        ("rows", json!([["2001-02-30", "07", 0, "x"]]), "row 1: the cell of `born` is no value of its domain"),
        (
            "levels",
            json!({ "born": ["dd"], "depth": ["I1"] }),
            "key `levels`, column `born`: no word keeps the whole date",
        ),
        ("domains", json!({ "depth": [0, 9] }), "key `domains`, column `born`: there is no domain"),
        ("domains", json!({ "dept": [0, 9] }), "key `domains`: there is no column `dept`"),
        ("con_sets", json!([["z"]]), "key `con_sets` must be made of lists of sensitive values that occur"),
        ("damages", json!([1]), "key `damages` needs `con_values`"),
    ] {
        let message = Granulations::read(&with(worded(), key, value)).unwrap_err().to_string();
        assert!(message.contains(words) && !message.contains("07"), "{message}");
    }
}
