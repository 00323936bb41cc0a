//! What a walk along a sequence saw, in words; for the data owner's eyes only.

use std::fmt::Write;

use pellucid_inference::sequence::STRATEGIES;
use pellucid_inference::verdict::Verdict;
use pellucid_model::claim::EntryClaim;
use pellucid_model::exact::decimal;
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::registry::find;
use pellucid_model::words;
use pellucid_publish::publisher::{NaiveLeak, SequenceAccount, SilenceAssumption};

/// The walk in short, what a naive publisher would have given away, and what silence gives away.
pub fn short(account: &SequenceAccount) -> String {
    let mut text = String::from("On the way (for your eyes only, it depends on sensitive values):\n");
    let _ = writeln!(text, "  {}.", walk(account));
    if let Some(naive) = &account.naive {
        let _ = writeln!(text, "  {}", leak(account, naive));
    }
    if let Some(silence) = &account.given_nothing {
        let _ = writeln!(text, "  {}", given_nothing(account, silence));
    }
    text
}

/// Why nothing is released.
pub fn nothing(account: &SequenceAccount) -> String {
    let mut text = String::from("Nothing can be disclosed: ");
    let left = account.steps.iter().filter(|step| step.ruled_out.is_none()).count();
    if left == 0 {
        text += "every function of the sequence has groups that are too small whatever the sensitive values are; add a\n\
                 coarser function or lower the parameter.\n";
        return text;
    }
    let last = account.steps.iter().rfind(|step| step.ruled_out.is_none()).map(|step| step.step);
    let _ = match account.looks.last() {
        Some(look) if look.disclosure && Some(look.step) != last => writeln!(
            text,
            "the groups of step {} pass, but its disclosure set does not, and strategy `{}` then releases nothing.",
            look.step, account.strategy
        ),
        _ => writeln!(text, "strategy `{}` came to the end of the sequence.", account.strategy),
    };
    if account.silence == SilenceAssumption::Observable && account.silence_discloses() == Some(true) {
        let counted = account.given_nothing.as_ref().and_then(|silence| silence.known().ok());
        let _ = writeln!(
            text,
            "And even saying nothing discloses: whoever sees that nothing was released believes {}. No safe answer\n\
             remains for this table with this sequence, strategy and principle.",
            counted.map_or_else(String::new, |counted| reached(account, counted))
        );
    }
    text += &short(account);
    let _ = writeln!(
        text,
        "Add coarser functions, relax the parameter, or use publisher \"tailor\"; what another strategy would do for this very\n\
         table is no reason to take it, for a choice that depends on the table gives people away."
    );
    if account.drawn.is_some() {
        text += "Do not draw again until something is released: that, too, is a choice that depends on the table.\n";
    }
    text
}

/// Everything that was or could have been looked at, a line for every set.
pub fn explained(account: &SequenceAccount) -> String {
    let mut text = String::from("Every function of the sequence (for your eyes only):\n");
    for step in &account.steps {
        let groups = words::counted(step.groups, "group", "groups");
        let _ = writeln!(text, "  step {}: {}; {groups}, the smallest has {}", step.step, step.columns, step.smallest);
        if let Some(principle) = &step.ruled_out {
            let _ = writeln!(text, "    ruled out by group sizes: {principle}");
        }
        for (name, finding) in [("permutation set", &step.permutation), ("disclosure set", &step.disclosure)] {
            if let Some(finding) = finding {
                let _ = writeln!(text, "    {name}: {}", set(finding));
            }
        }
    }
    let looked: Vec<String> = account
        .looks
        .iter()
        .map(|look| format!("{} of step {}", if look.disclosure { "disclosure set" } else { "groups" }, look.step))
        .collect();
    let _ = writeln!(
        text,
        "  looked at, in order: {}",
        if looked.is_empty() { "nothing".into() } else { looked.join(", ") }
    );
    if let Some(family) = &account.family {
        let members = if family == "1" { "1 member" } else { &format!("{family} members that differ") };
        let _ = writeln!(text, "  k-jump has {members} on this sequence");
    }
    if let Some(silence) = &account.given_nothing {
        let _ = writeln!(text, "  given nothing: {}", set(silence));
    }
    text
}

/// `step 1: groups fail; step 2: groups pass, disclosure set fails (highest ratio 0.760); jumped to step 4: ...: released`.
fn walk(account: &SequenceAccount) -> String {
    let mut text = String::new();
    let mut before: Option<(usize, bool)> = None;
    for steps in account.looks.chunk_by(|a, b| a.step == b.step) {
        let step = steps[0].step;
        let between = |from: usize| account.steps[from..step - 1].iter().any(|skipped| skipped.ruled_out.is_none());
        let jumped = before.is_some_and(|(from, may_jump)| may_jump && between(from));
        let _ = write!(
            text,
            "{}{}step {step}: ",
            if text.is_empty() { "" } else { "; " },
            if jumped { "jumped to " } else { "" }
        );
        let looks = steps.iter().map(|look| {
            let told = account.step(step);
            let (name, finding, one) = if look.disclosure {
                ("disclosure set", &told.disclosure, "es")
            } else {
                ("groups", &told.permutation, "")
            };
            let verb = if look.holds {
                format!("pass{one}")
            } else {
                format!("fail{}", if one.is_empty() { "" } else { "s" })
            };
            let highest = finding.as_ref().and_then(highest);
            match highest {
                Some(highest) if !look.holds => format!("{name} {verb} (highest ratio {})", ratio(&highest)),
                _ => format!("{name} {verb}"),
            }
        });
        text += &looks.collect::<Vec<_>>().join(", ");
        before = Some((step, steps.len() == 2 && steps[0].holds && !steps[1].holds));
    }
    match account.released {
        Some(step) if text.is_empty() => format!("step {step}: released, group sizes are all that counts"),
        Some(_) => text + ": released",
        None if text.is_empty() => "no function is left".to_owned(),
        None => text + "; nothing is released",
    }
}

fn leak(account: &SequenceAccount, leak: &NaiveLeak) -> String {
    let belief = leak.belief.as_ref().map(Verdict::known);
    if let (None, Some(Err(why))) = (leak.released, belief) {
        return format!("What a naive publisher would have given away was not counted: {why}.");
    }
    let Some(step) = leak.released else { return "A naive publisher would have released nothing either.".to_owned() };
    let is_safe = find(STRATEGIES, "strategy", account.strategy).is_ok_and(|entry| entry.claims(EntryClaim::Safety));
    let who = if is_safe {
        format!("A naive publisher would have released step {step};")
    } else {
        format!("This is the {} strategy;", account.strategy)
    };
    match belief {
        Some(Ok(counted)) => format!("{who} an adversary who knows it believes {}.", reached(account, counted)),
        Some(Err(why)) => format!("{who} what an adversary learns from that was not counted: {why}."),
        None => who,
    }
}

fn given_nothing(account: &SequenceAccount, silence: &Verdict) -> String {
    let counted = match silence.known() {
        Ok(counted) => counted,
        Err(why) if account.silence == SilenceAssumption::Observable => {
            return format!(
                "WARNING: whether releasing nothing gives people away, as you asked, was not counted: {why}."
            );
        }
        Err(why) => return format!("What is given away by releasing nothing was not counted: {why}."),
    };
    match (counted.holds(), account.silence, account.released) {
        (None, ..) => "Nothing is never the answer for tables with these quasi-identifiers and values.".to_owned(),
        (Some(true), ..) => format!("Who sees that nothing is released believes {}: safe.", reached(account, counted)),
        (Some(false), SilenceAssumption::Unknown, _) => {
            format!("Let nobody see when nothing is released: whoever does believes {}.", reached(account, counted))
        }
        (Some(false), SilenceAssumption::Observable, Some(_)) => format!(
            "WARNING: this release is safe, but for other tables with these quasi-identifiers the answer is nothing, and\n  \
             whoever sees that believes {}.",
            reached(account, counted)
        ),
        (Some(false), SilenceAssumption::Observable, None) => {
            format!("Who sees that nothing is released believes {}.", reached(account, counted))
        }
    }
}

fn set(verdict: &Verdict) -> String {
    let counted = match verdict.known() {
        Ok(counted) => counted,
        Err(why) => return format!("not counted: {why}"),
    };
    let number = counted.worlds.as_ref().map(ToString::to_string).unwrap_or_default();
    let worlds = words::counted(large(&number), "world", "worlds");
    match (highest(counted), counted.holds()) {
        (Some(highest), Some(holds)) => format!(
            "{worlds}, highest ratio {}, the principle {}",
            ratio(&highest),
            if holds { "holds" } else { "fails" }
        ),
        _ => worlds,
    }
}

/// The highest probability that was counted; `None` when there is no world.
fn highest(verdict: &Verdict) -> Option<Fraction> {
    verdict.highest.exactly.clone().filter(|_| !verdict.is_impossible())
}

/// `a value of somebody with probability 19/25 (0.760), and 4 people are above the bound`.
fn reached(account: &SequenceAccount, counted: &Verdict) -> String {
    let highest = highest(counted).map_or_else(|| "0".to_owned(), |highest| ratio(&highest));
    let exposed = match counted.failing.high {
        0 => "and the principle holds for everybody".to_owned(),
        many => format!("and the principle fails for {}", words::counted(many, "person", "people")),
    };
    format!("a {} of somebody with probability {highest}, {exposed}", account.kept)
}

/// `19/25 (0.760)`, or the decimal alone where the fraction is long.
fn ratio(ratio: &Fraction) -> String {
    let exact = format_fraction(ratio);
    if !exact.contains('/') {
        exact
    } else if exact.len() <= 9 {
        format!("{exact} ({:.3})", decimal(ratio))
    } else {
        format!("{:.4}", decimal(ratio))
    }
}

/// Digits, or `3.1e204` for numbers of more than twelve.
fn large(digits: &str) -> String {
    if digits.len() <= 12 {
        return digits.to_owned();
    }
    format!("{}.{}e{}", &digits[..1], &digits[1..2], digits.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_short() {
        assert_eq!(large("432"), "432");
        assert_eq!(large(&format!("31{}", "0".repeat(203))), "3.1e204");
    }
}
