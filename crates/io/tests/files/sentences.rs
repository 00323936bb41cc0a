//! Jobs with confidential sentences: from file to release, and what is refused.

use std::fs;

use pellucid_io::publish::load;
use pellucid_model::error::Result;
use pellucid_model::randomness::RandomSource;
use pellucid_model::table::Role;
use pellucid_publish::job::{Job, JobAnswer};
use pellucid_publish::publisher::{NoRelease, SequenceAccount, StepAccount};
use pellucid_publish::release::Release;
use tempfile::TempDir;

/// The running example of Wang, Liau and Hsu 2007, figure 1, with days as YYYY-MM-DD and a wish for everyone.
const PEOPLE: &str = "\
id,born,zip,height,income,health,wish
u1,1956-09-24,24126,161,400K,1,cautious
u2,1956-09-06,24129,167,300K,1,open
u3,1956-09-30,24133,163,300K,1,open
u4,1956-03-23,10427,160,300K,0,open
u5,1956-03-18,10431,165,100K,2,open
u6,1956-03-05,10466,168,100K,2,open
u7,1955-04-20,26015,175,400K,2,open
u8,1955-04-18,26032,170,300K,1,open
u9,1955-04-09,26617,173,100K,0,open
u10,1955-04-01,26628,171,400K,0,open
u11,1955-04-23,26328,176,400K,0,open
";

const JOB: &str = r#"
[input]
path = "people.csv"

[columns]
id = { role = "identifier" }
born = { role = "quasi", type = "date", hierarchy = { truncate = ["month", "year"] } }
zip = { role = "quasi", hierarchy = { mask = "suffix" } }
height = { role = "quasi", type = "integer", hierarchy = { widths = [5, 10, 20] } }
income = { role = "sensitive" }
health = { role = "sensitive", type = "integer" }
wish = { role = "drop" }
"#;

const SETS: &str = r#"sentences = { cautious = ["health = 1"], open = [] }"#;

struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Self {
        let case = Self { folder: TempDir::new().unwrap() };
        case.write("people.csv", PEOPLE);
        case
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Runs the job with this `[privacy]` and these lines after it.
    fn run(&self, privacy: &str) -> Result<JobAnswer> {
        let text = format!("{JOB}\n[[privacy]]\nprinciple = \"logical-security\"\n{privacy}\n");
        let job = Job::read(&text, &[])?;
        let checked = job.check()?;
        let (_, data) = load(&job, self.folder.path())?;
        checked.run(data.table(), data.hierarchies(), RandomSource::InsecureSeed(1), &|_| Ok(()))
    }

    fn release(&self, privacy: &str) -> Release {
        match self.run(privacy).unwrap() {
            JobAnswer::Release(release) => *release,
            JobAnswer::Nothing(nothing) => panic!("{nothing:?}"),
        }
    }

    fn message(&self, privacy: &str) -> String {
        self.run(privacy).unwrap_err().to_string()
    }
}

const TAILOR: &str = "[method]\npublisher = \"tailor\"\n";

#[test]
fn tailor_keeps_sentences_and_the_manifest_says_so() {
    let sentences = "sentences = [\"health = 2\", { sentence = \"income = '400K' and not health = 0\", damage = 3, prior = \"1/100\" }]";
    let release = Case::new().release(&format!("{sentences}\n{TAILOR}"));
    let manifest = &release.manifest;
    assert_eq!(manifest.measured[0].column, "sentences");
    assert!(manifest.classes > 1, "{}", manifest.classes);
    let privacy = &manifest.privacy[0];
    assert_eq!(privacy.means, "nobody can be deduced to satisfy `health = 2` or `income = 400K and not health = 0`");
    assert_eq!(
        privacy.parameters["sentences"],
        r#"["health = 2",{"damage":3,"prior":"1/100","sentence":"income = '400K' and not health = 0"}]"#
    );
    assert!(manifest.columns.iter().all(|column| column.role != Role::Drop));
    assert!(release.highest_share.is_some_and(|share| share < 1.into()));
}

#[test]
fn sentences_go_together_with_other_principles() {
    let two = "sentences = \"health = 2\"\n[[privacy]]\nprinciple = \"k-anonymity\"\nk = 3\n";
    let release = Case::new().release(&format!("{two}{TAILOR}"));
    let ids: Vec<&str> = release.manifest.measured.iter().map(|measured| measured.principle.as_str()).collect();
    assert_eq!(ids, ["k-anonymity", "logical-security"]);
}

#[test]
fn what_everybody_satisfies_cannot_be_kept() {
    let answer = Case::new().run(&format!("sentences = \"health <= 2\"\n{TAILOR}")).unwrap();
    let JobAnswer::Nothing(nothing) = answer else { panic!("released") };
    assert!(format!("{nothing:?}").contains("Never"), "{nothing:?}");
}

/// What a walk saw, whether it ended in a release or not.
fn account(answer: JobAnswer) -> SequenceAccount {
    match answer {
        JobAnswer::Release(release) => *release.account.unwrap(),
        JobAnswer::Nothing(NoRelease::Exhausted(account)) => *account,
        JobAnswer::Nothing(nothing) => panic!("{nothing:?}"),
    }
}

/// Naming every value of a column says that two of them must be possible.
#[test]
fn a_sequence_walks_with_sentences_as_with_the_principle_they_amount_to() {
    let mut released = Vec::new();
    for strategy in ["exclusive", "safe", "naive"] {
        let method = format!(
            "[method]\npublisher = \"sequence\"\nstrategy = \"{strategy}\"\nfunction = \"hierarchy\"\nsequence = [\n\
             {{ born = 1, zip = 3, height = 2 }}, {{ born = 2, zip = 4, height = 2 }}, {{ born = 2, zip = 5, height = 1 }},\n\
             {{ born = \"top\", zip = \"top\", height = \"top\" }}]\n"
        );
        let sentences = "sentences = [\"health = 0\", \"health = 1\", \"health = 2\"]\n";
        let case = Case::new();
        let one = account(case.run(&format!("{sentences}{method}")).unwrap());
        let text = format!("{JOB}[privacy]\nprinciple = \"distinct-l-diversity\"\nl = 2\n{method}")
            .replace("income = { role = \"sensitive\" }", "income = { role = \"keep\" }");
        let job = Job::read(&text, &[]).unwrap();
        let (_, data) = load(&job, case.folder.path()).unwrap();
        let answer = job
            .check()
            .unwrap()
            .run(data.table(), data.hierarchies(), RandomSource::InsecureSeed(1), &|_| Ok(()))
            .unwrap();
        let other = account(answer);
        assert_eq!((one.released, &one.looks), (other.released, &other.looks), "{strategy}");
        assert_eq!(one.column.as_deref(), Some("sentences"));
        for (one, other) in one.steps.iter().zip(&other.steps) {
            let counted = |step: &StepAccount| {
                let counted = step.disclosure.as_ref()?.known().ok()?;
                Some((counted.worlds.clone(), counted.highest.clone(), counted.holds(), counted.failing))
            };
            assert_eq!(counted(one), counted(other), "{strategy}, step {}", one.step);
        }
        released.push(one.released);
    }
    assert_eq!(released, [None, Some(4), Some(3)]);
}

#[test]
fn sentences_and_values_are_no_one_column_for_a_sequence() {
    let case = Case::new();
    let second = "[[privacy]]\nprinciple = \"distinct-l-diversity\"\nl = 2\n";
    let method = "[method]\npublisher = \"sequence\"\nsequence = [{ born = 1 }, { born = \"top\" }]\n";
    let message = case.message(&format!("sentences = \"health = 2\"\n{second}{method}"));
    assert!(message.contains("`logical-security` speak of several as the only principle on values"), "{message}");
}

#[test]
fn sets_of_ones_own_are_refused_where_belief_would_have_to_know_them() {
    let case = Case::new();
    for method in [
        "publisher = \"tailor\"",
        "publisher = \"ace\"",
        "publisher = \"hybrid\"",
        "publisher = \"sequence\"\nsequence = \"chain\"",
    ] {
        let message = case.message(&format!("{SETS}\nby = \"wish\"\n[method]\n{method}\n"));
        assert!(message.contains("whose sentences travel with whom; use publisher = \"search\""), "{message}");
    }
    let message = case.message("sentences = \"health = 2\"\n[method]\npublisher = \"hybrid\"\n");
    assert!(message.contains("use publisher = \"tailor\""), "{message}");
}

#[test]
fn names_in_sentences_are_checked_before_the_table_is_read() {
    let case = Case::new();
    fs::remove_file(case.folder.path().join("people.csv")).unwrap();
    for (privacy, expected) in [
        ("sentences = \"healt = 2\"", "sentence `healt = 2`: no column `healt`, did you mean `health`?"),
        ("sentences = \"zip = 24126\"", "column `zip` has role `quasi`, and sentences speak of sensitive columns"),
        ("sentences = \"health 2\"", "`sentences`: sentence 1: character 8: expected"),
        (&format!("{SETS}\nby = \"zip\""), "`by` names column `zip`, which has role `quasi`"),
        (&format!("{SETS}\nby = \"wishes\""), "which is not declared, did you mean `wish`?"),
        (&format!("{SETS}\nby = \"wish\"\nfile = \"w.csv\""), "the table has a column of that name too"),
        ("sentence = \"health = 2\"", "unknown key `sentence` in [privacy], did you mean `sentences`?"),
    ] {
        let message = case.message(privacy);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn empty_and_unknown_wishes_are_refused_by_row() {
    let case = Case::new();
    let privacy = format!("{SETS}\nby = \"wish\"\n{TAILOR}");
    case.write("people.csv", &PEOPLE.replace("300K,0,open", "300K,0,"));
    let message = case.message(&privacy);
    assert!(
        message.contains("names no set of sentences in row 4") && message.contains("a set with an empty list"),
        "{message}"
    );
    case.write("people.csv", &PEOPLE.replace("100K,0,open", "100K,0,SECRET"));
    let message = case.message(&privacy);
    assert!(message.contains("names a set in row 9") && !message.contains("SECRET"), "{message}");
}

#[test]
fn wishes_may_stand_in_a_file_of_their_own() {
    let case = Case::new();
    let privacy = format!("{SETS}\nby = \"set\"\nfile = \"wishes.csv\"\n{TAILOR}");
    let wishes = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> = (1..=12).rev().map(|at| format!("u{at},x,open")).collect();
        change(&mut lines);
        format!("id,beside,set\n{}\n", lines.join("\n"))
    };
    // Whoever is not in the table does no harm; the refusal is the publisher's, so the file was joined.
    case.write("wishes.csv", &wishes(&|_| {}));
    let message = case.message(&privacy);
    assert!(message.contains("use publisher = \"search\""), "{message}");
    for (text, expected) in [
        (wishes(&|lines| drop(lines.remove(3))), "there is no row for the person in row 9 of the table"),
        (wishes(&|lines| lines.push("u3,x,open".to_owned())), "rows 10 and 13 are for the same person; keep one"),
        (
            wishes(&|lines| lines[1] = "u11,x,SECRET".to_owned()),
            "row 2 names a set in column `set` that `sentences` does not have",
        ),
        (wishes(&|lines| lines[0] = "u12,x,".to_owned()), "row 1 names no set in column `set`"),
        (wishes(&|_| {}).replace("id,", "name,"), "no column `id`"),
        (wishes(&|_| {}).replace(",set", ",sets"), "no column `set`, did you mean `sets`?"),
    ] {
        case.write("wishes.csv", &text);
        let message = case.message(&privacy);
        assert!(
            message.contains("wishes.csv: ") && message.contains(expected) && !message.contains("SECRET"),
            "{message}"
        );
        assert_eq!(message.matches("wishes.csv").count(), 1, "{message}");
    }
}

#[test]
fn the_joined_column_is_dropped_and_codes_follow_people() {
    let case = Case::new();
    let wish = |at: u32| format!("u{at},{}", if at == 1 { "cautious" } else { "open" });
    let wishes: Vec<String> = (1..=11).rev().map(wish).collect();
    case.write("wishes.csv", &format!("id,set\n{}\n", wishes.join("\n")));
    let text =
        format!("{JOB}[privacy]\nprinciple = \"logical-security\"\n{SETS}\nby = \"set\"\nfile = \"wishes.csv\"\n");
    let (_, data) = load(&Job::read(&text, &[]).unwrap(), case.folder.path()).unwrap();
    let (table, hierarchies) = (data.table(), data.hierarchies());
    let column = table.column("set").unwrap();
    assert_eq!((column.role(), hierarchies.len()), (Role::Drop, table.columns().len()));
    let sets: Vec<String> = (0..11).map(|row| column.text(column.code(row))).collect();
    assert_eq!((sets[0].as_str(), sets[10].as_str()), ("cautious", "open"));
    assert!(table.column("wish").is_err(), "a dropped column that nothing names is not read");
}
