//! What is assumed of an adversary, and what follows.

use maud::{Markup, html};
use pellucid_core::table::Role;

use super::UNSAID;
use crate::value::ReleaseReport;
use crate::words::{sentence, told};

/// The threat model, for a board.
pub(super) fn assumed(report: &ReleaseReport<'_>) -> Markup {
    let keeps = report.manifest.columns.iter().any(|column| column.role == Role::Keep);
    html! {
        p { "The adversary that this release is measured against is somebody with every public advantage:" }
        ul {
            li { "has the release and this description, and knows the algorithm, its code and all its parameters;" }
            li { "knows who is in the table, and everybody’s identifiers and quasi-identifiers, from a register, say;" }
            li { "has any amount of time and computing power." }
        }
        p {
            "One thing is presumed: that beforehand this person holds every assignment of the sensitive values to the people "
            "equally likely. Somebody who already suspects a value of a person more than others starts elsewhere, and may end "
            "elsewhere."
        }
        p { "What is " strong { "not" } " covered:" }
        ul {
            li { "somebody who knows more than that of certain people: their own value, or that two of them share one;" }
            li { "other releases of the same table, or of tables with some of the same people; publish once;" }
            @if keeps { li { "somebody who knows a column of a person that is kept as it is;" } }
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
        @if let Some(bound) = &report.bound {
            p {
                "Whoever has all of the above believes no " (protected(report)) " value of any person with a probability of more than "
                strong { (told(bound)) } "."
            }
        } @else {
            p { "What the adversary above believes of every person satisfies the principles. They promise no single bound on a value." }
        }
        (blind(report))
    }
}

fn not_bounded(report: &ReleaseReport<'_>, why: &str) -> Markup {
    html! {
        p {
            "What an adversary can learn who knows how this release was made is " strong { "not bounded" } ". "
            (sentence(why))
        }
        @if let Some(bound) = &report.bound {
            p { "The bound of " (told(bound)) " holds only for somebody who ignores how the classes were made." }
        }
        (blind(report))
        p {
            "How much can be learned is found out by trying: " code { "pellucid attack" } " plays that adversary against the release "
            "and says how many people are believed to have a value with more than the bound, and of how many everything is known."
        }
    }
}

/// What somebody believes who ignores the mechanism.
fn blind(report: &ReleaseReport<'_>) -> Markup {
    html! {
        @if let Some(share) = &report.highest_share {
            p {
                "Somebody who only looks at the classes, and ignores how they were made, believes at most "
                strong { (told(share)) } ": the largest share of one " (protected(report)) " value in a class."
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

/// What the classes satisfy at the most.
fn measured(report: &ReleaseReport<'_>) -> Markup {
    let measured = &report.manifest.measured;
    html! {
        @if !measured.is_empty() {
            h3 { "What the classes satisfy at the most" }
            p { "Measured on the classes as they are published, for somebody who ignores how they were made:" }
            ul { @for one in measured { li { (sentence(&one.words())) } } }
        }
    }
}
