//! From record batches to coded columns.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema as ArrowSchema};
use pellucid_model::error::{Error, Result};
use pellucid_model::table::Column;
use pellucid_model::table::reading::{ReadingPlan, finish};

use crate::cells::{kind_of, push_cells};

/// The column names of `schema`.
pub fn names(schema: &ArrowSchema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// Codes the batches that `open` yields for the places of the wanted columns.
///
/// # Errors
/// When a column is missing or of a type without an exact reading, or a cell cannot be read as what the plan declares; with row and
/// column, never with the cell.
pub fn read_batches<B>(
    schema: &ArrowSchema,
    plan: ReadingPlan<'_>,
    open: impl FnOnce(Vec<usize>) -> Result<B>,
) -> Result<Vec<Column>>
where
    B: Iterator<Item = Result<RecordBatch, ArrowError>>,
{
    let typed = |at: usize, declared| kind_of(schema.field(at), declared, plan.is_verbatim());
    let mut coders = plan.coders(&names(schema), typed)?;
    let wanted = coders.iter().map(|&(at, _)| at).collect();
    let mut rows = 0;
    for batch in open(wanted)? {
        // The decoder's own words are left out: they might quote what it failed to decode.
        let batch = batch.map_err(|_| {
            Error::bad_input(format!(
                "rows after row {rows} cannot be decoded; the file is damaged, or packed otherwise than with snappy, \
                 gzip, lz4 or zstd"
            ))
        })?;
        for ((_, coder), array) in coders.iter_mut().zip(batch.columns()) {
            push_cells(array.as_ref(), coder, plan.is_verbatim()).map_err(|(row, fault)| {
                let place = format!("row {}, column `{}`", rows + row + 1, coder.name());
                Error::bad_input(fault.to_string()).context(place)
            })?;
        }
        rows += batch.num_rows();
    }
    finish(coders)
}
