//! Sequences of functions: the papers' tables, what is written and what is not, and bad input.

use std::collections::BTreeMap;

use crate::common::{Desk, Numbers, Outcome};

/// Conditions of Table 1 of the exclusive-strategy paper, by age.
const TABLE_1: [&str; 10] = [
    "flu",
    "tracheitis",
    "pneumonia",
    "tracheitis",
    "gastritis",
    "gastritis",
    "cancer",
    "enteritis",
    "cancer",
    "heart disease",
];
/// Conditions of its Table 6.
const TABLE_6: [&str; 10] = [
    "flu",
    "pneumonia",
    "tracheitis",
    "tracheitis",
    "gastritis",
    "gastritis",
    "cancer",
    "cancer",
    "enteritis",
    "heart disease",
];
const AGES: [u32; 10] = [21, 27, 31, 36, 43, 49, 52, 58, 63, 67];
/// The three functions of both tables; they do not nest, so they are written as borders.
const BORDERS: &str =
    "[{ age = [20, 30, 40, 50, 60, 70] }, { age = [20, 30, 45, 60, 70] }, { age = [20, 35, 55, 70] }]";

fn paper_job(method: &str) -> String {
    format!(
        r#"[input]
path = "patients.csv"

[columns]
name = {{ role = "identifier" }}
age = {{ role = "quasi", type = "integer" }}
condition = {{ role = "sensitive" }}

[privacy]
principle = "recursive-cl-diversity"
c = 2
l = 2

[method]
publisher = "sequence"
sequence = {BORDERS}
{method}
"#
    )
}

fn paper_table(conditions: [&str; 10]) -> String {
    let people = AGES.iter().zip(conditions).zip('A'..='J');
    let lines = people.map(|((age, condition), name)| format!("{name},{age},{condition}\n"));
    "name,age,condition\n".to_owned() + &lines.collect::<String>()
}

/// A desk with the paper's job and table.
fn paper(conditions: [&str; 10], method: &str) -> Desk {
    let desk = Desk::new();
    desk.write("job.toml", paper_job(method));
    desk.write("patients.csv", paper_table(conditions));
    desk
}

fn manifest(desk: &Desk) -> serde_json::Value {
    serde_json::from_str(&desk.read("release/manifest.json")).unwrap()
}

#[test]
fn the_strategies_release_what_the_papers_say() {
    // Naive, safe, exclusive, and k-jump with a jump beyond the end, which is exclusive.
    let strategies = ["strategy = \"naive\"", "strategy = \"safe\"", "", "strategy = \"k-jump\"\njumps = 3"];
    for (conditions, expected) in [(TABLE_1, [Some(2), None, None, None]), (TABLE_6, [Some(3), None, Some(3), Some(3)])]
    {
        for (method, released) in strategies.iter().zip(expected) {
            let desk = paper(conditions, method);
            let outcome = desk.run(&["publish", "job.toml"]).ended(if released.is_some() { 0 } else { 3 });
            if let Some(step) = released {
                assert_eq!(manifest(&desk)["mechanism"]["sequence"]["released"], step, "{method}");
            } else {
                assert!(outcome.out.starts_with("Nothing can be disclosed"), "{outcome:#?}");
                assert_eq!(desk.names(), ["job.toml", "patients.csv"]);
            }
        }
    }
}

#[test]
fn the_walk_is_told_with_what_the_naive_publisher_would_give_away() {
    // Of Table 1 naive releases g2, from which E and F are known for certain to share their condition.
    let told = paper(TABLE_1, "strategy = \"safe\"").run(&["publish", "job.toml"]).ended(3).out;
    assert!(told.contains("step 1: disclosure set fails"), "{told}");
    assert!(told.contains("step 3: disclosure set fails (highest ratio 19/25 (0.760))"), "{told}");
    assert!(told.contains("A naive publisher would have released step 2"), "{told}");
    let json = paper(TABLE_1, "").run(&["publish", "job.toml", "--json"]).ended(3).json();
    assert_eq!(json["account"]["naive"]["released"], 2);
    assert_eq!(json["account"]["naive"]["belief"]["highest"]["exactly"], "1");
    assert!(json["account"]["naive"]["belief"]["failing"]["low"].as_u64() >= Some(2), "{json:#}");
}

#[test]
fn explain_shows_every_set_and_keeps_it_private() {
    let desk = paper(TABLE_6, "");
    let told = desk.run(&["publish", "job.toml", "--explain"]).ended(0).out;
    // Example 8: 68 worlds, highest ratio 11/17.
    assert!(told.contains("disclosure set: 68 worlds, highest ratio 11/17 (0.647), the principle holds"), "{told}");
    for words in
        ["step 1: age [20, 30, 40, 50, 60, 70]; 5 groups, the smallest has 2", "looked at, in order", "given nothing:"]
    {
        assert!(told.contains(words), "`{words}`: {told}");
    }
    let private: serde_json::Value = serde_json::from_str(&desk.read("release-private/private.json")).unwrap();
    assert_eq!(private["account"]["steps"][2]["disclosure"]["worlds"], "68");
    for (name, bytes) in desk.bytes("release") {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("11/17") && !text.replace("random-worlds", "").contains("worlds"), "{name}: {text}");
    }
}

/// Tables 1 to 3 of the k-jump paper, with the conditions of six people; at most half may share a value.
fn six(conditions: [&str; 6], method: &str) -> Desk {
    let functions = "[{ age = [20, 30, 40, 50] }, { age = [20, 35, 50] }, { age = [20, 40, 50] }]";
    let job = paper_job(method).replace(BORDERS, functions);
    let principle = "principle = \"highest-ratio\"\nratio = \"1/2\"";
    let job = job.replace("principle = \"recursive-cl-diversity\"\nc = 2\nl = 2", principle);
    let lines = conditions.iter().enumerate().map(|(at, condition)| format!("N{at},{},{condition}\n", 20 + 5 * at));
    let desk = Desk::new();
    desk.write("job.toml", job);
    desk.write("patients.csv", "name,age,condition\n".to_owned() + &lines.collect::<String>());
    desk
}

const SIX: [&str; 6] = ["flu", "cold", "cancer", "cancer", "headache", "toothache"];
/// One of the 24 tables of which the safe strategy releases nothing; in all of them the last two have cancer.
const SIX_SILENT: [&str; 6] = ["flu", "cold", "headache", "toothache", "cancer", "cancer"];

#[test]
fn a_jump_is_told() {
    let told = six(SIX, "strategy = \"k-jump\"\njumps = 1").run(&["publish", "job.toml"]).ended(0).out;
    let walk = "step 1: groups fail (highest ratio 1); step 2: groups pass, disclosure set fails (highest ratio 1); step 3: \
                groups pass, disclosure set passes: released.";
    assert!(told.contains(walk), "{told}");
    let told = six(SIX, "strategy = \"k-jump\"\njumps = 2").run(&["publish", "job.toml"]).ended(3).out;
    assert!(
        told.contains("step 2: groups pass, disclosure set fails (highest ratio 1); nothing is released."),
        "{told}"
    );
}

#[test]
fn silence_that_can_be_seen_is_judged() {
    let observable = "strategy = \"safe\"\nsilence = \"observable\"";
    let desk = six(SIX_SILENT, observable);
    let told = desk.run(&["publish", "job.toml"]).ended(3).out;
    assert!(told.contains("even saying nothing discloses") && told.contains("No safe answer\nremains"), "{told}");
    assert!(told.contains("with probability 1, and the principle fails for 2 people"), "{told}");
    let json = desk.run(&["publish", "job.toml", "--json"]).ended(3).json();
    assert_eq!(json["silence_discloses"], true);
    assert_eq!(json["account"]["given_nothing"]["worlds"], "24");
    let desk = six(SIX, observable);
    let told = desk.run(&["publish", "job.toml"]).ended(0).out;
    assert!(told.contains("WARNING: this release is safe, but for other tables"), "{told}");
    assert_eq!(manifest(&desk)["mechanism"]["sequence"]["silence"], "observable");
    let told = six(SIX_SILENT, "strategy = \"safe\"").run(&["publish", "job.toml"]).ended(3).out;
    assert!(told.contains("Let nobody see when nothing is released"), "{told}");
}

#[test]
fn the_reason_for_nothing_is_told() {
    let told = paper(TABLE_1, "strategy = \"exclusive\"").run(&["publish", "job.toml"]).ended(3).out;
    assert!(told.contains("groups of step 2 pass, but its disclosure set does not"), "{told}");
    let told = paper(TABLE_1, "strategy = \"safe\"").run(&["publish", "job.toml"]).ended(3).out;
    assert!(told.contains("strategy `safe` came to the end of the sequence"), "{told}");
}

#[test]
fn keys_of_a_sequence_belong_to_its_publisher() {
    let desk = paper(TABLE_1, "strategy = \"exclusive\"");
    let told = desk.run(&["publish", "job.toml", "--set", "method.publisher=hybrid"]).ended(2).err;
    assert!(told.contains("it belongs to publisher `sequence`"), "{told}");
}

#[test]
fn the_naive_strategy_is_not_for_publication() {
    let desk = paper(TABLE_6, "strategy = \"naive\"");
    desk.run(&["publish", "job.toml"]).ended(0);
    assert_eq!(manifest(&desk)["for_publication"], false);
    assert!(desk.read("release/summary.txt").starts_with("NOT FOR PUBLICATION"));
    let checked = desk.run(&["verify", "release", "--source", "patients.csv"]).ended(4);
    assert!(checked.out.contains("publication"), "{}", checked.out);
}

#[test]
fn a_release_can_be_verified_and_a_forged_one_is_found() {
    for function in ["mbr", "hierarchy", "anatomy", "microaggregation"] {
        let desk = paper(TABLE_6, &format!("function = \"{function}\""));
        desk.run(&["publish", "job.toml"]).ended(0);
        let checked = desk.run(&["verify", "release", "--source", "patients.csv"]).ended(0).out;
        assert!(checked.contains("passed      sequence groups"), "{checked}");
        desk.run(&["verify", "release"]).ended(0);
        // Another function is said to have been released.
        let forged = desk.read("release/manifest.json").replace("\"released\": 3", "\"released\": 2");
        desk.write("release/manifest.json", forged);
        desk.run(&["verify", "release", "--source", "patients.csv"]).ended(4);
    }
    let desk = paper(TABLE_6, "function = \"hierarchy\"");
    desk.run(&["publish", "job.toml"]).ended(0);
    assert!(desk.read("release/data.csv").contains("\"[20, 34]\""), "{}", desk.read("release/data.csv"));
    desk.write("release/data.csv", desk.read("release/data.csv").replacen("[20, 34]", "[20, 30]", 1));
    desk.run(&["verify", "release", "--source", "patients.csv"]).ended(4);
}

#[test]
fn secret_jumps_are_kept_in_the_private_folder() {
    // The groups of g1 pass, whatever the jumps; from step 2 there are two destinations.
    let mut conditions = TABLE_1;
    conditions.swap(5, 6);
    let desk = paper(conditions, "strategy = \"k-jump\"\njumps = \"secret\"");
    let mut vectors = BTreeMap::new();
    for seed in 0..12u32 {
        desk.run(&["publish", "job.toml", "--overwrite", "--insecure-seed", &seed.to_string()]).ended(0);
        let private: serde_json::Value = serde_json::from_str(&desk.read("release-private/private.json")).unwrap();
        let vector = private["secret_jumps"].to_string();
        assert_eq!(private["secret_jumps"].as_array().unwrap().len(), 3);
        let public = manifest(&desk);
        assert_eq!(public["for_publication"], false);
        assert_eq!(public["mechanism"]["publisher_parameters"]["jumps"], "secret");
        assert_eq!(public["mechanism"]["sequence"]["family"], "2");
        for (name, bytes) in desk.bytes("release") {
            let text: String = String::from_utf8(bytes).unwrap().split_whitespace().collect();
            assert!(!text.contains(&vector), "{name}: {text}");
        }
        vectors.insert(vector, desk.bytes("release"));
    }
    assert_eq!(vectors.len(), 2, "both members of the family are drawn");
    let bytes: Vec<_> = vectors.into_values().collect();
    assert_eq!(bytes[0], bytes[1], "what is published does not tell which");
    desk.run(&["publish", "job.toml", "--overwrite"]).ended(0);
    assert_eq!(manifest(&desk)["for_publication"], true);
}

/// A job with hierarchies and a table for it.
const JOB: &str = r#"[input]
path = "t.csv"

[columns]
age = { role = "quasi", type = "integer", hierarchy = { widths = [10, 20] } }
zip = { role = "quasi", hierarchy = { mask = "suffix", levels = [1, 2] } }
sex = { role = "quasi" }
ill = { role = "sensitive" }

[privacy]
principle = "highest-ratio"
ratio = "1/2"

[method]
publisher = "sequence"
sequence = [{ age = 1, zip = 1 }, { age = 2, zip = 1 }, { age = "top", zip = "top" }]
function = "hierarchy"

[output]
dir = "release"
"#;

const TABLE: &str =
    "age,zip,sex,ill\n21,11,F,a\n22,12,F,b\n25,11,F,a\n27,13,F,b\n31,12,F,c\n35,11,F,a\n41,21,F,c\n44,22,F,b\n";

fn desk(job: &str, table: &str) -> Desk {
    let desk = Desk::new();
    desk.write("job.toml", job);
    desk.write("t.csv", table);
    desk
}

#[test]
fn levels_are_shown_as_labels_whatever_is_in_the_group() {
    let desk = desk(JOB, TABLE);
    desk.run(&["publish", "job.toml"]).ended(0);
    let sequence = &manifest(&desk)["mechanism"]["sequence"];
    assert_eq!(sequence["functions"].as_array().unwrap().len(), 3);
    assert_eq!(sequence["functions"][1]["columns"], serde_json::json!({ "age": 2, "zip": 1 }));
    let data = desk.read("release/data.csv");
    // All of sex are F and shown as they are; ages of one decade or two, though the values are narrower.
    assert!(data.lines().skip(1).all(|line| line.contains(",F,")), "{data}");
    assert!(data.contains("[20, 29]") || data.contains("[20, 39]") || data.contains('*'), "{data}");
    desk.run(&["verify", "release", "--source", "t.csv"]).ended(0);
}

#[test]
fn chain_and_lattice_are_derived() {
    let whole = JOB.replace("sex = { role = \"quasi\" }", "sex = { role = \"drop\" }");
    let list = "[{ age = 1, zip = 1 }, { age = 2, zip = 1 }, { age = \"top\", zip = \"top\" }]";
    // The masks "1*" and "2*" join under the second level.
    for (word, least) in [("chain", 3), ("lattice", 5)] {
        let desk = desk(&whole.replace(list, &format!("\"{word}\"")), TABLE);
        desk.run(&["publish", "job.toml"]).ended(0);
        let public = manifest(&desk);
        let functions = public["mechanism"]["sequence"]["functions"].as_array().unwrap().len();
        assert!(functions >= least, "{word}: {functions}");
        assert_eq!(public["mechanism"]["publisher_parameters"]["sequence"], word);
        desk.run(&["verify", "release", "--source", "t.csv"]).ended(0);
    }
}

#[test]
fn group_sizes_rule_functions_out_by_a_public_rule() {
    let both = JOB.replace("[privacy]", "[[privacy]]\nprinciple = \"k-anonymity\"\nk = 8\n\n[[privacy]]");
    let released = desk(&both, TABLE);
    let told = released.run(&["publish", "job.toml", "--explain"]).ended(0).out;
    assert!(told.contains("ruled out by group sizes: every group has at least 8 rows"), "{told}");
    let public = manifest(&released);
    assert_eq!(public["mechanism"]["sequence"]["released"], 3);
    assert!(public["mechanism"]["sequence"]["functions"][0]["ruled_out"].is_string());
    let none = desk(&both.replace("k = 8", "k = 9"), TABLE);
    assert!(none.run(&["publish", "job.toml"]).ended(3).out.contains("groups that are too small"));
    // Group sizes alone: no sensitive column is looked at.
    let sizes = JOB.replace("highest-ratio", "k-anonymity").replace("ratio = \"1/2\"", "k = 2");
    desk(&sizes, TABLE).run(&["publish", "job.toml"]).ended(0);
}

#[test]
fn the_order_of_rows_changes_no_public_byte() {
    let mut numbers = Numbers::new(3);
    let ordered = desk(JOB, TABLE);
    ordered.run(&["publish", "job.toml"]).ended(0);
    for _ in 0..4 {
        let mut lines: Vec<&str> = TABLE.lines().skip(1).collect();
        numbers.shuffle(&mut lines);
        let shuffled = desk(JOB, &format!("age,zip,sex,ill\n{}\n", lines.join("\n")));
        shuffled.run(&["publish", "job.toml"]).ended(0);
        assert_eq!(shuffled.bytes("release"), ordered.bytes("release"));
    }
}

#[test]
fn isomorphic_tables_give_the_same_bytes_when_the_same_function_is_released() {
    // Of Table 6 exclusive releases g3; swap values inside its groups ages 20 to 34, 35 to 54, 55 to 69.
    let mut compared = 0;
    for (a, b) in [(0, 1), (1, 2), (3, 4), (5, 6), (7, 8), (8, 9)] {
        let mut swapped = TABLE_6;
        swapped.swap(a, b);
        for function in ["mbr", "hierarchy", "anatomy", "microaggregation"] {
            let method = format!("function = \"{function}\"");
            let (first, second) = (paper(TABLE_6, &method), paper(swapped, &method));
            first.run(&["publish", "job.toml"]).ended(0);
            if second.run(&["publish", "job.toml"]).status == 0
                && manifest(&second)["mechanism"]["sequence"]["released"] == 3
            {
                assert_eq!(first.bytes("release"), second.bytes("release"));
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "no pair of isomorphic tables was compared");
}

/// The job with one text replaced is refused with all `words`, and nothing is written.
fn refuses(from: &str, to: &str, words: &[&str]) -> Outcome {
    assert!(JOB.contains(from));
    let desk = desk(&JOB.replacen(from, to, 1), TABLE);
    let outcome = desk.run(&["publish", "job.toml"]).ended(2);
    for word in words {
        assert!(outcome.err.contains(word), "`{word}` is not said: {outcome:#?}");
    }
    assert!(outcome.err.contains(';') || outcome.err.contains("must"), "no remedy: {outcome:#?}");
    assert_eq!(desk.names(), ["job.toml", "t.csv"]);
    outcome
}

#[test]
fn sequences_that_cannot_be_walked_are_refused() {
    let list = "[{ age = 1, zip = 1 }, { age = 2, zip = 1 }, { age = \"top\", zip = \"top\" }]";
    for (sequence, words) in [
        ("[]", &["`sequence` is empty"][..]),
        ("\"chian\"", &["did you mean `chain`?"]),
        ("\"chain\"", &["column `sex`", "hierarchy"]),
        ("[{ age = 9 }]", &["function 1", "column `age`", "level 9", "levels 0 to 3"]),
        ("[{ agee = 1 }]", &["function 1", "`agee`", "did you mean `age`?"]),
        ("[{ ill = 1 }]", &["`ill`", "no quasi column"]),
        ("[{ sex = 1 }]", &["column `sex`", "no hierarchy"]),
        ("[{ sex = \"top\" }]", &["column `sex`", "no hierarchy"]),
        ("[{ age = 2 }, { age = 1 }]", &["function 2 of the sequence is finer than function 1"]),
        ("[{ age = [20, 30] }]", &["function 1", "column `age`", "outside its `borders`"]),
        ("[{ zip = [10, 20] }]", &["function 1", "column `zip`", "`borders` need"]),
        ("[{ age = true }]", &["function 1", "column `age`", "not a level"]),
    ] {
        refuses(list, sequence, words);
    }
    refuses(&format!("sequence = {list}\n"), "", &["`sequence`", "add it"]);
}

#[test]
fn strategies_and_jumps_that_do_not_fit_are_refused() {
    let add = |more: &str| format!("publisher = \"sequence\"\n{more}");
    for (more, words) in [
        ("strategy = \"k-jmp\"", &["strategy", "did you mean `k-jump`?"][..]),
        ("strategy = \"k-jump\"", &["`k-jump` needs `jumps`"]),
        ("jumps = 2", &["`jumps` goes with strategy = \"k-jump\"", "`exclusive`"]),
        ("strategy = \"k-jump\"\njumps = 0", &["at least 1"]),
        ("strategy = \"k-jump\"\njumps = 4", &["jumps must lie between 1 and 3"]),
        ("strategy = \"k-jump\"\njumps = [1, 1]", &["2 distances, but the sequence has 3"]),
        ("strategy = \"k-jump\"\njumps = \"often\"", &["jumps (`often`) must be"]),
        ("silence = \"golden\"", &["silence cannot be `golden`"]),
        ("jump = 2", &["unknown key `jump`", "did you mean `jumps`?"]),
    ] {
        refuses("publisher = \"sequence\"", &add(more), words);
    }
    refuses("publisher = \"sequence\"", "publisher = \"hybrid\"", &["unknown key `sequence` in [method]"]);
    refuses("sex = { role = \"quasi\" }", "sex = { role = \"sensitive\" }", &["one sensitive column", "tailor"]);
}

#[test]
fn the_bundled_example_works() {
    let example = crate::common::root().join("examples/sequence");
    let read = |name: &str| std::fs::read_to_string(example.join(name)).unwrap();
    let desk = desk(&read("job.toml"), "");
    desk.write("patients.csv", read("patients.csv"));
    let told = desk.run(&["publish", "job.toml", "--explain"]).ended(0).out;
    assert!(told.contains("step 3: groups pass, disclosure set passes: released."), "{told}");
    assert!(
        told.contains("A naive publisher would have released step 2; an adversary who knows it believes"),
        "{told}"
    );
    desk.run(&["verify", "release", "--source", "patients.csv"]).ended(0);
    // Two further from step 2 is step 4.
    let told = desk.run(&["publish", "job.toml", "--dry-run", "--set", "method.jumps=2"]).ended(0).out;
    assert!(told.contains("; jumped to step 4: groups pass, disclosure set passes: released."), "{told}");
}

#[test]
fn a_lattice_that_is_too_large_is_refused() {
    // Six characters make seven levels, and 7^10 combinations are far more than can be sorted.
    let names: Vec<String> = (0..10).map(|at| format!("q{at}")).collect();
    let columns: Vec<String> = names
        .iter()
        .map(|name| format!("{name} = {{ role = \"quasi\", hierarchy = {{ mask = \"suffix\" }} }}"))
        .collect();
    let job = JOB.replace("sex = { role = \"quasi\" }", &columns.join("\n"));
    let list = "[{ age = 1, zip = 1 }, { age = 2, zip = 1 }, { age = \"top\", zip = \"top\" }]";
    let rows: Vec<String> = (0..4).map(|row| format!("2{row},11,a{}", ",123456".repeat(10))).collect();
    let desk =
        desk(&job.replace(list, "\"lattice\""), &format!("age,zip,ill,{}\n{}\n", names.join(","), rows.join("\n")));
    let refused = desk.run(&["publish", "job.toml"]).ended(2);
    assert!(
        refused.err.contains("combinations of levels") && refused.err.contains("write the sequence out"),
        "{refused:#?}"
    );
    assert_eq!(desk.names(), ["job.toml", "t.csv"]);
}
