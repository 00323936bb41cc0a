//! Jobs with confidential sentences on the command line.

use crate::common::Desk;

const PEOPLE: &str = "\
id,zip,height,income,health
u1,24126,161,400K,1
u2,24129,167,300K,1
u3,24133,163,300K,1
u4,10427,160,300K,0
u5,10431,165,100K,2
u6,10466,168,100K,2
u7,26015,175,400K,2
u8,26032,170,300K,1
u9,26617,173,100K,0
u10,26628,171,400K,0
u11,26328,176,400K,0
";

const JOB: &str = r#"
[input]
path = "people.csv"

[columns]
id = { role = "identifier" }
zip = { role = "quasi" }
height = { role = "quasi", type = "integer" }
income = { role = "sensitive" }
health = { role = "sensitive", type = "integer" }

[privacy]
principle = "logical-security"
sentences = ["health = 2", "income in ('400K', '100K') and not health = 0"]

[method]
publisher = "tailor"
"#;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("people.csv", PEOPLE);
    desk.write("job.toml", JOB);
    desk
}

#[test]
fn sentences_are_published_and_verified() {
    let desk = desk();
    let published = desk.run(&["publish", "job.toml"]).ended(0);
    assert!(published.out.contains("nobody can be deduced to satisfy `health = 2` or"), "{published:#?}");
    let summary = desk.read("release/summary.txt");
    let worst = "Worst class: one of the `sentences` of logical-security is satisfied by ";
    assert!(summary.contains(worst) && !summary.contains("column `sentences`"), "{summary}");
    let verified = desk.run(&["verify", "release", "--source", "people.csv"]).ended(0);
    assert!(verified.out.contains("nobody can be deduced to satisfy `health = 2` or"), "{verified:#?}");
    assert!(verified.out.contains(worst) && verified.out.contains("logical-security, `sentences`: "), "{verified:#?}");
    assert!(!verified.out.contains("column `sentences`"), "{verified:#?}");
}

#[test]
fn a_sentence_that_cannot_be_read_is_shown_with_the_place() {
    let outcome = desk().run(&["publish", "job.toml", "--set", "privacy.sentences=[\"health = 2 or\"]"]).ended(2);
    assert!(outcome.err.contains("character 14: expected a column name"), "{outcome:#?}");
    assert!(outcome.err.contains("\n  health = 2 or\n               ^\n"), "{outcome:#?}");
}

#[test]
fn what_everybody_satisfies_leads_to_nothing() {
    let outcome = desk().run(&["publish", "job.toml", "--set", "privacy.sentences=health <= 2"]).ended(3);
    assert!(outcome.out.contains("no parameter would help"), "{outcome:#?}");
    assert!(!outcome.out.contains("column `sentences`"), "{outcome:#?}");
}

#[test]
fn tables_of_other_tools_are_held_against_sentences() {
    let desk = desk();
    desk.write("other.csv", "zip,health\n1*,1\n1*,2\n2*,1\n2*,1\n");
    let verify = |sentences: &str, ending| {
        let principle = format!("logical-security:sentences={sentences}");
        let columns = ["--quasi", "zip", "--sensitive", "health", "--type", "health=integer"];
        let call = [&["verify", "other.csv", "--principle", &principle][..], &columns].concat();
        desk.run(&call).ended(ending)
    };
    let failing = verify("health in (1, 2)", 4);
    assert!(failing.out.contains("fails in 2 of 2 classes"), "{failing:#?}");
    let failing = verify("[\"health = 1\", \"health = 2\"]", 4);
    assert!(failing.out.contains("fails in 1 of 2 classes"), "{failing:#?}");
    verify("health = 2", 0);
}

#[test]
fn sentences_may_be_written_as_in_other_languages_where_that_is_clear() {
    let desk = desk();
    let publish = |sentence: &str| {
        let set = format!("privacy.sentences=['''{sentence}''']");
        desk.run(&["publish", "job.toml", "--dry-run", "--set", &set])
    };
    publish("income = \"400K\"").ended(0);
    publish("health = 2.0").ended(0);
    let doubled = publish("health == 2").ended(2);
    assert!(doubled.err.contains("character 9: expected a value: write `=` once for equal"), "{doubled:#?}");
    assert!(doubled.err.contains("\n  health == 2\n          ^"), "{doubled:#?}");
    let absent = publish("health = 7").ended(2);
    assert!(absent.err.contains("the only value that it lists for column `health` does not occur"), "{absent:#?}");
}
