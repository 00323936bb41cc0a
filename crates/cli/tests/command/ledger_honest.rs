//! The ledger says only what it knows: what it cannot count is undecided, and nothing of it is shown.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Desk, Outcome};

/// A job on `table.csv` with a ledger beside it; `columns` and `method` are lines of TOML.
fn job(columns: &str, privacy: &str, method: &str) -> String {
    format!(
        "[input]\npath = \"table.csv\"\n[columns]\n{columns}\n[privacy]\n{privacy}\n[method]\n{method}\n[views]\ntable = \"t\"\n\
         ledger = \"ledger.sqlite\"\n"
    )
}

fn desk(table: &str, job: &str) -> Desk {
    let desk = Desk::new();
    desk.write("table.csv", table);
    desk.write("job.toml", job);
    desk
}

fn publish(desk: &Desk, more: &[&str]) -> Outcome {
    desk.run(&[&["publish", "job.toml", "--by", "ann", "--json"], more].concat())
}

fn add(desk: &Desk, sql: &str, more: &[&str]) -> Outcome {
    desk.run(&[&["view", "add", "job.toml", sql, "--by", "ann", "--json"], more].concat())
}

/// The finding of the first decision, or of the release.
fn finding(outcome: &Outcome) -> Value {
    let json = outcome.json();
    let first = if json["decisions"].is_array() { &json["decisions"][0] } else { &json["ledger"][0] };
    first["finding"].clone()
}

/// What it ends with where counting does not decide: status 4, nothing shown, and a reason with `words`.
fn undecided(desk: &Desk, outcome: Outcome, words: &str) {
    let outcome = outcome.ended(4);
    let finding = finding(&outcome);
    assert_eq!(finding["verdict"], "undecided", "{finding:#}");
    assert!(finding["not_counted"].to_string().contains(words), "{words}: {finding:#}");
    assert!(!desk.path("release").exists());
}

const RECORD: [&str; 3] = ["--record-undecided", "--reason", "the board agreed"];

const ONE_COLUMN: &str = "name = { role = \"identifier\" }\nx = { role = \"quasi\", type = \"integer\" }\ndisease = { role = \"sensitive\" }";
const L2: &str = "principle = \"frequency-l-diversity\"\nl = 2";
const FOUR: &str = "name,x,disease\nAnn,1,flu\nBob,2,gout\nCy,3,asthma\nDi,4,ulcer\n";

#[test]
fn a_release_by_quasi_identifiers_alone_and_views_are_decided_and_the_verdict_names_the_attacker() {
    for (publisher, privacy) in [
        ("tailor", L2),
        ("tailor", "principle = \"k-anonymity\"\nk = 2"),
        ("mondrian", "principle = \"k-anonymity\"\nk = 2"),
    ] {
        let desk = desk(FOUR, &job(ONE_COLUMN, privacy, &format!("publisher = \"{publisher}\"")));
        let released = publish(&desk, &[]).ended(0);
        let found = finding(&released);
        assert_eq!(
            (&found["verdict"], &found["not_counted"]),
            (&"private".into(), &Value::Array(Vec::new())),
            "{publisher}"
        );
        assert!(found["holds_against"].as_str().unwrap().contains("not the usual rates"));
        assert_eq!(found["known_beforehand"], "which values are possible, not that each of them occurs");
        let text = desk.run(&["view", "check", "job.toml", "select disease from t where x in (1, 2, 3)"]).out;
        for words in [
            "against",
            "Known beforehand: which values are possible, not that each of them occurs",
            "not anybody's value",
        ] {
            assert!(words == "against" || text.contains(words), "{text}");
        }
    }
}

#[test]
fn what_publishers_tell_besides_their_groups_is_not_counted() {
    let table = "name,x,y,disease\np0,2,1,a\np1,1,0,b\np2,0,0,a\np3,0,2,c\np4,2,2,c\np5,1,1,b\n";
    let columns = format!("{ONE_COLUMN}\ny = {{ role = \"quasi\", type = \"integer\" }}");
    let methods = [
        ("hybrid", "random-worlds", ""),
        ("ace", "random-worlds", ""),
        ("sequence", "random-worlds", "sequence = [{ x = [0, 3], y = [0, 3] }]"),
        ("mondrian", "none", ""),
        ("opt-gen", "none", ""),
        ("best-of", "none", "of = [\"tailor\", \"mondrian\"]"),
    ];
    for (publisher, class, more) in methods {
        let desk = desk(table, &job(&columns, L2, &format!("publisher = \"{publisher}\"\n{more}")));
        undecided(&desk, publish(&desk, &[]), &format!("class {class}"));
        // On the owner's responsibility it is recorded, and every later verdict says so and stays undecided.
        let recorded = publish(&desk, &RECORD).ended(0).json();
        assert_eq!(
            (&recorded["ledger"][0]["outcome"], &recorded["ledger"][0]["finding"]["verdict"]),
            (&"forced".into(), &"undecided".into())
        );
        let later = add(&desk, "select disease from t where x in (0, 2)", &[]);
        let later = later.ended(4);
        let found = finding(&later);
        // What the groups alone reveal is known, whatever else was told.
        assert!(["undecided", "not-private"].contains(&found["verdict"].as_str().unwrap()), "{publisher}: {found:#}");
        assert!(
            found["not_counted"][0].as_str().unwrap().starts_with("evidence 1 tells more"),
            "{publisher}: {found:#}"
        );
        assert!(
            found["remarks"][0].as_str().unwrap().contains("evidence 1 was undecided and recorded all the same"),
            "{found:#}"
        );
        let belief = desk.run(&["view", "belief", "job.toml"]).ended(0).out;
        assert!(belief.contains("Verdict: undecided") && belief.contains("the board agreed"), "{belief}");
        let restored = desk.run(&["view", "restore", "job.toml", "--json"]).ended(4).json();
        assert_eq!(restored["columns"][0]["answer"], "undecided", "{publisher}");
    }
}

#[test]
fn overriding_needs_a_reason_and_what_reveals_too_much_needs_force() {
    let desk = desk(FOUR, &job(ONE_COLUMN, L2, "publisher = \"tailor\""));
    let alone = "select disease from t where x = 1";
    for wrong in [&["--record-undecided"][..], &["--reason", "x"], &["--force", "--record-undecided", "--reason", "x"]]
    {
        add(&desk, alone, wrong).ended(2);
    }
    assert_eq!(finding(&add(&desk, alone, &RECORD).ended(4))["verdict"], "not-private");
    add(&desk, alone, &["--force", "--reason", "x"]).ended(0);
}

#[test]
fn hybrid_twice() {
    let table = "name,x,y,disease\np0,2,1,a\np1,1,0,b\np2,0,0,a\np3,0,2,c\np4,2,2,c\n";
    let columns = format!("{ONE_COLUMN}\ny = {{ role = \"quasi\", type = \"integer\" }}");
    let desk = desk(table, &job(&columns, L2, "publisher = \"hybrid\""));
    let seeded = |seed: &str, out: &str, more: &[&str]| {
        publish(&desk, &[&["--insecure-seed", seed, "--out", out], more].concat())
    };
    undecided(&desk, seeded("10", "r1", &[]), "what its algorithm tells is not counted");
    seeded("10", "r1", &RECORD).ended(0);
    undecided(&desk, seeded("1", "r2", &[]), "evidence 1 tells more than its groups");
}

#[test]
fn a_kept_column_links_releases() {
    let table = "name,x,y,disease,lab\nAnn,1,1,flu,901\nBob,2,8,gout,902\nCy,8,2,gout,903\nDi,9,9,flu,904\n";
    let columns = |quasi: &str, other: &str| {
        format!(
            "name = {{ role = \"identifier\" }}\n{quasi} = {{ role = \"quasi\", type = \"integer\" }}\n{other} = {{ role = \"drop\" }}\n\
             disease = {{ role = \"sensitive\" }}\nlab = {{ role = \"keep\" }}"
        )
    };
    for publisher in ["hybrid", "tailor"] {
        let desk = desk(table, &job(&columns("x", "y"), L2, &format!("publisher = \"{publisher}\"")));
        undecided(&desk, publish(&desk, &[]), "publishes `lab` as it is");
        publish(&desk, &[&RECORD[..], &["--out", "first"]].concat()).ended(0);
        desk.write("job.toml", job(&columns("y", "x"), L2, &format!("publisher = \"{publisher}\"")));
        undecided(&desk, publish(&desk, &[]), "evidence 1 publishes `lab` as it is");
    }
}

#[test]
fn a_column_that_was_kept_cannot_become_a_secret() {
    let table = "name,x,disease,income\nAnn,1,flu,10K\nBob,2,gout,20K\nCy,3,asthma,30K\nDi,4,ulcer,40K\n";
    let columns = |disease: &str, income: &str| {
        format!(
            "name = {{ role = \"identifier\" }}\nx = {{ role = \"quasi\", type = \"integer\" }}\ndisease = {{ role = \"{disease}\" }}\n\
             income = {{ role = \"{income}\" }}"
        )
    };
    let desk = desk(table, &job(&columns("keep", "sensitive"), L2, "publisher = \"tailor\""));
    undecided(&desk, publish(&desk, &[]), "publishes `disease` as it is");
    publish(&desk, &[&RECORD[..], &["--out", "first"]].concat()).ended(0);
    desk.write("job.toml", job(&columns("sensitive", "sensitive"), L2, "publisher = \"tailor\""));
    undecided(
        &desk,
        add(&desk, "select disease from t where x in (1, 3)", &[]),
        "`disease` was published with another role before",
    );
}

#[test]
fn several_sensitive_columns_are_linked_by_what_is_not_counted() {
    let columns = format!("{ONE_COLUMN}\nincome = {{ role = \"sensitive\" }}");
    let table = "name,x,disease,income\nAnn,1,flu,low\nBob,2,ulcer,low\nCy,3,asthma,high\nDi,4,gout,high\n";
    let desk = desk(table, &job(&columns, L2, "publisher = \"tailor\""));
    undecided(&desk, publish(&desk, &[]), "2 sensitive columns");
    undecided(&desk, add(&desk, "select disease from t where x in (1, 2)", &[]), "2 sensitive columns");
    let recorded = publish(&desk, &[&RECORD[..], &["--out", "first"]].concat()).ended(0).json();
    assert_eq!(recorded["ledger"].as_array().unwrap().len(), 2);
    // A job that does not speak of the other column changes nothing: it was shown.
    desk.write("job.toml", job(&format!("{ONE_COLUMN}\nincome = {{ role = \"drop\" }}"), L2, "publisher = \"tailor\""));
    let refused = add(&desk, "select disease from t where x in (1, 2, 3, 4)", &[]);
    assert!(refused.status == 2 || refused.status == 4, "{refused:?}");
}

#[test]
fn silence_about_a_step_of_a_sequence_is_not_counted() {
    let table = "name,x,disease\nA,20,flu\nB,21,flu\nC,22,flu\nD,30,hiv\nE,31,gout\nF,32,flu\n";
    let columns = ONE_COLUMN.replace("type = \"integer\"", "type = \"integer\", hierarchy = { widths = [10] }");
    let method = "publisher = \"sequence\"\nstrategy = \"exclusive\"\nsequence = [{ x = 1 }, { x = \"top\" }]";
    let desk = desk(table, &job(&columns, "principle = \"distinct-l-diversity\"\nl = 2", method));
    undecided(&desk, publish(&desk, &[]), "class random-worlds");
    publish(&desk, &RECORD).ended(0);
    let later = add(&desk, "select disease from t where x between 20 and 30", &[]).ended(4);
    assert_eq!(finding(&later)["verdict"], "undecided");
}

#[test]
fn which_values_occur_is_not_known_and_the_verdict_says_so() {
    let table = "name,x,disease\nAnn,1,flu\nBob,2,gout\nCy,3,HIV\n";
    let desk = desk(table, &job(ONE_COLUMN, L2, "publisher = \"tailor\""));
    let shown = desk.run(&["view", "add", "job.toml", "select disease from t where x in (1,2)"]).ended(0);
    assert!(
        shown.out.contains("Known beforehand: which values are possible, not that each of them occurs."),
        "{shown:?}"
    );
}

#[test]
fn the_owner_is_told_of_earlier_releases_before_anything_is_counted() {
    let desk = desk(FOUR, &job(ONE_COLUMN, L2, "publisher = \"tailor\""));
    let first = publish(&desk, &[]).ended(0).err;
    assert!(first.starts_with("note: There was no ledger at ") && first.lines().count() == 1, "{first}");
    for call in [
        &["publish", "job.toml", "--out", "again", "--dry-run"][..],
        &["view", "check", "job.toml", "select disease from t"],
    ] {
        let told = desk.run(call);
        let line =
            told.err.lines().find(|line| line.starts_with("note: table `t` was released before: ")).expect(&told.err);
        assert!(
            line.contains(" by ann, release by publisher tailor, function mbr, manifest ")
                && line.ends_with("(evidence 1)"),
            "{line}"
        );
    }
}

#[test]
fn a_release_that_was_never_handed_out_is_withdrawn_and_later_ones_say_so() {
    // The whole column is known from the release, so that views of two of its groups together tell nothing more, but one across does.
    let desk = desk(FOUR, &job(ONE_COLUMN, L2, "publisher = \"tailor\"\nfunction = \"anatomy\""));
    publish(&desk, &[]).ended(0);
    let across = "select disease from t where x in (2, 3)";
    assert_eq!(finding(&add(&desk, across, &[]).ended(4))["verdict"], "not-private");
    assert!(desk.run(&["ledger", "withdraw", "1"]).ended(2).err.contains("--reason"));
    let withdrawn = desk.run(&["ledger", "withdraw", "1", "--reason", "a trial", "--by", "ben"]).ended(0).out;
    assert!(
        withdrawn.contains("on the word of ben") && withdrawn.contains("an earlier result had been seen"),
        "{withdrawn}"
    );
    desk.run(&["ledger", "withdraw", "1", "job.toml", "--reason", "a trial"]).ended(2);
    let list = desk.run(&["view", "list", "job.toml"]).ended(0).out;
    assert!(list.contains("Withdrawn: ") && list.contains("by ben, a trial"), "{list}");
    // It no longer counts, and is no secret.
    let shown = add(&desk, across, &[]).ended(0);
    let remark = finding(&shown)["remarks"][0].as_str().unwrap().to_owned();
    assert!(
        remark.contains("evidence 1 was withdrawn") && remark.contains("the promise does not cover that choice"),
        "{remark}"
    );
    let forced = ["--force", "--reason", "a test"];
    desk.run(&[&["publish", "job.toml", "--overwrite", "--set", "privacy.l=4"], &forced[..]].concat()).ended(0);
    let manifest: Value = serde_json::from_str(&desk.read("release/manifest.json")).unwrap();
    let expected = "an earlier result had been seen; the promise does not cover that choice";
    assert_eq!(manifest["earlier_result"], expected);
    for file in ["release/summary.txt", "release/report.html", "release-private/report.html"] {
        assert!(desk.read(file).contains(expected), "{file}");
    }
    desk.run(&["verify", "release", "--source", "table.csv"]).ended(0);
}

#[test]
fn judging_that_takes_too_long_ends_undecided() {
    // Views that overlap in many ways, and too little time.
    let mut table = String::from("name,x,y,disease\n");
    for person in 0..60u32 {
        writeln!(table, "p{person:02},{},{},d{}", person, person * 37 % 60, person * person % 7).unwrap();
    }
    let columns = format!("{ONE_COLUMN}\ny = {{ role = \"quasi\", type = \"integer\" }}");
    let mut text = job(&columns, "principle = \"highest-ratio\"\nratio = \"1/2\"", "publisher = \"tailor\"");
    for from in (0..45).step_by(5) {
        for column in ["x", "y"] {
            write!(text, "[[views.view]]\nshow = \"disease\"\nwhere = {{ {column} = [{from}, {}] }}\n", from + 14)
                .unwrap();
        }
    }
    let desk = desk(&table, &text);
    let begun = std::time::Instant::now();
    let found = desk.run(&["view", "check", "job.toml", "--seconds", "0.5", "--json"]).ended(4).json();
    assert_eq!(
        (&found["status"], &found["findings"][0]["verdict"]),
        (&"undecided".into(), &"undecided".into()),
        "{found:#}"
    );
    assert!(begun.elapsed().as_secs() < 20);
    desk.run(&["view", "check", "job.toml", "--seconds", "0"]).ended(2);
}

#[test]
fn a_ledger_of_version_0_1_0_does_not_say_what_its_releases_tell() {
    let desk = desk(FOUR, &job(ONE_COLUMN, L2, "publisher = \"tailor\""));
    publish(&desk, &[]).ended(0);
    let ledger = rusqlite::Connection::open(desk.path("ledger.sqlite")).unwrap();
    ledger.execute_batch("UPDATE evidence SET promise = NULL, other_columns = NULL, gaps = NULL").unwrap();
    drop(ledger);
    let found = finding(&add(&desk, "select disease from t where x in (1, 2, 3, 4)", &[]));
    assert!(found["not_counted"][0].as_str().unwrap().contains("recorded by version 0.1.0"), "{found:#}");
}

#[test]
fn groups_that_are_shown_as_one_class_tell_more_than_the_class() {
    // Pairs by label, then everybody: whether Tailor cut tells of the parts, and the class shows their union only.
    let values = ["a", "c", "d", "a", "b", "b", "e", "f"];
    let table = |quasi: &dyn Fn(usize) -> usize| {
        values
            .iter()
            .enumerate()
            .fold("name,x,disease\n".to_owned(), |text, (at, value)| text + &format!("n{at},{},{value}\n", quasi(at)))
    };
    let labels = ONE_COLUMN.replace("type = \"integer\"", "type = \"integer\", hierarchy = { widths = [2] }");
    let ratio = "principle = \"highest-ratio\"\nratio = \"1/2\"";
    let unique = table(&|at| at + 1);
    let labelled = desk(&unique, &job(&labels, ratio, "publisher = \"tailor\"\nfunction = \"hierarchy\""));
    undecided(&labelled, publish(&labelled, &[]), "class random-worlds");
    // Boxes of people whom an identifier alone tells apart are one class; where all are told apart by their ages, there are none.
    let equal = table(&|at| at / 4);
    let boxed = desk(&equal, &job(ONE_COLUMN, ratio, "publisher = \"tailor\""));
    undecided(&boxed, publish(&boxed, &[]), "class random-worlds");
    let apart = desk(&unique, &job(ONE_COLUMN, ratio, "publisher = \"tailor\""));
    publish(&apart, &[]).ended(0);
    // Two tables show every group for itself.
    let anatomy = desk(&equal, &job(ONE_COLUMN, ratio, "publisher = \"tailor\"\nfunction = \"anatomy\""));
    publish(&anatomy, &[]).ended(0);
}

#[test]
fn who_of_people_that_are_alike_is_in_which_group_is_not_known() {
    let table = "name,x,disease\na,1,u\nb,1,v\nc,1,w\nd,1,x\n";
    let columns = ONE_COLUMN.replace("identifier", "drop");
    let split =
        desk(table, &job(&columns, "principle = \"k-anonymity\"\nk = 2", "publisher = \"tailor\"\nfunction = \"mbr\""));
    // Boxes join them again, so that the class is what is counted.
    publish(&split, &[]).ended(0);
    let table = "name,x,y,disease\na,1,1,u\nb,2,1,v\nc,2,1,w\nd,3,1,x\n";
    let columns = format!("{columns}\ny = {{ role = \"quasi\", type = \"integer\" }}");
    let split = desk(table, &job(&columns, "principle = \"k-anonymity\"\nk = 2", "publisher = \"tailor\""));
    undecided(&split, publish(&split, &[]), "same quasi-identifiers in different groups");
}

#[test]
fn views_that_are_chosen_to_restore_privacy_tell_more_than_they_show() {
    let desk = Desk::of_views();
    let (young, middle) = ("where age between 23 and 26", "where age between 26 and 28");
    let sql = |condition: &str| format!("select condition from patients {condition}");
    desk.run(&["view", "add", "job.toml", &sql(young)]).ended(0);
    let more = ["--max-additional", "2", "--add", "--json"];
    let refused = desk.run(&[&["view", "restore", "job.toml", &sql(middle)], &more[..]].concat()).ended(4);
    assert!(finding(&refused)["not_counted"].to_string().contains("chosen by the values of the table"), "{refused:?}");
    desk.run(&[&["view", "restore", "job.toml", &sql(middle)], &more[..], &RECORD].concat()).ended(0);
    let later = desk.run(&["view", "check", "job.toml", &sql("where age between 29 and 33"), "--json"]).ended(4).json();
    assert!(later["findings"][0]["not_counted"].to_string().contains("chosen by the values"), "{later:#}");
}

#[test]
fn columns_that_were_shown_with_another_role_are_not_secret_any_more() {
    let without = ONE_COLUMN.replace("\"sensitive\"", "\"quasi\"");
    let no_secret = desk(FOUR, &job(&without, "principle = \"k-anonymity\"\nk = 2", "publisher = \"mondrian\""));
    let refused = publish(&no_secret, &[]).ended(2);
    assert!(refused.err.contains("no sensitive column") && refused.err.contains("--without-ledger"), "{refused:?}");
    let table = "name,x,disease,ward\nAnn,1,flu,w\nBob,2,gout,x\nCy,3,asthma,y\nDi,4,ulcer,z\n";
    let columns = |disease: &str, ward: &str| {
        ONE_COLUMN.replace("\"sensitive\"", &format!("\"{disease}\"")) + &format!("\nward = {{ role = \"{ward}\" }}")
    };
    let k2 = "principle = \"k-anonymity\"\nk = 2";
    let desk = desk(table, &job(&columns("quasi", "sensitive"), k2, "publisher = \"mondrian\""));
    publish(&desk, &["--out", "first"]).ended(0);
    desk.write("job.toml", job(&columns("sensitive", "drop"), L2, "publisher = \"tailor\""));
    let refused = add(&desk, "select disease from t where x in (1, 3)", &[]);
    assert!([2, 4].contains(&refused.status), "{refused:?}");
}

#[test]
fn of_several_columns_nothing_is_recorded_when_one_is_refused() {
    let table = "name,x,disease,income\nAnn,1,flu,low\nBob,2,ulcer,low\nCy,3,asthma,low\nDi,4,gout,high\n";
    let columns = format!("{ONE_COLUMN}\nincome = {{ role = \"sensitive\", protect = [\"high\"] }}");
    let k4 = "principle = \"k-anonymity\"\nk = 2";
    let desk = desk(table, &job(&columns, k4, "publisher = \"tailor\""));
    // Somebody's income is certain in a group, which reveals too much whatever else is undecided.
    publish(&desk, &RECORD).ended(4);
    let list = desk.run(&["view", "list", "job.toml", "--json"]).ended(0).json();
    assert_eq!(list["table"]["version"], 0, "{list:#}");
}
