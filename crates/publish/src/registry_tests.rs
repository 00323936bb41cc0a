//! Every publisher, function, search, measure, metric and model of risk of the registries builds with its examples, does what it
//! claims, and does not depend on the order of rows.

use std::collections::BTreeSet;

use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::error::{ErrorKind, Result};
use pellucid_model::partition::Partition;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::{PUBLISHER, RegistryEntry};
use pellucid_model::table::{Column, ColumnDomain, Role, Table};

use crate::function::{FUNCTIONS, FunctionInput};
use crate::job::{Job, JobAnswer};
use crate::publisher::{PUBLISHERS, Publisher};
use crate::release::Release;
use crate::risk::RISKS;
use crate::search::{MEASURES, SEARCHES};
use crate::utility::METRICS;

const JOB: &str = r#"
[input]
path = "people.csv"
[columns]
name = { role = "identifier" }
age = { role = "quasi", type = "integer", hierarchy = { widths = [5, 10, 20] } }
zip = { role = "quasi", hierarchy = { mask = "suffix" } }
ill = { role = "sensitive" }
"#;

/// What is asked of the table: a bound on shares, and sizes alone.
const PRIVACY: [&str; 2] =
    ["[privacy]\nprinciple = \"frequency-l-diversity\"\nl = 2\n", "[privacy]\nprinciple = \"k-anonymity\"\nk = 2\n"];

/// What draws the same for every order of rows.
const SEED: RandomSource<'static> = RandomSource::InsecureSeed(5);

/// How many people there are.
const PEOPLE: u32 = 12;

/// People of different ages, three towns and three diseases; row `at` is person `of(at)`.
fn table(of: impl Fn(u32) -> u32) -> Table {
    let column = |name: &str, role, domain: ColumnDomain, code: &dyn Fn(u32) -> u32| {
        Column::new(name, role, domain, false, (0..PEOPLE).map(|at| code(of(at))).collect()).unwrap()
    };
    let words = |words: &[&str]| ColumnDomain::Category(words.iter().map(|&word| word.to_owned()).collect());
    Table::new(vec![
        column("name", Role::Identifier, ColumnDomain::Integer((0..i64::from(PEOPLE)).collect()), &|person| person),
        column("age", Role::Quasi, ColumnDomain::Integer((20..20 + i64::from(PEOPLE)).collect()), &|person| {
            person * 5 % PEOPLE
        }),
        column("zip", Role::Quasi, words(&["100", "101", "110"]), &|person| person / 4),
        column("ill", Role::Sensitive, words(&["flu", "gout", "lumbago"]), &|person| person % 3),
    ])
    .unwrap()
}

fn release(job: &Job, table: &Table, randomness: RandomSource<'_>) -> Result<Option<Box<Release>>> {
    let hierarchies = job.hierarchies(table)?;
    let answer = job.check()?.run(table, &hierarchies, randomness, &|_| Ok(()))?;
    Ok(match answer {
        JobAnswer::Release(release) => Some(release),
        JobAnswer::Nothing(_) => None,
    })
}

/// The published tables, cell by cell.
fn texts(release: &Release) -> Vec<Vec<String>> {
    let sheets = release.exhibit.sheets.iter();
    sheets
        .map(|sheet| {
            (0..sheet.row_of.len()).flat_map(|at| sheet.columns.iter().map(move |(_, cells)| cells.text(at))).collect()
        })
        .collect()
}

/// The job with the example `keys` of publisher `id`.
fn job(privacy: &str, id: &str, keys: &[(&str, &str)]) -> Job {
    let job = Job::read(&format!("{JOB}{privacy}"), &[]).unwrap();
    let keys: Vec<(String, String)> =
        [(PUBLISHER, id)].iter().chain(keys).map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Job { method: job.other_method(&keys).unwrap(), ..job }
}

/// What can be told of any entry.
fn is_well_formed<T: ?Sized>(list: &[RegistryEntry<T>]) {
    for (at, entry) in list.iter().enumerate() {
        let id = entry.id;
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || b"-*".contains(&byte)), "{id}");
        assert!(list[..at].iter().all(|other| other.id != id), "{id} twice");
        assert!(
            !entry.summary.is_empty() && entry.reference.contains(char::is_numeric),
            "{id}: reference without a year"
        );
        assert!(entry.params.iter().all(|param| !param.help.is_empty()), "{id}");
        assert!(!entry.examples.is_empty(), "{id}: give its entry an example");
        for args in entry.examples() {
            entry.make(&args).unwrap_or_else(|error| panic!("{id} with {args:?}: {error}"));
        }
    }
}

#[test]
fn every_entry_is_well_formed_and_builds() {
    is_well_formed(PUBLISHERS);
    is_well_formed(FUNCTIONS);
    is_well_formed(SEARCHES);
    is_well_formed(MEASURES);
    is_well_formed(METRICS);
    is_well_formed(RISKS);
    for entry in SEARCHES {
        for args in entry.examples() {
            assert_eq!(entry.make(&args).unwrap().is_exact(), entry.claims(EntryClaim::Optimum), "{}", entry.id);
        }
    }
}

#[test]
fn suggested_publishers_promise_something_and_have_places_of_their_own() {
    let mut places = BTreeSet::new();
    for entry in PUBLISHERS {
        let promises = entry.info().promises().count();
        assert!(promises > 0, "{}: say in its claims what it promises, and with which principles", entry.id);
        for claim in entry.claims {
            if let EntryClaim::Suggested { place, words } = claim {
                assert!(places.insert(*place) && words.contains(&format!("\"{}\"", entry.id)), "{}", entry.id);
                assert!(!entry.claims(EntryClaim::Demonstration), "{}", entry.id);
            }
        }
    }
    assert!(!places.is_empty());
}

/// Publishes with every example of `entry`, for both principles; how many releases there were.
fn releases_are_as_claimed(entry: &RegistryEntry<dyn Publisher>) -> usize {
    let mut releases = 0;
    for (privacy, example) in
        PRIVACY.iter().flat_map(|privacy| entry.examples.iter().map(move |example| (privacy, example)))
    {
        let what = format!("{} {example:?}: {privacy}", entry.id);
        let job = job(privacy, entry.id, example);
        let made = match release(&job, &table(|at| at), SEED) {
            Err(error) if [ErrorKind::InvalidParameter, ErrorKind::LimitExceeded].contains(&error.kind()) => continue,
            made => made.unwrap(),
        };
        let turned = release(&job, &table(|at| (at * 7 + 3) % PEOPLE), SEED).unwrap();
        assert_eq!(made.as_deref().map(texts), turned.as_deref().map(texts), "{what}: the order of rows matters");
        let Some(made) = made else { continue };
        releases += 1;
        // What a known seed decides promises nothing.
        let drawn = release(&job, &table(|at| at), RandomSource::System).unwrap();
        let promise = drawn.map_or(made.manifest.mechanism.promise, |drawn| drawn.manifest.mechanism.promise);
        assert!(entry.info().promises().any(|case| Some(case.class) == promise), "{what}: {promise:?} is not claimed");
        let publisher = entry.make(&entry.examples().next().unwrap()).unwrap();
        let passes = |rows: &[u32]| {
            let counts = rows.iter().map(|row| row % 3).fold([0_usize; 3], |mut counts, value| {
                counts[value as usize] += 1;
                counts
            });
            rows.len() >= 2 && (privacy.contains("k-anonymity") || counts.iter().all(|count| count * 2 <= rows.len()))
        };
        if publisher.keeps_values() {
            assert!(made.exhibit.classes.iter().all(passes), "{what}: a class fails");
        }
        assert!(made.manifest.left_out == 0 || publisher.suppresses(), "{what}");
    }
    releases
}

#[test]
fn every_publisher_does_what_it_claims() {
    for entry in PUBLISHERS {
        assert!(releases_are_as_claimed(entry) > 0, "{}: it takes none of the suite's jobs", entry.id);
    }
}

#[test]
fn every_function_shows_groups_canonically_in_the_form_it_claims() {
    for entry in FUNCTIONS {
        let function = entry.make(&entry.examples().next().unwrap()).unwrap();
        let job = job(PRIVACY[0], PUBLISHERS[0].id, &[("function", entry.id)]);
        let (table, turned) = (table(|at| at), table(|at| (at * 5 + 1) % PEOPLE));
        let made = release(&job, &table, SEED).unwrap().unwrap();
        assert_eq!(texts(&made), texts(&release(&job, &turned, SEED).unwrap().unwrap()), "{}", entry.id);
        let forms = [CellForm::Boxes, CellForm::Labels, CellForm::Anatomy, CellForm::Statistics];
        let claimed: Vec<CellForm> = forms.into_iter().filter(|&form| entry.claims(EntryClaim::Cells(form))).collect();
        assert_eq!(claimed.len(), 1, "{}: say in its claims what its cells are", entry.id);
        assert_eq!(made.exhibit.group_column.is_some(), claimed == [CellForm::Anatomy], "{}", entry.id);
        assert_eq!(function.shows_quasi(), claimed == [CellForm::Anatomy], "{}", entry.id);
        assert_eq!(function.aggregates(), claimed == [CellForm::Statistics], "{}", entry.id);
        let (hierarchies, groups) = (job.hierarchies(&table).unwrap(), &made.exhibit.classes);
        let statistics = vec![None; table.columns().len()];
        let scene = FunctionInput {
            table: &table,
            hierarchies: &hierarchies,
            groups,
            granulation: None,
            statistics: &statistics,
        };
        for class in groups.iter() {
            assert!(class.iter().all(|&row| function.covers(scene, class, row)), "{}: {class:?}", entry.id);
        }
        assert_eq!(rows(groups), (0..PEOPLE).collect::<Vec<u32>>(), "{}", entry.id);
    }
}

/// All rows of all groups, in order.
fn rows(groups: &Partition) -> Vec<u32> {
    let mut rows = groups.members().to_vec();
    rows.sort_unstable();
    rows
}
