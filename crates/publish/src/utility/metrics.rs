//! The metrics of the literature, one entry each.

use dashu_int::UBig;
use pellucid_model::claim::EntryClaim;
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::registry::{NO_PARAMETERS, ProofStatus, RegistryEntry};

use super::{MetricInput, MetricValue, UtilityMetric};

/// A metric that is a plain function.
struct Simple {
    id: &'static str,
    /// Whether it looks at what classes span, besides their sizes.
    spans: bool,
    measure: fn(&MetricInput) -> MetricValue,
}

impl std::fmt::Debug for Simple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

impl UtilityMetric for Simple {
    fn measure(&self, landscape: &MetricInput) -> MetricValue {
        (self.measure)(landscape)
    }

    fn looks_at_spans(&self) -> bool {
        self.spans
    }
}

/// Sum over classes of rows times normalised extents (equation 4 of Xiao, Tao and Koudas). Each row that is left out adds 1
/// for every quasi column of more than one position, as in a class that spans the whole column.
pub const PERIMETER: RegistryEntry<dyn UtilityMetric> = RegistryEntry {
    id: "perimeter",
    summary: "rows times normalised extents, summed over classes; 0 is the original",
    reference: "Xiao, Tao, Koudas: Transparent Anonymization, ACM TODS 35(2), 2010, equation 4",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Number],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Simple { id: "perimeter", spans: true, measure: perimeter })),
};

/// Sum over classes of the square of their size; a row that is left out adds the number of rows of the whole table.
pub const DISCERNIBILITY: RegistryEntry<dyn UtilityMetric> = RegistryEntry {
    id: "discernibility",
    summary: "sum of the squared sizes of classes, a row left out counts all rows; the number of rows is the original",
    reference: "Bayardo, Agrawal: Data Privacy through Optimal k-Anonymization, ICDE 2005",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Number],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Simple { id: "discernibility", spans: false, measure: discernibility })),
};

/// Mean over all rows of the table and quasi columns of the share of the column that is lost; all of it is where a row is
/// left out.
pub const CERTAINTY_PENALTY: RegistryEntry<dyn UtilityMetric> = RegistryEntry {
    id: "normalized-certainty-penalty",
    summary: "mean share of a column's span lost per cell; 0 is the original, 1 all lost",
    reference: "Xu et al.: Utility-Based Anonymization Using Local Recoding, KDD 2006",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Number, EntryClaim::Summary],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Simple { id: "normalized-certainty-penalty", spans: true, measure: certainty_penalty })),
};

/// Rows of the whole table divided by classes; all rows that are left out together are one more class.
pub const AVERAGE_SIZE: RegistryEntry<dyn UtilityMetric> = RegistryEntry {
    id: "average-class-size",
    summary: "rows divided by classes of rows published alike; the rows left out together are one class",
    reference: "LeFevre, DeWitt, Ramakrishnan: Mondrian, ICDE 2006",
    status: ProofStatus::Published,
    claims: &[EntryClaim::Number],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Simple { id: "average-class-size", spans: false, measure: average_size })),
};

/// How many classes have how many rows; rows that are left out do not count.
pub const SIZES: RegistryEntry<dyn UtilityMetric> = RegistryEntry {
    id: "class-sizes",
    summary: "number of classes by size, in powers of two",
    reference: "LeFevre, DeWitt, Ramakrishnan: Mondrian, ICDE 2006",
    status: ProofStatus::Published,
    claims: &[],
    examples: NO_PARAMETERS,
    params: &[],
    build: |_| Ok(Box::new(Simple { id: "class-sizes", spans: false, measure: sizes })),
};

fn perimeter(landscape: &MetricInput) -> MetricValue {
    let mut total = Fraction::ZERO;
    for column in landscape.columns.iter().filter(|column| column.extent > 0) {
        let weighted = column.covers.iter().zip(&landscape.sizes);
        let weighted: UBig = weighted.map(|(cover, &size)| UBig::from(cover.extent) * UBig::from(size)).sum();
        total += fraction(weighted, column.extent) + Fraction::from(landscape.left_out);
    }
    MetricValue::Number(total)
}

fn discernibility(landscape: &MetricInput) -> MetricValue {
    let squares: u128 = landscape.sizes.iter().map(|&size| u128::from(size) * u128::from(size)).sum();
    MetricValue::Number(Fraction::from(squares + u128::from(landscape.left_out) * u128::from(landscape.rows())))
}

fn certainty_penalty(landscape: &MetricInput) -> MetricValue {
    let losses = landscape.losses();
    let total = losses.iter().fold(Fraction::ZERO, |sum, loss| sum + &loss.mean);
    MetricValue::Number(total / Fraction::from(losses.len().max(1)))
}

fn average_size(landscape: &MetricInput) -> MetricValue {
    let classes = landscape.sizes.len() + usize::from(landscape.left_out > 0);
    MetricValue::Number(fraction(landscape.rows(), classes.max(1)))
}

fn sizes(landscape: &MetricInput) -> MetricValue {
    let mut bins: Vec<(u64, u64, u64)> = Vec::new();
    for &size in &landscape.sizes {
        let bin = size.max(1).ilog2() as usize;
        while bins.len() <= bin {
            let low = 1 << bins.len();
            bins.push((low, 2 * low - 1, 0));
        }
        bins[bin].2 += 1;
    }
    bins.retain(|bin| bin.2 > 0);
    MetricValue::Histogram(bins)
}

#[cfg(test)]
mod tests {
    use super::super::{ClassSpan, ColumnSpans};
    use super::*;

    /// Two classes of 2 and 3 rows; a number column of extent 10 spanned by 5 and 0, a category of 3 values by 2 and 3.
    fn landscape() -> MetricInput {
        let span = |extent, lost| ClassSpan { extent, lost };
        let columns = vec![
            ColumnSpans { name: "age".into(), extent: 10, covers: vec![span(5, (5, 10)), span(0, (0, 10))] },
            ColumnSpans { name: "sex".into(), extent: 2, covers: vec![span(1, (1, 2)), span(2, (2, 2))] },
        ];
        MetricInput { sizes: vec![2, 3], columns, left_out: 0 }
    }

    #[test]
    fn metrics_follow_their_formulas() {
        let number = |numerator: u32, denominator: u32| MetricValue::Number(fraction(numerator, denominator));
        // 2 * 5/10 + 3 * 0 + 2 * 1/2 + 3 * 2/2 = 5.
        assert_eq!(perimeter(&landscape()), number(5, 1));
        // 4 + 9.
        assert_eq!(discernibility(&landscape()), number(13, 1));
        // (2 * 5/10 + 2 * 1/2 + 3 * 1) / (5 * 2) = 1/2.
        assert_eq!(certainty_penalty(&landscape()), number(1, 2));
        assert_eq!(average_size(&landscape()), number(5, 2));
        assert_eq!(sizes(&landscape()), MetricValue::Histogram(vec![(2, 3, 2)]));
    }

    #[test]
    fn a_row_that_is_left_out_loses_everything() {
        let number = |numerator: u32, denominator: u32| MetricValue::Number(fraction(numerator, denominator));
        let landscape = MetricInput { left_out: 3, ..landscape() };
        // 5 for the others, and 3 rows of 2 columns.
        assert_eq!(perimeter(&landscape), number(11, 1));
        // 4 + 9 + 3 * 8.
        assert_eq!(discernibility(&landscape), number(37, 1));
        // (2 * 5/10 + 2 * 1/2 + 3 * 1 + 3 * 2) / (8 * 2).
        assert_eq!(certainty_penalty(&landscape), number(11, 16));
        assert_eq!(average_size(&landscape), number(8, 3));
        assert_eq!(sizes(&landscape), MetricValue::Histogram(vec![(2, 3, 2)]));
    }
}
