//! How often one further view restores privacy: `pellucid-bench restore [--runs N] [--out FOLDER] [--seed S]`.
//!
//! Random queries of one attribute in an interval are answered from one of the four tables of heart patients until what all
//! answers tell together breaks 0.5-privacy with (0.1, 0.95)-confidence; queries that break 0.5-privacy alone are not answered. Then it is
//! tried whether one further view restores it, of all that narrow the interval of an answered query. Writes a table and a
//! chart into the folder.
//!
//! # Reference
//! Restoring compromised privacy in micro-data disclosure, ASIACCS 2010, section 5.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use pellucid_inference::belief::UnitInterval;
use pellucid_inference::budget::{Budget, SamplingPlan};
use pellucid_inference::verdict::{BeliefRequirements, RequiredPrinciple};
use pellucid_inference::views::{RestorationLimits, RestorationResult, SeenViews, View, sub_intervals};
use pellucid_io::{ReadOptions, read_header, read_table};
use pellucid_model::error::{Error, Result};
use pellucid_model::exact::{Fraction, fraction};
use pellucid_model::histogram::Histogram;
use pellucid_model::principle::{BoundPrinciple, HighestRatio, Principle, SensitiveColumn};
use pellucid_model::table::schema::{ColumnSpec, OnMissing, TableSchema};
use pellucid_model::table::{ColumnType, Role, Table};
use pellucid_plot::{LineChart, PointSeries, SeriesPoint};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde_json::json;

use crate::part::data;

/// The tables.
const TABLES: [&str; 4] = ["cleveland", "hungarian", "switzerland", "va"];

/// The quasi attributes, in the order in which they are taken; all have whole numbers.
const ATTRIBUTES: [&str; 4] = ["age", "thalach", "trestbps", "chol"];

/// Attributes of which 0 stands for a missing value: nobody alive has it.
const ZERO_IS_MISSING: [&str; 2] = ["trestbps", "chol"];

/// Widths of intervals, as shares of the range of an attribute, from and to.
const WIDTHS: [(f64, f64); 2] = [(0.035, 0.07), (0.02, 0.04)];

/// Queries after which a run is ended where privacy was not broken.
const QUERIES: usize = 2_000;

/// Seconds after which a search for a further view ends; it then counts as one that finds none.
const PATIENCE: f64 = 5.0;

/// Confidence of the intervals of shares.
const CONFIDENCE: f64 = 0.95;

/// Epsilon and theta.
const EPSILON: f64 = 0.1;
const THETA: f64 = 0.95;

/// One of the tables: by attribute everybody's value, and everybody's level of disease.
#[derive(Debug)]
struct Patients {
    attributes: Vec<Vec<Option<i64>>>,
    levels: Vec<u32>,
    domain: u32,
}

impl Patients {
    fn read(path: &Path) -> Result<Self> {
        let options = ReadOptions::default();
        let role = |name: &String| match name.as_str() {
            "num" => Role::Sensitive,
            name if ATTRIBUTES.contains(&name) => Role::Quasi,
            _ => Role::Drop,
        };
        let columns = read_header(path, &options)?.into_iter().map(|name| {
            let mut column = ColumnSpec::new(name.clone(), role(&name));
            column.kind = (column.role != Role::Drop).then_some(ColumnType::Integer);
            let spellings = ["", "?"].iter().chain(ZERO_IS_MISSING.contains(&name.as_str()).then_some(&"0"));
            column.missing = Some(spellings.map(|&spelling| spelling.to_owned()).collect());
            column.on_missing = Some(OnMissing::Category);
            column
        });
        let schema = TableSchema { columns: columns.collect(), ..TableSchema::default() };
        let table: Table = read_table(path, &options, &schema)?;
        let values = |name: &&str| -> Result<Vec<Option<i64>>> {
            let column = table.column(name)?;
            let value = |code: u32| (column.missing() != Some(code)).then(|| column.domain().position(code) as i64);
            Ok(column.codes().iter().map(value).collect())
        };
        let sensitive = table.column("num")?;
        Ok(Self {
            attributes: ATTRIBUTES.iter().map(values).collect::<Result<_>>()?,
            levels: sensitive.codes().iter().collect(),
            domain: sensitive.cardinality() as u32,
        })
    }

    fn view(&self, members: Vec<u32>) -> Result<View> {
        let levels = Histogram::of(members.iter().map(|&person| self.levels[person as usize]));
        View::new(members, levels)
    }

    /// Whom a random interval of one of the first `attributes` attributes has.
    fn query(&self, attributes: usize, widths: (f64, f64), rng: &mut ChaCha8Rng) -> Query {
        let attribute = rng.random_range(0..attributes);
        let values = &self.attributes[attribute];
        let known = values.iter().flatten();
        let (low, high) = (known.clone().min().copied().unwrap_or(0), known.max().copied().unwrap_or(0));
        let range = (high - low) as f64;
        let from = low as f64 + rng.random_range(0.0..=1.0) * range;
        let to = from + rng.random_range(widths.0..=widths.1) * range;
        let within = |value: i64| (from..=to).contains(&(value as f64));
        let members = (0u32..).zip(values).filter(|entry| entry.1.is_some_and(within)).map(|entry| entry.0);
        Query { attribute, members: members.collect() }
    }
}

struct Query {
    attribute: usize,
    members: Vec<u32>,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, Default)]
struct Ended {
    /// Whether privacy was broken.
    broken: bool,
    /// Whether one further view restores it.
    restored: bool,
    /// Whether the search for one took too long.
    late: bool,
    /// Queries answered.
    answered: u64,
    checks: u64,
    exactly: u64,
}

/// How many patients an attribute may have, and how wide intervals are.
#[derive(Debug, Clone, Copy)]
struct Setting {
    attributes: usize,
    widths: (f64, f64),
}

struct Experiment {
    tables: Vec<Patients>,
    share: Fraction,
    budget: Budget,
}

impl Experiment {
    fn run(&self, setting: Setting, seed: u64) -> Result<Ended> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let patients = &self.tables[rng.random_range(0..self.tables.len())];
        let test = self.test(patients)?;
        let bound = RequiredPrinciple { test: test.as_ref(), share: Some(&self.share), protected: None };
        let demand = BeliefRequirements::new(vec![bound], EPSILON);
        let people = patients.levels.len();
        let mut asked: Vec<Query> = Vec::new();
        let mut views: Vec<View> = Vec::new();
        let mut ended = Ended::default();
        for _ in 0..QUERIES {
            let query = patients.query(setting.attributes, setting.widths, &mut rng);
            if query.members.is_empty() {
                continue;
            }
            let view = patients.view(query.members.clone())?;
            if views.contains(&view) || !demand.is_safe_alone(&view) {
                continue;
            }
            views.push(view);
            asked.push(query);
            ended.answered += 1;
            // What other components tell has not changed.
            let all = SeenViews::new(people, patients.domain, views.clone())?;
            let tied = all.tied_to(&asked[asked.len() - 1].members);
            let verdict = tied.judge(&demand, &self.budget)?;
            ended.checks += 1;
            ended.exactly += u64::from(verdict.is_exact());
            if verdict.conclusion.holds() {
                continue;
            }
            ended.broken = true;
            let mut candidates = Vec::new();
            for query in &asked {
                let rank = |person: u32| patients.attributes[query.attribute][person as usize].map(|at| at as u32);
                for (_, _, members) in sub_intervals(&query.members, rank) {
                    candidates.push(patients.view(members)?);
                }
            }
            let reach = RestorationLimits { most: 1, seconds: PATIENCE };
            let found = tied.restore(&candidates, &demand, &self.budget, &reach, &|_| Ok(()))?;
            ended.checks += found.judged;
            ended.exactly += found.exactly;
            ended.restored = matches!(found.restored, RestorationResult::By(_));
            ended.late = found.restored == RestorationResult::OutOfTime;
            break;
        }
        Ok(ended)
    }

    fn test(&self, patients: &Patients) -> Result<Box<dyn BoundPrinciple>> {
        let whole = Histogram::of(patients.levels.iter().copied());
        HighestRatio::new(self.share.clone())?.bind(SensitiveColumn {
            name: "num",
            whole: &whole,
            cardinality: patients.domain as usize,
            protected: None,
            hierarchy: None,
        })
    }
}

/// What all runs of a setting came to.
struct Row {
    setting: Setting,
    broken: u64,
    restored: u64,
    late: u64,
    answered: u64,
    checks: u64,
    exactly: u64,
    seconds: f64,
}

impl Row {
    fn share(&self) -> UnitInterval {
        UnitInterval::of_share(self.restored, self.broken, CONFIDENCE)
    }
}

/// Runs the experiment; whether the tables were there.
pub fn run(arguments: &[String]) -> Result<bool> {
    let option = |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str, default: u64| {
        option(name).map_or(Ok(default), |text| {
            text.parse().map_err(|_| Error::invalid(format!("`{name}` must be a whole number, e.g. {default}")))
        })
    };
    let (runs, seed) = (number("--runs", 1000)?, number("--seed", 1)?);
    let out = option("--out").map(PathBuf::from);
    let files: Vec<PathBuf> = TABLES.iter().filter_map(|name| data(&format!("heart/heart_{name}.csv"))).collect();
    if files.len() < TABLES.len() {
        println!("skipped: the tables heart/heart_*.csv are not there; name the folder above them in PELLUCID_DATA");
        return Ok(true);
    }
    let sampling = SamplingPlan { draws: 1 << 12, confidence: THETA, seed: Some(seed) };
    let experiment = Experiment {
        tables: files.iter().map(|path| Patients::read(path)).collect::<Result<_>>()?,
        share: fraction(1, 2u8),
        budget: Budget { states: 2_000_000, seconds: Some(1.0), sampling: Some(sampling), ..Budget::gate() },
    };
    let settings: Vec<Setting> = WIDTHS
        .iter()
        .flat_map(|&widths| (1..=ATTRIBUTES.len()).map(move |attributes| Setting { attributes, widths }))
        .collect();
    let bar = ProgressBar::new(runs * settings.len() as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs, {eta} left").expect("the template is good");
    bar.set_style(style);
    let mut rows = Vec::new();
    for (number, &setting) in (1u64..).zip(&settings) {
        let clock = Instant::now();
        let ended: Vec<Ended> = (0..runs)
            .into_par_iter()
            .map(|run| {
                let ended = experiment.run(setting, seed ^ (number << 32) ^ run);
                bar.inc(1);
                ended
            })
            .collect::<Result<_>>()?;
        let sum = |of: fn(&Ended) -> u64| ended.iter().map(of).sum::<u64>();
        rows.push(Row {
            setting,
            broken: sum(|ended| u64::from(ended.broken)),
            restored: sum(|ended| u64::from(ended.restored)),
            late: sum(|ended| u64::from(ended.late)),
            answered: sum(|ended| ended.answered),
            checks: sum(|ended| ended.checks),
            exactly: sum(|ended| ended.exactly),
            seconds: clock.elapsed().as_secs_f64(),
        });
        bar.suspend(|| println!("{}", line(&rows[rows.len() - 1], runs)));
    }
    bar.finish_and_clear();
    if let Some(out) = out {
        write(&out, &rows, runs, seed)?;
    }
    Ok(true)
}

fn line(row: &Row, runs: u64) -> String {
    let share = row.share();
    let Setting { attributes, widths } = row.setting;
    format!(
        "{attributes} attributes, {:.1} to {:.1} %: broken in {} of {runs} runs after {:.1} views on average; one further view restores \
         {:.1} % ({:.1} to {:.1}), {} out of time; {} checks, {:.2} % exact; {:.1} s",
        100.0 * widths.0,
        100.0 * widths.1,
        row.broken,
        row.answered as f64 / runs as f64,
        100.0 * share.at.unwrap_or(0.0),
        100.0 * share.low,
        100.0 * share.high,
        row.late,
        row.checks,
        100.0 * row.exactly as f64 / row.checks.max(1) as f64,
        row.seconds
    )
}

/// Writes `restore.csv`, `restore.json` and `restore.svg`.
fn write(out: &Path, rows: &[Row], runs: u64, seed: u64) -> Result<()> {
    let io = |error: std::io::Error| Error::io(out.display(), error);
    std::fs::create_dir_all(out).map_err(io)?;
    let mut csv = String::from(
        "attributes,width_from,width_to,runs,broken,restored,out_of_time,share,low,high,views,checks,exact\n",
    );
    let mut all = Vec::new();
    let mut chart = LineChart::new("One further view restores 0.5-privacy")
        .x_label("quasi attributes")
        .y_label("share of runs, %")
        .y_range(0.0, 100.0);
    for widths in WIDTHS {
        let name = format!("intervals of {:.1} to {:.1} % of the range", 100.0 * widths.0, 100.0 * widths.1);
        let mut series = PointSeries::new(name);
        for row in rows.iter().filter(|row| row.setting.widths == widths) {
            let share = row.share();
            let at = share.at.unwrap_or(0.0);
            let point = SeriesPoint::new(row.setting.attributes as f64, 100.0 * at);
            series = series.with(point.with_interval(100.0 * share.low, 100.0 * share.high));
            let _ = writeln!(
                csv,
                "{},{},{},{runs},{},{},{},{at:.4},{:.4},{:.4},{:.2},{},{}",
                row.setting.attributes,
                widths.0,
                widths.1,
                row.broken,
                row.restored,
                row.late,
                share.low,
                share.high,
                row.answered as f64 / runs as f64,
                row.checks,
                row.exactly
            );
            all.push(json!({
                "attributes": row.setting.attributes, "widths": [widths.0, widths.1], "runs": runs, "seed": seed,
                "broken": row.broken, "restored": row.restored, "out_of_time": row.late, "share": at, "interval": [share.low, share.high],
                "confidence": CONFIDENCE, "views": row.answered, "checks": row.checks, "exact": row.exactly,
            }));
        }
        chart = chart.series(series);
    }
    std::fs::write(out.join("restore.csv"), csv).map_err(io)?;
    std::fs::write(out.join("restore.json"), format!("{:#}\n", json!(all))).map_err(io)?;
    std::fs::write(out.join("restore.svg"), chart.to_svg()).map_err(io)?;
    Ok(())
}
