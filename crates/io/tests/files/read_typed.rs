//! Reading Parquet and Arrow: types, nulls, dictionaries and their error texts.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type, UInt16Type};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int8Array, Int32Array, Int64Array, LargeStringArray, ListArray, NullArray, RecordBatch, StringArray,
    StringViewArray, TimestampMicrosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use pellucid_io::{ReadOptions, read_header, read_strings, read_table};
use pellucid_model::error::ErrorKind;
use pellucid_model::table::schema::{OnMissing, TableSchema};
use pellucid_model::table::{ColumnDomain, ColumnType, MISSING, Role, Table};

use crate::common::{Folder, SECRET, rows, schema};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet_file(folder: &Folder, batch: &RecordBatch) -> PathBuf {
    let path = folder.path("data.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    path
}

fn arrow_file(folder: &Folder, batch: &RecordBatch) -> PathBuf {
    let path = folder.path("data.arrow");
    let mut writer = FileWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    path
}

fn open(path: &Path, schema: &TableSchema) -> Table {
    read_table(path, &ReadOptions::default(), schema).unwrap()
}

fn refused(columns: Vec<(&str, ArrayRef)>, schema: &TableSchema) -> String {
    let folder = Folder::new();
    let path = arrow_file(&folder, &batch(columns));
    folder.message(&read_table(&path, &ReadOptions::default(), schema).unwrap_err())
}

fn every_type() -> RecordBatch {
    let dictionary: DictionaryArray<Int32Type> = ["b", "a"].into_iter().collect();
    batch(vec![
        ("i8", Arc::new(Int8Array::from(vec![-8, 8]))),
        ("u64", Arc::new(UInt64Array::from(vec![7, 9_223_372_036_854_775_807]))),
        ("f32", Arc::new(Float32Array::from(vec![0.1, -0.0]))),
        ("f64", Arc::new(Float64Array::from(vec![0.1, 1e21]))),
        ("dec", Arc::new(Decimal128Array::from(vec![1250, -5]).with_precision_and_scale(20, 2).unwrap())),
        ("text", Arc::new(StringArray::from(vec!["x", "é"]))),
        ("large", Arc::new(LargeStringArray::from(vec!["x", "y"]))),
        ("view", Arc::new(StringViewArray::from(vec!["x", "a text of more than twelve bytes"]))),
        ("bytes", Arc::new(BinaryArray::from_vec(vec![b"x", b"y"]))),
        ("bool", Arc::new(BooleanArray::from(vec![true, false]))),
        ("d32", Arc::new(Date32Array::from(vec![0, 19_782]))),
        ("d64", Arc::new(Date64Array::from(vec![0, 86_400_000]))),
        ("time", Arc::new(TimestampSecondArray::from(vec![86_400, -86_400]).with_timezone("UTC"))),
        ("dict", Arc::new(dictionary)),
    ])
}

const EVERY_ROW: [[&str; 14]; 2] = [
    ["-8", "7", "0.1", "0.1", "12.5", "x", "x", "x", "x", "true", "1970-01-01", "1970-01-01", "1970-01-02", "b"],
    [
        "8",
        "9223372036854775807",
        "0",
        "1000000000000000000000",
        "-0.05",
        "é",
        "y",
        "a text of more than twelve bytes",
        "y",
        "false",
        "2024-02-29",
        "1970-01-02",
        "1969-12-31",
        "a",
    ],
];

#[test]
fn every_type_is_read_from_both_formats() {
    let folder = Folder::new();
    let batch = every_type();
    let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut declared: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "time").collect();
    declared.push("time:date");
    let declared = schema(&declared);
    for path in [parquet_file(&folder, &batch), arrow_file(&folder, &batch)] {
        assert_eq!(read_header(&path, &ReadOptions::default()).unwrap(), names);
        let table = open(&path, &declared);
        assert_eq!(rows(&table), EVERY_ROW);
        let kind = |name: &str| table.column(name).unwrap().domain().kind();
        assert_eq!(
            ["i8", "f64", "dec", "bool", "d64", "time", "dict"].map(kind),
            [
                ColumnType::Integer,
                ColumnType::Decimal,
                ColumnType::Decimal,
                ColumnType::Category,
                ColumnType::Date,
                ColumnType::Date,
                ColumnType::Category
            ]
        );
        let raw = read_strings(&path, &ReadOptions::default()).unwrap();
        for (column, at) in raw.columns().iter().zip(0..) {
            assert_eq!([column.cell(0), column.cell(1)], [EVERY_ROW[0][at], EVERY_ROW[1][at]], "{}", column.name());
        }
    }
}

#[test]
fn a_declared_kind_goes_before_the_type_of_the_file() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("a", Arc::new(Int32Array::from(vec![10, 9]))),
        ("b", Arc::new(StringArray::from(vec!["10", "9"]))),
        ("c", Arc::new(Float64Array::from(vec![10.0, 9.0]))),
        ("d", Arc::new(Int32Array::from(vec![10, 9]))),
    ];
    let folder = Folder::new();
    let table =
        open(&arrow_file(&folder, &batch(columns)), &schema(&["a:category", "b:integer", "c:integer", "d:decimal"]));
    assert_eq!(table.columns()[0].domain(), &ColumnDomain::Category(vec!["10".into(), "9".into()]));
    assert_eq!(table.columns()[1].domain(), &ColumnDomain::Integer(vec![9, 10]));
    assert_eq!(table.columns()[2].domain(), &ColumnDomain::Integer(vec![9, 10]));
    assert_eq!(table.columns()[3].domain(), &ColumnDomain::Decimal { scale: 0, unscaled: vec![9, 10] });
}

#[test]
fn the_stream_format_and_unknown_extensions_are_read() {
    let folder = Folder::new();
    let batch = batch(vec![("a", Arc::new(Int64Array::from(vec![3, 1])))]);
    let path = folder.path("data.ipc");
    let mut writer = StreamWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    assert_eq!(rows(&open(&path, &schema(&["a"]))), [["3"], ["1"], ["3"], ["1"]]);
    for (path, name) in [(parquet_file(&folder, &batch), "one"), (arrow_file(&folder, &batch), "two.bin")] {
        let bare = folder.path(name);
        std::fs::rename(path, &bare).unwrap();
        assert_eq!(rows(&open(&bare, &schema(&["a"]))), [["3"], ["1"]]);
    }
}

#[test]
fn packed_files_are_read() {
    let folder = Folder::new();
    let batch = batch(vec![("a", Arc::new(Int64Array::from(vec![3; 5_000])))]);
    for packing in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let path = folder.path("data.feather");
        let options = IpcWriteOptions::default().try_with_compression(Some(packing)).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        assert_eq!(open(&path, &schema(&["a"])).rows(), 5_000);
    }
    for packing in
        [Compression::GZIP(GzipLevel::default()), Compression::LZ4_RAW, Compression::ZSTD(ZstdLevel::default())]
    {
        let path = folder.path("data.parquet");
        let properties = WriterProperties::builder().set_compression(packing).build();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        assert_eq!(open(&path, &schema(&["a"])).rows(), 5_000);
    }
}

#[test]
fn nulls_are_missing_cells() {
    let dictionary = DictionaryArray::<UInt16Type>::from_iter([Some("u"), None, Some("v")]);
    // A dictionary may hold a null value besides null keys.
    let null_value = DictionaryArray::<Int8Type>::try_new(
        Int8Array::from(vec![Some(0), Some(1), None]),
        Arc::new(StringArray::from(vec![Some("w"), None])),
    );
    let no_values = DictionaryArray::<Int8Type>::try_new(
        Int8Array::from(vec![None, None, None]),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    );
    let batch = batch(vec![
        ("a", Arc::new(Int32Array::from(vec![Some(1), None, Some(2)]))),
        ("b", Arc::new(dictionary)),
        ("c", Arc::new(null_value.unwrap())),
        ("d", Arc::new(NullArray::new(3))),
        ("e", Arc::new(no_values.unwrap())),
    ]);
    let folder = Folder::new();
    let path = arrow_file(&folder, &batch);
    let undecided = schema(&["a", "b", "c", "d", "e"]);
    let error = read_table(&path, &ReadOptions::default(), &undecided).unwrap_err();
    assert_eq!(
        folder.message(&error),
        "data.arrow: column `a` has 1 missing cell (first at row 2); set `on_missing = \"category\"` or clean the file"
    );
    let expected = [
        ["1", "u", "w", MISSING, MISSING],
        [MISSING, MISSING, MISSING, MISSING, MISSING],
        ["2", "v", MISSING, MISSING, MISSING],
    ];
    assert_eq!(rows(&open(&path, &undecided.with_on_missing(OnMissing::Category))), expected);
    let raw = read_strings(&path, &ReadOptions::default()).unwrap();
    assert_eq!(raw.column("a").unwrap().iter().collect::<Vec<_>>(), ["1", MISSING, "2"]);
    assert_eq!(raw.column("d").unwrap().cell(2), MISSING);
}

#[test]
fn declared_spellings_apply_to_numbers() {
    let folder = Folder::new();
    let batch = batch(vec![
        ("a", Arc::new(Int32Array::from(vec![-9, 4]))),
        ("b", Arc::new(Float64Array::from(vec![f64::NAN, 4.5]))),
    ]);
    let schema = schema(&["a", "b"]).with_missing(["-9", "NaN"]).with_on_missing(OnMissing::Category);
    assert_eq!(rows(&open(&arrow_file(&folder, &batch), &schema)), [[MISSING, MISSING], ["4", "4.5"]]);
}

#[test]
fn cell_errors_name_row_and_column_only() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1", SECRET]));
    assert_eq!(
        refused(vec![("age", text)], &schema(&["age:integer"])),
        "data.arrow, row 2, column `age`: not a whole number; correct it, list its spelling under `missing`, or choose another `type`"
    );
    let noon: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![0, 43_200_000_000]));
    assert_eq!(
        refused(vec![("t", noon.clone())], &schema(&["t:date"])),
        "data.arrow, row 2, column `t`: a date with a time of day; cut the time off before reading"
    );
    assert!(refused(vec![("t", noon)], &schema(&["t"])).starts_with("data.arrow: column `t` holds points in time;"));
    let not_a_number: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN]));
    assert!(
        refused(vec![("x", not_a_number)], &schema(&["x"])).starts_with("data.arrow, row 1, column `x`: not a decimal")
    );
    let large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
    assert!(refused(vec![("x", large)], &schema(&["x"])).contains("beyond 64 bits"));
    let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"caf\xe9"]));
    assert!(refused(vec![("x", bytes)], &schema(&["x"])).contains("column `x`: not UTF-8 text"));
}

#[test]
fn rows_are_counted_across_batches() {
    let folder = Folder::new();
    let mut cells = vec!["1"; 70_000];
    cells[69_999] = SECRET;
    let path = parquet_file(&folder, &batch(vec![("a", Arc::new(StringArray::from(cells)))]));
    let error = read_table(&path, &ReadOptions::default(), &schema(&["a:integer"])).unwrap_err();
    assert!(folder.message(&error).starts_with("data.parquet, row 70000, column `a`: "), "{error}");
}

#[test]
fn points_in_time_keep_their_time_as_strings() {
    let folder = Folder::new();
    let noon: ArrayRef = Arc::new(TimestampMicrosecondArray::from(vec![0, 43_200_500_000]));
    let raw = read_strings(&arrow_file(&folder, &batch(vec![("t", noon)])), &ReadOptions::default()).unwrap();
    assert_eq!(raw.columns()[0].iter().collect::<Vec<_>>(), ["1970-01-01", "1970-01-01 12:00:00.500"]);
}

#[test]
fn nested_types_are_refused_unless_dropped() {
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]));
    let columns = vec![("x", lists), ("a", Arc::new(Int32Array::from(vec![1])) as ArrayRef)];
    let mut declared = schema(&["a", "x"]);
    let message = refused(columns.clone(), &declared);
    assert!(message.starts_with("data.arrow: column `x` has type List("), "{message}");
    assert!(message.ends_with("which cannot be read; convert it to text or set `role = \"drop\"`"), "{message}");
    declared.columns[1].role = Role::Drop;
    let folder = Folder::new();
    let batch = batch(columns);
    for path in [arrow_file(&folder, &batch), parquet_file(&folder, &batch)] {
        assert_eq!(rows(&open(&path, &declared)), [["1"]]);
    }
}

#[test]
fn damaged_and_empty_files_are_refused() {
    let folder = Folder::new();
    let whole = parquet_file(&folder, &every_type());
    let bytes = std::fs::read(&whole).unwrap();
    for (name, content) in [
        ("cut.parquet", &bytes[..bytes.len() / 2]),
        ("words.parquet", SECRET.as_bytes()),
        ("words.arrow", SECRET.as_bytes()),
        ("cut.arrow", b"ARROW1\0\0".as_slice()),
        ("empty.parquet", b"".as_slice()),
        ("empty.arrow", b"".as_slice()),
    ] {
        let error = read_table(&folder.file(name, content), &ReadOptions::default(), &schema(&["a"])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadInput);
        assert!(folder.message(&error).starts_with(&format!("{name}: cannot be read as ")), "{error}");
    }
    let none: ArrayRef = Arc::new(Int32Array::from(Vec::<i32>::new()));
    assert!(
        refused(vec![("a", none)], &schema(&["a"]))
            .ends_with("has a header but no rows; add rows or name another file")
    );
}
