//! `pellucid verify`: releases of ours, spoilt ones, and tables of other tools.

use crate::common::{Desk, Outcome, SECRET};

/// A release of 90 patients.
fn released(function: &str) -> Desk {
    let desk = Desk::of_readme(90);
    let set = format!("method.function={function}");
    let sex = "columns.sex.hierarchy=\"sex.csv\"";
    desk.run(&["publish", "job.toml", "--set", &set, "--set", sex]).ended(0);
    desk
}

/// How the check `name` ended.
fn status(outcome: &Outcome, name: &str) -> String {
    let json = outcome.json();
    let check = json["checks"].as_array().unwrap().iter().find(|check| check["name"] == name);
    check.map_or_else(String::new, |check| check["status"].as_str().unwrap().to_owned())
}

#[test]
fn a_release_is_verified_with_and_without_its_source() {
    for function in ["mbr", "hierarchy", "anatomy", "microaggregation"] {
        let desk = released(function);
        let alone = desk.run(&["verify", "release"]).ended(0);
        assert!(alone.out.contains("no source was given") && alone.out.contains("\nVerified: "), "{alone:#?}");
        let with = desk.run(&["verify", "release", "--source", "patients.csv"]).ended(0);
        assert!(with.out.contains("Rows: 90") && with.out.contains("Achieved by every group: "), "{with:#?}");
        std::fs::rename(desk.path("release-private/assignment.csv"), desk.path("moved.csv")).unwrap();
        let moved = ["verify", "release", "--source", "patients.csv", "--assignment", "moved.csv", "--json"];
        let moved = desk.run(&moved).ended(0);
        assert_eq!(status(&moved, "assignment"), "passed");
        assert_eq!(moved.json()["passed"], true);
        // Without any assignment, rows are matched with lines, which anatomy leaves open when nothing ties its tables, and
        // microaggregation because statistics do not tell their rows.
        let open = ["anatomy", "microaggregation"].contains(&function);
        let (matched, ending) = if open { ("UNDECIDED", 4) } else { ("passed", 0) };
        let outcome = desk.run(&["verify", "release", "--source", "patients.csv"]).ended(ending);
        assert!(outcome.out.lines().any(|line| line.starts_with(&format!("{matched:<11} matching "))), "{outcome:#?}");
    }
}

#[test]
fn a_spoilt_release_fails() {
    let desk = released("mbr");
    let data = desk.read("release/data.csv");
    let mut lines: Vec<&str> = data.lines().collect();
    lines.pop();
    desk.write("release/data.csv", lines.join("\n") + "\n");
    let text = desk.run(&["verify", "release", "--source", "patients.csv"]).ended(4);
    assert!(text.out.contains("FAILED      files") && text.out.contains("NOT VERIFIED"), "{text:#?}");
    assert!(!text.out.contains(SECRET) && !text.err.contains(SECRET), "{text:#?}");
    let json = desk.run(&["verify", "release", "--json"]).ended(4);
    assert_eq!((json.json()["passed"].clone(), status(&json, "files")), (false.into(), "failed".to_owned()));
}

#[test]
fn another_source_fails() {
    let desk = released("mbr");
    let other = desk.read("patients.csv").replacen(&format!("{SECRET}-1"), &format!("{SECRET}-2"), 1);
    desk.write("other.csv", other);
    let outcome = desk.run(&["verify", "release", "--source", "other.csv"]).ended(4);
    assert!(outcome.out.contains("FAILED      source rows") && !outcome.out.contains(SECRET), "{outcome:#?}");
}

/// A table as another tool would release it: 3-anonymous, and 2-diverse in one class only.
const FOREIGN: &str = "zip;age;ill\n13***;[20, 29];QZX7-a\n13***;[20, 29];QZX7-b\n13***;[20, 29];QZX7-c\n\
                       14***;[30, 39];QZX7-a\n14***;[30, 39];QZX7-a\n14***;[30, 39];?\n";
const SOURCE: &str = "zip,age,ill\n14001,30,QZX7-a\n14002,39,QZX7-a\n14003,31,?\n13001,20,QZX7-a\n13002,25,QZX7-b\n\
                      13003,29,QZX7-c\n";

fn foreign() -> Desk {
    let desk = Desk::new();
    desk.write("theirs.csv", FOREIGN);
    desk.write("source.csv", SOURCE);
    let labels = ["13001", "13002", "13003"].map(|zip| format!("{zip};13***;*\n")).concat();
    desk.write("zip.csv", labels + &["14001", "14002", "14003"].map(|zip| format!("{zip};14***;*\n")).concat());
    desk
}

const COLUMNS: [&str; 10] =
    ["verify", "theirs.csv", "--quasi", "zip,age", "--sensitive", "ill", "--type", "age=integer", "--missing", "?"];

#[test]
fn a_table_of_another_tool_is_verified() {
    let desk = foreign();
    let passes = ["--principle", "k-anonymity:k=3", "--hierarchy", "zip=zip.csv", "--source", "source.csv"];
    let outcome = desk.run(&[&COLUMNS[..], &passes].concat()).ended(0);
    assert!(
        outcome.out.contains("k-anonymity")
            && outcome.out.contains("Achieved by every group: k-anonymity of column `ill`, 3."),
        "{outcome:#?}"
    );
    let rule = "zip={ mask = \"suffix\" }";
    let passes = ["--principle", "k-anonymity:k=3", "--hierarchy", rule, "--source", "source.csv", "--separator", ";"];
    desk.run(&[&COLUMNS[..], &passes].concat()).ended(0);
    let fails = ["--principle", "k-anonymity:k=3", "--principle", "frequency-l-diversity:l=2"];
    let outcome = desk.run(&[&COLUMNS[..], &fails].concat()).ended(4);
    assert!(outcome.out.contains("FAILED      principle") && !outcome.out.contains(SECRET), "{outcome:#?}");
    // Only `b` and `c` are protected, which nobody in the second class has.
    let protected = ["--protect", "ill=QZX7-b,QZX7-c", "--principle", "frequency-l-diversity:l=3", "--json"];
    let outcome = desk.run(&[&COLUMNS[..], &protected].concat()).ended(0);
    assert_eq!((&outcome.json()["rows"], &outcome.json()["classes"]), (&6.into(), &2.into()));
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let desk = foreign();
    std::fs::create_dir(desk.path("empty")).unwrap();
    let k = ["--principle", "k-anonymity:k=3"];
    for (call, words) in [
        (vec!["verify", "nowhere"], vec!["`nowhere`", "no such file"]),
        (vec!["verify", "empty"], vec!["manifest.json"]),
        (vec!["verify", "empty", "--quasi", "zip"], vec!["--quasi", "is a folder"]),
        (vec!["verify", "theirs.csv"], vec!["--quasi"]),
        (vec!["verify", "theirs.csv", "--quasi", "zip"], vec!["--principle frequency-l-diversity:l=3"]),
        (COLUMNS.to_vec(), vec!["--principle"]),
        ([&COLUMNS[..], &["--principle", "k-anonimity:k=3"]].concat(), vec!["did you mean `k-anonymity`?"]),
        ([&COLUMNS[..], &["--principle", "k-anonymity:j=3"]].concat(), vec!["--principle k-anonymity:j=3", "`j`"]),
        ([&COLUMNS[..], &["--principle", "k-anonymity:3"]].concat(), vec!["ID:NAME=VALUE"]),
        ([&COLUMNS[..], &["--type", "agee=date"], &k].concat(), vec!["did you mean `age`?"]),
        (
            [&COLUMNS[..], &["--type", "age=int"], &k].concat(),
            vec!["no type `int`, did you mean `integer`?; choose one of integer, decimal, date, category"],
        ),
        ([&COLUMNS[..], &["--protect", "zip=1"], &k].concat(), vec!["`zip`", "sensitive"]),
        ([&COLUMNS[..], &["--source", "gone.csv"], &k].concat(), vec!["`gone.csv`"]),
        ([&COLUMNS[..], &["--hierarchy", "zip={ mask = 3"], &k].concat(), vec!["--hierarchy of column `zip`"]),
    ] {
        let outcome = desk.run(&call).ended(2);
        for word in words {
            assert!(outcome.err.contains(word), "{word}: {outcome:#?}");
        }
        assert!(!outcome.err.contains(SECRET) && outcome.out.is_empty(), "{outcome:#?}");
    }
}

#[test]
fn labels_that_several_nodes_bear_are_one_to_the_public() {
    let desk = Desk::new();
    // `X` joins a and b on level 1, c to f on level 2.
    desk.write("town.csv", "a;X;P;*\nb;X;P;*\nc;Y;X;*\nd;Y;X;*\ne;Z;X;*\nf;Z;X;*\n");
    let towns = (0..48).map(|row| format!("{},{SECRET}-{}\n", ["a", "b", "c", "e", "d", "f"][row % 6], row % 8));
    desk.write("t.csv", "town,ill\n".to_owned() + &towns.collect::<String>());
    desk.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns]\ntown = { role = \"quasi\", hierarchy = \"town.csv\" }\n\
         ill = { role = \"sensitive\" }\n[privacy]\nprinciple = \"frequency-l-diversity\"\nl = 4\n\
         [method]\npublisher = \"ace\"\nfunction = \"hierarchy\"\n",
    );
    let mut borne_twice = 0;
    for seed in 0..8 {
        let seed = seed.to_string();
        desk.run(&["publish", "job.toml", "--overwrite", "--insecure-seed", &seed]).ended(0);
        // Nothing is wrong but the seed.
        let report = desk.run(&["verify", "release", "--source", "t.csv", "--json"]).ended(4).json();
        let failed = report["checks"].as_array().unwrap().iter().filter(|check| check["status"] == "failed");
        assert_eq!(failed.map(|check| &check["name"]).collect::<Vec<_>>(), ["publication"], "{report:#}");
        // Which towns are behind lines that show `X`.
        let (data, source) = (desk.read("release/data.csv"), desk.read("t.csv"));
        let (lines, rows): (Vec<&str>, Vec<&str>) = (data.lines().collect(), source.lines().collect());
        let assignment = desk.read("release-private/assignment.csv");
        let behind: std::collections::BTreeSet<char> = assignment
            .lines()
            .skip(1)
            .filter_map(|pair| pair.split_once(','))
            .map(|(row, line)| (row.parse::<usize>().unwrap(), line.parse::<usize>().unwrap()))
            .filter(|&(_, line)| lines[line].starts_with("X,"))
            .filter_map(|(row, _)| rows[row].chars().next())
            .collect();
        borne_twice += usize::from(behind.contains(&'a') && behind.contains(&'c'));
    }
    assert!(borne_twice > 0, "no release shows both nodes");
}

#[test]
fn a_source_in_another_order_is_told_from_another_source() {
    let hint = "the assignment numbers rows by their place in the source, so give the source in the order";
    for function in ["mbr", "hierarchy"] {
        let desk = released(function);
        let source = desk.read("patients.csv");
        let (header, rows) = source.split_once('\n').unwrap();
        let mut rows: Vec<&str> = rows.lines().collect();
        rows.reverse();
        desk.write("sorted.csv", format!("{header}\n{}\n", rows.join("\n")));
        let call = ["verify", "release", "--source", "sorted.csv"];
        let refused = desk.run(&call).ended(4);
        assert!(refused.out.contains("passed      source rows") && refused.out.contains(hint), "{refused:#?}");
        desk.run(&[&call[..], &["--without-assignment"]].concat()).ended(0);
        // Other values are no question of order.
        desk.write("other.csv", desk.read("sorted.csv").replacen(&format!("{SECRET}-1"), &format!("{SECRET}-2"), 1));
        let other = desk.run(&["verify", "release", "--source", "other.csv"]).ended(4);
        assert!(!other.out.contains(hint), "{other:#?}");
    }
}

#[test]
fn a_source_in_another_order_is_recognised_where_rows_are_left_out() {
    let desk = Desk::new();
    desk.write("t.csv", "age,ill\n1,a\n1,b\n2,a\n3,a\n3,b\n");
    desk.write("sorted.csv", "age,ill\n2,a\n1,a\n1,b\n3,a\n3,b\n");
    desk.write(
        "job.toml",
        "[input]\npath = \"t.csv\"\n[columns]\nage = { role = \"quasi\" }\nill = { role = \"sensitive\" }\n\
         [privacy]\nprinciple = \"k-anonymity\"\nk = 2\nsuppression = 0.2\n[method]\npublisher = \"search\"\n\
         function = \"hierarchy\"\n",
    );
    let published = desk.run(&["publish", "job.toml"]).ended(0);
    assert!(published.out.contains("1 of 5 rows is suppressed."), "{published:#?}");
    desk.run(&["verify", "release", "--source", "t.csv"]).ended(0);
    let refused = desk.run(&["verify", "release", "--source", "sorted.csv"]).ended(4);
    assert!(
        refused.out.contains("FAILED      left out") && refused.out.contains("--without-assignment"),
        "{refused:#?}"
    );
    desk.run(&["verify", "release", "--source", "sorted.csv", "--without-assignment"]).ended(0);
}

#[test]
fn suppressed_and_absent_rows_of_another_tool_are_left_out() {
    let desk = foreign();
    let call = |more: &[&'static str]| {
        [&COLUMNS[..], &["--principle", "k-anonymity:k=3", "--hierarchy", "zip={ mask = \"suffix\" }"], more].concat()
    };
    let source = ["--source", "more.csv"];
    desk.write("more.csv", format!("{SOURCE}15001,71,QZX7-z\n"));
    // Line 4 stands for the person of 71 and shows nothing of them.
    let lines: Vec<&str> = FOREIGN.lines().collect();
    let marked = [&lines[..4], &["*;*;*"], &lines[4..]].concat().join("\n") + "\n";
    desk.write("theirs.csv", &marked);
    let alone = desk.run(&call(&[])).ended(4);
    assert!(alone.out.contains("fails in 1 of 3 classes, first in class 2 with 1 row"), "{alone:#?}");
    let told = desk.run(&call(&["--suppressed", "*"])).ended(0);
    let words = "passed      suppressed       1 line with the mark in all quasi columns is left out";
    assert!(told.out.contains(words) && told.out.contains("Rows: 6, in 2 equivalence classes."), "{told:#?}");
    let held = desk.run(&call(&["--suppressed", "*", source[0], source[1]])).ended(0);
    assert!(held.out.contains("7 rows, 1 of them left out") && held.out.contains("passed      matching"), "{held:#?}");
    // Lines keep their numbers: the last class begins in line 5.
    let fails = call(&["--suppressed", "*", "--principle", "distinct-l-diversity:l=3"]);
    let fails = desk.run(&fails).ended(4);
    assert!(fails.out.contains("first in class 2 with 3 rows (`theirs.csv`, line 5)"), "{fails:#?}");
    // The same person has no line at all.
    desk.write("theirs.csv", FOREIGN);
    let lacking = desk.run(&call(&source)).ended(4);
    assert!(lacking.out.contains("say with --left-out how many rows were left out"), "{lacking:#?}");
    desk.run(&call(&["--left-out", "1", source[0], source[1]])).ended(0);
    desk.run(&call(&["--left-out", "3", source[0], source[1]])).ended(0);
    // Nobody of 15*** is shown, and nobody else may be missing: a line that no row can have stays wrong.
    desk.write("more.csv", format!("{}15001,71,QZX7-z\n", SOURCE.replace("13001,20", "15002,20")));
    let wrong = desk.run(&call(&["--left-out", "1", source[0], source[1]])).ended(4);
    assert!(wrong.out.contains("FAILED      matching"), "{wrong:#?}");
    let folder = desk.run(&["verify", ".", "--suppressed", "*"]).ended(2);
    assert!(folder.err.contains("--suppressed describes a table of another tool"), "{folder:#?}");
}
