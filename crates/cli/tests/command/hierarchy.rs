//! `pellucid hierarchy`: files are built, checked and shown; the documentation shows what is printed.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{Desk, Outcome, SECRET, root};

/// A folder with a table of ages, words and dates.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write(
        "table.csv",
        "age,word,day,x\n31,\"a;b\",2020-01-31,1\n20,c,2020-02-01,1\n20,\"say \"\"c\"\"\",2021-01-01,1\n45,d,2021-01-01,1\n?,d,2021-01-02,1\n",
    );
    desk
}

/// Runs `hierarchy` with words of `call`.
fn run(desk: &Desk, call: &str) -> Outcome {
    let words: Vec<&str> = std::iter::once("hierarchy").chain(call.split(' ')).collect();
    desk.run(&words)
}

/// What `build` prints for `call`.
fn built(desk: &Desk, call: &str) -> String {
    let outcome = run(desk, &format!("build table.csv {call}")).ended(0);
    assert!(outcome.err.is_empty(), "{outcome:#?}");
    outcome.out
}

/// Expects bad usage or input, said with all `words`.
fn refuses(desk: &Desk, call: &str, words: &[&str]) {
    let outcome = run(desk, call).ended(2);
    assert!(outcome.out.is_empty() && outcome.err.starts_with("error: "), "{outcome:#?}");
    for word in words {
        assert!(outcome.err.contains(word), "`{word}` is not said: {outcome:#?}");
    }
}

/// The rules of the findings of `severity`.
fn rules(report: &Value, severity: &str) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == severity);
    findings.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_way_to_build_prints_a_line_per_value() {
    let desk = desk();
    let age = "--column age --type integer --missing ?";
    let widths = built(&desk, &format!("{age} --widths 5,20"));
    assert_eq!(widths, "20;[20, 24];[20, 39];*\n31;[30, 34];[20, 39];*\n45;[45, 49];[40, 59];*\n");
    let moved = built(&desk, &format!("{age} --widths 100 --origin -1"));
    assert_eq!(moved, "20;[-1, 98];*\n31;[-1, 98];*\n45;[-1, 98];*\n");
    let borders = built(&desk, &format!("{age} --borders -5,25,50"));
    assert_eq!(borders, "20;[-5, 24];*\n31;[25, 49];*\n45;[25, 49];*\n");
    let balanced = built(&desk, &format!("{age} --balanced 2 --groups 2"));
    assert_eq!(balanced, "20;20;*\n31;[31, 45];*\n45;[31, 45];*\n");
    let truncated = built(&desk, "--column day --truncate month,year");
    assert!(truncated.starts_with("2020-01-31;2020-01;2020;*\n2020-02-01;2020-02;2020;*\n"), "{truncated}");
    assert!(truncated.ends_with("2021-01-02;2021-01;2021;*\n"), "{truncated}");
    let masked = built(&desk, "--column age --mask prefix --character # --levels 1");
    assert_eq!(masked, "20;#0;*\n31;#1;*\n45;#5;*\n?;#?;*\n");
}

#[test]
fn quotes_and_separators_in_values_survive() {
    let desk = desk();
    for separator in [";", ","] {
        let call = "hierarchy build table.csv --column word --type category --balanced 2 --overwrite --out word.csv";
        let mut words: Vec<&str> = call.split(' ').collect();
        words.extend(["--separator", separator]);
        desk.run(&words).ended(0);
        let check = ["hierarchy", "check", "word.csv", "--table", "table.csv", "--column", "word", "--json"];
        let report = desk.run(&[&check[..], &["--separator", separator]].concat()).ended(0).json();
        assert_eq!((&report["coverage"]["unused"], &report["findings"]), (&json!(0), &json!([])), "{report:#}");
    }
    desk.run(&["hierarchy", "build", "table.csv", "--column", "word", "--mask", "suffix", "--out", "mask.csv"])
        .ended(0);
    let report = run(&desk, "check mask.csv --table table.csv --column word --json").ended(0).json();
    assert_eq!((&report["passed"], &report["coverage"]["lacking"]), (&json!(true), &json!(0)), "{report:#}");
}

#[test]
fn a_job_takes_what_was_built_and_names_the_same_groups_as_the_rule() {
    let desk = Desk::of_readme(200);
    run(&desk, "build patients.csv --column age --type integer --widths 5,10,20 --out age.csv").ended(0);
    let release = |hierarchy: &str| {
        let set = format!("columns.age={{ role = \"quasi\", type = \"integer\", hierarchy = {hierarchy} }}");
        let sex = "columns.sex={ role = \"quasi\", type = \"category\", hierarchy = \"sex.csv\" }";
        let call = ["publish", "job.toml", "--overwrite", "--insecure-seed", "1", "--set", "method.function=hierarchy"];
        desk.run(&[&call[..], &["--set", &set, "--set", sex]].concat()).ended(0);
        desk.read("release/data.csv")
    };
    assert_eq!(release("\"age.csv\""), release("{ widths = [5, 10, 20] }"));
}

#[test]
fn a_file_is_never_replaced_unasked() {
    let desk = desk();
    desk.write("age.csv", "precious");
    let call = "build table.csv --column age --type integer --missing ? --widths 5 --out age.csv";
    refuses(&desk, call, &["`age.csv` exists; add --overwrite"]);
    assert_eq!(desk.read("age.csv"), "precious");
    let text = run(&desk, &format!("{call} --overwrite")).ended(0).out;
    assert!(
        text.contains("In a job: age = { role = \"quasi\", type = \"integer\", hierarchy = \"age.csv\" }"),
        "{text}"
    );
    assert!(text.contains("1 missing cell "), "{text}");
    assert_eq!(desk.read("age.csv").lines().count(), 3);
    assert_eq!(desk.names(), ["age.csv", "table.csv"]);
    let itself = call.replace("--out age.csv", "--out ./table.csv --overwrite");
    refuses(&desk, &itself, &["is the table itself"]);
    refuses(&desk, &call.replace("--out age.csv", "--out gone/age.csv"), &["gone/age.csv", "no such file"]);
    refuses(&desk, &format!("{} --widths 5 --column age --overwrite", "build table.csv"), &["--out"]);
}

#[test]
fn the_job_line_fits_the_name_and_the_separator() {
    let desk = Desk::new();
    desk.write("t.csv", "home town\nRome\nOslo\n");
    let call = [
        "hierarchy",
        "build",
        "t.csv",
        "--column",
        "home town",
        "--mask",
        "suffix",
        "--separator",
        ",",
        "--out",
        "h.csv",
    ];
    let text = desk.run(&call).ended(0).out;
    let line = text.lines().last().unwrap().strip_prefix("In a job: ").unwrap();
    assert!(line.starts_with("\"home town\" = "), "{line}");
    assert!(line.contains("hierarchy = { file = \"h.csv\", separator = \",\" }"), "{line}");
}

#[test]
fn building_in_json_says_what_was_made() {
    let desk = desk();
    let call = "build table.csv --column age --type integer --missing ? --balanced 2 --groups 2 --json";
    let report = run(&desk, call).ended(0).json();
    assert_eq!(report["lines"], json!([["20", "20", "*"], ["31", "[31, 45]", "*"], ["45", "[31, 45]", "*"]]));
    assert_eq!(report["levels"][1], json!({ "level": 1, "groups": 2, "fewest_rows": 2, "most_rows": 2 }));
    assert_eq!((&report["rows"], &report["values"], &report["missing"]), (&json!(5), &json!(3), &json!(1)));
    let written = run(&desk, &format!("{call} --out age.csv")).ended(0).json();
    assert_eq!((&written["file"], written.get("lines")), (&json!("age.csv"), None));
}

#[test]
fn wrong_builds_are_refused_with_a_remedy_and_without_values() {
    let desk = desk();
    desk.write("secret.csv", format!("age\n{SECRET}\n20\n"));
    for (call, words) in [
        ("build table.csv --column age", &["--widths", "--balanced"][..]),
        ("build table.csv --column age --widths 5 --mask suffix", &["cannot be used with"]),
        ("build table.csv --column age --widths 5", &["column `age` was read as words", "--type integer"]),
        ("build table.csv --column age --balanced 2", &["--type integer", "category"]),
        ("build table.csv --column agee --widths 5", &["table.csv: no column `agee`, did you mean `age`?"]),
        ("build gone.csv --column age --widths 5", &["`gone.csv`: there is no such file"]),
        ("build table.csv --column age --type integer --widths 5", &["line 6, column `age`: not a whole number"]),
        ("build secret.csv --column age --type integer --widths 5", &["line 2, column `age`"]),
        ("build table.csv --column age --type integer --missing ? --widths 5,12", &["multiple of width 5"]),
        ("build table.csv --column age --type integer --missing ? --borders 21,50", &["column `age`"]),
        ("build table.csv --column word --truncate year", &["line 2, column `word`: not a date"]),
        ("build table.csv --column day --truncate year,month", &["coarser"]),
        ("build table.csv --column day --truncate years", &["year"]),
        ("build table.csv --column word --mask middle", &["suffix"]),
        ("build table.csv --column word --mask suffix --levels 2,1", &["growing"]),
        ("build table.csv --column word --mask suffix --separator ä", &["--separator", "ASCII"]),
        ("build table.csv --column age --type category --balanced 1", &["--balanced", "at least 2"]),
        ("build table.csv --column age --type category --balanced 2 --groups 1", &["--groups", "at least 2"]),
        ("build table.csv --column age --type number --widths 5", &["integer, decimal, date, category"]),
        ("build table.csv --column age --widths 5 --groups 2", &["--groups belongs to --balanced; leave it out"]),
        ("build table.csv --column age --widths 5 --levels 2", &["--levels belongs to --mask"]),
        ("build table.csv --column age --mask suffix --origin 2", &["--origin belongs to --widths"]),
        ("build table.csv --column age --balanced 2 --character x", &["--character belongs to --mask"]),
    ] {
        refuses(&desk, call, words);
        assert!(!run(&desk, call).err.contains(SECRET), "a value is quoted");
    }
    assert_eq!(desk.names(), ["secret.csv", "table.csv"]);
}

#[test]
fn typed_tables_need_no_type() {
    let desk = Desk::of_readme(60);
    desk.run(&["publish", "job.toml", "--set", "output.format=parquet", "--set", "method.function=anatomy"]).ended(0);
    let names = std::fs::read_dir(desk.path("release")).unwrap().map(|entry| entry.unwrap().path());
    let tables: Vec<PathBuf> = names.filter(|path| path.extension().is_some_and(|end| end == "parquet")).collect();
    let of_ages = tables.iter().find_map(|table| {
        let call = ["hierarchy", "build", table.to_str().unwrap(), "--column", "age", "--balanced", "4"];
        Some(desk.run(&call)).filter(|outcome| outcome.status == 0)
    });
    let lines = of_ages.expect("one of the tables has ages").out;
    assert!(lines.lines().all(|line| line.ends_with(";*") && line.contains(";[")), "{lines}");
}

#[test]
fn checks_count_rows_and_never_show_values() {
    let desk = Desk::new();
    desk.write("table.csv", format!("disease\nflu\n{SECRET}-a\nFlu \n{SECRET}-a\n{SECRET}-b\n\"\"\n"));
    desk.write("disease.csv", "flu;*\ncold;*\n");
    let call = "check disease.csv --table table.csv --column disease";
    let text = run(&desk, call).ended(4);
    assert!(text.out.contains("A JOB REFUSES THIS FILE: 1 error, 0 warnings."), "{text:#?}");
    assert!(text.out.contains(
        "lacks 3 of the 4 values of column `disease`, 1 of them only by case or blanks, in rows 2, 3, 4, 5;"
    ));
    let report = run(&desk, &format!("{call} --json")).ended(4);
    assert!(![&text.out, &text.err, &report.out, &report.err].iter().any(|said| said.contains(SECRET)));
    let report = report.json();
    assert_eq!(report["coverage"]["first_rows"], json!([2, 3, 4, 5]));
    assert_eq!((&report["coverage"]["unused"], &report["coverage"]["missing"]), (&json!(1), &json!(1)));
    assert_eq!(rules(&report, "error"), ["lacking"]);
    refuses(&desk, "check disease.csv --table table.csv --column diseas", &["did you mean `disease`?"]);
    refuses(&desk, "check disease.csv --table table.csv", &["--column"]);
    refuses(&desk, "check disease.csv --missing ?", &["--missing is about a table; name it with --table"]);
    refuses(&desk, "check gone.csv", &["`gone.csv`: there is no such file"]);
    desk.write("latin.csv", b"M\xe4nner;*\n");
    refuses(&desk, "check latin.csv", &["hierarchy `latin.csv` is not UTF-8 at line 1"]);
}

#[test]
fn many_findings_are_shortened_in_text_only() {
    let desk = Desk::new();
    desk.write("twice.csv", "a;*\n".repeat(200));
    let text = run(&desk, "check twice.csv").ended(4).out;
    assert!(text.contains("\nand 149 more; --json lists all\n") && text.lines().count() < 60, "{text}");
    assert_eq!(rules(&run(&desk, "check twice.csv --json").ended(4).json(), "error").len(), 199);
}

#[test]
fn a_tree_is_shown_down_to_a_level_and_shortened() {
    let desk = Desk::new();
    let lines: Vec<String> = (0..100).map(|at| format!("v{at:02};t{};*\n", at / 10)).collect();
    desk.write("tens.csv", lines.concat());
    let text = run(&desk, "show tens.csv").ended(0).out;
    assert!(text.contains("\n* (100)\n  t0 (10)\n    v00\n"), "{text}");
    assert!(text.ends_with(".. 71 more lines; --rows 0 shows all, --level 1 shows fewer\n"), "{text}");
    assert!(run(&desk, "show tens.csv --rows 0").ended(0).out.ends_with("    v99\n"));
    let level = run(&desk, "show tens.csv --level 1").ended(0).out;
    assert!(level.ends_with("  t9 (10)\n") && !level.contains("v00"), "{level}");
    let tree = run(&desk, "show tens.csv --json").ended(0).json();
    assert_eq!(tree["tree"]["under"][9]["under"][9], json!({ "level": 0, "label": "v99", "values": 1 }));
    assert_eq!(tree["levels"][1], json!({ "level": 1, "groups": 10, "fewest": 10, "most": 10 }));
    refuses(&desk, "show tens.csv --level 3", &["`tens.csv` has no level 3; its levels are 0 to 2"]);
    desk.write("bad.csv", "a;x\nb\n");
    refuses(&desk, "show bad.csv", &["at line 2", "`pellucid hierarchy check bad.csv` lists everything"]);
}

#[test]
fn every_command_of_hierarchies_explains_itself_with_examples() {
    let desk = Desk::new();
    for command in ["build", "check", "show"] {
        let help = desk.run(&["hierarchy", command, "--help"]).ended(0).out;
        assert!(help.contains(&format!("Examples:\n  pellucid hierarchy {command} ")), "{help}");
    }
}

/// Every `sh` block of the documentation that is followed by a `text` block, run in the folder of the examples.
#[test]
fn the_documentation_shows_what_is_printed() {
    let desk = Desk::new();
    for entry in std::fs::read_dir(root().join("examples/hierarchy")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, desk.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    let documentation = std::fs::read_to_string(root().join("docs/hierarchies.md")).unwrap();
    let mut examples = 0;
    for block in documentation.split("```sh\n").skip(1) {
        let (commands, rest) = block.split_once("```\n").unwrap();
        let expected = rest.strip_prefix("```text\n").and_then(|text| text.split("```").next()).unwrap();
        let mut printed = String::new();
        for command in commands.lines() {
            let call = command.strip_prefix("pellucid ").unwrap();
            printed = desk.run(&call.split(' ').collect::<Vec<&str>>()).out;
        }
        assert!(printed == expected, "{commands}prints\n{printed}but docs/hierarchies.md shows\n{expected}");
        examples += 1;
    }
    assert_eq!(examples, 7);
}

/// The hierarchies that come with the table of adults, and files built from it.
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
fn hierarchies_of_real_tables_are_checked_and_built() {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PELLUCID_DATA").map_or(beside, PathBuf::from).join("adult");
    let Ok(folder) = folder.canonicalize() else {
        eprintln!("SKIPPED: no real tables at {}; set PELLUCID_DATA", folder.display());
        return;
    };
    let desk = Desk::new();
    let table = folder.join("adult.csv");
    let table = table.to_str().unwrap();
    let mut checked = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let Some(column) = name.strip_prefix("adult_hierarchy_") else { continue };
        let kind = if column == "age" { "integer" } else { "category" };
        let of = ["--table", table, "--column", column, "--type", kind, "--json"];
        let report = desk.run(&[&["hierarchy", "check", path.to_str().unwrap()], &of[..]].concat()).ended(0).json();
        assert_eq!((&report["findings"], &report["coverage"]["rows"]), (&json!([]), &json!(30_162)), "{column}");
        desk.run(&["hierarchy", "show", path.to_str().unwrap()]).ended(0);
        // What is built from the same column passes against it.
        let build = ["hierarchy", "build", table, "--column", column, "--type", kind, "--balanced", "3", "--overwrite"];
        desk.run(&[&build[..], &["--out", "built.csv"]].concat()).ended(0);
        let report = desk.run(&[&["hierarchy", "check", "built.csv"], &of[..]].concat()).ended(0).json();
        assert_eq!((&report["findings"], &report["coverage"]["unused"]), (&json!([]), &json!(0)), "{column}");
        checked += 1;
    }
    assert_eq!(checked, 9);
}

#[test]
fn a_wrong_separator_is_doubted() {
    let desk = desk();
    desk.write("labels.csv", "a;X;*\nb;X;*\n");
    // The intervals have commas, so that each line is cut in two all the same.
    desk.write("intervals.csv", "20;[20, 29];*\n21;[20, 29];*\n31;[30, 39];*\n");
    for file in ["labels.csv", "intervals.csv"] {
        let wrong = run(&desk, &format!("check {file} --separator ,"));
        assert!(wrong.out.contains("warning: all values hold `;`, and `,` was taken to separate labels"), "{wrong:#?}");
        let right = run(&desk, &format!("check {file}")).ended(0);
        assert!(!right.out.contains("warning: "), "{right:#?}");
    }
}

#[test]
fn help_says_how_the_files_end() {
    let desk = desk();
    desk.write("zips.csv", "zip\n13001\n13002\n");
    let masked = run(&desk, "build zips.csv --column zip --mask suffix").ended(0);
    assert!(masked.out.lines().all(|line| line.ends_with(";*****")), "{masked:#?}");
    let partly = run(&desk, "build zips.csv --column zip --mask suffix --levels 1,2").ended(0);
    assert!(partly.out.lines().all(|line| line.ends_with("**;*")), "{partly:#?}");
    let help = run(&desk, "build --help").ended(0);
    assert!(help.out.contains("`*`, or a mark for each character"), "{help:#?}");
}
