//! Cells of Arrow arrays, handed to a coder by their own types.
//!
//! Floating-point numbers are taken as the shortest decimal text that stands for them; a timestamp is a date when its
//! time is midnight. Types without an exact reading are refused by name.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::{Array, types};
use arrow_schema::{DataType, Field, TimeUnit};
use pellucid_model::error::{Error, Result};
use pellucid_model::table::coder::{CellFault, ColumnCoder};
use pellucid_model::table::{ColumnType, MISSING};

const SECONDS_OF_DAY: i64 = 86_400;

/// The kind to read a column as, or why it cannot be read.
pub(crate) fn kind_of(field: &Field, declared: Option<ColumnType>, verbatim: bool) -> Result<ColumnType> {
    let data_type = value_type(field.data_type());
    let natural = match data_type {
        integer if integer.is_integer() => ColumnType::Integer,
        DataType::Float32
        | DataType::Float64
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => ColumnType::Decimal,
        DataType::Date32 | DataType::Date64 => ColumnType::Date,
        DataType::Timestamp(_, zone) if is_utc(zone.as_deref()) => {
            if verbatim || declared == Some(ColumnType::Date) {
                return Ok(ColumnType::Date);
            }
            return Err(Error::bad_input(format!(
                "column `{}` holds points in time; set `type = \"date\"` if they are all midnight, else convert it to \
                 text before reading",
                field.name()
            )));
        }
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => ColumnType::Category,
        other => {
            return Err(Error::bad_input(format!(
                "column `{}` has type {other}, which cannot be read; convert it to text or set `role = \"drop\"`",
                field.name()
            )));
        }
    };
    Ok(declared.unwrap_or(natural))
}

fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => value_type(values),
        other => other,
    }
}

fn is_utc(zone: Option<&str>) -> bool {
    matches!(zone, None | Some("UTC" | "Etc/UTC" | "Z" | "+00:00"))
}

/// Feeds every cell of `array` to `coder`; a fault comes with its row in the array.
pub(crate) fn push_cells(array: &dyn Array, coder: &mut ColumnCoder, verbatim: bool) -> Result<(), (usize, CellFault)> {
    push_picked(array, &mut (0..array.len()).map(Some), coder, verbatim)
}

/// Feeds the cells at `picks`, `None` being a null.
fn push_picked(
    array: &dyn Array,
    picks: &mut dyn Iterator<Item = Option<usize>>,
    coder: &mut ColumnCoder,
    verbatim: bool,
) -> Result<(), (usize, CellFault)> {
    // `push_each!(cells, |cell| result)` with cells that have `value(at)`.
    macro_rules! push_each {
        ($cells:expr, |$cell:ident| $push:expr) => {{
            let cells = $cells;
            for (row, pick) in picks.enumerate() {
                let result = match pick.filter(|&at| !cells.is_null(at)) {
                    Some(at) => {
                        let $cell = cells.value(at);
                        $push
                    }
                    None if verbatim => coder.push_text(MISSING),
                    None => {
                        coder.push_missing();
                        Ok(())
                    }
                };
                result.map_err(|fault| (row, fault))?;
            }
            Ok(())
        }};
    }
    macro_rules! push_integers {
        ($array_type:ty) => {
            push_each!(array.as_primitive::<$array_type>(), |cell| coder.push_integer(i64::from(cell)))
        };
    }
    macro_rules! push_decimals {
        ($array_type:ty, $scale:expr) => {
            push_each!(array.as_primitive::<$array_type>(), |cell| coder
                .push_decimal(i128::from(cell), i32::from(*$scale)))
        };
    }
    macro_rules! push_times {
        ($array_type:ty, $per_second:expr) => {
            push_each!(array.as_primitive::<$array_type>(), |cell| push_time(coder, cell, $per_second, verbatim))
        };
    }
    let mut text = String::new();
    match array.data_type() {
        DataType::Int8 => push_integers!(types::Int8Type),
        DataType::Int16 => push_integers!(types::Int16Type),
        DataType::Int32 => push_integers!(types::Int32Type),
        DataType::Int64 => push_integers!(types::Int64Type),
        DataType::UInt8 => push_integers!(types::UInt8Type),
        DataType::UInt16 => push_integers!(types::UInt16Type),
        DataType::UInt32 => push_integers!(types::UInt32Type),
        DataType::UInt64 => {
            push_each!(array.as_primitive::<types::UInt64Type>(), |cell| coder.push_decimal(i128::from(cell), 0))
        }
        DataType::Float32 => push_each!(array.as_primitive::<types::Float32Type>(), |cell| {
            push_shortest(coder, &mut text, if cell == 0.0 { 0.0 } else { cell })
        }),
        DataType::Float64 => push_each!(array.as_primitive::<types::Float64Type>(), |cell| {
            push_shortest(coder, &mut text, if cell == 0.0 { 0.0 } else { cell })
        }),
        DataType::Decimal32(_, scale) => push_decimals!(types::Decimal32Type, scale),
        DataType::Decimal64(_, scale) => push_decimals!(types::Decimal64Type, scale),
        DataType::Decimal128(_, scale) => push_decimals!(types::Decimal128Type, scale),
        DataType::Decimal256(_, scale) => push_each!(array.as_primitive::<types::Decimal256Type>(), |cell| {
            let unscaled = cell.to_i128().ok_or(CellFault::DecimalRange);
            unscaled.and_then(|unscaled| coder.push_decimal(unscaled, i32::from(*scale)))
        }),
        DataType::Boolean => {
            push_each!(array.as_boolean(), |cell| coder.push_text(if cell { "true" } else { "false" }))
        }
        DataType::Utf8 => push_each!(array.as_string::<i32>(), |cell| coder.push_text(cell)),
        DataType::LargeUtf8 => push_each!(array.as_string::<i64>(), |cell| coder.push_text(cell)),
        DataType::Utf8View => push_each!(array.as_string_view(), |cell| coder.push_text(cell)),
        DataType::Binary => push_each!(array.as_binary::<i32>(), |cell| coder.push_bytes(cell)),
        DataType::LargeBinary => push_each!(array.as_binary::<i64>(), |cell| coder.push_bytes(cell)),
        DataType::BinaryView => push_each!(array.as_binary_view(), |cell| coder.push_bytes(cell)),
        DataType::Date32 => push_each!(array.as_primitive::<types::Date32Type>(), |cell| coder.push_days(cell)),
        DataType::Date64 => push_times!(types::Date64Type, 1_000),
        DataType::Timestamp(TimeUnit::Second, _) => push_times!(types::TimestampSecondType, 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => push_times!(types::TimestampMillisecondType, 1_000),
        DataType::Timestamp(TimeUnit::Microsecond, _) => push_times!(types::TimestampMicrosecondType, 1_000_000),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => push_times!(types::TimestampNanosecondType, 1_000_000_000),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let (keys, values) = (dictionary.keys(), dictionary.values());
            // Keys of an empty dictionary are all null, and asking for them would panic.
            let places = if values.is_empty() { vec![0; keys.len()] } else { dictionary.normalized_keys() };
            let mut picked = picks.map(|pick| pick.filter(|&at| keys.is_valid(at)).map(|at| places[at]));
            push_picked(values.as_ref(), &mut picked, coder, verbatim)
        }
        // Only the null type is left: `kind_of` refused all others before the first cell.
        _ => {
            for (row, _) in picks.enumerate() {
                if verbatim {
                    coder.push_text(MISSING).map_err(|fault| (row, fault))?;
                } else {
                    coder.push_missing();
                }
            }
            Ok(())
        }
    }
}

fn push_shortest(coder: &mut ColumnCoder, text: &mut String, cell: impl std::fmt::Display) -> Result<(), CellFault> {
    text.clear();
    // Writing to a string cannot fail.
    let _ = write!(text, "{cell}");
    coder.push_text(text)
}

/// A point in time, `per_second` to the second since 1970, as a day; as text with its time when nothing is refused.
fn push_time(coder: &mut ColumnCoder, time: i64, per_second: i64, verbatim: bool) -> Result<(), CellFault> {
    let per_day = SECONDS_OF_DAY * per_second;
    let days = i32::try_from(time.div_euclid(per_day)).map_err(|_| CellFault::NoSuchDay)?;
    let within = time.rem_euclid(per_day);
    if within == 0 {
        return coder.push_days(days);
    }
    if !verbatim {
        return Err(CellFault::TimeOfDay);
    }
    let nanoseconds = within % per_second * (1_000_000_000 / per_second);
    let moment =
        chrono::NaiveTime::from_num_seconds_from_midnight_opt((within / per_second) as u32, nanoseconds as u32)
            .ok_or(CellFault::NoSuchDay)?;
    coder.push_text(&format!("{} {moment}", pellucid_model::table::format_date(days)))
}
