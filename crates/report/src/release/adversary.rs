//! What is assumed of an adversary, and what follows.

use maud::{Markup, html};
use pellucid_model::promise::PromiseClass;
use pellucid_model::table::Role;

use super::UNSAID;
use crate::value::ReleaseReport;
use crate::words::{many, sentence, told};

/// The threat model, for a board.
pub(super) fn assumed(report: &ReleaseReport<'_>) -> Markup {
    let keeps = report.manifest.columns.iter().any(|column| column.role == Role::Keep);
    let promise = report.promise();
    html! {
        p { "The attacker that the release is held against has every public advantage:" }
        ul {
            li { "has the release and this description, and knows the algorithm, its code and all its parameters;" }
            li { "knows who is in the table, and everybody’s identifiers and quasi-identifiers, from a register, say;" }
            li { "has any amount of time and computing power." }
        }
        @match promise {
            PromiseClass::CoarseningAtRandom => p {
                "What this attacker knows besides makes no difference to the promise: usual rates, values of some people, anything. The "
                "algorithm adds nothing to what the groups show" @if keeps { ", as long as the kept columns are unknown" }
                ". What is not promised is that the groups show little."
            },
            PromiseClass::RandomWorlds => p {
                "One thing is presumed: that beforehand this attacker knows nothing else. All assignments of the sensitive values to "
                "the people are equally likely to them. They know neither the usual rates, such as that men have no ovarian cancer, "
                "nor anybody’s value, not even their own. An attacker who does may end up more certain than the bound."
            },
            PromiseClass::None => p { "Against this attacker nothing is promised." },
        }
        p { "What is " strong { "not" } " covered:" }
        ul {
            @if promise != PromiseClass::CoarseningAtRandom {
                li { "an attacker who knows usual rates, or values of some people;" }
            }
            li { "what the groups themselves show: where all people of a group share a value, it is disclosed;" }
            li { "other releases of the same table, or of tables with some of the same people; a ledger judges them together;" }
            @if keeps { li { "an attacker who knows a column of a person that is kept as it is;" } }
            li { "what can be concluded from nothing being released, where that can be seen;" }
            li { "what is true of people in general: that smokers fall ill more often is a finding, and no leak." }
        }
    }
}

/// What follows for that adversary.
pub(super) fn learned(report: &ReleaseReport<'_>) -> Markup {
    html! {
        @if let Some(why) = report.unbounded() { (not_bounded(report, why)) } @else { (bounded(report)) }
        (why(report))
        (measured(report))
    }
}

fn bounded(report: &ReleaseReport<'_>) -> Markup {
    html! {
        @match (report.promise(), &report.bound) {
            (PromiseClass::RandomWorlds, Some(bound)) => p {
                "The attacker above believes no " (protected(report)) " value of any person with a probability of more than "
                strong { (told(bound)) } "."
            },
            (PromiseClass::RandomWorlds, None) => p {
                "What the attacker above believes of every person satisfies the principles. They promise no single bound on a value."
            },
            (PromiseClass::CoarseningAtRandom, Some(bound)) => p {
                "What any attacker believes is what they believed beforehand, given the values that each group shows. An attacker to whom the "
                "people of a group are alike beforehand believes no " (protected(report)) " value with more than "
                strong { (told(bound)) } "; one who knows the usual rates may believe more."
            },
            (PromiseClass::CoarseningAtRandom, None) => p {
                "What any attacker believes is what they believed beforehand, given the values that each group shows. The principles put no "
                "single bound on a value."
            },
            (PromiseClass::None, _) => {},
        }
        (blind(report))
    }
}

fn not_bounded(report: &ReleaseReport<'_>, why: &str) -> Markup {
    html! {
        p {
            "What an attacker can learn who knows how this release was made is " strong { "not bounded" } ". "
            (sentence(why))
        }
        @if let Some(bound) = &report.bound {
            p { "The bound of " (told(bound)) " holds only against an attacker who ignores how the groups were made." }
        }
        (blind(report))
        p {
            "How much can be learned is found out by trying: " code { "pellucid attack" } " plays that attacker against the release "
            "and counts the people above the bound, and those fully disclosed."
        }
    }
}

/// What somebody believes who ignores the mechanism.
fn blind(report: &ReleaseReport<'_>) -> Markup {
    html! {
        @if let Some(share) = &report.highest_share {
            p {
                "An attacker who only looks at the groups, and knows nothing else, believes at most "
                strong { (told(share)) } ", the largest share of one value in a group. "
                (many(report.single_value, "person is", "people are")) " in a group with a single value"
                @if report.single_value > 0 { ", which is thereby disclosed" } "."
            }
        }
    }
}

/// Which values are bounded, in a word.
pub(super) fn protected(report: &ReleaseReport<'_>) -> &'static str {
    let some = report.manifest.columns.iter().any(|column| column.protect.is_some());
    if some { "protected" } else { "sensitive" }
}

fn why(report: &ReleaseReport<'_>) -> Markup {
    let mechanism = &report.manifest.mechanism;
    html! {
        h3 { "What holds, and why" }
        ul {
            @for principle in &report.manifest.privacy { li { (sentence(&principle.means)) } }
        }
        p { "The manifest states it so: it " (mechanism.guarantee) "." }
        @if !report.manifest.for_publication {
            p { strong { "But it is not for publication. " } (sentence(report.manifest.caveat.as_deref().unwrap_or(UNSAID))) }
        }
        p {
            @if report.unbounded().is_none() && report.bound.is_some() { "The proof, with all it assumes, is in " }
            @else { "How the classes were made is described in " }
            cite { (mechanism.publisher_reference) }
            @if let Some(sequence) = &mechanism.sequence { "; the strategy is in " cite { (sequence.strategy_reference) } }
            "."
            @if report.unbounded().is_none() {
                " What holds needs the assumptions of the part above"
                @if mechanism.sequence.as_ref().is_some_and(|sequence| sequence.family.is_some()) {
                    ", and that the jumps were drawn without looking at the table"
                }
                "."
            }
        }
    }
}

/// Achieved privacy levels.
fn measured(report: &ReleaseReport<'_>) -> Markup {
    let measured = &report.manifest.measured;
    html! {
        @if !measured.is_empty() {
            h3 { "Achieved privacy levels" }
            p { "Measured on the groups as they are published:" }
            ul { @for one in measured { li { (sentence(&one.label())) } } }
        }
    }
}
