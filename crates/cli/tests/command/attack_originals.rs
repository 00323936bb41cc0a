//! `pellucid attack` on small tables: every possible original is tried.

use serde_json::Value;

use crate::common::{Desk, root};

/// The external source of Xiao, Tao and Koudas 2010, table II: everybody and Bruce; with a column that nobody asks for.
const REGISTER: &str = "zip,name,age,phone
10000,Ann,21,1
18000,Bob,27,2
19000,Bruce,29,3
35000,Cate,32,4
35000,Don,32,5
60000,Ed,54,6
63000,Fred,60,7
63000,Gill,60,8
63000,Hera,60,9
";

/// A file of the bundled example, the microdata of table I and Opt-Gen.
fn example(name: &str) -> String {
    std::fs::read_to_string(root().join("examples/attack").join(name)).unwrap()
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", example("people.csv"));
    desk.write("register.csv", REGISTER);
    desk.write("job.toml", example("job.toml"));
    desk
}

/// By person, belief in words: ignoring, knowing, knowing only that the release is minimal.
fn risks(told: &Value) -> Vec<[String; 3]> {
    let text = |value: &Value| value.as_str().or(value["exactly"].as_str()).unwrap_or("-").to_owned();
    let people = told["tried"]["people"].as_array().unwrap();
    people.iter().map(|person| ["blind", "risk", "credibility"].map(|key| text(&person[key]))).collect()
}

#[test]
fn opt_gen_gives_ed_away_though_his_credibility_is_a_quarter() {
    let desk = desk();
    let told = desk.run(&["attack", "job.toml", "--json"]).ended(0).json();
    assert_eq!((&told["tried"]["originals"], &told["tried"]["left"]), (&5040.into(), &24.into()));
    let risks = risks(&told);
    assert_eq!(risks[4], ["1/4", "1", "1/4"]);
    assert_eq!(risks[5], ["1/4", "1/3", "1/4"]);
    assert_eq!(risks[0], ["1/2", "1/2", "1/2"]);
    assert_eq!(told["account"]["knowing"]["certain"]["low"], 1);
    // Gastritis for Ed: from 1/4 to 1.
    assert_eq!(told["account"]["largest_gain"], 0.75);
}

#[test]
fn the_release_and_an_external_source_are_enough() {
    let desk = desk();
    desk.run(&["publish", "job.toml"]).ended(0);
    std::fs::remove_file(desk.path("people.csv")).unwrap();
    let public =
        ["attack", "job.toml", "--json", "--release", "release", "--external", "register.csv", "--without-table"];
    let told = desk.run(&public).ended(0).json();
    let risks = risks(&told);
    assert_eq!(risks.len(), 9);
    // Bruce, who fits no box, is not in the table; Ed, after him, is known.
    assert_eq!((&risks[2][1], &risks[5]), (&"0".to_owned(), &["1/4", "1", "1/4"].map(str::to_owned)));
}

#[test]
fn beliefs_are_written_for_every_person_and_value() {
    let desk = desk();
    desk.run(&["attack", "job.toml", "--beliefs", "beliefs.csv"]).ended(0);
    let beliefs = desk.read("beliefs.csv");
    let of_ed: Vec<&str> = beliefs.lines().filter(|line| line.starts_with("5,")).collect();
    assert_eq!(of_ed, ["5,diabetes,0,1/4", "5,dyspepsia,0,1/4", "5,flu,0,1/4", "5,gastritis,1,1/4"]);
    let told = desk.run(&["attack", "job.toml", "--beliefs", "people.csv"]).ended(2).err;
    assert!(told.contains("`people.csv` is there already"), "{told}");
    assert_eq!(desk.read("people.csv"), example("people.csv"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(desk.path("beliefs.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "only the owner may read it");
    }
    let scale = ["attack", "job.toml", "--budget", "1000", "--set", "method.publisher=mondrian", "--beliefs", "b.csv"];
    assert!(desk.run(&scale).ended(2).err.contains("groups were counted"));
}

#[test]
fn no_value_is_printed() {
    let desk = desk();
    for arguments in [&["attack", "job.toml"][..], &["attack", "job.toml", "--json"]] {
        let told = desk.run(arguments).ended(0).out;
        assert!(!["dyspepsia", "flu", "gastritis", "Ed"].iter().any(|value| told.contains(value)), "{told}");
    }
}

#[test]
fn mask_is_attacked_with_all_values_possible() {
    // Values that are shown may not be the table's, so any are possible: 3^4 originals.
    let desk = Desk::new();
    desk.write("people.csv", "name,age,zip,disease\na,1,1,x\nb,1,1,y\nc,9,9,z\nd,9,9,z\n");
    desk.write("job.toml", example("job.toml"));
    let mask = ["--set", "method={publisher=\"mask\",k=2}"];
    let told = desk.run(&[&["attack", "job.toml", "--json"][..], &mask].concat()).ended(0).json();
    assert_eq!(told["tried"]["originals"], 81);
    let known = [&["attack", "job.toml", "--json", "--prior", "multiset"][..], &mask].concat();
    assert_eq!(desk.run(&known).ended(0).json()["tried"]["originals"], 12);
}

#[test]
fn silence_speaks() {
    // Three people of one age of whom two share a disease: nothing passes, and whoever knows it knows that two do.
    let desk = Desk::new();
    desk.write("people.csv", "name,age,zip,disease\na,1,1,x\nb,1,1,x\nc,1,1,y\n");
    desk.write("job.toml", example("job.toml"));
    let told = desk.run(&["attack", "job.toml"]).ended(3).out;
    assert!(told.contains("asked with --nothing"), "{told}");
    let told = desk.run(&["attack", "job.toml", "--nothing", "--json"]).ended(0).json();
    // Of 2^3 tables none passes for l = 2: silence tells nothing.
    assert_eq!((&told["tried"]["silence"], &told["tried"]["left"]), (&true.into(), &8.into()));
    assert_eq!(risks(&told)[0][..2], ["1/2", "1/2"]);
    // With a third value possible, a release comes unless two people agree: 27 - 6 tables are left.
    let more = ["attack", "job.toml", "--nothing", "--json", "--values", "x,y,z"];
    let told = desk.run(&more).ended(0).json();
    assert_eq!((&told["tried"]["originals"], &told["tried"]["left"]), (&27.into(), &21.into()));
    let multiset = ["attack", "job.toml", "--nothing", "--json", "--prior", "multiset"];
    assert_eq!(risks(&desk.run(&multiset).ended(0).json())[2][..2], ["2/3", "2/3"]);
    // A release was made, so that is not what was seen.
    desk.write("people.csv", example("people.csv"));
    let wrong = desk.run(&["attack", "job.toml", "--nothing", "--prior", "multiset"]).ended(2).err;
    assert!(wrong.contains("the job makes a release of this table"), "{wrong}");
    // Which is said before how many originals there are.
    let many = desk.run(&["attack", "job.toml", "--nothing", "--budget", "10"]).ended(2).err;
    assert!(many.contains("the job makes a release of this table"), "{many}");
}

#[test]
fn what_does_not_belong_together_is_an_error() {
    let desk = desk();
    desk.run(&["publish", "job.toml"]).ended(0);
    // Another table.
    desk.write("people.csv", example("people.csv").replace("Ed,54,60000,gastritis", "Ed,54,60000,flu"));
    let told = desk.run(&["attack", "job.toml", "--release", "release"]).ended(2).err;
    assert!(told.contains("does not belong to the table"), "{told}");
    // The same at scale, where the publisher does not draw.
    desk.run(&["publish", "job.toml", "--set", "method.publisher=mondrian", "--out", "cut"]).ended(0);
    let cut = ["attack", "job.toml", "--set", "method.publisher=mondrian", "--budget", "1000", "--release", "cut"];
    desk.run(&cut).ended(0);
    desk.write("people.csv", example("people.csv"));
    let told = desk.run(&cut).ended(2).err;
    assert!(told.contains("cut: the release does not belong to the table"), "{told}");
    // A column that is published as it is, before one with a hierarchy, is left aside.
    desk.write(
        "job.toml",
        example("job.toml").replace("age = { role = \"quasi\", type = \"integer\" }", "age = { role = \"keep\" }"),
    );
    let levels = ["--set", "method.publisher=search", "--set", "columns.zip.hierarchy={widths=[50000]}"];
    desk.run(&[&["publish", "job.toml", "--out", "levels"][..], &levels].concat()).ended(0);
    for budget in ["1000", "1000000"] {
        let seen = ["attack", "job.toml", "--release", "levels", "--budget", budget];
        desk.run(&[&seen[..], &levels].concat()).ended(0);
    }
    desk.write("job.toml", example("job.toml"));
    let drawn = ["attack", "job.toml", "--set", "method.publisher=hybrid", "--budget", "1000", "--release", "cut"];
    let told = desk.run(&drawn).ended(2).err;
    assert!(told.contains("draws at random") && told.contains("pellucid verify"), "{told}");
    // An external source that lacks somebody.
    desk.write("register.csv", REGISTER.replace("60000,Ed,54,6\n", ""));
    let told = desk.run(&["attack", "job.toml", "--external", "register.csv"]).ended(2).err;
    assert!(told.contains("register.csv: the external source lacks the person of row 5 of the table"), "{told}");
    let public = ["attack", "job.toml", "--release", "release", "--external", "register.csv", "--without-table"];
    let told = desk.run(&public).ended(2).err;
    assert!(told.contains("the external source lacks nobody"), "{told}");
    desk.write("short.csv", "name,age,zip\nAnn,21,10000\n");
    let short = ["attack", "job.toml", "--release", "release", "--external", "short.csv", "--without-table"];
    let told = desk.run(&short).ended(2).err;
    assert!(told.contains("the external source has 1 person, fewer than the release has rows"), "{told}");
    // Neither a release nor an external source, and too many originals.
    let told = desk.run(&["attack", "job.toml", "--release", "."]).ended(2).err;
    assert!(told.contains("no table of a release in this folder"), "{told}");
    desk.write("register.csv", "name,age\nAnn,21\n");
    let told = desk.run(&["attack", "job.toml", "--external", "register.csv"]).ended(2).err;
    assert!(told.contains("register.csv") && told.contains("`zip`"), "{told}");
    desk.write("register.csv", REGISTER);
    let told = desk.run(&["attack", "job.toml", "--external", "register.csv", "--budget", "1000"]).ended(2).err;
    assert!(told.contains("45360 possible originals, `--budget` allows 100"), "{told}");
    assert!(desk.run(&["attack", "job.toml", "--without-table"]).ended(2).err.contains("--external"));
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let documentation = std::fs::read_to_string(root().join("docs/attacks.md")).unwrap();
    let mut shown = 0;
    for block in documentation.split("```console\n").skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        let (command, expected) = block.split_once('\n').unwrap();
        let arguments: Vec<&str> = command.trim_start_matches("$ pellucid ").split(' ').collect();
        let desk = Desk::new();
        let printed = desk.command(&arguments).current_dir(root()).output().unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        // The last line says how long it took.
        let told: Vec<&str> = printed.lines().filter(|line| !line.ends_with("with reading the table.")).collect();
        assert_eq!(told, expected.lines().collect::<Vec<&str>>(), "{command}");
        shown += 1;
    }
    assert_eq!(shown, 2);
}

#[test]
fn borders_of_a_sequence_are_what_the_blind_see() {
    let desk = Desk::new();
    desk.write("people.csv", "age,disease\n21,x\n28,y\n31,x\n39,z\n");
    let job = r#"[input]
path = "people.csv"
[columns]
age = { role = "quasi", type = "integer", hierarchy = { widths = [50], origin = 0 } }
disease = { role = "sensitive" }
[privacy]
principle = "frequency-l-diversity"
l = 2
[method]
publisher = "sequence"
strategy = "safe"
sequence = [{ age = [20, 30, 40] }, { age = "top" }]
function = "hierarchy"
"#;
    desk.write("job.toml", job);
    let told = desk.run(&["attack", "job.toml", "--json"]).ended(0).json();
    assert!(risks(&told).iter().all(|person| person[0] == "1/2"), "{told:#}");
}

#[test]
fn a_participant_of_ace_who_knows_their_own_value_is_certain_of_another() {
    let job = root().join("examples/six-people/job.toml");
    let desk = Desk::new();
    let attack = |more: &[&str]| desk.run(&[&["attack", job.to_str().unwrap()], more].concat());
    let beliefs = |file: &str, more: &[&str]| {
        attack(&[&["--beliefs", file], more].concat()).ended(0);
        let lines = desk.read(file);
        lines.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().to_owned()).collect::<Vec<String>>()
    };
    // Two people of each value: everybody has each with 1/3, whoever knows the algorithm alone.
    assert_eq!(beliefs("nobody.csv", &[]), vec!["1/3"; 18]);
    // Ann knows that she has the first value; then Bob has it too, and the other four have one of the other two.
    let ann = beliefs("ann.csv", &["--knows", "1"]);
    assert_eq!(ann[..6], ["1", "0", "0", "1", "0", "0"]);
    assert_eq!(ann[6..], ["0", "1/2", "1/2"].repeat(4));
    // Of the one group that Tailor shows, one of two values is hers: 1/5 of the others have the second, 2/5 each of the rest.
    let tailor = beliefs("tailor.csv", &["--knows", "1", "--set", "method.publisher=tailor"]);
    assert_eq!(tailor[3..], ["1/5", "2/5", "2/5"].repeat(5));
    let all = beliefs("two.csv", &["--knows", "1,3"]);
    assert_eq!(all[12..], ["0", "0", "1", "0", "0", "1"]);
    assert!(attack(&["--knows", "7"]).ended(2).err.contains("rows 1 to 6"));
    assert!(attack(&["--knows", "1", "--values", "asthma,bronchitis,cancer,flu"]).ended(2).err.contains("`--knows`"));
    assert!(attack(&["--knows", "1", "--budget", "100"]).ended(2).err.contains("known people"));
}
