//! Every principle of the registry keeps the laws with the parameters of all its examples, and is what it claims to be.

use super::{BoundPrinciple, PRINCIPLES, Principle, laws};
use crate::claim::EntryClaim;
use crate::histogram::Histogram;
use crate::registry::RegistryEntry;

/// By example, the principle and what it is bound to.
fn examples(entry: &RegistryEntry<dyn Principle>) -> Vec<(Box<dyn Principle>, Box<dyn BoundPrinciple>)> {
    let made = entry.examples().map(|args| entry.make(&args).unwrap());
    made.map(|principle| (laws::bind(principle.as_ref()), principle))
        .map(|(test, principle)| (principle, test))
        .collect()
}

#[test]
fn every_entry_is_well_formed_and_builds() {
    for (at, entry) in PRINCIPLES.iter().enumerate() {
        assert!(entry.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", entry.id);
        assert!(PRINCIPLES[..at].iter().all(|other| other.id != entry.id), "{} twice", entry.id);
        assert!(!entry.summary.is_empty() && entry.summary.len() < 80, "{}", entry.id);
        assert!(entry.reference.contains(char::is_numeric), "{}: reference without a year", entry.id);
        assert!(entry.params.iter().all(|param| !param.help.is_empty()), "{}", entry.id);
        assert!(!entry.examples.is_empty(), "{}: give its entry an example", entry.id);
        for (principle, test) in examples(entry) {
            assert_eq!(principle.id(), entry.id);
            assert!(!principle.describe().is_empty());
            let uniform = [2; 4];
            let on_uniform = laws::bind_on(principle.as_ref(), uniform, None).unwrap();
            assert!(on_uniform.holds(&Histogram::from_counts(uniform)), "{}: the uniform group passes", entry.id);
            assert!(!test.holds(&Histogram::default()), "{}: the empty group fails", entry.id);
            assert_eq!(test.robust(&Histogram::default()), None, "{}", entry.id);
        }
    }
}

#[test]
fn every_principle_keeps_the_laws() {
    for (principle, test) in PRINCIPLES.iter().flat_map(examples) {
        laws::claims_are_literal(principle.as_ref());
        laws::growth_is_literal_for(test.as_ref());
        laws::robust_is_enough(test.as_ref());
        laws::measure_decides(test.as_ref(), principle.better());
        if test.is_closed_under_mixtures() {
            laws::mixtures_pass_for(test.as_ref());
        } else {
            assert!(laws::failing_mixture(test.as_ref()).is_some(), "{test:?}: every mixture passes");
        }
    }
}

#[test]
fn an_entry_claims_what_all_its_examples_show() {
    for entry in PRINCIPLES {
        let examples = examples(entry);
        let shows = |claim: EntryClaim, shows: &dyn Fn(&dyn BoundPrinciple) -> bool| {
            let all = examples.iter().all(|(_, test)| shows(test.as_ref()));
            assert_eq!(entry.claims(claim), all, "{}: {claim:?}", entry.id);
        };
        shows(EntryClaim::Mixtures, &|test| test.is_closed_under_mixtures());
        shows(EntryClaim::Growth, &|test| test.is_closed_under_growth());
        shows(EntryClaim::Symmetry, &|test| test.is_symmetric());
        shows(EntryClaim::Caps, &|test| test.cap(0, 1).is_some());
        shows(EntryClaim::LeastRobust, &laws::robust_is_least);
    }
}

#[test]
fn protected_values_are_refused_or_honoured() {
    for entry in PRINCIPLES {
        for (principle, test) in examples(entry).iter().filter(|(_, test)| test.claims().is_none()) {
            let bound = laws::bind_on(principle.as_ref(), [4, 3, 2, 1], Some(&[true, false, true, false]));
            match bound {
                Ok(bound) if entry.claims(EntryClaim::Protection) && principle.needs_sensitive() => {
                    assert!(!bound.is_symmetric(), "{}", entry.id);
                    laws::claims_are_literal_for(bound.as_ref());
                    laws::robust_is_enough(bound.as_ref());
                }
                Ok(bound) => assert_eq!((entry.claims(EntryClaim::Protection), bound.least()), (true, test.least())),
                Err(error) => {
                    let message = error.to_string();
                    assert!(!entry.claims(EntryClaim::Protection), "{message}");
                    assert!(message.contains("column `x`") && message.contains("drop `protect`"), "{message}");
                }
            }
        }
    }
}
