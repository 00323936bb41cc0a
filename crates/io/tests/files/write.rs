//! Writing: round trips, and bytes that depend on the contents alone.

use std::path::Path;

use pellucid_io::{ReadOptions, read_strings, read_table, write_arrow, write_csv, write_parquet};
use pellucid_model::error::{ErrorKind, Result};
use pellucid_model::table::schema::{OnMissing, TableSchema};
use pellucid_model::table::{ColumnCodes, ColumnDomain, MISSING, Table};
use pellucid_model::table::{ReleasedColumn, ReleasedColumns};

use crate::common::{Folder, read, rows, schema};

type Write = fn(&Path, &ReleasedColumns) -> Result<()>;

const WRITERS: [(&str, Write); 3] =
    [("out.csv", write_csv), ("out.parquet", write_parquet), ("out.arrow", write_arrow)];

fn people() -> TableSchema {
    schema(&["name", "age:integer", "pay:decimal", "born:date"])
        .with_missing(["NA", MISSING])
        .with_on_missing(OnMissing::Category)
}

fn table() -> Table {
    let text =
        "name,age,pay,born\n\"Lee, Ann\",30,12.50,1990-01-31\nNA,NA,NA,NA\n\"a \"\"b\"\"\nc\",-4,.125,1890-12-01\n";
    read("people.csv", text, &people()).unwrap()
}

#[test]
fn tables_survive_every_format() {
    let folder = Folder::new();
    let table = table();
    for (name, write) in WRITERS {
        let path = folder.path(name);
        write(&path, &ReleasedColumns::from_table(&table).unwrap()).unwrap();
        assert_eq!(read_table(&path, &ReadOptions::default(), &people()).unwrap(), table, "{name}");
        // Typed files need no declared kinds.
        if name != "out.csv" {
            let bare = schema(&["name", "age", "pay", "born"]).with_on_missing(OnMissing::Category);
            assert_eq!(read_table(&path, &ReadOptions::default(), &bare).unwrap(), table, "{name}");
        }
        let raw = read_strings(&path, &ReadOptions::default()).unwrap();
        let texts: Vec<Vec<&str>> =
            (0..3).map(|row| raw.columns().iter().map(|column| column.cell(row)).collect()).collect();
        assert_eq!(texts, rows(&table), "{name}");
    }
}

#[test]
fn csv_has_line_feeds_and_few_quotes() {
    let folder = Folder::new();
    let path = folder.path("out.csv");
    let columns = ReleasedColumns::new(vec![
        (
            "group".into(),
            ReleasedColumn::Labels {
                labels: vec!["[1, 5]".into(), "*".into(), "say \"x\"".into()],
                codes: ColumnCodes::U8(vec![1, 0, 2]),
            },
        ),
        (
            "n".into(),
            ReleasedColumn::Values {
                domain: ColumnDomain::Integer(vec![-3, 7]),
                codes: ColumnCodes::U8(vec![0, 2, 1]),
            },
        ),
        (
            "day".into(),
            ReleasedColumn::Values { domain: ColumnDomain::Date(vec![-1, 0]), codes: ColumnCodes::U8(vec![1, 0, 2]) },
        ),
    ])
    .unwrap();
    write_csv(&path, &columns).unwrap();
    let expected = "group,n,day\n*,-3,1970-01-01\n\"[1, 5]\",(missing),1969-12-31\n\"say \"\"x\"\"\",7,(missing)\n";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    for (name, write) in WRITERS {
        let path = folder.path(name);
        write(&path, &columns).unwrap();
        let raw = read_strings(&path, &ReadOptions::default()).unwrap();
        assert_eq!(raw.column("n").unwrap().iter().collect::<Vec<_>>(), ["-3", MISSING, "7"]);
        assert_eq!(raw.column("group").unwrap().iter().collect::<Vec<_>>(), ["*", "[1, 5]", "say \"x\""]);
    }
}

#[test]
fn single_empty_cells_survive() {
    let folder = Folder::new();
    let text =
        ReleasedColumn::Labels { labels: vec![String::new(), "x".into()], codes: ColumnCodes::U8(vec![1, 0, 1]) };
    for (name, write) in WRITERS {
        let path = folder.path(name);
        write(&path, &ReleasedColumns::new(vec![("a".into(), text.clone())]).unwrap()).unwrap();
        let raw = read_strings(&path, &ReadOptions::default()).unwrap();
        assert_eq!(raw.columns()[0].iter().collect::<Vec<_>>(), ["x", "", "x"], "{name}");
    }
}

#[test]
fn bytes_depend_on_the_contents_alone() {
    let folder = Folder::new();
    for (name, write) in WRITERS {
        let [first, second] = ["one-", "two-"].map(|prefix| {
            let path = folder.path(&format!("{prefix}{name}"));
            write(&path, &ReleasedColumns::from_table(&table()).unwrap()).unwrap();
            std::fs::read(path).unwrap()
        });
        assert_eq!(first, second, "{name}");
        let text = String::from_utf8_lossy(&first);
        assert!(!text.contains("parquet-rs") && !text.contains("arrow-rs"), "{name}");
    }
    let parquet = std::fs::read(folder.path("one-out.parquet")).unwrap();
    assert!(parquet.windows(8).any(|bytes| bytes == b"pellucid"));
}

#[test]
fn many_rows_cross_batches() {
    let folder = Folder::new();
    let cells: Vec<String> = (0..150_000).map(|row| format!("{},w{}", row % 777, row % 70_000)).collect();
    let schema = schema(&["a:integer", "b"]);
    let table = read("a.csv", format!("a,b\n{}", cells.join("\n")), &schema).unwrap();
    for (name, write) in WRITERS {
        let path = folder.path(name);
        write(&path, &ReleasedColumns::from_table(&table).unwrap()).unwrap();
        assert_eq!(read_table(&path, &ReadOptions::default(), &schema).unwrap(), table, "{name}");
    }
}

#[test]
fn columns_are_checked() {
    let integers = |rows: usize| ReleasedColumn::Ordinal(vec![1; rows]);
    let text = |codes| ReleasedColumn::Labels { labels: vec!["x".into()], codes };
    assert!(ReleasedColumns::new(Vec::new()).is_err());
    assert!(ReleasedColumns::new(vec![("a".into(), integers(1)), ("a".into(), integers(1))]).is_err());
    assert!(ReleasedColumns::new(vec![("a".into(), integers(1)), ("b".into(), integers(2))]).is_err());
    assert!(ReleasedColumns::new(vec![("a".into(), text(ColumnCodes::U8(vec![1])))]).is_err());
    assert!(ReleasedColumns::new(vec![("a".into(), text(ColumnCodes::U8(vec![0])))]).is_ok());
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = Folder::new();
    let path = folder.file("out.csv", "old");
    let failed = pellucid_io::replace_file(&path, |file| {
        file.write_all(b"half").unwrap();
        Err(pellucid_model::error::Error::invalid("stop"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "stop");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    let nowhere =
        write_csv(&folder.path("absent/out.csv"), &ReleasedColumns::from_table(&table()).unwrap()).unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::Io);
    let onto_folder = write_csv(path.parent().unwrap(), &ReleasedColumns::from_table(&table()).unwrap()).unwrap_err();
    assert!(onto_folder.to_string().ends_with("it is a folder; name a file"));
}
