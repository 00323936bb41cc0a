//! Microaggregation from a job to a release: the running example of attribute-oriented granulation, types of columns and
//! bad input.

use crate::common::Desk;

const TABLE: &str = "\
born,zip,height,health
1956-09-24,24126,161,1
1956-09-06,24129,167,1
1956-09-30,24133,163,1
1956-03-23,10427,160,0
1956-03-18,10431,165,2
1956-03-05,10466,168,2
1955-04-20,26015,175,2
1955-04-18,26032,170,1
1955-04-09,26617,173,0
1955-04-01,26628,171,0
1955-04-23,26328,176,0
";

const JOB: &str = r#"[input]
path = "people.csv"

[columns]
born = { role = "quasi", type = "date", hierarchy = { truncate = ["month", "year"] } }
zip = { role = "quasi", hierarchy = { mask = "suffix" }, aggregate = "median" }
height = { role = "quasi", type = "integer", hierarchy = { widths = [5, 10, 20] } }
health = { role = "sensitive", type = "integer" }

[privacy]
principle = "k-anonymity"
k = 3

[method]
publisher = "sequence"
sequence = [{ born = 1, zip = 3, height = 2 }]
function = "microaggregation"
"#;

/// A desk with the running example and its job, in which `changes` were made.
fn desk(changes: &[(&str, &str)]) -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", TABLE);
    let job = changes.iter().fold(JOB.to_owned(), |job, (from, to)| {
        assert!(job.contains(from), "{from}");
        job.replace(from, to)
    });
    desk.write("job.toml", job);
    desk
}

/// The lines of a release: per class its cells and its values of health.
fn lines(classes: &[(&str, &str)]) -> String {
    let lines =
        classes.iter().flat_map(|(cells, health)| health.chars().map(move |value| format!("{cells},{value}\n")));
    "born,zip,height,health\n".to_owned() + &lines.collect::<String>()
}

#[test]
fn the_running_example_is_generalized_and_aggregated() {
    let generalized = desk(&[("function = \"microaggregation\"", "function = \"hierarchy\"")]);
    generalized.run(&["publish", "job.toml"]).ended(0);
    let expected = [
        ("1955-04,26***,\"[170, 179]\"", "00012"),
        ("1956-03,10***,\"[160, 169]\"", "022"),
        ("1956-09,24***,\"[160, 169]\"", "111"),
    ];
    assert_eq!(generalized.read("release/data.csv"), lines(&expected));

    let aggregated = desk(&[]);
    aggregated.run(&["publish", "job.toml"]).ended(0);
    // Heights are joined over both months of 1956; 26328 is the middle of five ZIP codes.
    let expected =
        [("1955-04-18,26328,173", "00012"), ("1956-03-18,10431,164", "022"), ("1956-09-24,24129,164", "111")];
    assert_eq!(aggregated.read("release/data.csv"), lines(&expected));
    let manifest: serde_json::Value = serde_json::from_str(&aggregated.read("release/manifest.json")).unwrap();
    let stated = manifest["columns"].as_array().unwrap().iter().map(|column| column["aggregate"].as_str());
    assert_eq!(stated.collect::<Vec<_>>(), [Some("median"), Some("median"), Some("mean"), None]);
    aggregated.run(&["verify", "release"]).ended(0);
    // The source alone decides, because the levels say what is joined.
    std::fs::remove_dir_all(aggregated.path("release-private")).unwrap();
    let checked = aggregated.run(&["verify", "release", "--source", "people.csv"]).ended(0).out;
    for name in ["matching", "tightness", "sequence groups"] {
        assert!(checked.contains(&format!("passed      {name} ")), "{checked}");
    }
}

#[test]
fn numbers_stay_numbers_in_typed_files() {
    let desk = desk(&[]);
    desk.run(&["publish", "job.toml", "--set", "output.format=parquet"]).ended(0);
    desk.run(&["verify", "release", "--source", "people.csv"]).ended(0);
    // A column whose type is not declared has the one that the file says.
    desk.write(
        "again.toml",
        "[input]\npath = \"release/data.parquet\"\n[columns]\nborn = { role = \"quasi\" }\nzip = { role = \"quasi\" }\n\
         height = { role = \"quasi\" }\nhealth = { role = \"sensitive\" }\n[privacy]\nprinciple = \"k-anonymity\"\nk = 2\n\
         [method]\npublisher = \"tailor\"\n[output]\ndir = \"again\"\n",
    );
    desk.run(&["publish", "again.toml"]).ended(0);
    let manifest: serde_json::Value = serde_json::from_str(&desk.read("again/manifest.json")).unwrap();
    let kinds = manifest["columns"].as_array().unwrap().iter().map(|column| column["type"].as_str().unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), ["date", "category", "decimal", "integer"]);
}

#[test]
fn aggregates_that_make_no_sense_are_refused() {
    for (from, to, words) in [
        ("health = { role = \"sensitive\"", "health = { role = \"sensitive\", aggregate = \"mode\"", "`health`"),
        ("aggregate = \"median\"", "aggregate = \"mean\"", "`zip` has aggregate = \"mean\" but type `category`"),
        ("aggregate = \"median\"", "aggregate = \"middle\"", "`middle`"),
    ] {
        let desk = desk(&[(from, to)]);
        let told = desk.run(&["publish", "job.toml"]).ended(2).err;
        assert!(told.contains(words), "{told}");
        assert!(!desk.path("release").exists());
    }
}

#[test]
fn a_principle_that_mixtures_may_break_refuses_groups_that_are_shown_alike() {
    // 1 and 9 are joined, and 4 and 6; both have the mean 5.
    let desk = Desk::new();
    desk.write("t.csv", "age,ill\n1,a\n9,b\n4,a\n6,b\n");
    let job = |principle: &str| {
        format!(
            "[input]\npath = \"t.csv\"\n[columns]\nage = {{ role = \"quasi\", type = \"integer\", hierarchy = \
             {{ tree = {{ X = [\"1\", \"9\"], Y = [\"4\", \"6\"] }} }} }}\nill = {{ role = \"sensitive\" }}\n\
             [privacy]\n{principle}\n[method]\npublisher = \"sequence\"\nsequence = [{{ age = 1 }}]\n\
             function = \"microaggregation\"\n"
        )
    };
    desk.write("job.toml", job("principle = \"frequency-l-diversity\"\nl = 2"));
    desk.run(&["publish", "job.toml"]).ended(0);
    assert_eq!(desk.read("release/data.csv"), "age,ill\n5,a\n5,a\n5,b\n5,b\n");
    let checked = desk.run(&["verify", "release", "--source", "t.csv"]).ended(0).out;
    assert!(checked.contains("passed      sequence groups"), "{checked}");
    desk.write("job.toml", job("principle = \"band\"\ndelta = 0.6\neps = 0.3"));
    let told = desk.run(&["publish", "job.toml", "--overwrite"]).ended(2).err;
    assert!(told.contains("1 of 2 groups") && told.contains("`band`") && told.contains("hierarchy"), "{told}");
    desk.run(&["publish", "job.toml", "--overwrite", "--set", "method.function=hierarchy"]).ended(0);
}
