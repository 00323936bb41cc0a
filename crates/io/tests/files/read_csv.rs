//! Reading CSV and TSV: what is accepted, and each error text.

use std::fmt::Write;

use pellucid_io::{FileFormat, ReadOptions, read_header, read_strings, read_table};
use pellucid_model::error::ErrorKind;
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
use pellucid_model::table::{ColumnDomain, MISSING, Role};

use crate::common::{Folder, SECRET, read, refused, rows, schema};

const FOUR: [[&str; 2]; 2] = [["1", "2"], ["3", "4"]];

#[test]
fn line_ends_marks_and_separators_do_not_matter() {
    for (name, text) in [
        ("a.csv", "a,b\n1,2\n3,4\n"),
        ("a.csv", "a,b\n1,2\n3,4"),
        ("a.csv", "a,b\r\n1,2\r\n3,4\r\n"),
        ("a.csv", "a,b\r1,2\r3,4\r"),
        ("a.csv", "\u{feff}a,b\n1,2\n3,4\n"),
        ("a.csv", "\u{feff}\"a\",\"b\"\n1,2\n3,4\n"),
        ("a.csv", "a,b\n1,2\n3,4\n\n\n"),
        ("a.csv", "a,b\r\n1,2\r\n3,4\r\n\r\n"),
        ("a.txt", "a;b\n1;2\n3;4\n"),
        ("a.csv", "a|b\n1|2\n3|4\n"),
        ("a.csv", "a\tb\n1\t2\n3\t4\n"),
        ("a.tsv", "a\tb\n1\t2\n3\t4\n"),
        ("a.data", "a,b\n1,2\n3,4\n"),
    ] {
        assert_eq!(rows(&read(name, text, &schema(&["a", "b"])).unwrap()), FOUR, "{text:?}");
    }
}

#[test]
fn a_named_separator_and_format_win() {
    let folder = Folder::new();
    let path = folder.file("a.tsv", "a:b\n1:2\n3:4\n");
    let options = ReadOptions { format: Some(FileFormat::Csv), separator: Some(':') };
    assert_eq!(rows(&read_table(&path, &options, &schema(&["a", "b"])).unwrap()), FOUR);
    assert_eq!(read_header(&path, &options).unwrap(), ["a", "b"]);
}

#[test]
fn quoted_cells_keep_separators_and_line_ends() {
    let table = read("a.csv", "a,b\n\"x,y\",\"say \"\"hi\"\"\"\n\"1\n2\",\"\r\n\"\n", &schema(&["a", "b"])).unwrap();
    assert_eq!(rows(&table), [["x,y", "say \"hi\""], ["1\n2", "\r\n"]]);
}

#[test]
fn kinds_are_read_exactly() {
    let text = "i,d,t,w\n007,12.50, 2024-02-29,007\n-1,-.5,1969-12-31,é\n";
    let table = read("a.csv", text, &schema(&["i:integer", "d:decimal", "t:date", "w"])).unwrap();
    assert_eq!(rows(&table), [["7", "12.5", "2024-02-29", "007"], ["-1", "-0.5", "1969-12-31", "é"]]);
    assert_eq!(table.columns()[1].domain(), &ColumnDomain::Decimal { scale: 1, unscaled: vec![-5, 125] });
}

#[test]
fn dropped_columns_are_skipped_whatever_they_hold() {
    let mut schema = schema(&["a:integer", "junk:integer"]);
    schema.columns[1].role = Role::Drop;
    let table = read("a.csv", b"junk,a\nx\xff,1\n,2\n", &schema).unwrap();
    assert_eq!(rows(&table), [["1"], ["2"]]);
}

#[test]
fn two_hundred_columns_are_read() {
    let names: Vec<String> = (0..200).map(|at| format!("c{at}")).collect();
    let mut text = names.join(",");
    for row in 0..3 {
        text.push('\n');
        let cells: Vec<String> = (0..200).map(|at| (row * 1000 + at).to_string()).collect();
        text.push_str(&cells.join(","));
    }
    let declared: Vec<&str> = names.iter().map(String::as_str).rev().collect();
    let table = read("a.csv", text, &schema(&declared)).unwrap();
    assert_eq!(table.columns().len(), 200);
    assert_eq!(table.column("c199").unwrap().text(2), "2199");
}

#[test]
fn cell_errors_name_line_and_column_only() {
    for (kind, cell, what) in [
        (
            "integer",
            SECRET,
            "not a whole number; correct it, list its spelling under `missing`, or choose another `type`",
        ),
        ("integer", "99999999999999999999", "a whole number beyond 64 bits; set `type = \"decimal\"`"),
        (
            "decimal",
            SECRET,
            "not a decimal number such as 12.5; correct it, list its spelling under `missing`, or choose another `type`",
        ),
        (
            "decimal",
            "1234567890123456789012345678901234567890",
            "a decimal number of more than 38 digits; round it or set `type = \"category\"`",
        ),
        (
            "date",
            SECRET,
            "not a date of the form YYYY-MM-DD; correct it, list its spelling under `missing`, or choose another `type`",
        ),
        (
            "date",
            "2023-02-30",
            "a date that is not in the calendar; correct it, list its spelling under `missing`, or choose another `type`",
        ),
    ] {
        let schema = schema(&["name", &format!("age:{kind}")]);
        for end in ["\n", "\r\n", "\r"] {
            let good = if kind == "date" { "2000-01-01" } else { "5" };
            // The header is on line 1, two rows follow, the second of two lines.
            let text =
                ["name,age", &format!("ann,{good}"), "\"bob", &format!("b\",{good}"), &format!("{SECRET},{cell}"), ""];
            let message = refused(text.join(end), &schema);
            assert_eq!(message, format!("data.csv, line 5, column `age`: {what}"));
            assert!(!message.contains(cell), "{message}");
        }
    }
}

#[test]
fn lines_are_physical_even_after_blank_ones() {
    let text = format!("\u{feff}a,b\r\n\r\n1,2\r\n\r\n{SECRET},4\r\n");
    let message = refused(text, &schema(&["a:integer", "b"]));
    assert!(message.starts_with("data.csv, line 5, column `a`: "), "{message}");
}

#[test]
fn text_that_is_not_utf_8_is_refused() {
    let message = refused([b"a,b\n1,2\n3,caf\xe9".as_slice(), SECRET.as_bytes()].concat(), &schema(&["a", "b"]));
    assert_eq!(message, "data.csv, line 3, column `b`: not UTF-8 text; save the file as UTF-8");
    let message = refused(b"a,caf\xe9\n1,2\n", &schema(&["a", "b"]));
    assert_eq!(message, "data.csv: line 1, name of column 2: not UTF-8 text; save the file as UTF-8");
    let message = refused(b"\xff\xfea\0,\0b\0\n\0", &schema(&["a", "b"]));
    assert_eq!(message, "data.csv: the text is UTF-16; save the file as UTF-8");
}

#[test]
fn ragged_rows_are_refused() {
    let remedy = "put quotes round cells that contain the separator, or name the right separator";
    let schema = schema(&["a", "b", "c"]);
    assert_eq!(
        refused(format!("a,b,c\n1,2,3\n1,{SECRET}\n"), &schema),
        format!("data.csv, line 3: 2 cells where the header has 3; {remedy}")
    );
    assert_eq!(
        refused(format!("a,b,c\r\"1\r\",2,3\r1,2,3,{SECRET}\r"), &schema),
        format!("data.csv, line 4: 4 cells where the header has 3; {remedy}")
    );
}

#[test]
fn open_quotes_are_refused() {
    let what = "a quote is opened and never closed; close it, or double it if it belongs to the text";
    let text = format!("a,b\n1,2\n3,\"{SECRET}\n5,6\n");
    assert_eq!(refused(&text, &schema(&["a", "b"])), format!("data.csv, line 3: {what}"));
    assert_eq!(refused(text.replace("3,", ""), &schema(&["a", "b"])), format!("data.csv, line 3: {what}"));
}

#[test]
fn blank_lines_in_a_single_column_are_refused() {
    let message = refused("a\n1\n\n2\n", &schema(&["a"]));
    assert!(message.starts_with("data.csv, line 3: a blank line between the rows of a single column;"), "{message}");
    assert_eq!(rows(&read("a.csv", "a\n1\n2\n\n", &schema(&["a"])).unwrap()), [["1"], ["2"]]);
}

#[test]
fn headers_are_checked() {
    assert_eq!(refused("a,a\n1,2\n", &schema(&["a"])), "data.csv: two columns are named `a`; rename one");
    assert_eq!(refused(",a\n1,2\n", &schema(&["a"])), "data.csv: column 1 has no name; name it in the header");
    assert_eq!(
        refused("a,zip code\n1,2\n", &schema(&["a", "zipcode"])),
        "data.csv: a column is not declared: `zip code` (did you mean `zipcode`?); declare it, with role `drop` to leave it out"
    );
    assert_eq!(
        refused("age\n1\n", &schema(&["age", "agee"])),
        "data.csv: no column `agee`, did you mean `age`?; correct the name or remove it from the declared columns"
    );
}

#[test]
fn files_without_rows_are_refused() {
    let empty = "data.csv: the file is empty; it must begin with a line of column names";
    let no_rows = "data.csv: has a header but no rows; add rows or name another file";
    for (text, message) in [("", empty), ("\n\n", empty), ("\u{feff}", empty), ("a,b\n", no_rows), ("a,b", no_rows)] {
        assert_eq!(refused(text, &schema(&["a", "b"])), message, "{text:?}");
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = Folder::new();
    let open = |name: &str| {
        let path = folder.path(name);
        let error = read_table(&path, &ReadOptions::default(), &schema(&["a"])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(read_header(&path, &ReadOptions::default()).unwrap_err().to_string(), error.to_string());
        folder.message(&error)
    };
    assert_eq!(open("absent.csv"), "cannot use `absent.csv`: there is no such file or folder; check the path");
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    assert_eq!(open("folder.csv"), "cannot use `folder.csv`: it is a folder; name a file");
}

#[test]
fn missing_cells_follow_the_declared_choice() {
    let text = "a,b\n1,x\nNA,\n3,NA\n";
    let columns = ["a:integer", "b"];
    let declared = schema(&columns).with_missing(["NA", ""]);
    assert_eq!(
        refused(text, &declared),
        "data.csv: column `a` has 1 missing cell (first at row 2); set `on_missing = \"category\"` or clean the file"
    );
    let kept = read("a.csv", text, &declared.clone().with_on_missing(OnMissing::Category)).unwrap();
    assert_eq!(rows(&kept), [["1", "x"], [MISSING, MISSING], ["3", MISSING]]);
    let mut mixed = declared.with_on_missing(OnMissing::Category);
    mixed.columns[1].on_missing = Some(OnMissing::Refuse);
    assert_eq!(
        refused(text, &mixed),
        "data.csv: column `b` has 2 missing cells (first at row 2); set `on_missing = \"category\"` or clean the file"
    );
    let undeclared = schema(&["a", "b"]).with_missing(["NA"]).with_on_missing(OnMissing::Category);
    assert_eq!(
        refused(text, &undeclared),
        "data.csv: column `b` has 1 empty cell (first at row 2); declare `missing = [\"\"]` with `on_missing = \"category\"`, or clean the file"
    );
}

#[test]
fn the_order_of_rows_does_not_reach_the_domain() {
    let lines: Vec<String> = (0..500).map(|row| format!("{},w{}", row % 17, row * 7 % 300)).collect();
    let schema = schema(&["a:integer", "b"]);
    let forward = read("a.csv", format!("a,b\n{}", lines.join("\n")), &schema).unwrap();
    let backward: Vec<String> = lines.into_iter().rev().collect();
    let backward = read("a.csv", format!("a,b\n{}", backward.join("\n")), &schema).unwrap();
    for (left, right) in forward.columns().iter().zip(backward.columns()) {
        assert_eq!(left.domain(), right.domain());
    }
    assert!(rows(&forward).iter().eq(rows(&backward).iter().rev()));
}

#[test]
fn long_files_cross_every_buffer() {
    let mut text = String::from("a,b\n");
    for row in 0..60_000 {
        writeln!(text, "{row},\"x,{}\"", row % 3).unwrap();
    }
    let table = read("a.csv", &text, &schema(&["a:integer", "b"])).unwrap();
    assert_eq!(table.rows(), 60_000);
    assert_eq!(table.columns()[0].text(59_999), "59999");
    text.push_str(SECRET);
    text.push_str(",1\n");
    assert!(refused(&text, &schema(&["a:integer", "b"])).starts_with("data.csv, line 60002, column `a`: "));
}

#[test]
fn strings_are_taken_as_they_are() {
    let folder = Folder::new();
    let path = folder.file("a.csv", "a,b\n 007,\n[1-5],x\n 007,NA\n");
    let raw = read_strings(&path, &ReadOptions::default()).unwrap();
    assert_eq!(raw.header().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(raw.rows(), 3);
    assert_eq!(raw.column("a").unwrap().iter().collect::<Vec<_>>(), [" 007", "[1-5]", " 007"]);
    assert_eq!(raw.column("b").unwrap().cell(0), "");
    assert_eq!(raw.column("a").unwrap().distinct(), [" 007", "[1-5]"]);
    assert_eq!(raw.column("aa").unwrap_err().to_string(), "no column `aa`, did you mean `a`?");
}

#[test]
fn a_column_with_its_own_spellings_keeps_to_them() {
    let mut spec = ColumnSpec::new("a", Role::Sensitive);
    spec.missing = Some(vec!["-9".into()]);
    let schema = TableSchema::new(vec![spec]).with_missing(["NA"]).with_on_missing(OnMissing::Category);
    assert_eq!(rows(&read("a.csv", "a\nNA\n-9\n", &schema).unwrap()), [["NA"], [MISSING]]);
}
