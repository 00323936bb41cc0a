//! Runs publishers on the tables and measures errors and times.

use std::path::Path;
use std::time::Instant;

use pellucid_model::error::{Error, Result};
use pellucid_model::principle;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{EntryArgs, find};
use pellucid_model::table::{Column, Role, Table};
use pellucid_publish::job::{Job, JobAnswer};
use pellucid_publish::publisher::PUBLISHERS as ALL;
use pellucid_publish::workload::{QueryTable, QueryWorkload, ReleaseReader, WorkloadErrors, WorkloadSettings};

use super::{DIMENSIONS, L, LS, MOST_ROWS, PUBLISHERS, QUASI, RUNS, SELECTIVITIES};
use crate::{load, plan, replicated};

/// One of the tables.
pub struct Data {
    /// What it is called.
    pub name: &'static str,
    /// The sensitive column.
    pub sensitive: &'static str,
    pub table: Table,
}

impl Data {
    pub fn load(name: &'static str, path: &Path, sensitive: &'static str) -> Result<Self> {
        Ok(Self { name, sensitive, table: load(path, QUASI, sensitive)? })
    }

    fn sensitive(&self) -> Result<&Column> {
        self.table.column(self.sensitive)
    }

    /// The share of the most frequent sensitive value.
    pub fn highest_share(&self) -> Result<f64> {
        let histogram = self.sensitive()?.histogram();
        let most = histogram.entries().iter().map(|entry| entry.1).max().unwrap_or(0);
        Ok(most as f64 / self.table.rows().max(1) as f64)
    }

    /// The correlation ratio of the sensitive column, as numbers, on each quasi column: the root of the share of its variance that
    /// lies between the means of the quasi column's values.
    pub fn correlation_ratios(&self) -> Result<Vec<(String, f64)>> {
        let sensitive = self.sensitive()?;
        let value = |row: usize| sensitive.domain().position(sensitive.code(row)) as f64;
        let rows = self.table.rows();
        let mean = (0..rows).map(value).sum::<f64>() / rows as f64;
        let whole: f64 = (0..rows).map(|row| (value(row) - mean).powi(2)).sum();
        let ratio = |column: &Column| {
            let mut sums = vec![(0.0, 0.0); column.cardinality()];
            for row in 0..rows {
                let sum = &mut sums[column.code(row) as usize];
                *sum = (sum.0 + value(row), sum.1 + 1.0);
            }
            let between: f64 =
                sums.iter().filter(|sum| sum.1 > 0.0).map(|(sum, many)| many * (sum / many - mean).powi(2)).sum();
            (column.name().to_owned(), (between / whole).sqrt())
        };
        Ok(self.table.with_role(Role::Quasi).map(ratio).collect())
    }
}

/// A line of a figure.
#[derive(Debug)]
pub struct Curve {
    pub figure: u8,
    pub table: &'static str,
    pub publisher: &'static str,
    /// Along the axis, shares or seconds.
    pub points: Vec<(f64, f64)>,
}

/// Everything that was measured.
#[derive(Debug, Default)]
pub struct Measured {
    pub curves: Vec<Curve>,
    /// By table, publisher and l: classes.
    pub classes: Vec<(&'static str, &'static str, u64, u64)>,
}

impl Measured {
    /// The points of a line.
    pub fn points(&self, figure: u8, table: &str, publisher: &str) -> &[(f64, f64)] {
        let curve = |curve: &&Curve| (curve.figure, curve.table, curve.publisher) == (figure, table, publisher);
        self.curves.iter().find(curve).map_or(&[], |curve| &curve.points)
    }

    /// The value of a line at `x`.
    pub fn at(&self, figure: u8, table: &str, publisher: &str, x: f64) -> Option<f64> {
        let points = self.points(figure, table, publisher).iter();
        points.copied().find(|point| (point.0 - x).abs() < 1e-9).map(|point| point.1)
    }
}

/// A workload and its answers.
type Asked = (f64, QueryWorkload, Vec<u64>);

/// Figures 11 to 13.
pub fn errors(data: &Data, measured: &mut Measured) -> Result<()> {
    let none = vec![None; data.table.columns().len()];
    let ground = QueryTable::new(&data.table, &none);
    let usual = WorkloadSettings::default();
    let ask = |at: f64, settings: WorkloadSettings| -> Result<Asked> {
        let workload = ground.draw(&settings)?;
        let answers = ground.answers(&workload);
        Ok((at, workload, answers))
    };
    let plain = ask(0.0, usual)?;
    let by_dimensions =
        DIMENSIONS.iter().map(|&many| ask(many as f64, WorkloadSettings { dimensions: Some(many), ..usual }));
    let by_dimensions = by_dimensions.collect::<Result<Vec<Asked>>>()?;
    let by_selectivity =
        SELECTIVITIES.iter().map(|&share| ask(share, WorkloadSettings { selectivity: share, ..usual }));
    let by_selectivity = by_selectivity.collect::<Result<Vec<Asked>>>()?;
    for publisher in PUBLISHERS {
        let mut by_l = Vec::new();
        for l in LS {
            note(&format!("{}: errors of {publisher}, l = {l}", data.name));
            let job = job(data, publisher, l)?;
            let answer =
                job.check()?.spreading().run(&data.table, &none, RandomSource::InsecureSeed(1), &|_| Ok(()))?;
            let JobAnswer::Release(release) = answer else {
                return Err(Error::invalid(format!("{publisher} releases nothing of {} with l = {l}", data.name)));
            };
            measured.classes.push((data.name, publisher, l, release.manifest.classes));
            let spreads = release.spreads.as_ref().expect("it was asked for");
            let reader = ReleaseReader::new(&ground, &release.exhibit, spreads)?;
            let error = |(at, workload, answers): &Asked| {
                (*at, WorkloadErrors::of(ground.rows(), answers, &reader.estimates(workload)).mean)
            };
            by_l.push((l as f64, error(&plain).1));
            if l == L {
                for (figure, asked) in [(12, &by_dimensions), (13, &by_selectivity)] {
                    let points = asked.iter().map(error).collect();
                    measured.curves.push(Curve { figure, table: data.name, publisher, points });
                }
            }
        }
        measured.curves.push(Curve { figure: 11, table: data.name, publisher, points: by_l });
    }
    Ok(())
}

/// Figures 14 and 15.
pub fn times(data: &Data, measured: &mut Measured) -> Result<()> {
    let most = MOST_ROWS / data.table.rows();
    let copies: Vec<usize> = (0..=4).map(|quarter| (most * quarter / 4).max(1)).collect();
    let mut by_rows: Vec<Curve> =
        PUBLISHERS.map(|publisher| Curve { figure: 14, table: data.name, publisher, points: Vec::new() }).into();
    for copies in copies {
        let table = replicated(&data.table, copies)?;
        for curve in &mut by_rows {
            note(&format!("{}: time of {}, {} rows", data.name, curve.publisher, table.rows()));
            curve.points.push((table.rows() as f64, seconds(&table, curve.publisher, L)?));
        }
    }
    measured.curves.extend(by_rows);
    for publisher in PUBLISHERS {
        note(&format!("{}: time of {publisher} by l", data.name));
        let points = LS.iter().map(|&l| Ok((l as f64, seconds(&data.table, publisher, l)?)));
        let points = points.collect::<Result<_>>()?;
        measured.curves.push(Curve { figure: 15, table: data.name, publisher, points });
    }
    Ok(())
}

/// The fastest of several runs that make groups.
fn seconds(table: &Table, publisher: &str, l: u64) -> Result<f64> {
    let principle = principle::make("frequency-l-diversity", &EntryArgs::new().with("l", l))?;
    let plan = plan(table, principle.as_ref())?;
    let made = find(ALL, "publisher", publisher)?.make(&EntryArgs::new())?;
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        let clock = Instant::now();
        let answer = made.publish(&plan, RandomSource::System)?;
        fastest = fastest.min(clock.elapsed().as_secs_f64());
        if answer.is_err() {
            return Err(Error::invalid(format!("{publisher} makes no groups with l = {l}")));
        }
    }
    Ok(fastest)
}

fn job(data: &Data, publisher: &str, l: u64) -> Result<Job> {
    let quasi = QUASI.replace(',', " = { role = \"quasi\" }\n") + " = { role = \"quasi\" }\n";
    let text = format!(
        "[input]\npath = \"table.csv\"\n[columns]\n{quasi}{} = {{ role = \"sensitive\" }}\n\
         [privacy]\nprinciple = \"frequency-l-diversity\"\nl = {l}\n\
         [method]\npublisher = \"{publisher}\"\nfunction = \"mbr\"\n",
        data.sensitive
    );
    Job::read(&text, &[])
}

/// Says what is being done, to whoever waits.
#[allow(clippy::print_stderr, reason = "the results are on standard output")]
fn note(words: &str) {
    eprintln!("{words}");
}
