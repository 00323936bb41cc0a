//! `pellucid compare` with what it cannot do: the option and the remedy are named, and nothing is written.

use crate::common::{Desk, SECRET, SMALL_JOB};

/// Eight people of different ages with four diseases.
fn desk() -> Desk {
    let rows: Vec<(u32, u32)> = (0..8).map(|at| (20 + at, at % 4)).collect();
    let desk = Desk::of_small_job(&rows);
    desk.write("job.toml", SMALL_JOB.replace("\n[method]\npublisher = \"mondrian\"\n", ""));
    desk.write("there.txt", "kept");
    desk.write("few.csv", "name,age\np00,20\n");
    desk
}

#[test]
fn what_is_wrong_is_named_with_the_remedy_and_nothing_is_written() {
    let two = ["--with", "publisher=best-of", "--with", "publisher=tailor x=1"];
    for (arguments, words) in [
        (&["--l", "6..x"][..], "--l: write values as 6..10 (whole numbers, both ends included) or 2,4,8"),
        (&["--l", "3..2"], "--l: write values as"),
        (&["--l", ""], "--l: write values as"),
        (&["--l", "0..2"], "--l: l (0) must be at least 2"),
        (&["--l", "2,0"], "--l: l (0) must be at least 2"),
        (&["--l", "2", "--vary", "l=3"], "'--l <VALUES>' cannot be used with '--vary <NAME=VALUES>'"),
        (&["--vary"], "a value is required for '--vary <NAME=VALUES>'"),
        (&["--vary", "k"], "--vary: write it as NAME=VALUES, e.g. k=5,10 or l=6..10"),
        (&["--vary", "=3"], "--vary: write it as NAME=VALUES"),
        (&["--vary", "l="], "--vary: write values as 6..10"),
        (&["--vary", "l=many"], "--vary: l (`many`) must be a whole number"),
        (&["--vary", "q=1"], "--vary: `frequency-l-diversity` has no parameter `q`; see `pellucid list`"),
        (&["--threshold", "2"], "--threshold must be a probability from 0 to 1, e.g. 0.2 or 1/5"),
        (&["--threshold", "often"], "--threshold must be a probability from 0 to 1"),
        (&["--publishers", "nosuch"], "--publishers: no publisher `nosuch`; `pellucid list` shows them all"),
        (&["--publishers", "tailr,ace"], "--publishers: no publisher `tailr`, did you mean `tailor`?"),
        (&["--dimensions", "99"], "--dimensions: queries can name 1 to 2 columns of this table"),
        (&["--dimensions", "0"], "'--dimensions <NUMBER>': give a whole number, 1 or more"),
        (&["--selectivity", "0"], "'--selectivity <SHARE>': give a share above 0 and up to 1, e.g. 0.06"),
        (&["--queries", "few"], "'--queries <NUMBER>': give a whole number, 0 or more"),
        (&["--seconds", "0"], "'--seconds <SECONDS>': give a number of seconds above 0"),
        (&["--budget", "-1"], "'--budget <NUMBER>': give a whole number, 1 or more"),
        (&["--csv", "there.txt"], "`there.txt` exists; name another file, or add --overwrite"),
        (&["--html", "there.txt"], "`there.txt` exists; name another file, or add --overwrite"),
        (&["--html", "job.toml", "--overwrite"], "`job.toml` is the job, its table or the register; name another file"),
        (&["--csv", "./people.csv", "--overwrite"], "`./people.csv` is the job, its table or the register"),
        (&["--external", "there.txt", "--csv", "there.txt", "--overwrite"], "its table or the register"),
        (&["--external", "absent.csv"], "absent.csv"),
        (&["--external", "few.csv"], "few.csv: the register has 1 people and the table 8"),
        (&["--external", "there.txt"], "there.txt"),
        (&["--csv", "same", "--html", "same"], "`same` is to be written twice; name two files"),
        (&["--html", "nowhere/a.html"], "there is no folder for `nowhere/a.html`; make it, or name another file"),
        (&["--with", "tailor"], "--with 'tailor': write it as KEY=VALUE"),
        (&["--with", "publisher=tailr"], "no publisher `tailr`, did you mean `tailor`?"),
        (&["--with", "publisher=best-of"], "job.toml: `best-of` needs `of`"),
        (&two, "no publisher takes this job; change what stands in the way, or name others with --with"),
        (&["--set", "privacy.principle=l-diversty"], "no principle `l-diversty`"),
        (&["--set", "input.path=absent.csv"], "absent.csv"),
        (&["--set", "privacy"], "--set privacy: write it as KEY=VALUE"),
    ] {
        let desk = desk();
        let before = desk.bytes("");
        let files: &[&str] = match arguments {
            given if given.iter().any(|word| ["--csv", "--html"].contains(word)) => &[],
            _ => &["--csv", "new.csv", "--html", "new.html"],
        };
        let told = desk.run(&[&["compare", "job.toml"], files, arguments].concat()).ended(2);
        assert!(told.err.contains(words), "{arguments:?}: {told:#?}");
        assert!(!format!("{}{}", told.out, told.err).contains(SECRET), "{told:#?}");
        assert!(!told.out.contains("Written"), "{told:#?}");
        assert_eq!(desk.bytes(""), before, "{arguments:?}");
    }
}

#[test]
fn why_no_publisher_takes_a_job_is_told_in_one_document() {
    let asked = ["compare", "job.toml", "--json", "--publishers", "best-of,sequence", "--csv", "a.csv"];
    let told = desk().run(&asked).ended(2);
    let statuses: Vec<serde_json::Value> =
        told.json()["compared"].as_array().unwrap().iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, ["refused", "refused"]);
    assert_eq!(told.json()["written"], serde_json::json!([]));
    assert!(told.err.contains("no publisher takes this job"), "{told:#?}");
}

#[test]
fn files_are_replaced_when_asked() {
    let desk = desk();
    desk.run(&["compare", "job.toml", "--publishers", "tailor", "--csv", "there.txt", "--overwrite"]).ended(0);
    assert!(desk.read("there.txt").starts_with("name,publisher,function,varied,status,"));
}
