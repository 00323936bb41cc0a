//! What publishers say of themselves in manifests: one statement for each class of promise.

use pellucid_model::promise::PromiseClass;

use super::search::alternatives;
use super::{PublisherInput, PublisherStatement};

/// Groups follow from quasi-identifiers alone, and no principle looks at sensitive values.
pub fn by_sizes(draws: bool) -> PublisherStatement {
    let guarantee = "holds whatever an attacker knows beforehand: the groups follow from quasi-identifiers alone, so the algorithm \
                     tells nothing beyond the values that each group shows. It caps no belief: where all people of a group share a \
                     value, that value is disclosed";
    promising(PromiseClass::CoarseningAtRandom, guarantee.to_owned(), draws)
}

/// Groups follow from quasi-identifiers and from the values that published groups show.
pub fn by_histograms() -> PublisherStatement {
    let guarantee = "holds whatever an attacker knows beforehand, in that the algorithm tells nothing beyond the values that each group \
                     shows. The principles cap what is believed by an attacker to whom the people of a group are alike beforehand; \
                     one who knows the usual rates may believe more";
    promising(PromiseClass::CoarseningAtRandom, guarantee.to_owned(), true)
}

/// Every assignment of values to people is equally likely to the attacker; `more` is said after that.
pub fn in_random_worlds(more: &str) -> PublisherStatement {
    let class = PromiseClass::RandomWorlds;
    promising(class, format!("holds against {}{more}", class.attacker()), true)
}

fn promising(promise: PromiseClass, guarantee: String, draws: bool) -> PublisherStatement {
    PublisherStatement { promise, guarantee, caveat: None, not_transparent: None, draws }
}

/// The publisher's answer depends on sensitive values in the way `why` says, a clause.
pub fn opaque(plan: &PublisherInput<'_>, why: &str, draws: bool) -> PublisherStatement {
    PublisherStatement {
        promise: PromiseClass::None,
        guarantee: "holds on every published group, and against nobody who knows how the groups were made".to_owned(),
        caveat: None,
        not_transparent: Some(format!(
            "{why}, can rule out possible originals, and may believe more of a person than the principle allows; {}",
            instead(plan)
        )),
        draws,
    }
}

/// Which publishers promise something to whoever knows the algorithm.
pub fn instead(plan: &PublisherInput<'_>) -> String {
    match alternatives(plan).as_slice() {
        [] => "no publisher takes these principles and promises more".to_owned(),
        several => format!("publisher {} promises more", several.join(" or ")),
    }
}
