//! Every recorded case about the transparent algorithms and their targets of attack comes out of the literal twins.

use std::collections::{BTreeMap, BTreeSet};

use pellucid_model::exact::Fraction;
use pellucid_testkit::adversary::{Belief, belief_about, beliefs, worst_risk};
use pellucid_testkit::golden::{Case, World, cases, cases_of, read, recorded};
use pellucid_testkit::instance::{Group, Output, Outputs};
use pellucid_testkit::literal::assign::{Label, signatures};
use pellucid_testkit::literal::credibility::credibility;
use pellucid_testkit::literal::opt_gen::minimisers;
use pellucid_testkit::mechanism::Mask;
use serde_json::Value;

fn outputs(world: &World, list: &Value) -> Outputs {
    let list = list.as_array().expect("a list of outputs");
    list.iter().map(|output| (world.output(&output["rows"]), recorded(&output["prob"]))).collect()
}

/// Compares whatever of weight, instances, risk and largest risk is recorded.
fn compare(world: &World, belief: &Belief, expected: &Value, what: &str) {
    if let Some(weight) = expected.get("weight") {
        assert_eq!(belief.weight, recorded(weight), "{what}");
    }
    if let Some(instances) = expected.get("instances").or(expected.get("support_instances")) {
        assert_eq!(belief.instances, read::<u64>(instances), "{what}");
    }
    if let Some(risk) = expected.get("risk") {
        assert_eq!(belief.posterior, world.posterior(risk), "{what}");
    }
    if let Some(risk) = expected.get("max_risk") {
        assert_eq!(belief.max_risk(), recorded(risk), "{what}");
    }
}

/// A worked example: one algorithm on one table, and the belief about one of its releases.
fn worked_example(case: &Case) {
    let world = World::of(case);
    let mechanism = world.mechanism(case.input["algorithm"].as_str().unwrap(), &case.input["options"]);
    let table = world.table.as_ref().expect("a worked example has a table");
    assert_eq!(mechanism.outputs(&world.external, table), outputs(&world, &case.expected["outputs"]), "{}", case.id);
    if let Some(release) = case.expected.get("risk_for") {
        let output = world.output(release).expect("risk is asked of a release");
        let belief = belief_about(&*mechanism, &world.external, &output).expect("a possible release");
        compare(&world, &belief, &case.expected, &case.id);
    }
}

/// A random case: every algorithm on one table, and the belief about every release over all subsets of the source.
fn random_case(case: &Case) {
    let world = World::of(case);
    let table = world.table.as_ref().expect("a case has a table");
    for (name, expected) in case.expected.as_object().expect("answers by algorithm") {
        let what = format!("{} {name}", case.id);
        let mechanism = world.mechanism(name, &Value::Null);
        assert_eq!(mechanism.outputs(&world.external, table), outputs(&world, &expected["outputs"]), "{what}");
        let beliefs = beliefs(&*mechanism, &world.external, world.domain(), world.external.len());
        for output in expected["outputs"].as_array().unwrap() {
            let belief = &beliefs[&world.output(&output["rows"])];
            compare(&world, belief, output, &what);
        }
        assert_eq!(worst_risk(&beliefs), recorded(&expected["worst_risk_any_output"]), "{what}");
        let releases = beliefs.keys().filter(|output| output.is_some()).count();
        assert_eq!(releases, read::<usize>(&expected["n_outputs"]), "{what}");
    }
}

#[test]
fn transparent_cases() {
    let (worked, random): (Vec<Case>, Vec<Case>) =
        cases_of("transparent").into_iter().partition(|case| case.input.get("algorithm").is_some());
    assert_eq!((worked.len(), random.len()), (7, 70));
    worked.iter().for_each(worked_example);
    random.iter().for_each(random_case);
}

#[test]
fn violations() {
    let cases = cases_of("transparent-violation");
    assert_eq!(cases.len(), 6);
    for case in cases {
        let world = World::of(&case);
        let mechanism = world.mechanism(case.input["algorithm"].as_str().unwrap(), &case.input["options"]);
        let output = world.output(&case.input["output"]).expect("a release");
        let belief = belief_about(&*mechanism, &world.external, &output).expect("a possible release");
        compare(&world, &belief, &case.expected, &case.id);
    }
}

#[test]
fn assign_cases() {
    let cases = cases_of("assign");
    assert_eq!(cases.len(), 21);
    for case in cases {
        let counts: BTreeMap<String, u64> = read(&case.input["counts"]);
        let names: Vec<&String> = counts.keys().collect();
        let labelled: Vec<(Label, u64)> = (0..).map(|value| (value, 0)).zip(counts.values().copied()).collect();
        let expected: Vec<(u64, Vec<String>)> = read(&case.expected["signatures"]);
        let found: Vec<(u64, Vec<String>)> = signatures(&labelled, read(&case.input["l"]))
            .into_iter()
            .map(|(alpha, labels)| (alpha, labels.iter().map(|label| names[label.0 as usize].clone()).collect()))
            .collect();
        assert_eq!(found, expected, "{}", case.id);
    }
}

#[test]
fn mask_cases() {
    let cases = cases_of("mask");
    assert_eq!(cases.len(), 17);
    for case in cases {
        let world = World::of(&case);
        let protect: BTreeSet<u32> =
            read::<Vec<String>>(&case.input["V"]).iter().map(|name| world.value(name)).collect();
        let name = |person: &Value| person.as_str().map_or_else(|| person.to_string(), str::to_owned);
        let partition: Vec<Vec<Value>> = read(&case.input["kpart"]);
        let partition =
            partition.iter().map(|group| group.iter().map(|person| world.person(&name(person))).collect()).collect();
        let mechanism = Mask { l: world.l, partition, protect: protect.clone() };
        let beliefs = beliefs(&mechanism, &world.external, world.domain(), 0);
        let output: Option<Output> = world.output(&case.input["output"]);
        compare(&world, &beliefs[&output], &case.expected, &case.id);
        if let Some(risk) = case.expected.get("max_risk_on_V") {
            assert_eq!(beliefs[&output].max_risk_on(&protect), recorded(risk), "{}", case.id);
        }
        if let Some(risk) = case.expected.get("worst_risk_on_V") {
            let releases = beliefs.iter().filter(|entry| entry.0.is_some());
            let worst = releases.map(|entry| entry.1.max_risk_on(&protect)).max().unwrap();
            assert_eq!(worst, recorded(risk), "{}", case.id);
        }
    }
}

#[test]
fn credibility_cases() {
    let cases = cases_of("credibility");
    assert_eq!(cases.len(), 2);
    for case in cases {
        let world = World::of(&case);
        let table = world.table.as_ref().expect("a case has a table");
        let partition: Vec<Vec<String>> = read(&case.input["partition"]);
        let partition: Vec<Group> = partition
            .iter()
            .map(|names| names.iter().map(|name| world.person(name)))
            .map(|people| people.map(|person| (person, table.value_of(person).unwrap())).collect())
            .collect();
        let found = credibility(&world.external, &partition, world.l);
        assert_eq!(found.possible, read::<u64>(&case.expected["S_m"]), "{}", case.id);
        assert_eq!(found.minimal, read::<u64>(&case.expected["S_plus"]), "{}", case.id);
        for (name, share) in case.expected["cred"].as_object().unwrap() {
            assert_eq!(found.credibility[&world.person(name)], recorded(share), "{} {name}", case.id);
        }
    }
}

#[test]
fn minimisers_of_opt_gen() {
    let cases = cases_of("transparent-optgen");
    assert_eq!(cases.len(), 1);
    for case in cases {
        let world = World::of(&case);
        let table = world.table.as_ref().expect("a case has a table");
        let (cost, found) =
            minimisers(&world.external, table, world.l, read(&case.input["disjoint"])).expect("an optimum");
        assert_eq!(cost, read::<u64>(&case.expected["cost"]));
        let names = |group: &Group| group.iter().map(|row| world.people[row.0].clone()).collect::<BTreeSet<_>>();
        let found: BTreeSet<BTreeSet<BTreeSet<String>>> =
            found.iter().map(|partition| partition.iter().map(names).collect()).collect();
        assert_eq!(found, read(&case.expected["minimisers"]));
    }
}

#[test]
fn every_recorded_case_is_of_a_kind_that_is_tested() {
    let kinds: BTreeMap<String, usize> = cases().into_iter().fold(BTreeMap::new(), |mut kinds, case| {
        *kinds.entry(case.kind).or_default() += 1;
        kinds
    });
    let tested = ["assign", "credibility", "mask", "transparent", "transparent-optgen", "transparent-violation"];
    assert_eq!(kinds.keys().map(String::as_str).collect::<Vec<_>>(), tested);
}

#[test]
fn probabilities_sum_to_one() {
    for case in cases_of("transparent").iter().filter(|case| case.input.get("algorithm").is_none()) {
        let world = World::of(case);
        let table = world.table.as_ref().expect("a case has a table");
        for name in case.expected.as_object().unwrap().keys() {
            let outputs = world.mechanism(name, &Value::Null).outputs(&world.external, table);
            assert_eq!(outputs.values().fold(Fraction::ZERO, |sum, part| sum + part), Fraction::ONE);
        }
    }
}
