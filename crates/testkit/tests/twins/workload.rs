//! Count queries against their twin: answers on random tables are those of looking at every row, estimates from releases of every
//! function those of reading the published texts.

use pellucid_model::claim::{CellForm, EntryClaim};
use pellucid_model::exact::decimal;
use pellucid_model::hierarchy::Hierarchy;
use pellucid_model::randomness::RandomSource;
use pellucid_model::registry::RegistryEntry;
use pellucid_model::table::{Column, ColumnDomain, Role, Table};
use pellucid_publish::function::{FUNCTIONS, Function};
use pellucid_publish::job::{Job, JobAnswer};
use pellucid_publish::release::Release;
use pellucid_publish::risk::could_be_in;
use pellucid_publish::workload::{CountQuery, QueryTable, ReleaseReader, WorkloadSettings};
use pellucid_testkit::literal::workload::{Values, Wanted, answer, estimate, estimate_of_two, left_open};
use pellucid_testkit::random::generator;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

fn job(publisher: &str, function: &str) -> Job {
    let text = format!(
        r#"
[input]
path = "t.csv"
[columns]
age = {{ role = "quasi", type = "integer", hierarchy = {{ widths = [4, 8] }} }}
town = {{ role = "quasi", type = "category", hierarchy = {{ tree = {{ north = {{ coast = ["d", "a"] }}, south = {{ hills = ["c"], north = ["b"] }} }} }} }}
s = {{ role = "sensitive" }}
[privacy]
principle = "frequency-l-diversity"
l = 2
[method]
publisher = "{publisher}"
function = "{function}"
"#
    );
    Job::read(&text, &[]).unwrap()
}

fn words(words: &[&str]) -> ColumnDomain {
    ColumnDomain::Category(words.iter().map(|&word| word.to_owned()).collect())
}

/// A table with ages, some of them missing, towns and a sensitive column; every value occurs.
fn table(rng: &mut ChaCha8Rng) -> Table {
    let rows = rng.random_range(12..40);
    let ages: Vec<i64> = vec![18, 20, 21, 25, 26, 30];
    let missing = rng.random_range(0..2) == 0;
    let mut codes = |below: u32| -> Vec<u32> {
        (0..rows).map(|row| if row < below { row } else { rng.random_range(0..below) }).collect()
    };
    let age = Column::new("age", Role::Quasi, ColumnDomain::Integer(ages), missing, codes(6 + u32::from(missing)));
    let town = Column::new("town", Role::Quasi, words(&["a", "b", "c", "d"]), false, codes(4));
    let s = Column::new("s", Role::Sensitive, words(&["v", "w", "x", "y", "z"]), false, codes(5));
    Table::new(vec![age.unwrap(), town.unwrap(), s.unwrap()]).unwrap()
}

/// The values of a column in the order of ranks, with the labels above them.
fn values(ground: &QueryTable, at: usize, column: &Column, hierarchy: Option<&Hierarchy>) -> Values {
    // A missing cell comes last.
    let mut codes: Vec<u32> = (0..column.cardinality() as u32).collect();
    codes.sort_by_key(|&code| ground.columns()[at].rank(code));
    let labels = |code: u32| {
        let above = hierarchy.into_iter().flat_map(|hierarchy| {
            (0..hierarchy.levels()).map(move |level| hierarchy.label(level, hierarchy.node(level, code)).to_owned())
        });
        above.collect()
    };
    Values {
        texts: codes.iter().map(|&code| column.text(code)).collect(),
        labels: codes.iter().map(|&code| labels(code)).collect(),
        numeric: matches!(column.domain(), ColumnDomain::Integer(_)),
    }
}

fn wanted(query: &CountQuery, columns: &[Values]) -> Wanted {
    let mut wanted: Wanted = vec![None; columns.len()];
    for range in &query.ranges {
        wanted[range.column] = Some(columns[range.column].texts[range.from as usize..range.to as usize].to_vec());
    }
    wanted
}

fn texts(release: &Release, sheet: usize) -> Vec<Vec<String>> {
    let sheet = &release.exhibit.sheets[sheet];
    (0..sheet.row_of.len()).map(|line| sheet.columns.iter().map(|(_, shown)| shown.text(line)).collect()).collect()
}

/// The estimate that the twin makes of the published texts.
fn literal(release: &Release, columns: &[Values], function: &RegistryEntry<dyn Function>, wanted: &Wanted) -> f64 {
    let is = |form: CellForm| function.claims(EntryClaim::Cells(form));
    let exact = if is(CellForm::Anatomy) {
        let (quasi, sensitive) = (texts(release, 0), texts(release, 1));
        let mut groups: Vec<(Vec<Vec<String>>, Vec<String>)> = Vec::new();
        for (line, value) in quasi.iter().zip(&sensitive) {
            let group: usize = line[0].parse().unwrap();
            groups.resize(groups.len().max(group), (Vec::new(), Vec::new()));
            groups[group - 1].0.push(line[1..].to_vec());
            let group: usize = value[0].parse().unwrap();
            groups.resize(groups.len().max(group), (Vec::new(), Vec::new()));
            groups[group - 1].1.push(value[1].clone());
        }
        estimate_of_two(&groups, wanted)
    } else {
        estimate(&texts(release, 0), columns, is(CellForm::Statistics), wanted)
    };
    decimal(&exact)
}

#[test]
fn answers_and_estimates_are_literal() {
    let mut rng = generator(701);
    let mut compared = vec![0; FUNCTIONS.len()];
    for round in 0..25 {
        let table = table(&mut rng);
        let job_of = |publisher: &str, at: usize| job(publisher, FUNCTIONS[at].id);
        let hierarchies = job_of("tailor", 0).hierarchies(&table).unwrap();
        let ground = QueryTable::new(&table, &hierarchies);
        let all = table.columns().iter().zip(&hierarchies).enumerate();
        let columns: Vec<Values> =
            all.map(|(at, (column, hierarchy))| values(&ground, at, column, hierarchy.as_ref())).collect();
        let rows: Vec<Vec<String>> = (0..table.rows())
            .map(|row| table.columns().iter().map(|column| column.text(column.code(row))).collect())
            .collect();
        for dimensions in 1..=3 {
            let selectivity = [0.05, 0.2, 0.6][rng.random_range(0..3usize)];
            let settings = WorkloadSettings { queries: 8, dimensions: Some(dimensions), selectivity, seed: round };
            let workload = ground.draw(&settings).unwrap();
            let answers = ground.answers(&workload);
            for (query, found) in workload.queries.iter().zip(&answers) {
                assert_eq!(*found, answer(&rows, &wanted(query, &columns)), "round {round}: {query:?}");
            }
            for (at, function) in FUNCTIONS.iter().enumerate() {
                for publisher in ["tailor", "mondrian", "mask\"\nk = \"3"] {
                    let job = job_of(publisher, at);
                    let checked = job.check().unwrap().spreading();
                    let answer =
                        checked.run(&table, &hierarchies, RandomSource::InsecureSeed(round), &|_| Ok(())).unwrap();
                    let JobAnswer::Release(release) = answer else { continue };
                    let reader =
                        ReleaseReader::new(&ground, &release.exhibit, release.spreads.as_ref().unwrap()).unwrap();
                    for (query, found) in workload.queries.iter().zip(reader.estimates(&workload)) {
                        let expected = literal(&release, &columns, function, &wanted(query, &columns));
                        let what = format!("round {round}: {publisher}, {}, {query:?}", function.id);
                        assert!((found - expected).abs() < 1e-9, "{what}: {found} and not {expected}");
                        compared[at] += 1;
                    }
                }
            }
        }
    }
    assert!(compared.iter().all(|&compared| compared > 500), "{compared:?}");
}

#[test]
fn a_workload_follows_from_its_settings() {
    let table = table(&mut generator(702));
    let ground = QueryTable::new(&table, &[None, None, None]);
    let settings = WorkloadSettings { queries: 50, dimensions: Some(2), selectivity: 0.25, seed: 3 };
    let workload = ground.draw(&settings).unwrap();
    assert_eq!(workload, ground.draw(&settings).unwrap());
    assert_ne!(workload, ground.draw(&WorkloadSettings { seed: 4, ..settings }).unwrap());
    for query in &workload.queries {
        // The sensitive column and one other, half of the values of each.
        let [quasi, sensitive] = &query.ranges[..] else { panic!("two ranges") };
        assert!(quasi.column < 2 && sensitive.column == 2);
        assert_eq!(quasi.to - quasi.from, if quasi.column == 0 { 3 } else { 2 });
        assert_eq!(sensitive.to - sensitive.from, 3);
    }
    let refused = ground.draw(&WorkloadSettings { dimensions: Some(4), ..settings }).unwrap_err();
    assert!(refused.to_string().contains("1 to 3 columns"), "{refused}");
}

#[test]
fn a_release_that_hides_nothing_is_read_without_error() {
    // Everybody twice.
    let once = table(&mut generator(703));
    let twice = once.columns().iter().map(|column| {
        let codes = column.codes().iter().chain(column.codes()).collect();
        Column::new(column.name(), column.role(), column.domain().clone(), column.missing().is_some(), codes).unwrap()
    });
    let table = Table::new(twice.collect()).unwrap();
    let job = Job::read(
        "[input]\npath = \"t.csv\"\n[columns]\nage = { role = \"quasi\" }\ntown = { role = \"quasi\" }\ns = { role = \"sensitive\" }\n\
         [privacy]\nprinciple = \"k-anonymity\"\nk = 2\n[method]\npublisher = \"search\"\n",
        &[],
    )
    .unwrap();
    let answer =
        job.check().unwrap().spreading().run(&table, &[None, None, None], RandomSource::System, &|_| Ok(())).unwrap();
    let JobAnswer::Release(release) = answer else { panic!("two are enough for a class") };
    let ground = QueryTable::new(&table, &[None, None, None]);
    let workload =
        ground.draw(&WorkloadSettings { queries: 40, selectivity: 0.3, ..WorkloadSettings::default() }).unwrap();
    let reader = ReleaseReader::new(&ground, &release.exhibit, release.spreads.as_ref().unwrap()).unwrap();
    for (answer, estimate) in ground.answers(&workload).iter().zip(reader.estimates(&workload)) {
        assert!((*answer as f64 - estimate).abs() < 1e-9);
    }
}

#[test]
fn people_of_a_register_are_counted_where_the_published_texts_leave_them_open() {
    let mut rng = generator(704);
    let mut counted = 0;
    for round in 0..20 {
        let table = table(&mut rng);
        // Everybody of the table, and others with values that the table lacks.
        let ages: Vec<i64> = vec![15, 18, 19, 20, 21, 23, 25, 26, 28, 30, 40];
        let known = [1, 3, 4, 6, 7, 9];
        let own = table.columns()[0].codes().iter().map(|code| known.get(code as usize).copied().unwrap_or(11));
        let more = rng.random_range(1..60);
        let age: Vec<u32> = own.chain((0..more).map(|_| rng.random_range(0..11))).collect();
        let own = table.columns()[1].codes().iter();
        let town: Vec<u32> = own.chain((0..more).map(|_| rng.random_range(0..5))).collect();
        let missing = age.contains(&11);
        let age = Column::new("age", Role::Quasi, ColumnDomain::Integer(ages), missing, age).unwrap();
        let town = Column::new("town", Role::Quasi, words(&["a", "b", "c", "d", "e"]), false, town).unwrap();
        let pairs = [(&table.columns()[0], &age), (&table.columns()[1], &town)];
        for function in ["mbr", "anatomy"] {
            let job = job("mondrian", function);
            let hierarchies = job.hierarchies(&table).unwrap();
            let checked = job.check().unwrap().spreading();
            let answer = checked.run(&table, &hierarchies, RandomSource::InsecureSeed(round), &|_| Ok(())).unwrap();
            let JobAnswer::Release(release) = answer else { continue };
            let found = could_be_in(&release.exhibit, release.spreads.as_ref().unwrap(), &pairs).unwrap();
            let lines = texts(&release, 0);
            let quasi = |line: &Vec<String>| line[usize::from(function == "anatomy")..].to_vec();
            let everybody = |column: &Column| Values {
                texts: (0..column.cardinality() as u32).map(|code| column.text(code)).collect(),
                labels: vec![Vec::new(); column.cardinality()],
                numeric: matches!(column.domain(), ColumnDomain::Integer(_)),
            };
            let columns = [everybody(&age), everybody(&town)];
            let mut start = 0;
            for (class, rows) in release.exhibit.classes.iter().enumerate() {
                let class_lines = &lines[start..start + rows.len()];
                start += rows.len();
                let open = |line: &Vec<String>, person: usize| {
                    let cells = [age.text(age.code(person)), town.text(town.code(person))];
                    quasi(line)
                        .iter()
                        .zip(&columns)
                        .zip(cells)
                        .all(|((cell, values), own)| left_open(cell, values, false).contains(&own))
                };
                let expected =
                    (0..age.codes().len()).filter(|&person| class_lines.iter().any(|line| open(line, person)));
                assert_eq!(found[class], expected.count() as u64, "round {round}: {function}, {class_lines:?}");
                counted += 1;
            }
        }
        let job = job("mondrian", "microaggregation");
        let hierarchies = job.hierarchies(&table).unwrap();
        let answer =
            job.check().unwrap().spreading().run(&table, &hierarchies, RandomSource::System, &|_| Ok(())).unwrap();
        if let JobAnswer::Release(release) = answer {
            assert_eq!(could_be_in(&release.exhibit, release.spreads.as_ref().unwrap(), &pairs), None);
        }
    }
    assert!(counted > 50, "{counted}");
}
