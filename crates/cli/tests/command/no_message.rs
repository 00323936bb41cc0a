//! A public folder carries no message beside what it shows: not in the order of classes, not in bytes, not in figures of the manifest.

use serde_json::Value;

use crate::common::Desk;

const TABLE: &str = "name,x,sex,disease\np0,1,F,flu\np1,2,M,gout\np2,3,F,flu\np3,4,M,asthma\np4,5,F,gout\np5,6,M,flu\np6,7,F,asthma\n\
                     p7,8,M,gout\n";

fn job(function: &str) -> String {
    // Sizes of groups alone are no principle for tables that show quasi-identifiers as they are.
    let privacy = match function {
        "anatomy" => "principle = \"distinct-l-diversity\"\nl = 2",
        _ => "principle = \"k-anonymity\"\nk = 2",
    };
    format!(
        "[input]\npath = \"table.csv\"\n[columns]\nname = {{ role = \"identifier\" }}\n\
         x = {{ role = \"quasi\", type = \"integer\", hierarchy = {{ widths = [2, 4, 8] }} }}\n\
         sex = {{ role = \"quasi\", hierarchy = \"sex.csv\" }}\ndisease = {{ role = \"sensitive\" }}\n\
         [privacy]\n{privacy}\n[method]\npublisher = \"tailor\"\nfunction = \"{function}\"\n"
    )
}

/// A release, and the lines of one of its tables, the header first.
fn released(function: &str, file: &str) -> (Desk, Vec<String>) {
    let desk = Desk::new();
    desk.write("table.csv", TABLE);
    desk.write("sex.csv", "F;*\nM;*\n");
    desk.write("job.toml", job(function));
    desk.run(&["publish", "job.toml"]).ended(0);
    std::fs::remove_dir_all(desk.path("release-private")).unwrap();
    let lines = desk.read(&format!("release/{file}")).lines().map(str::to_owned).collect();
    (desk, lines)
}

/// Writes a released table anew, with a manifest that fits it.
fn rewritten(desk: &Desk, file: &str, text: &str) {
    desk.write(&format!("release/{file}"), text);
    let mut manifest: Value = serde_json::from_str(&desk.read("release/manifest.json")).unwrap();
    for listed in manifest["files"].as_array_mut().unwrap() {
        if listed["name"] == file {
            listed["blake3"] = blake3::hash(text.as_bytes()).to_hex().to_string().into();
            listed["bytes"] = text.len().into();
        }
    }
    desk.write("release/manifest.json", manifest.to_string());
}

/// The checks that fail.
fn failing(desk: &Desk) -> Vec<String> {
    let outcome = desk.run(&["verify", "release", "--source", "table.csv", "--json"]);
    let report = outcome.json();
    let failed = report["checks"].as_array().unwrap().iter().filter(|check| check["status"] == "failed");
    let failed: Vec<String> = failed.map(|check| check["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(outcome.status, if failed.is_empty() { 0 } else { 4 }, "{outcome:?}");
    failed
}

/// The classes of lines whose first `quasi` cells are equal.
fn classes(lines: &[String], quasi: usize) -> Vec<Vec<String>> {
    let key = |line: &str| -> String {
        let (mut depth, mut commas) = (false, 0);
        line.chars()
            .take_while(|&mark| {
                depth ^= mark == '"';
                commas += usize::from(mark == ',' && !depth);
                commas < quasi
            })
            .collect()
    };
    let mut classes: Vec<Vec<String>> = Vec::new();
    for line in &lines[1..] {
        match classes.last_mut().filter(|class| key(&class[0]) == key(line)) {
            Some(class) => class.push(line.clone()),
            None => classes.push(vec![line.clone()]),
        }
    }
    classes
}

fn text(header: &str, classes: &[Vec<String>]) -> String {
    let lines = std::iter::once(header).chain(classes.iter().flatten().map(String::as_str));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

#[test]
fn the_order_of_classes_is_that_of_what_they_show() {
    let (desk, lines) = released("mbr", "data.csv");
    let classes = classes(&lines, 2);
    assert!(classes.len() >= 3, "{lines:?}");
    rewritten(&desk, "data.csv", &text(&lines[0], &classes));
    assert!(failing(&desk).is_empty());
    for (a, b) in [(0, 1), (1, 2), (0, classes.len() - 1)] {
        let mut other = classes.clone();
        other.swap(a, b);
        rewritten(&desk, "data.csv", &text(&lines[0], &other));
        assert_eq!(failing(&desk), ["canonical order"], "{a}, {b}");
    }
}

#[test]
fn the_order_of_groups_of_two_tables_is_that_of_what_they_show() {
    let (desk, quasi) = released("anatomy", "quasi.csv");
    let sensitive: Vec<String> = desk.read("release/sensitive.csv").lines().map(str::to_owned).collect();
    // Groups 1 and 2 change places in both tables; they have as many people.
    let renumbered = |lines: &[String]| {
        let mut body: Vec<String> = lines[1..]
            .iter()
            .map(|line| match line.split_once(',').unwrap() {
                ("1", rest) => format!("2,{rest}"),
                ("2", rest) => format!("1,{rest}"),
                _ => line.clone(),
            })
            .collect();
        body.sort_by_key(|line| line.split(',').next().unwrap().parse::<u32>().unwrap());
        text(&lines[0], &[body])
    };
    assert!(failing(&desk).is_empty());
    rewritten(&desk, "quasi.csv", &renumbered(&quasi));
    rewritten(&desk, "sensitive.csv", &renumbered(&sensitive));
    assert_eq!(failing(&desk), ["canonical order"]);
}

#[test]
fn labels_have_one_order_throughout() {
    let (desk, lines) = released("hierarchy", "data.csv");
    let header = lines[0].clone();
    // Made up: `F` before `M` for one label of `x`, and after it for another.
    let line = |x: &str, sex: &str, disease: &str| format!("\"{x}\",{sex},{disease}");
    let of = |x: &str, sex: &str| vec![line(x, sex, "flu"), line(x, sex, "gout")];
    let ordered = [of("[0, 4)", "F"), of("[0, 4)", "M"), of("[4, 8)", "F"), of("[4, 8)", "M")];
    let turned = [of("[0, 4)", "F"), of("[0, 4)", "M"), of("[4, 8)", "M"), of("[4, 8)", "F")];
    let order = |classes: &[Vec<String>]| {
        rewritten(&desk, "data.csv", &text(&header, classes));
        failing(&desk).contains(&"canonical order".to_owned())
    };
    assert!(!order(&ordered));
    assert!(order(&turned));
}

#[test]
fn tables_are_written_in_one_way() {
    let (desk, lines) = released("mbr", "data.csv");
    let original = desk.read("release/data.csv");
    let quoted = lines[1].rsplit_once(',').map(|(rest, last)| format!("{rest},\"{last}\"")).unwrap();
    for other in [
        format!("\u{feff}{original}"),
        original.replace('\n', "\r\n"),
        original.replacen(&lines[1], &quoted, 1),
        original.trim_end().to_owned(),
    ] {
        rewritten(&desk, "data.csv", &other);
        assert_eq!(failing(&desk), ["bytes"], "{other:?}");
    }
    rewritten(&desk, "data.csv", &original);
    assert!(failing(&desk).is_empty());
}

#[test]
fn what_was_lost_does_not_tell_who_is_in_the_table() {
    // The same data file, other people: p1 aged 7, or p6 aged 5; means of 1 and 7, or of 3 and 5.
    let hierarchy = [
        "id,x,s\np0,2,b\np1,7,b\np2,5,a\np3,0,a\np4,2,a\np5,9,a\n",
        "id,x,s\np0,2,b\np2,5,b\np3,0,a\np4,2,a\np5,9,a\np6,5,a\n",
    ];
    let means = ["id,x,s\np0,1,b\np1,7,a\np2,20,b\np3,26,a\n", "id,x,s\np0,3,b\np1,5,a\np2,22,b\np3,24,a\n"];
    for (function, tables, t) in [("hierarchy", hierarchy, "0.5"), ("microaggregation", means, "0.5")] {
        let folders = tables.map(|table| {
            let desk = Desk::new();
            desk.write("table.csv", table);
            desk.write(
                "job.toml",
                format!(
                    "[input]\npath = \"table.csv\"\n[columns]\nid = {{ role = \"identifier\" }}\n\
                     x = {{ role = \"quasi\", type = \"integer\", hierarchy = {{ widths = [2, 4, 16] }} }}\ns = {{ role = \"sensitive\" }}\n\
                     [[privacy]]\nprinciple = \"k-anonymity\"\nk = 2\n[[privacy]]\nprinciple = \"t-closeness\"\nt = \"{t}\"\n\
                     [method]\npublisher = \"tailor\"\nfunction = \"{function}\"\n[report]\nqueries = 0\n"
                ),
            );
            desk.run(&["publish", "job.toml", "--out", "r"]).ended(0);
            desk.bytes("r")
        });
        assert_eq!(folders[0]["data.csv"], folders[1]["data.csv"], "{function}");
        assert!(folders[0] == folders[1], "{function}");
    }
}

#[test]
fn verification_says_first_what_it_cannot_know_and_that_the_publisher_is_not_checked() {
    let (desk, _) = released("mbr", "data.csv");
    let text = desk.run(&["verify", "release"]).ended(0).out;
    assert!(
        text.lines()
            .next()
            .unwrap()
            .contains("It cannot know who made them, nor that the algorithm they name made the groups.")
    );
    let publisher = text.lines().find(|line| line.contains("publisher")).unwrap();
    assert!(publisher.starts_with("NOT CHECKED") && publisher.contains("`tailor`"), "{publisher}");
}
