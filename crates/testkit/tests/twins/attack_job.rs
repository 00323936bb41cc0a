//! Attacks on small tables through jobs, against the literal adversary: what is believed after a release, by somebody who
//! knows the job.

use pellucid_inference::budget::Budget;
use pellucid_model::exact::Fraction;
use pellucid_model::table::{Column, ColumnDomain, Role, Table};
use pellucid_publish::job::{ExternalKnowledge, Job, Prior, SeenOutput};
use pellucid_testkit::adversary::beliefs_of_multiset;
use pellucid_testkit::instance::Instance;
use pellucid_testkit::literal::opt_gen::Ties;
use pellucid_testkit::mechanism::{Ace, Hybrid, Mechanism, Mondrian, OptGen, Setting, Tailor};
use pellucid_testkit::person::{Person, extents};
use pellucid_testkit::random::{external, generator};
use rand::RngExt;

const VALUES: u32 = 3;

fn job(publisher: &str) -> Job {
    let text = format!(
        "[input]\npath = \"t.csv\"\n[columns]\nid = {{ role = \"identifier\" }}\na = {{ role = \"quasi\" }}\nb = {{ role = \"quasi\" }}\n\
         s = {{ role = \"sensitive\" }}\n[privacy]\nprinciple = \"frequency-l-diversity\"\nl = 2\n[method]\n{publisher}\n"
    );
    Job::read(&text, &[]).unwrap()
}

/// The column of `values`, in the order of rows.
fn numbers(name: &str, role: Role, values: &[i64]) -> Column {
    let mut domain = values.to_vec();
    domain.sort_unstable();
    domain.dedup();
    let codes = values.iter().map(|value| domain.binary_search(value).unwrap() as u32).collect();
    Column::new(name, role, ColumnDomain::Integer(domain), false, codes).unwrap()
}

fn people_table(people: &[Person]) -> Table {
    let quasi = |at: usize| people.iter().map(|person| person.quasi[at]).collect::<Vec<i64>>();
    let ids: Vec<i64> = people.iter().map(|person| i64::from(person.id)).collect();
    Table::new(vec![
        numbers("id", Role::Identifier, &ids),
        numbers("a", Role::Quasi, &quasi(0)),
        numbers("b", Role::Quasi, &quasi(1)),
    ])
    .unwrap()
}

fn sensitive(values: &[u32]) -> Column {
    let domain = ColumnDomain::Category((0..VALUES).map(|value| value.to_string()).collect());
    Column::new("s", Role::Sensitive, domain, false, values.to_vec()).unwrap()
}

/// An adversary who knows these people, and how often each of the values occurs.
fn known<'a>(people: &'a Table, column: &'a Column, values: &[u32]) -> ExternalKnowledge<'a> {
    let prior = Prior::Multiset(values.to_vec());
    ExternalKnowledge {
        people,
        values: column,
        prior,
        told: &[],
        budget: Budget { states: 10_000, ..Budget::attack() },
    }
}

#[test]
fn belief_after_a_release_of_a_job_is_literal() {
    let mut rng = generator(501);
    let mut released = 0;
    for round in 0..30 {
        let mut people = external(&mut rng, 6, 2, 4);
        people.sort_by_key(|person| person.id);
        let values: Vec<u32> = (0..6).map(|_| rng.random_range(0..VALUES)).collect();
        let norm = extents(&people);
        let setting = || Setting::new(2, norm.clone());
        let twins: Vec<(&str, Box<dyn Mechanism>)> = vec![
            ("publisher = \"tailor\"", Box::new(Tailor(setting()))),
            ("publisher = \"ace\"", Box::new(Ace(setting()))),
            ("publisher = \"hybrid\"", Box::new(Hybrid(setting()))),
            ("publisher = \"mondrian\"", Box::new(Mondrian { l: 2, norm: norm.clone() })),
            ("publisher = \"opt-gen\"", Box::new(OptGen { l: 2, disjoint: true, ties: Ties::First })),
        ];
        for (publisher, twin) in twins {
            let what = format!("round {round}: {publisher} on {people:?} with {values:?}");
            let job = job(publisher);
            let checked = job.check().unwrap();
            let (known_people, column) = (people_table(&people), sensitive(&values));
            let table = Table::new([known_people.columns(), std::slice::from_ref(&column)].concat()).unwrap();
            let Ok(lines) = checked.lines(&table, &[None, None, None, None]).unwrap() else {
                let silent = twin.outputs(&people, &Instance::of_all(&values));
                assert!(silent.contains_key(&None), "{what}");
                continue;
            };
            released += 1;
            let known = known(&known_people, &column, &values);
            let found = checked.try_originals(&known, &SeenOutput::Release(lines), &|_| Ok(())).unwrap().tried.unwrap();
            let risks: Vec<Option<Fraction>> = found.people.iter().map(|person| person.risk.exactly.clone()).collect();
            // What was drawn is one of the answers to the table, and belief is that after this answer.
            let beliefs = beliefs_of_multiset(&*twin, &people, &values);
            let mut answers = twin.outputs(&people, &Instance::of_all(&values)).into_keys().flatten();
            let literal = answers.any(|answer| {
                let belief = &beliefs[&answer];
                let expected = (0..6).map(|person| Some(belief.risk(person)));
                belief.instances == found.left && expected.eq(risks.iter().cloned())
            });
            assert!(literal, "{what}: {risks:?}");
        }
    }
    assert!(released > 60, "{released}");
}

#[test]
fn people_who_need_not_be_in_the_table_share_the_doubt_as_literally() {
    let mut rng = generator(502);
    for round in 0..12 {
        let mut people = external(&mut rng, 6, 2, 3);
        people.sort_by_key(|person| person.id);
        let values: Vec<u32> = [0, 1, 0, 2].into_iter().map(|value| (value + round) % VALUES).collect();
        let members: Vec<Person> = people[..4].to_vec();
        let job = job("publisher = \"tailor\"");
        let checked = job.check().unwrap();
        let (known_people, column) = (people_table(&people), sensitive(&values));
        let table = Table::new([people_table(&members).columns(), std::slice::from_ref(&column)].concat()).unwrap();
        let Ok(lines) = checked.lines(&table, &[None, None, None, None]).unwrap() else { continue };
        let known = known(&known_people, &column, &values);
        let found = checked.try_originals(&known, &SeenOutput::Release(lines), &|_| Ok(())).unwrap().tried.unwrap();
        // A job normalises by the extents of the table that it is given, so the twin does too.
        let twin = |external: &[Person], instance: &Instance| {
            let members: Vec<Person> = instance.rows().iter().map(|row| external[row.0].clone()).collect();
            Tailor(Setting::new(2, extents(&members))).outputs(external, instance)
        };
        let beliefs = beliefs_of_multiset(&twin, &people, &values);
        let truth = Instance::new(values.iter().copied().enumerate().collect());
        let answer = twin(&people, &truth).into_keys().flatten().next().unwrap();
        let expected: Vec<Option<Fraction>> = (0..6).map(|person| Some(beliefs[&answer].risk(person))).collect();
        let risks: Vec<Option<Fraction>> = found.people.iter().map(|person| person.risk.exactly.clone()).collect();
        assert_eq!((risks, found.left), (expected, beliefs[&answer].instances), "round {round}: {people:?}");
    }
}
