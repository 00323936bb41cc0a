//! Releases as evidence, several sensitive columns, and ledgers in PostgreSQL.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use postgres::{Client, NoTls};

use crate::common::Desk;

/// Four people whom a release shows in pairs.
const JOB: &str = r#"[input]
path = "people.csv"

[columns]
age = { role = "quasi", type = "integer" }
ill = { role = "sensitive" }

[privacy]
principle = "k-anonymity"
k = 2

[method]
publisher = "mondrian"
"#;

/// Of people 2 and 3 a and b are known; only together with the pairs (1, 2) and (3, 4) of the release that is certain.
const ACROSS: &str = "select ill from people where age between 2 and 3";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", "age,ill\n1,a\n2,b\n3,a\n4,c\n");
    desk.write("job.toml", JOB);
    desk
}

fn publish(desk: &Desk, more: &[&str]) -> crate::common::Outcome {
    desk.run(&[&["publish", "job.toml", "--ledger", "ledger.sqlite", "--json"], more].concat())
}

#[test]
fn a_view_is_judged_with_the_release_before_it() {
    let desk = desk();
    desk.run(&["view", "check", "job.toml", ACROSS]).ended(0);
    let released = publish(&desk, &["--by", "ann"]).ended(0).json();
    assert_eq!(released["ledger"][0]["outcome"], "released");
    assert_eq!(released["ledger"][0]["finding"]["groups"], 2);
    let list = desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json();
    assert_eq!(list["decisions"][0]["kind"], "release");
    assert_eq!(list["decisions"][0]["by"], "ann");
    let statement = list["decisions"][0]["statement"].as_str().unwrap();
    assert!(statement.starts_with("release by publisher mondrian, function mbr, manifest "), "{statement}");
    let refused = desk.run(&["view", "add", "job.toml", ACROSS, "--json"]).ended(4).json();
    assert_eq!(refused["decisions"][0]["finding"]["after"]["certain"]["low"], 4);
    // Classes that ranges select can be refined like views.
    let forced = ["--force", "--reason", "a test"];
    desk.run(&[&["view", "add", "job.toml", ACROSS], &forced[..]].concat()).ended(0);
    let certain = desk.run(&["view", "restore", "job.toml", "--json"]).ended(4).json();
    assert_eq!(certain["columns"][0]["answer"], "certain");
    assert_eq!(certain["columns"][0]["searched"]["refined"], 3);
}

#[test]
fn a_release_is_judged_with_the_view_before_it() {
    let desk = desk();
    desk.run(&["view", "add", "job.toml", ACROSS]).ended(0);
    let before = desk.names();
    let looked = publish(&desk, &["--dry-run"]).ended(4).json();
    assert_eq!(looked["status"], "refused");
    let refused = publish(&desk, &[]).ended(4).json();
    assert_eq!(refused["ledger"][0]["outcome"], "refused");
    assert_eq!(desk.names(), before, "no folder appears");
    let text = desk.run(&["publish", "job.toml", "--ledger", "ledger.sqlite"]).ended(4).out;
    assert!(text.contains("Refused: nothing was published") && text.contains("not private"), "{text}");
    publish(&desk, &["--force", "--reason", "the board agreed"]).ended(0);
    assert!(desk.path("release/manifest.json").exists());
    let list = desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json();
    assert_eq!(list["table"]["version"], 2);
    let outcomes: Vec<&str> =
        list["decisions"].as_array().unwrap().iter().map(|one| one["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["released", "refused", "refused", "forced"]);
}

#[test]
fn looking_at_a_release_makes_no_ledger() {
    let desk = desk();
    publish(&desk, &["--dry-run"]).ended(0);
    assert_eq!(desk.names(), ["job.toml", "people.csv"]);
}

#[test]
fn a_release_with_altered_values_cannot_be_recorded() {
    let desk = Desk::new();
    let mut table = String::from("name,age,zip,disease\n");
    for person in 0..24u32 {
        let disease = if person < 4 { 0 } else { person % 4 };
        writeln!(table, "p{person:02},{},{},d{disease}", 20 + person * 2, 10_000 + person / 6 * 10).unwrap();
    }
    desk.write("people.csv", table);
    desk.write(
        "job.toml",
        r#"[input]
path = "people.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer", hierarchy = { widths = [10, 20, 40] } }
zip = { role = "quasi", hierarchy = { mask = "suffix" } }
disease = { role = "sensitive", protect = ["d0"] }
[privacy]
principle = "frequency-l-diversity"
l = 2
[method]
publisher = "mask"
k = 4
"#,
    );
    let refused = desk.run(&["publish", "job.toml", "--ledger", "ledger.sqlite"]).ended(2);
    assert!(refused.err.contains("alters values of column `disease`"), "{refused:?}");
    assert!(!desk.path("release").exists());
}

/// A new database of the server that `PELLUCID_TEST_POSTGRES` names, which must be dropped.
fn database() -> Option<(String, String, String)> {
    let Ok(admin) = std::env::var("PELLUCID_TEST_POSTGRES") else {
        // Not by a macro, whose output the test runner keeps to itself.
        let words = b"skipped on PostgreSQL: PELLUCID_TEST_POSTGRES is not set; make test starts one\n";
        std::io::stderr().write_all(words).unwrap();
        return None;
    };
    let name = format!("pellucid_view_{}", std::process::id());
    Client::connect(&admin, NoTls).unwrap().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
    let server = admin.rsplit_once('/').unwrap().0;
    Some((format!("{server}/{name}"), admin.clone(), name))
}

#[test]
fn a_ledger_in_a_database_decides_the_same() {
    let Some((url, admin, name)) = database() else { return };
    let desk = Desk::of_views();
    let young = "select condition from patients where age between 23 and 26";
    let middle = "select condition from patients where age between 26 and 28";
    let run = |call: &[&str]| desk.run(&[call, &["--ledger", &url, "--json"]].concat());
    run(&["view", "check", "job.toml", young]).ended(0);
    let mut both = [young, middle].map(|sql| {
        desk.command(&["view", "add", "job.toml", sql, "--ledger", &url, "--quiet"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    });
    let mut ends: Vec<Option<i32>> = both.iter_mut().map(|one| one.wait().unwrap().code()).collect();
    ends.sort_unstable();
    assert_eq!(ends, [Some(0), Some(4)]);
    let list = run(&["view", "list", "job.toml"]).ended(0).json();
    assert_eq!(list["table"]["version"], 1);
    assert_eq!(list["decisions"].as_array().unwrap().len(), 2);
    run(&["view", "belief", "job.toml"]).ended(0);
    assert!(!desk.names().iter().any(|name| name.contains("sqlite")));
    Client::connect(&admin, NoTls).unwrap().batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).unwrap();
}

#[test]
fn a_release_made_earlier_is_recorded_by_its_private_folder() {
    for function in ["mbr", "microaggregation"] {
        let desk = desk();
        desk.write("job.toml", format!("{JOB}function = \"{function}\"\n"));
        desk.run(&["publish", "job.toml"]).ended(0);
        let add = |desk: &Desk| desk.run(&["view", "add", "job.toml", "--release", "release", "--json"]);
        let added = add(&desk).ended(0).json();
        assert_eq!(added["decisions"][0]["finding"]["groups"], 2, "{function}");
        desk.run(&["view", "add", "job.toml", ACROSS]).ended(4);
        std::fs::rename(desk.path("release-private"), desk.path("elsewhere")).unwrap();
        assert!(add(&desk).ended(2).err.contains("pellucid publish --ledger"));
        std::fs::rename(desk.path("elsewhere"), desk.path("release-private")).unwrap();
        desk.write("people.csv", "age,ill\n1,a\n2,b\n3,c\n4,b\n");
        assert!(add(&desk).ended(2).err.contains("is no release of table `people` as it is now"));
    }
}
