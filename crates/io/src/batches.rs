//! From record batches to coded columns: what Parquet and Arrow files have in common.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema as ArrowSchema};
use pellucid_model::error::{Error, Result};
use pellucid_model::table::Column;

use crate::cells::{kind_of, push_cells};
use crate::in_file;
use crate::plan::{Plan, finish};

/// Rows that are decoded at once.
pub(crate) const BATCH_ROWS: usize = 1 << 16;

/// The column names of `schema`.
pub(crate) fn names(schema: &ArrowSchema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

/// Codes the batches that `open` yields for the places of the wanted columns.
pub(crate) fn read<B>(
    path: &Path,
    schema: &ArrowSchema,
    plan: Plan<'_>,
    open: impl FnOnce(Vec<usize>) -> Result<B>,
) -> Result<Vec<Column>>
where
    B: Iterator<Item = Result<RecordBatch, ArrowError>>,
{
    let in_file = |error| in_file(path, error);
    let typed = |at: usize, declared| kind_of(schema.field(at), declared, plan.is_verbatim());
    let mut coders = plan.coders(&names(schema), typed).map_err(in_file)?;
    let wanted = coders.iter().map(|&(at, _)| at).collect();
    let mut rows = 0;
    for batch in open(wanted).map_err(in_file)? {
        // The decoder's own words are left out: they might quote what it failed to decode.
        let batch = batch.map_err(|_| {
            in_file(Error::bad_input(format!(
                "rows after row {rows} cannot be decoded; the file is damaged, or packed otherwise than with snappy, \
                 gzip, lz4 or zstd"
            )))
        })?;
        for ((_, coder), array) in coders.iter_mut().zip(batch.columns()) {
            push_cells(array.as_ref(), coder, plan.is_verbatim()).map_err(|(row, fault)| {
                let place = format!("{}, row {}, column `{}`", path.display(), rows + row + 1, coder.name());
                Error::bad_input(fault.to_string()).context(place)
            })?;
        }
        rows += batch.num_rows();
    }
    finish(coders).map_err(in_file)
}
