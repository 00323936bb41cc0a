//! Random queries.

use pellucid_model::error::{Error, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::{CountQuery, QueryTable, QueryWorkload, RankRange, WorkloadSettings};

impl QueryTable {
    /// Draws a workload; the same settings on tables with the same domains give the same queries.
    ///
    /// A query names one sensitive column, drawn where there are several, and quasi columns drawn without repetition. Its range
    /// in a column holds `selectivity^(1/dimensions)` of the values, rounded to whole values and at least one, and begins anywhere.
    ///
    /// # Errors
    /// When the table has fewer columns than a query should name.
    pub fn draw(&self, settings: &WorkloadSettings) -> Result<QueryWorkload> {
        settings.check()?;
        let (quasi, sensitive) = (self.quasi(), self.columns().len() - self.quasi());
        let most = quasi + usize::from(sensitive > 0);
        let dimensions = settings.dimensions.unwrap_or(most);
        if dimensions == 0 || dimensions > most {
            return Err(Error::invalid(format!(
                "queries can name 1 to {most} columns of this table (a sensitive one and quasi columns), not {dimensions}; \
                 ask for fewer"
            )));
        }
        let share = settings.selectivity.powf(1.0 / dimensions as f64);
        let mut random = ChaCha20Rng::seed_from_u64(settings.seed);
        let queries = (0..settings.queries).map(|_| {
            let mut columns: Vec<usize> = (0..quasi).collect();
            let wanted = dimensions - usize::from(sensitive > 0);
            // The first places of a shuffle.
            for place in 0..wanted {
                columns.swap(place, random.random_range(place..quasi));
            }
            columns.truncate(wanted);
            columns.sort_unstable();
            if sensitive > 0 {
                columns.push(quasi + random.random_range(0..sensitive));
            }
            let ranges = columns.into_iter().map(|column| {
                let values = self.columns()[column].values();
                let wide = ((f64::from(values) * share).round() as u32).clamp(1.min(values), values);
                let from = random.random_range(0..=values - wide);
                RankRange { column, from, to: from + wide }
            });
            CountQuery { ranges: ranges.collect() }
        });
        Ok(QueryWorkload { dimensions, selectivity: settings.selectivity, queries: queries.collect() })
    }
}
