//! Publishers that are not transparent, from a job to a release and its check: what they say of themselves.

use serde_json::Value;

use crate::common::{Desk, SECRET, SMALL_JOB};

/// A desk with a row for every pair of an age and a disease; `method` replaces the publisher of the job.
fn desk(rows: &[(u32, u32)], method: &str) -> Desk {
    let desk = Desk::of_small_job(rows);
    desk.write("job.toml", SMALL_JOB.replace("publisher = \"mondrian\"", method));
    desk
}

fn manifest(desk: &Desk) -> Value {
    serde_json::from_str(&desk.read("release/manifest.json")).unwrap()
}

/// Ages 20 to 27 with diseases in turn.
const MIXED: [(u32, u32); 8] = [(20, 0), (21, 1), (22, 0), (23, 1), (24, 0), (25, 1), (26, 0), (27, 1)];

#[test]
fn every_release_says_that_it_is_not_transparent() {
    let mut values = MIXED;
    values[1].1 = 2;
    for method in [
        "publisher = \"mondrian\"",
        "publisher = \"opt-gen\"",
        "publisher = \"vul-gen\"",
        "publisher = \"mask\"\nk = 2",
        "publisher = \"best-of\"\nof = [\"tailor\", \"mondrian\"]",
        "publisher = \"best-of\"\nof = [\"mondrian\", { publisher = \"mask\", k = 2 }]",
    ] {
        let desk = desk(&values, method);
        let published = desk.run(&["publish", "job.toml"]).ended(0);
        assert!(published.out.contains("NOT TRANSPARENT"), "{method} {published:?}");
        assert!(!published.out.contains("by the theorem"), "{method} {published:?}");
        let manifest = manifest(&desk);
        assert!(manifest["not_transparent"].as_str().unwrap().contains("publisher tailor or"), "{manifest:#}");
        assert_eq!(manifest["mechanism"]["altered"].is_string(), method.contains("mask"), "{manifest:#}");
        let verified = desk.run(&["verify", "release", "--source", "people.csv"]).ended(0);
        assert!(verified.out.contains("NOT TRANSPARENT"), "{method} {verified:?}");
    }
}

#[test]
fn mondrian_cuts_pairs_off() {
    let desk = desk(&MIXED, "publisher = \"mondrian\"");
    desk.run(&["publish", "job.toml"]).ended(0);
    let expected: String = [20, 22, 24, 26]
        .map(|age| format!("\"[{age}, {}]\",{SECRET}0\n\"[{age}, {}]\",{SECRET}1\n", age + 1, age + 1))
        .concat();
    assert_eq!(desk.read("release/data.csv"), format!("age,disease\n{expected}"));
}

#[test]
fn groups_of_mask_that_fail_show_the_values_of_another() {
    // The first pair has one disease, and only the second pair may be its model.
    let desk = desk(&[(20, 0), (21, 0), (30, 0), (31, 1)], "publisher = \"mask\"\nk = 2");
    let published = desk.run(&["publish", "job.toml"]).ended(0);
    assert!(published.out.contains("ALTERED: values of column `disease`"), "{published:?}");
    let pair = |ages: &str| format!("\"{ages}\",{SECRET}0\n\"{ages}\",{SECRET}1\n");
    let expected = format!("age,disease\n{}{}", pair("[20, 21]"), pair("[30, 31]"));
    assert_eq!(desk.read("release/data.csv"), expected);
    assert_eq!(manifest(&desk)["measured"][0]["value"], "2");
    let verified = desk.run(&["verify", "release", "--source", "people.csv"]).ended(0);
    assert!(verified.out.contains("ALTERED values of column `disease`"), "{verified:?}");
}

#[test]
fn a_copy_that_rounding_spoils_is_not_for_publication() {
    // Three rows that are to be halves of two values: two of them get the smaller one.
    let desk = desk(&[(20, 0), (20, 0), (20, 0), (30, 0), (31, 1)], "publisher = \"mask\"\nk = 2");
    desk.run(&["publish", "job.toml"]).ended(0);
    let manifest = manifest(&desk);
    assert_eq!(manifest["for_publication"], false);
    assert!(manifest["caveat"].as_str().unwrap().contains("1 class does not meet the principle"), "{manifest:#}");
    desk.run(&["verify", "release", "--source", "people.csv"]).ended(4);
}

#[test]
fn nothing_has_a_reason() {
    let model = desk(&[(20, 0), (21, 0), (30, 1), (31, 1)], "publisher = \"mask\"\nk = 2");
    let told = model.run(&["publish", "job.toml"]).ended(3);
    assert!(told.out.contains("none can be a model for the others"), "{told:?}");
    let told = model.run(&["publish", "job.toml", "--set", "method.k=9", "--json"]).ended(3).json();
    assert!(told["why"].as_str().unwrap().contains("has 4 rows, and groups must have at least 9"), "{told:#}");
    let single = desk(&[(20, 1), (21, 0)], "publisher = \"vul-gen\"");
    assert!(
        single.run(&["publish", "job.toml"]).ended(3).out.contains("one single group is published of another table")
    );
    let limit: Vec<(u32, u32)> = (0..17).map(|at| (at, at)).collect();
    let refused = desk(&limit, "publisher = \"opt-gen\"").run(&["publish", "job.toml"]);
    assert!(refused.status != 0 && refused.err.contains("17 different combinations"), "{refused:?}");
}

#[test]
fn one_single_group_of_vul_gen_means_ascending_values() {
    let desk = desk(&[(20, 0), (21, 0), (22, 1), (23, 1)], "publisher = \"vul-gen\"");
    let published = desk.run(&["publish", "job.toml"]).ended(0);
    assert!(published.out.contains("a demonstration and not for use"), "{published:?}");
    assert_eq!(manifest(&desk)["classes"], 1);
}

#[test]
fn parameters_are_checked() {
    for (method, words) in [
        ("publisher = \"mask\"\nk = 0", "k (0) must be at least 1"),
        ("publisher = \"opt-gen\"\nties = \"last\"", "ties cannot be `last`"),
        ("publisher = \"mondrian\"\nk = 2", "unknown key `k` in [method]"),
        ("publisher = \"best-of\"", "`best-of` needs `of`"),
        ("publisher = \"best-of\"\nof = \"tailor\"", "`of` must be a list of publishers"),
        (
            "publisher = \"best-of\"\nof = [\"tailor\", \"sequence\"]",
            "publisher 2 of `of`: `sequence` needs `sequence`",
        ),
        ("publisher = \"best-of\"\nof = [\"tailor\", \"ace\"]\nsuppression = 0.1", "`best-of` leaves no row out"),
        (
            "publisher = \"best-of\"\nof = [\"tailor\", \"ace\"]\nfunction = \"hierarchy\"",
            "column `age` has no hierarchy",
        ),
    ] {
        let refused = desk(&MIXED, method).run(&["publish", "job.toml"]);
        assert!(refused.status == 2 && refused.err.contains(words), "{refused:?}");
    }
    let sizes = desk(&MIXED, "publisher = \"mask\"\nk = 2");
    let sets = ["--set", "privacy.principle=distinct-l-diversity"];
    let refused = sizes.run(&[&["publish", "job.toml"][..], &sets].concat());
    assert!(refused.err.contains("`mask` meets `frequency-l-diversity` and `highest-ratio`"), "{refused:?}");
}

#[test]
fn the_best_answer_is_kept_and_not_whose_it_is() {
    // Mondrian cuts pairs off, where Tailor cannot.
    let kept = |of: &str| {
        let desk = desk(&MIXED, &format!("publisher = \"best-of\"\nof = {of}"));
        desk.run(&["publish", "job.toml"]).ended(0);
        (desk.read("release/data.csv"), manifest(&desk)["mechanism"].clone())
    };
    let mondrian = desk(&MIXED, "publisher = \"mondrian\"");
    mondrian.run(&["publish", "job.toml"]).ended(0);
    for of in ["[\"tailor\", \"mondrian\"]", "[\"mondrian\", \"tailor\", \"search\"]"] {
        let (data, mechanism) = kept(of);
        assert_eq!(data, mondrian.read("release/data.csv"), "{of}");
        assert_eq!(mechanism["publisher_parameters"]["measure"], "normalized-certainty-penalty");
        assert!(mechanism["search"].is_null() && mechanism["levels"].is_null(), "{mechanism:#}");
    }
}

#[test]
fn levels_that_are_kept_are_stated_and_verified() {
    let sequence = "{ publisher = \"sequence\", sequence = [{ age = [20, 24, 28] }, { age = [20, 28] }] }";
    for function in ["mbr", "hierarchy"] {
        let of = format!("[{sequence}, \"search\"]");
        let desk = desk(&MIXED, &format!("publisher = \"best-of\"\nfunction = \"{function}\"\nof = {of}"));
        let published = desk.run(&["publish", "job.toml"]).ended(0);
        assert!(published.out.contains("  Levels: age [20, 24, 28]."), "{published:?}");
        let mechanism = manifest(&desk)["mechanism"].clone();
        assert_eq!(mechanism["levels"]["age"], serde_json::json!(["20", "24", "28"]));
        assert!(mechanism["sequence"].is_null(), "{mechanism:#}");
        let assignment = ["--assignment", "release-private/assignment.csv"];
        let verified = desk.run(&[&["verify", "release", "--source", "people.csv"][..], &assignment].concat()).ended(0);
        assert!(verified.out.contains("level groups     2 groups of the stated levels"), "{verified:?}");
        // Levels that another publisher is said to have kept are not believed.
        let forged = desk.read("release/manifest.json").replace("\"best-of\"", "\"mondrian\"");
        desk.write("release/manifest.json", forged);
        let refused = desk.run(&["verify", "release"]).ended(2);
        assert!(refused.err.contains("publisher `mondrian` keeps none"), "{refused:?}");
    }
}

#[test]
fn nothing_is_kept_only_when_all_answer_nothing() {
    let of = "publisher = \"best-of\"\nof = [{ publisher = \"mask\", k = 9 }, \"tailor\"]";
    desk(&MIXED, of).run(&["publish", "job.toml"]).ended(0);
    let of = "publisher = \"best-of\"\nof = [{ publisher = \"mask\", k = 9 }, { publisher = \"mask\", k = 10 }]";
    let told = desk(&MIXED, of).run(&["publish", "job.toml"]).ended(3);
    assert!(told.out.contains("none of the 2 publishers of `of` releases anything"), "{told:?}");
    let told = desk(&MIXED, of).run(&["publish", "job.toml", "--set", "privacy.l=3"]).ended(3);
    assert!(told.out.contains("not even the whole table as one group meets the principle"), "{told:?}");
}

#[test]
fn the_attack_at_scale_says_that_it_does_not_count_a_choice() {
    let of = "publisher = \"best-of\"\nof = [\"tailor\", \"mondrian\"]";
    let refused = desk(&MIXED, of).run(&["attack", "job.toml", "--budget", "100"]).ended(2);
    assert!(refused.err.contains("`best-of` gives away is not counted at this scale"), "{refused:?}");
}
