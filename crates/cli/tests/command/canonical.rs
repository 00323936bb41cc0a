//! Nothing published depends on the order of the input, nor on who of a group has which sensitive value.

use std::collections::BTreeMap;

use crate::common::{Desk, Numbers, groups};

const TABLES: u64 = 24;

/// One person: what is published of the quasi-identifiers, and what is exchanged with others.
#[derive(Debug, Clone)]
struct Person {
    fixed: String,
    secret: String,
}

/// A job for [`people`]; `id` is an identifier, or left out of the release and of ties.
fn job(publisher: &str, function: &str, format: &str, id: &str) -> String {
    format!(
        r#"
[input]
path = "people.csv"
[columns]
id    = {{ role = "{id}" }}
age   = {{ role = "quasi", type = "integer", hierarchy = {{ widths = [5, 10, 20] }} }}
zip   = {{ role = "quasi", type = "category", hierarchy = {{ mask = "suffix" }} }}
score = {{ role = "keep", type = "integer" }}
ill   = {{ role = "sensitive" }}
[privacy]
principle = "frequency-l-diversity"
l = 2
[method]
publisher = "{publisher}"
function = "{function}"
[output]
dir = "out"
format = "{format}"
"#
    )
}

/// Random people; with `apart`, no two have the same age.
fn people(numbers: &mut Numbers, apart: bool) -> Vec<Person> {
    let count = 30 + numbers.below(60);
    let mut ages: Vec<u32> = (20..20 + count).collect();
    numbers.shuffle(&mut ages);
    let mut people: Vec<Person> = Vec::new();
    for id in 0..count {
        let age = if apart { ages[id as usize] } else { 20 + numbers.below(30) };
        let (zip, score, ill) = (1000 + numbers.below(30), numbers.below(4), numbers.below(12));
        people.push(Person { fixed: format!("p{id:03},{age},{zip}"), secret: format!("{score},v{ill}") });
    }
    people
}

fn write(desk: &Desk, people: &[Person]) {
    let lines = people.iter().map(|person| format!("{},{}\n", person.fixed, person.secret));
    desk.write("people.csv", "id,age,zip,score,ill\n".to_owned() + &lines.collect::<String>());
}

/// Publishes, gives the public files, or nothing when nothing can be disclosed.
fn publish(desk: &Desk, job: &str, more: &[&str]) -> Option<BTreeMap<String, Vec<u8>>> {
    desk.write("job.toml", job);
    let outcome = desk.run(&[&["publish", "job.toml", "--overwrite"], more].concat());
    match outcome.status {
        0 => Some(desk.bytes("out")),
        3 => None,
        _ => panic!("{outcome:#?}"),
    }
}

#[test]
fn tailor_publishes_the_same_bytes_of_isomorphic_tables() {
    let mut compared = 0;
    for seed in 0..TABLES {
        let mut numbers = Numbers::new(seed);
        let desk = Desk::new();
        // Ties are settled by the identifier, or there are none.
        let id = ["identifier", "drop"][(seed % 2) as usize];
        let first = people(&mut numbers, id == "drop");
        write(&desk, &first);
        if publish(&desk, &job("tailor", "anatomy", "csv", id), &[]).is_none() {
            continue;
        }
        let mut second = first.clone();
        let groups = groups(&desk, "out");
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), first.len());
        for group in &groups {
            let mut places = group.clone();
            numbers.shuffle(&mut places);
            for (&to, &from) in group.iter().zip(&places) {
                second[to].secret.clone_from(&first[from].secret);
            }
        }
        numbers.shuffle(&mut second);
        for function in ["mbr", "hierarchy", "anatomy", "microaggregation"] {
            for format in ["csv", "parquet"] {
                let job = job("tailor", function, format, id);
                write(&desk, &first);
                let before = publish(&desk, &job, &[]);
                write(&desk, &second);
                let after = publish(&desk, &job, &[]);
                let report = before.as_ref().is_some_and(|files| files.contains_key("report.html"));
                assert!(report && before == after, "{function}, {format}, table {seed}");
            }
        }
        compared += usize::from(groups.len() > 1);
    }
    assert!(compared >= TABLES as usize / 2, "only {compared} tables had several groups");
}

#[test]
fn the_order_of_rows_reaches_no_release() {
    for seed in 0..TABLES {
        let mut numbers = Numbers::new(1000 + seed);
        let desk = Desk::new();
        let first = people(&mut numbers, false);
        let mut second = first.clone();
        numbers.shuffle(&mut second);
        for publisher in ["ace", "hybrid"] {
            let shows = [("mbr", "csv"), ("anatomy", "parquet"), ("hierarchy", "csv"), ("microaggregation", "parquet")];
            for (function, format) in shows {
                let job = job(publisher, function, format, "identifier");
                let releases = [&first, &second].map(|people| {
                    write(&desk, people);
                    publish(&desk, &job, &["--insecure-seed", "11"])
                });
                assert!(releases[0] == releases[1], "{publisher}, {function}, {format}, table {seed}");
            }
        }
    }
}
