//! `pellucid search`, and `pellucid publish` with publisher `search`.

use std::path::Path;
use std::process::Command;

use pellucid_publish::search::{MEASURE_IDS, SEARCH_IDS};
use serde_json::{Value, json};

use crate::common::{Desk, Numbers, SECRET, patients};

/// The running example of Wang, Liau and Hsu 2007, figure 1, with a wish for everyone.
const PEOPLE: &str = "\
id,born,zip,height,health,wish
u1,1956-09-24,24126,161,1,cautious
u2,1956-09-06,24129,167,1,open
u3,1956-09-30,24133,163,1,open
u4,1956-03-23,10427,160,0,open
u5,1956-03-18,10431,165,2,cautious
u6,1956-03-05,10466,168,2,open
u7,1955-04-20,26015,175,2,open
u8,1955-04-18,26032,170,1,open
u9,1955-04-09,26617,173,0,open
u10,1955-04-01,26628,171,0,open
u11,1955-04-23,26328,176,0,open
";

/// A desk with the running example and this `[privacy]`, and what stands after it.
fn example(privacy: &str) -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", PEOPLE);
    desk.write(
        "job.toml",
        format!(
            r#"
[input]
path = "people.csv"
[columns]
id = {{ role = "identifier" }}
born = {{ role = "quasi", type = "date", hierarchy = {{ truncate = ["month", "year"] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "suffix" }} }}
height = {{ role = "quasi", type = "integer", hierarchy = {{ widths = [5, 10, 20], origin = 0 }} }}
health = {{ role = "sensitive", type = "integer" }}
wish = {{ role = "drop" }}
[privacy]
{privacy}
"#
        ),
    );
    desk
}

fn sentence(words: &str) -> String {
    format!("principle = \"logical-security\"\nsentences = [\"{words}\"]\n")
}

const METHOD: &str = "[method]\npublisher = \"search\"\n";

/// Rows of `patients` and of two people unlike all others; three-anonymous with at most a tenth left out.
fn strangers(method: &str) -> Desk {
    let desk = Desk::new();
    desk.write("patients.csv", people(40));
    desk.write(
        "job.toml",
        format!(
            r#"
[input]
path = "patients.csv"
[columns]
name = {{ role = "identifier" }}
age = {{ role = "quasi", type = "integer", hierarchy = {{ widths = [10, 20, 40] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "suffix" }} }}
sex = {{ role = "quasi" }}
disease = {{ role = "sensitive" }}
[privacy]
principle = "k-anonymity"
k = 3
[method]
publisher = "search"
{method}
"#
        ),
    );
    desk
}

/// `rows` of [`patients`], and two people who are alone on every level but the highest.
fn people(rows: u32) -> String {
    format!("{}X1,101,99999,F,{SECRET}-0\nX2,102,99998,F,{SECRET}-1\n", patients(rows))
}

fn run(desk: &Desk, arguments: &[&str]) -> Value {
    desk.run(&[&["search", "job.toml", "--json"], arguments].concat()).ended(0).json()
}

fn levels(told: &Value) -> Vec<u64> {
    ["born", "zip", "height"].iter().map(|name| told["levels"][name].as_u64().unwrap()).collect()
}

fn minimal(told: &Value) -> Vec<Vec<u64>> {
    told["minimal"].as_array().unwrap().iter().map(levels).collect()
}

fn manifest(desk: &Desk, folder: &str) -> Value {
    serde_json::from_str(&desk.read(&format!("{folder}/manifest.json"))).unwrap()
}

#[test]
fn the_running_example_has_the_granulations_of_the_paper() {
    for (words, expected) in [("health = 2", [[1, 2, 2], [2, 5, 1]]), ("health = 1", [[2, 5, 1], [3, 4, 3]])] {
        let told = run(&example(&sentence(words)), &[]);
        assert_eq!(minimal(&told), expected, "{words}");
        assert!(expected.map(Vec::from).contains(&levels(&told["best"])), "{told:#}");
        assert_eq!(told["best"]["levels"].as_object().unwrap().len(), 3);
        assert_eq!((&told["rows"], &told["transparent"]), (&json!(11), &json!(false)));
        assert!(told["not_transparent"].as_str().unwrap().contains("Not transparent"), "{told:#}");
    }
}

#[test]
fn what_is_told_is_what_was_asked_to_be_found() {
    let desk = example(&sentence("health = 2"));
    let both = run(&desk, &[]);
    let best = run(&desk, &["--set", "method.find=best"]);
    let minimal = run(&desk, &["--set", "method.find=minimal"]);
    assert_eq!(best["minimal"], Value::Null);
    assert_eq!((&best["best"], &minimal["minimal"]), (&both["best"], &both["minimal"]));
    assert_eq!(minimal["best"], both["best"]);
    let wrong = desk.run(&["search", "job.toml", "--set", "method.find=worst"]).ended(2).err;
    assert!(wrong.contains("both") && wrong.contains("minimal"), "{wrong}");
}

#[test]
fn every_measure_is_best_in_something_and_every_search_runs() {
    let desk = example(&sentence("health = 2"));
    for (measure, suppression) in MEASURE_IDS.iter().flat_map(|measure| [(measure, "0"), (measure, "0.3")]) {
        let set = [format!("method.measure={measure}"), format!("privacy.suppression={suppression}")];
        let told = run(&desk, &["--set", &set[0], "--set", &set[1]]);
        assert!(told["best"]["score"].is_number(), "{told:#}");
        for search in SEARCH_IDS {
            let other = run(&desk, &["--set", &set[0], "--set", &set[1], "--set", &format!("method.search={search}")]);
            assert!(other["best"].is_object(), "{other:#}");
        }
    }
}

#[test]
fn suppression_may_stand_in_either_section() {
    let limit = |arguments: &[&str]| run(&strangers(""), arguments)["may_leave_out"].as_u64().unwrap();
    assert_eq!(limit(&[]), 0);
    // A tenth of 42 rows, rounded down.
    assert_eq!(limit(&["--set", "privacy.suppression=0.1"]), 4);
    assert_eq!(limit(&["--set", "method.suppression=0.1"]), 4);
    assert_eq!(limit(&["--set", "privacy.suppression=0.1", "--set", "method.suppression=1/10"]), 4);
    assert_eq!(limit(&["--set", "privacy.suppression=1"]), 42);
    let wrong = |arguments: &[&str]| {
        let desk = strangers("");
        desk.run(&[&["publish", "job.toml"], arguments].concat()).ended(2).err
    };
    let told = wrong(&["--set", "privacy.suppression=0.1", "--set", "method.suppression=0.2"]);
    assert!(told.contains("`suppression` is stated twice and differs; "), "{told}");
    for share in ["1.5", "-0.1", "many"] {
        let told = wrong(&["--set", &format!("method.suppression={share}")]);
        assert!(told.contains("from 0 to 1"), "{share}: {told}");
    }
    for publisher in ["hybrid", "tailor", "ace"] {
        let desk = strangers("");
        desk.write("job.toml", desk.read("job.toml").replace("\"search\"", &format!("\"{publisher}\"")));
        let told = desk.run(&["publish", "job.toml", "--set", "privacy.suppression=0.1"]).ended(2).err;
        assert!(told.contains("leaves no row out; remove `suppression` or use publisher = \"search\""), "{told}");
    }
}

#[test]
fn leaving_strangers_out_keeps_the_others_specific() {
    let score = |arguments: &[&str]| run(&strangers(""), arguments)["best"]["score"].as_f64().unwrap();
    assert!(score(&["--set", "privacy.suppression=0.1"]) < score(&[]));
    let desk = strangers("suppression = 0.1\nfunction = \"hierarchy\"");
    let told = desk.run(&["publish", "job.toml"]).ended(0).out;
    let manifest = manifest(&desk, "release");
    let left_out = manifest["left_out"].as_u64().unwrap();
    assert!((2..=4).contains(&left_out) && manifest["mechanism"]["search"]["may_leave_out"] == 4, "{manifest:#}");
    assert_eq!(manifest["rows"].as_u64().unwrap() + left_out, 42);
    assert!(told.contains(&format!("{left_out} of 42 rows are suppressed.")), "{told}");
    assert!(told.contains("of 42 people"), "{told}");
    // The discernibility of the manifest is that of the measure.
    let exact = &manifest["utility"]["discernibility"]["exact"];
    let sizes = desk.read("release/data.csv").lines().skip(1).fold(
        std::collections::BTreeMap::<String, u64>::new(),
        |mut sizes, line| {
            *sizes.entry(line.rsplit_once(',').unwrap().0.to_owned()).or_default() += 1;
            sizes
        },
    );
    let squares: u64 = sizes.values().map(|size| size * size).sum::<u64>() + left_out * 42;
    assert_eq!(exact, &json!(squares.to_string()));
    let blank = desk.read("release-private/assignment.csv").lines().filter(|line| line.ends_with(",(missing)")).count();
    assert_eq!(blank as u64, left_out);
}

#[test]
fn releases_of_a_search_verify_with_every_function() {
    for function in ["mbr", "hierarchy", "anatomy", "microaggregation"] {
        let desk = strangers(&format!("suppression = 0.1\nfunction = \"{function}\""));
        if function == "anatomy" {
            // It shows quasi-identifiers as they are, so sizes of groups alone are no principle for it.
            let told = desk.run(&["publish", "job.toml"]).ended(2).err;
            assert!(told.contains("`anatomy` shows quasi-identifiers as they are"), "{told}");
            let diverse = "[[privacy]]\nprinciple = \"distinct-l-diversity\"\nl = 2\n[[privacy]]";
            desk.write("job.toml", desk.read("job.toml").replace("[privacy]", diverse));
        }
        desk.run(&["publish", "job.toml"]).ended(0);
        for arguments in [&["verify", "release"][..], &["verify", "release", "--source", "patients.csv"]] {
            let told = desk.run(arguments).ended(0).out;
            assert!(told.contains("passed      search "), "{function}: {told}");
        }
        let told = desk.run(&["verify", "release", "--source", "patients.csv"]).ended(0).out;
        assert!(told.contains("exactly those of groups that fail"), "{function}: {told}");
        assert!(told.contains("passed      search groups"), "{function}: {told}");
    }
}

#[test]
fn sentences_for_everyone_and_for_each_are_kept() {
    let sets =
        "principle = \"logical-security\"\nby = \"wish\"\nsentences = { cautious = [\"health = 2\"], open = [] }\n";
    for (privacy, status) in
        [(sentence("health = 2"), 0), (sets.to_owned(), 0), (format!("{sets}file = \"wish.csv\"\n"), 4)]
    {
        let desk = example(&format!("{privacy}{METHOD}"));
        if privacy.contains("file") {
            let known = PEOPLE.lines().map(|line| line.rsplit_once(',').unwrap().0);
            desk.write("people.csv", known.collect::<Vec<_>>().join("\n"));
            let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
            let wishes = PEOPLE.lines().map(cells).map(|cells| format!("{},{}", cells[0], cells[5]));
            desk.write("wish.csv", wishes.collect::<Vec<_>>().join("\n"));
            desk.write("job.toml", desk.read("job.toml").replace("wish = { role = \"drop\" }\n", ""));
        }
        let told = run(&desk, &[]);
        let out = desk.run(&["publish", "job.toml"]).ended(0).out;
        assert!(out.contains("NOT TRANSPARENT"), "{out}");
        let stated = manifest(&desk, "release");
        assert_eq!(stated["mechanism"]["search"]["levels"], told["best"]["levels"]);
        assert!(!stated.to_string().contains("wish.csv"), "{stated:#}");
        // Whose sentences are whose is private when it stands in a file, so that it stays undecided.
        let checked = desk.run(&["verify", "release", "--source", "people.csv"]).ended(status).out;
        assert!(!checked.contains("FAILED"), "{checked}");
    }
    // What two of eleven keep to themselves binds less than what all do.
    let mine = run(&example(&format!("{sets}{METHOD}")), &[]);
    let all = run(&example(&sentence("health = 2")), &[]);
    assert!(mine["best"]["score"].as_f64() <= all["best"]["score"].as_f64());
}

#[test]
fn nothing_passes_is_an_answer() {
    let desk = strangers("");
    let told = desk.run(&["search", "job.toml", "--set", "privacy.k=43"]).ended(3).out;
    assert!(
        told.starts_with("Nothing can be disclosed: none of the") && told.contains("Not even the whole table"),
        "{told}"
    );
    let json = desk.run(&["search", "job.toml", "--set", "privacy.k=43", "--json"]).ended(3).json();
    assert_eq!((&json["best"], &json["minimal"]), (&Value::Null, &json!([])));
    let told = desk.run(&["publish", "job.toml", "--set", "privacy.k=43"]).ended(3).out;
    assert!(told.starts_with("Nothing can be disclosed"), "{told}");
    assert_eq!(desk.names(), ["job.toml", "patients.csv"]);
}

#[test]
fn a_search_needs_no_publisher_and_bears_no_other() {
    // The job of the example names none.
    let desk = example(&sentence("health = 2"));
    desk.run(&["search", "job.toml"]).ended(0);
    let told = desk.run(&["search", "job.toml", "--set", "method.publisher=tailor"]).ended(2).err;
    assert!(told.contains("job.toml") && told.contains("; set `publisher = \"search\"` in [method]"), "{told}");
    assert_eq!(desk.names(), ["job.toml", "people.csv"]);
}

#[test]
fn the_text_says_what_an_adversary_learns() {
    let told = example(&sentence("health = 2")).run(&["search", "job.toml"]).ended(0).out;
    for words in ["Best in `loss`", "Maximally specific: 2", "Not transparent", "\"exclusive\"", "\"tailor\""] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // Hybrid does not take sentences, so it is not offered.
    assert!(!told.contains("hybrid"), "{told}");
    let told = strangers("").run(&["search", "job.toml"]).ended(0).out;
    assert!(told.contains("the levels follow from quasi-identifiers") && !told.contains("Not transparent"), "{told}");
    let desk = strangers("");
    desk.run(&["publish", "job.toml"]).ended(0);
    assert_eq!(manifest(&desk, "release").get("not_transparent"), None);
}

#[test]
fn who_is_left_out_tells_something_and_the_release_says_so() {
    let desk = example(&format!("{}suppression = 0.3\n{METHOD}", sentence("health = 2")));
    let told = desk.run(&["search", "job.toml"]).ended(0).out;
    assert!(told.contains("Rows are left out just when their class fails"), "{told}");
    desk.run(&["publish", "job.toml"]).ended(0);
    let manifest = manifest(&desk, "release");
    assert!(manifest["left_out"].as_u64().unwrap() > 0);
    assert_eq!(manifest["for_publication"], false);
    assert!(manifest["caveat"].as_str().unwrap().contains("satisfies a confidential sentence"), "{manifest:#}");
    assert!(manifest["not_transparent"].as_str().unwrap().contains("sees who is missing"), "{manifest:#}");
}

#[test]
fn a_search_shows_levels_unless_told_otherwise() {
    let desk = example(&format!("{}{METHOD}", sentence("health = 2")));
    desk.run(&["publish", "job.toml"]).ended(0);
    assert_eq!(manifest(&desk, "release")["mechanism"]["function"], "hierarchy");
    desk.run(&["publish", "job.toml", "--overwrite", "--set", "method.function=mbr"]).ended(0);
    assert_eq!(manifest(&desk, "release")["mechanism"]["function"], "mbr");
}

#[test]
fn the_order_of_rows_changes_no_byte() {
    let functions = ["mbr", "hierarchy", "microaggregation", "anatomy"];
    for (privacy, functions) in
        [("k-anonymity\"\nk = 3", &functions[..3]), ("frequency-l-diversity\"\nl = 2", &functions[..])]
    {
        for function in functions {
            let desk = strangers(&format!("suppression = 0.1\nfunction = \"{function}\""));
            desk.write("job.toml", desk.read("job.toml").replace("k-anonymity\"\nk = 3", privacy));
            desk.run(&["publish", "job.toml", "--out", "first"]).ended(0);
            let text = desk.read("patients.csv");
            let mut lines: Vec<&str> = text.lines().collect();
            Numbers::new(3).shuffle(&mut lines[1..]);
            desk.write("patients.csv", lines.join("\n") + "\n");
            desk.run(&["publish", "job.toml", "--out", "second"]).ended(0);
            assert!(desk.bytes("first") == desk.bytes("second"), "{privacy}, {function}");
        }
    }
}

#[test]
fn isomorphic_tables_give_the_same_bytes_when_sizes_alone_decide() {
    let desk = strangers("suppression = 0.1\nfunction = \"hierarchy\"");
    desk.run(&["publish", "job.toml", "--out", "first"]).ended(0);
    // Within every class the sensitive values are handed on from each to the next.
    let assigned = desk.read("first-private/assignment.csv");
    let data = desk.read("first/data.csv");
    let class: Vec<&str> = data.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0).collect();
    let class_of: Vec<Option<&str>> = assigned
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).and_then(|line| line.parse::<usize>().ok()).map(|line| class[line - 1]))
        .collect();
    let text = desk.read("patients.csv");
    let mut rows: Vec<(&str, &str)> = text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap()).collect();
    let before = rows.clone();
    for class in class_of.iter().flatten() {
        let members: Vec<usize> = (0..rows.len()).filter(|&row| class_of[row] == Some(class)).collect();
        for (at, &row) in members.iter().enumerate() {
            rows[row].1 = before[members[(at + 1) % members.len()]].1;
        }
    }
    assert_ne!(rows, before);
    let lines: Vec<String> = rows.iter().map(|(known, value)| format!("{known},{value}")).collect();
    desk.write("patients.csv", format!("{}\n{}\n", text.lines().next().unwrap(), lines.join("\n")));
    desk.run(&["publish", "job.toml", "--out", "second"]).ended(0);
    assert!(desk.bytes("first") == desk.bytes("second"));
}

#[test]
fn no_message_holds_a_cell() {
    for (set, words) in [
        ("method.weights={ages = 2}", "ages"),
        ("method.weights={age = -2}", "weights"),
        ("method.measure=sf", "logical-security"),
        ("method.measure=lost", "loss"),
        ("method.search=slow", "fast"),
        ("method.serch=fast", "search"),
        ("columns.disease.type=integer", "disease"),
        ("columns.age.hierarchy.truncate=[\"month\"]", "hierarchy"),
    ] {
        let desk = strangers("");
        for command in ["search", "publish"] {
            let told = desk.run(&[command, "job.toml", "--set", set]).ended(2);
            assert!(told.err.contains(words) && told.err.contains("; "), "{set}: {told:#?}");
            let all = format!("{}{}", told.out, told.err);
            assert!(!all.contains(SECRET) && !all.contains("99999") && !all.contains("N0000"), "{set}: {told:#?}");
        }
    }
}

#[test]
fn the_documented_search_prints_what_the_documentation_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = std::fs::read_to_string(root.join("docs/search.md")).unwrap();
    let shown = docs.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let job = root.join("examples/search/job.toml");
    let run = Command::new(env!("CARGO_BIN_EXE_pellucid")).arg("search").arg(job).output().unwrap();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), shown);
}

#[test]
fn a_sentence_that_nobody_satisfies_is_refused() {
    let told = example(&sentence("health > 7")).run(&["search", "job.toml"]).ended(2).err;
    assert!(told.contains("(`health > 7`) is satisfied by no row") && told.contains("; check it"), "{told}");
}

#[test]
fn parameters_of_the_genetic_search_are_refused_beside_another_search() {
    for key in ["population", "generations", "crossover", "points", "mutation", "seed"] {
        let desk = strangers(&format!("{key} = 2"));
        for command in ["search", "publish"] {
            let refused = desk.run(&[command, "job.toml"]).ended(2);
            let words = format!(
                "key `{key}` in [method] means nothing to search `fast`; set `search = \"genetic\"`, or delete the key"
            );
            assert!(refused.err.contains(&words), "{refused:#?}");
        }
    }
    strangers("population = 4\ngenerations = 2\nsearch = \"genetic\"").run(&["search", "job.toml"]).ended(0);
}

#[test]
fn deprecated_searches_warn_and_give_the_answer_of_the_fast_one() {
    let desk = strangers("suppression = 0.1\nsearch = \"fast\"");
    desk.write("old.toml", desk.read("job.toml").replace("\"fast\"", "\"incognito\""));
    desk.run(&["publish", "job.toml", "--out", "new"]).ended(0);
    let said = desk.run(&["publish", "old.toml", "--out", "old"]).ended(0).err;
    let warning = "warning: old.toml: `method.search = \"incognito\"` is deprecated since 0.2.0; write `method.search = \"fast\"`";
    assert_eq!(said.matches("is deprecated").count(), 1, "{said}");
    assert!(said.contains(warning), "{said}");
    assert!(desk.bytes("old") == desk.bytes("new"));
    let told = |search: &str| run(&desk, &["--set", &format!("method.search={search}")])["best"].clone();
    assert_eq!(told("breadth-first"), told("fast"));
    let compared = ["compare", "job.toml", "--with", "publisher=search search=breadth-first suppression=0.1"];
    desk.run(&compared).ended(0);
}

#[test]
fn releases_that_name_a_deprecated_search_verify() {
    let desk = strangers("");
    let job = desk.read("job.toml");
    let members =
        "[method]\npublisher = \"best-of\"\nof = [\"mondrian\", { publisher = \"search\", search = \"fast\" }]\n";
    desk.write("job.toml", job.split("[method]").next().unwrap().to_owned() + members);
    desk.run(&["publish", "job.toml"]).ended(0);
    let manifest = desk.read("release/manifest.json");
    assert!(manifest.contains("fast"), "{manifest}");
    desk.write("release/manifest.json", manifest.replace("fast", "incognito"));
    let told = desk.run(&["verify", "release"]).ended(0).out;
    assert!(told.contains("publisher `best-of`"), "{told}");
}

#[test]
fn levels_are_listed_in_the_order_of_the_columns() {
    let desk = Desk::new();
    desk.write("t.csv", "zip,age,ill\n1,1,a\n1,2,b\n2,1,a\n2,2,b\n");
    desk.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns]\nage = { role = \"quasi\" }\nzip = { role = \"quasi\" }\n\
         ill = { role = \"sensitive\" }\n[privacy]\nprinciple = \"k-anonymity\"\nk = 4\n[method]\npublisher = \"search\"\n",
    );
    let published = desk.run(&["publish", "job.toml"]).ended(0);
    assert!(published.out.contains("Levels: zip 1, age 1;"), "{published:#?}");
    let searched = desk.run(&["search", "job.toml"]).ended(0);
    assert!(searched.out.contains("  zip 1, age 1 (1 class)"), "{searched:#?}");
    let verified = desk.run(&["verify", "release"]).ended(0);
    assert!(verified.out.contains("levels zip 1, age 1,"), "{verified:#?}");
    // What is counted stands in the singular after one.
    assert!(published.out.contains("4 rows in 1 equivalence class,"), "{published:#?}");
    assert!(verified.out.contains("Rows: 4, in 1 equivalence class."), "{verified:#?}");
}
