//! Bad tables, bad hierarchies and bad places: the status, a message that names the place and a remedy, no cell of the
//! table, and nothing written.

use std::fmt::Write;
use std::fs;

use crate::common::{Desk, Outcome, SECRET};

/// A small job; the table is `t.csv`, the release goes to `out/release`.
const JOB: &str = r#"[input]
path = "t.csv"

[columns]
age = { role = "quasi", type = "integer" }
zip = { role = "quasi" }
ill = { role = "sensitive" }

[privacy]
principle = "frequency-l-diversity"
l = 2

[method]
publisher = "hybrid"
function = "mbr"

[output]
dir = "out/release"
"#;

/// Five hundred and twenty rows for [`JOB`], every sensitive cell with the secret token.
fn rows() -> String {
    let mut text = String::from("age,zip,ill\n");
    for row in 0..520 {
        let _ = writeln!(text, "{},{},{SECRET}-{}", 20 + row % 40, 1000 + row % 9, row % 7);
    }
    text
}

fn desk(job: &str, table: impl AsRef<[u8]>) -> Desk {
    let desk = Desk::new();
    desk.write("job.toml", job);
    desk.write("t.csv", table);
    desk
}

/// Publishes and expects `status`, all `words` in what is said, no secret, and nothing written.
fn ends(desk: &Desk, status: i32, words: &[&str]) -> Outcome {
    let outcome = desk.run(&["publish", "job.toml"]).ended(status);
    let said = format!("{}{}", outcome.out, outcome.err);
    for word in words {
        assert!(said.contains(word), "`{word}` is not said: {outcome:#?}");
    }
    assert!(!said.contains(SECRET), "a cell is quoted: {outcome:#?}");
    if status == 2 {
        let remedy = [";", "must be", "did you mean", "expected"].iter().any(|word| outcome.err.contains(word));
        assert!(outcome.err.starts_with("error: ") && remedy, "no remedy: {outcome:#?}");
    }
    let out = desk.path("out");
    let left: Vec<_> = fs::read_dir(out).into_iter().flatten().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?} is left behind");
    outcome
}

fn refuses(table: impl AsRef<[u8]>, words: &[&str]) {
    ends(&desk(JOB, table), 2, words);
}

/// A job with one text replaced, on a good table.
fn refuses_job(from: &str, to: &str, words: &[&str]) {
    assert!(JOB.contains(from));
    ends(&desk(&JOB.replacen(from, to, 1), rows()), 2, words);
}

#[test]
fn the_good_table_is_published() {
    desk(JOB, rows()).run(&["publish", "job.toml"]).ended(0);
}

#[test]
fn an_empty_file() {
    refuses("", &["t.csv", "the file is empty"]);
}

#[test]
fn a_header_without_rows() {
    refuses("age,zip,ill\n", &["t.csv", "no rows"]);
}

#[test]
fn ragged_rows() {
    refuses(rows().replacen("\n21,1001,", "\n21,", 1), &["t.csv, line 3", "2 cells where the header has 3"]);
    refuses(rows().replacen("\n21,1001,", "\n21,1001,x,", 1), &["t.csv, line 3", "4 cells"]);
}

#[test]
fn text_that_is_not_utf_8() {
    let mut bytes = rows().into_bytes();
    bytes.extend_from_slice(b"30,\xff\xfe,QZX7-1\n");
    refuses(bytes, &["t.csv, line 522", "column `zip`", "UTF-8"]);
    let mut wide = vec![0xff, 0xfe];
    wide.extend(rows().encode_utf16().flat_map(u16::to_le_bytes));
    refuses(wide, &["t.csv", "UTF-16"]);
}

#[test]
fn a_word_among_whole_numbers() {
    let table = rows();
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    // Data row 512 stands on line 513.
    lines[512] = format!("{SECRET}x,1000,{SECRET}-1");
    refuses(lines.join("\n"), &["t.csv, line 513", "column `age`", "not a whole number", "`type`"]);
}

#[test]
fn a_column_name_twice() {
    refuses(rows().replacen("age,zip", "age,age", 1), &["t.csv", "`age`"]);
}

#[test]
fn an_undeclared_column() {
    refuses(rows().replacen("zip", "zipp", 1), &["t.csv", "`zipp`", "`zip`"]);
}

#[test]
fn a_declared_column_that_is_absent() {
    let job = "zip = { role = \"quasi\" }\nzap = { role = \"quasi\" }";
    refuses_job("zip = { role = \"quasi\" }", job, &["t.csv", "no column `zap`", "did you mean `zip`?"]);
}

#[test]
fn a_hierarchy_file_that_lacks_values() {
    let desk =
        desk(&JOB.replace("zip = { role = \"quasi\" }", "zip = { role = \"quasi\", hierarchy = \"zip.csv\" }"), rows());
    ends(&desk, 2, &["column `zip`", "zip.csv", "no such file"]);
    desk.write("zip.csv", "1000;1*\n1001;1*\n");
    ends(&desk, 2, &["column `zip`", "`zip.csv` lacks 7 of the 9 values"]);
}

#[test]
fn a_principle_out_of_reach() {
    // 520 rows, 75 of the commonest value: 520 / 75 = 104 / 15 = 6.93...
    let desk = desk(&JOB.replace("l = 2", "l = 7"), rows());
    ends(&desk, 3, &["column `ill`", "104/15"]);
}

#[test]
fn an_l_that_means_nothing() {
    refuses_job("l = 2", "l = 1", &["job.toml: l (1) must be at least 2"]);
    refuses_job("l = 2", "", &["job.toml", "needs `l`", "add it"]);
}

#[test]
fn a_single_row() {
    ends(&desk(JOB, "age,zip,ill\n30,1000,QZX7\n"), 3, &["column `ill`", "at 1;"]);
}

#[test]
fn one_sensitive_value() {
    let table = rows().lines().map(|line| line.split('-').next().unwrap().to_owned() + "\n").collect::<String>();
    ends(&desk(JOB, table), 3, &["column `ill`", "at 1;"]);
}

#[test]
fn people_who_are_all_alike() {
    let table = (0..40).fold("age,zip,ill\n".to_owned(), |text, row| text + &format!("30,1000,{SECRET}-{}\n", row % 4));
    let desk = desk(JOB, table);
    desk.run(&["publish", "job.toml"]).ended(0);
    let manifest: serde_json::Value = serde_json::from_str(&desk.read("out/release/manifest.json")).unwrap();
    assert_eq!(manifest["classes"], 1);
}

#[test]
fn a_table_of_two_hundred_columns() {
    let mut columns = String::new();
    let mut table = String::from("age,zip,ill");
    for column in 0..197 {
        let role = if column < 10 { "quasi" } else { "drop" };
        let _ = writeln!(columns, "c{column} = {{ role = \"{role}\" }}");
        let _ = write!(table, ",c{column}");
    }
    table.push('\n');
    for row in 0..60 {
        let _ = write!(table, "{},1000,{SECRET}-{}", 20 + row, row % 6);
        for column in 0..197 {
            let _ = write!(table, ",{}", (row * column) % 5);
        }
        table.push('\n');
    }
    let desk = desk(&JOB.replace("[columns]\n", &format!("[columns]\n{columns}")), table);
    desk.run(&["publish", "job.toml"]).ended(0);
    desk.run(&["verify", "out/release", "--source", "t.csv"]).ended(0);
}

#[test]
fn unknown_words_in_the_job() {
    refuses_job("function = \"mbr\"", "functoin = \"mbr\"", &["job.toml", "`functoin`", "did you mean `function`?"]);
    refuses_job("zip = { role", "zip = { rolle", &["job.toml: line 6", "`rolle`", "did you mean `role`?"]);
    refuses_job("[output]", "[outputs]", &["job.toml: line ", "did you mean `output`?"]);
    refuses_job("\"quasi\" }", "\"quazi\" }", &["job.toml: line 6", "did you mean `quasi`?"]);
    refuses_job("frequency-l", "frequencyl", &["job.toml", "did you mean `frequency-l-diversity`?"]);
    refuses_job("hybrid", "hybird", &["job.toml", "did you mean `hybrid`?"]);
    refuses_job("\"mbr\"", "\"mbrr\"", &["job.toml", "did you mean `mbr`?"]);
    refuses_job("l = 2", "l = 2\nk = 3", &["job.toml", "`k`"]);
    refuses_job("l = 2", "l = = 2", &["job.toml: line 11"]);
}

#[test]
fn files_that_are_not_there() {
    let absent = Desk::new().run(&["publish", "gone.toml"]).ended(2);
    assert!(absent.err.contains("`gone.toml`: there is no such file or folder; check the path"), "{absent:#?}");
    refuses_job("t.csv", "gone.csv", &["`gone.csv`", "no such file"]);
    // A folder in place of a table; permissions would not stop the superuser.
    let desk = desk(&JOB.replace("t.csv", "folder.csv"), "");
    fs::create_dir(desk.path("folder.csv")).unwrap();
    ends(&desk, 2, &["`folder.csv`", "it is a folder; name a file"]);
}

#[test]
fn a_file_in_the_way_of_the_release() {
    let desk = desk(JOB, rows());
    desk.write("out", "");
    let outcome = desk.run(&["publish", "job.toml"]).ended(2);
    assert!(outcome.err.contains("`out` is a file") && outcome.err.contains("another folder"), "{outcome:#?}");
    assert_eq!(desk.names(), ["job.toml", "out", "t.csv"]);
}

/// Needs the right to mount; says so and passes where that is not given.
#[cfg(target_os = "linux")]
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn a_full_disk() {
    use std::process::Command;
    let desk = desk(JOB, "");
    let (header, body) = rows().split_once('\n').map(|(header, body)| (header.to_owned(), body.repeat(30))).unwrap();
    desk.write("t.csv", format!("{header}\n{body}"));
    fs::create_dir(desk.path("out")).unwrap();
    let mut mount = Command::new("mount");
    let mount = mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(desk.path("out")).output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        eprintln!("skipped: a small file system cannot be mounted here");
        return;
    }
    for format in ["csv", "parquet"] {
        desk.write("job.toml", format!("{JOB}format = \"{format}\"\n"));
        let outcome = desk.run(&["publish", "job.toml"]);
        let left: Vec<_> = fs::read_dir(desk.path("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        if outcome.status != 1 || !outcome.err.contains("the disk is full") || !left.is_empty() {
            let _ = Command::new("umount").arg(desk.path("out")).status();
            panic!("{left:?} {outcome:#?}");
        }
    }
    assert!(Command::new("umount").arg(desk.path("out")).status().unwrap().success());
}

#[test]
fn principles_that_do_not_go_with_publishers() {
    refuses_job("frequency-l", "entropy-l", &["job.toml", "entropy-l-diversity", "tailor"]);
    let job = JOB.replace("frequency-l", "entropy-l").replace("hybrid", "tailor");
    let job = job.replace("\"sensitive\" }", "\"sensitive\", protect = [\"a\"] }");
    ends(&desk(&job, rows()), 2, &["job.toml", "protect", "`ill`"]);
}

#[test]
fn roles_that_are_lacking() {
    let none = JOB.replace("\"quasi\"", "\"keep\"");
    ends(&desk(&none, rows()), 2, &["job.toml", "role `quasi`"]);
    refuses_job("\"sensitive\"", "\"keep\"", &["job.toml", "role `sensitive`"]);
}

#[test]
fn missing_cells() {
    let table = rows().replacen("\n21,", "\n?,", 1);
    // Not declared: no number.
    refuses(&table, &["t.csv, line 3", "column `age`", "`missing`"]);
    // Declared, but not what becomes of them.
    let declared = JOB.replace("path = \"t.csv\"", "path = \"t.csv\"\nmissing = [\"?\"]");
    ends(&desk(&declared, &table), 2, &["t.csv", "column `age`", "on_missing"]);
    let refused = declared.replace("[\"?\"]", "[\"?\"]\non_missing = \"refuse\"");
    ends(&desk(&refused, &table), 2, &["t.csv", "column `age`"]);
    let category = desk(&refused.replace("refuse", "category"), &table);
    category.run(&["publish", "job.toml"]).ended(0);
    category.run(&["verify", "out/release", "--source", "t.csv"]).ended(0);
}

#[test]
fn a_file_without_a_header_is_not_quoted() {
    let body = rows().split_once('\n').unwrap().1.to_owned();
    refuses(body, &["t.csv", "none of the 3 names", "header line"]);
}

#[test]
fn a_protected_value_that_does_not_occur() {
    let protect = |value: &str| format!("ill = {{ role = \"sensitive\", protect = [\"{value}\"] }}");
    refuses_job("ill = { role = \"sensitive\" }", &protect("hiv"), &["`protect`", "column `ill`", "spelling"]);
    let job = JOB.replacen("ill = { role = \"sensitive\" }", &protect(&format!("{SECRET}-3")), 1);
    let desk = desk(&job, rows());
    let published = desk.run(&["publish", "job.toml"]).ended(0);
    assert!(published.out.contains("Of column `ill` only 1 protected value is bounded"), "{}", published.out);
}

#[test]
fn several_rows_of_one_person() {
    let mut table = String::from("name,age,zip,ill\n");
    for (row, line) in rows().lines().skip(1).enumerate() {
        let _ = writeln!(table, "{SECRET}n{},{line}", row / 2);
    }
    let job = JOB.replacen("age =", "name = { role = \"identifier\" }\nage =", 1);
    ends(&desk(&job, table), 2, &["520 rows share their identifier", "`name`", "one row per person"]);
}

#[test]
fn a_part_of_a_name_leads_to_the_names_that_have_it() {
    let desk = Desk::of_readme(9);
    let refused = desk.run(&["publish", "job.toml", "--set", "privacy.principle=l-diversity"]).ended(2);
    for form in ["frequency-l-diversity", "distinct-l-diversity", "entropy-l-diversity", "recursive-cl-diversity"] {
        assert!(refused.err.contains(&format!("`{form}`")), "{refused:#?}");
    }
    assert!(refused.err.contains("no principle `l-diversity`, did you mean"), "{refused:#?}");
}

#[test]
fn keys_with_a_wrong_value_are_named_with_what_they_may_be() {
    let desk = Desk::of_readme(9);
    let words = "columns.age.type: cannot be `int`, did you mean `integer`?; it is one of `integer`, `decimal`, `date`";
    let set = desk.run(&["publish", "job.toml", "--set", "columns.age.type=int"]).ended(2);
    assert!(set.err.contains(words), "{set:#?}");
    let job = desk.read("job.toml").replacen("\"integer\"", "\"int\"", 1);
    desk.write("job.toml", job);
    let written = desk.run(&["publish", "job.toml"]).ended(2);
    assert!(written.err.contains(words) && written.err.contains("line "), "{written:#?}");
}
