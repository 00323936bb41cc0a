//! The bundled example: a generated table of patients. It describes nobody.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Diseases with how common they are below 40, from 40 to 64, and from 65 on.
const DISEASES: [(&str, [u32; 3]); 12] = [
    ("asthma", [14, 8, 5]),
    ("bronchitis", [9, 10, 11]),
    ("cancer", [3, 9, 14]),
    ("diabetes", [4, 12, 15]),
    ("flu", [16, 10, 8]),
    ("gastritis", [11, 11, 8]),
    ("heart failure", [1, 7, 15]),
    ("hepatitis", [4, 5, 4]),
    ("HIV", [4, 3, 1]),
    ("migraine", [15, 10, 5]),
    ("pneumonia", [7, 8, 11]),
    ("ulcer", [6, 9, 7]),
];

const AREAS: [&str; 16] = [
    "10115", "10117", "10119", "10243", "10245", "10247", "10405", "10407", "12043", "12045", "12047", "12049",
    "13347", "13349", "13351", "13353",
];

/// The example as CSV.
pub fn table(rows: u32) -> String {
    // The seed is part of the example; nothing here protects anybody.
    let mut random = ChaCha8Rng::seed_from_u64(20_100_613);
    let mut text = String::from("patient,age,sex,zip,admitted,stay,disease\n");
    for patient in 1..=rows {
        let age = (random.random_range(0..56) + random.random_range(0..42)).clamp(1, 97);
        let sex = ["F", "M"][random.random_range(0..2)];
        let zip = AREAS[random.random_range(0..AREAS.len())];
        let (month, day) = (random.random_range(1..=12), random.random_range(1..=28));
        let stay = random.random_range(1..=9) + age / 20;
        let band = if age < 40 { 0 } else { 1 + usize::from(age >= 65) };
        let total: u32 = DISEASES.iter().map(|disease| disease.1[band]).sum();
        let mut drawn = random.random_range(0..total);
        let disease = DISEASES.iter().find(|disease| {
            let here = drawn < disease.1[band];
            drawn = drawn.saturating_sub(disease.1[band]);
            here
        });
        let disease = disease.map_or("flu", |disease| disease.0);
        let _ = writeln!(text, "P{patient:05},{age},{sex},{zip},2025-{month:02}-{day:02},{stay},{disease}");
    }
    text
}

/// The hierarchy of `sex`, as a file.
pub const SEX: &str = "F;*\nM;*\n";

/// The job that publishes the example.
pub const JOB: &str = r#"# What to publish, and how. `pellucid publish job.toml` runs it again.
[input]
path = "patients.csv"

[columns]
patient  = { role = "identifier" }
age      = { role = "quasi", type = "integer", hierarchy = { widths = [5, 10, 20] } }
sex      = { role = "quasi", type = "category", hierarchy = "sex.csv" }
zip      = { role = "quasi", type = "category", hierarchy = { mask = "suffix" } }
admitted = { role = "drop" }
stay     = { role = "drop" }
disease  = { role = "sensitive" }

[privacy]
principle = "k-anonymity"   # every group has at least k people; k alone caps no share of a disease
k = 25

[method]
publisher = "tailor"        # the groups follow from age, sex and zip alone
function = "mbr"

[output]
dir = "release"
format = "csv"
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_the_same_every_time_and_every_disease_is_rare() {
        let text = table(4000);
        assert_eq!(text, table(4000));
        let commonest = DISEASES.iter().map(|disease| text.lines().filter(|line| line.ends_with(disease.0)).count());
        assert!(commonest.max().unwrap() * 8 <= 4000, "no disease should dominate, so that groups of 25 show several");
    }
}
