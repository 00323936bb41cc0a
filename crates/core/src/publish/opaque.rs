//! What publishers that are not transparent say of themselves.

use super::search::alternatives;
use super::{GUARANTEE, Plan, Statement};

/// The statement of a publisher whose answer depends on sensitive values in the way `why` says, a clause.
pub fn statement(plan: &Plan<'_>, why: &str, draws: bool) -> Statement {
    let instead = match alternatives(plan).as_slice() {
        [] => "no publisher takes these principles and holds against that".to_owned(),
        several => format!("publisher {} holds against that", several.join(" or ")),
    };
    Statement {
        guarantee: "holds on every published group, against an adversary who does not know how the groups were made"
            .to_owned(),
        caveat: None,
        not_transparent: Some(format!(
            "{why}, can rule out possible originals, and may believe more of a person than the principle allows; {instead}"
        )),
        draws,
    }
}

/// The statement where groups follow from quasi-identifiers alone.
pub fn blind(draws: bool) -> Statement {
    let guarantee = format!(
        "{GUARANTEE}: the groups follow from quasi-identifiers alone, so knowing the algorithm tells nothing about sensitive \
         values; the principle bounds none of them either"
    );
    Statement { guarantee, caveat: None, not_transparent: None, draws }
}
