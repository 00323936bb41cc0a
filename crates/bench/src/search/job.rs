//! Job files of the benchmark.

use std::fmt::Write;
use std::path::Path;

use serde_json::json;

/// A job that searches one table.
#[derive(Debug, Clone)]
pub struct JobFile {
    table: String,
    columns: String,
    privacy: &'static [(&'static str, &'static str)],
    suppression: &'static str,
    measure: &'static str,
    search: &'static str,
}

impl JobFile {
    /// The best of `table` by `measure`, with no column yet and nothing suppressed.
    pub fn new(table: &Path, measure: &'static str, privacy: &'static [(&'static str, &'static str)]) -> Self {
        let (columns, suppression, search) = (String::new(), "0", "fast");
        Self { table: quoted(table), columns, privacy, suppression, measure, search }
    }

    /// Quasi columns, of integers or of categories, each with a hierarchy in a file beside the table.
    pub fn quasi(mut self, table: &Path, names: &[&str], integers: &[&str]) -> Self {
        let stem = table.file_stem().unwrap_or_default().to_string_lossy();
        for name in names {
            let kind = if integers.contains(name) { "integer" } else { "category" };
            let file = quoted(&table.with_file_name(format!("{stem}_hierarchy_{name}.csv")));
            let _ = writeln!(self.columns, "{name} = {{ role = \"quasi\", type = \"{kind}\", hierarchy = {file} }}");
        }
        self
    }

    /// A column of another role.
    pub fn other(mut self, name: &str, role: &str) -> Self {
        let _ = writeln!(self.columns, "{name} = {{ role = \"{role}\" }}");
        self
    }

    /// The same with another share of rows that may be left out.
    pub fn suppressing(&self, suppression: &'static str) -> Self {
        Self { suppression, ..self.clone() }
    }

    /// The same with the genetic search.
    pub fn genetic(&self) -> Self {
        Self { search: "genetic", ..self.clone() }
    }

    /// The measure.
    pub fn measure(&self) -> &str {
        self.measure
    }

    /// The file.
    pub fn text(&self) -> String {
        let mut text = format!("[input]\npath = {}\n[columns]\n{}[privacy]\n", self.table, self.columns);
        for (key, value) in self.privacy {
            // A number is written as such.
            let word = value.parse::<u64>().map_or_else(|_| json!(value).to_string(), |number| number.to_string());
            let _ = writeln!(text, "{key} = {word}");
        }
        let Self { suppression, measure, search, .. } = self;
        let _ = write!(
            text,
            "suppression = {suppression}\n[method]\npublisher = \"search\"\nfunction = \"hierarchy\"\n\
             measure = \"{measure}\"\nsearch = \"{search}\"\nfind = \"best\"\n[output]\ndir = \"release\"\n"
        );
        text
    }

    /// `distinct-l-diversity, 5 %`
    pub fn words(&self) -> String {
        let percent = self.suppression.parse::<f64>().unwrap_or(f64::NAN) * 100.0;
        format!("{}, {percent} %", self.privacy.first().map_or("", |pair| pair.1))
    }
}

/// A string of TOML: every string of JSON is one.
fn quoted(path: &Path) -> String {
    json!(path.to_string_lossy()).to_string()
}

/// The principles of the benchmark.
pub const FIVE_ANONYMITY: &[(&str, &str)] = &[("principle", "k-anonymity"), ("k", "5")];
/// Five values at least, on a sensitive column, counted in three ways.
pub const FIVE_DIVERSITY: [&[(&str, &str)]; 3] = [
    &[("principle", "distinct-l-diversity"), ("l", "5")],
    &[("principle", "entropy-l-diversity"), ("l", "5")],
    &[("principle", "recursive-cl-diversity"), ("l", "5"), ("c", "4")],
];

#[cfg(test)]
mod tests {
    use pellucid_publish::job::Job;

    use super::*;

    #[test]
    fn every_job_of_the_benchmark_is_one() {
        let table = Path::new("folder/census.csv");
        for privacy in FIVE_DIVERSITY.into_iter().chain([FIVE_ANONYMITY]) {
            let job = JobFile::new(table, "loss", privacy).quasi(table, &["age", "sex"], &["age"]);
            let job = job.other("occupation", "sensitive").suppressing("0.05");
            let read = Job::read(&job.text(), &[]).unwrap();
            read.check().unwrap();
            assert!(job.words().ends_with(", 5 %"), "{}", job.words());
            assert!(job.text().contains("folder/census_hierarchy_sex.csv"));
        }
    }
}
