//! What the examples of the documentation begin with: six people, and a job without `[input]`.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use pellucid_publish::job::Job;

/// At most half of a group may have the same disease.
pub const JOB: &str = r#"
[columns]
age     = { role = "quasi", hierarchy = { widths = [20, 40] } }
disease = { role = "sensitive" }

[privacy]
principle = "frequency-l-diversity"
l = 2

[method]
publisher = "tailor"

[views]
table = "patients"
"#;

const AGES: [i64; 6] = [21, 27, 33, 38, 52, 59];

/// The job, and the people with their diseases.
///
/// # Panics
/// Never: the job is valid, and the columns are equally long.
pub fn six_people() -> (Job, Vec<RecordBatch>) {
    let age: ArrayRef = Arc::new(Int64Array::from(AGES.to_vec()));
    let disease: ArrayRef = Arc::new(StringArray::from(vec!["flu", "gout", "cold", "asthma", "fever", "cough"]));
    (Job::read(JOB, &[]).expect("a valid job"), vec![batch([("age", age), ("disease", disease)])])
}

/// The same six and a seventh person, without diseases.
pub fn seven_people() -> Vec<RecordBatch> {
    let age: ArrayRef = Arc::new(Int64Array::from_iter_values(AGES.into_iter().chain([44])));
    vec![batch([("age", age)])]
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("columns of equal length")
}
