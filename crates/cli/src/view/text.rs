//! Findings and verdicts in words.

use std::fmt::Write;

use pellucid_app::host::{ATTACKER, KNOWN};
use pellucid_app::parts::GateFinding;
use pellucid_inference::estimate::HighestProbability;
use pellucid_inference::verdict::{CountRange, Verdict, VerdictConclusion};
use pellucid_inference::views::SimulatableVerdict;
use pellucid_model::exact::decimal;
use pellucid_model::exact::format_fraction;
use pellucid_model::words::{counted, wrapped};

/// Characters of a fraction that is worth printing.
const LONG: usize = 24;

/// What was found about something that is to be shown.
pub fn finding_text(finding: &GateFinding) -> String {
    let mut text = format!("{}\n", finding.statement);
    let groups = match finding.groups {
        1 => String::new(),
        many => format!(" in {many} groups"),
    };
    let _ = writeln!(
        text,
        "  Shows {} of {}{groups}; {} shown before.",
        finding.column,
        counted(finding.people, "person", "people"),
        match finding.earlier {
            0 => "nothing of it was".to_owned(),
            1 => "1 group was".to_owned(),
            many => format!("{many} groups were"),
        }
    );
    let _ = writeln!(text, "  Demanded: {}.", finding.demanded.join("; "));
    if let Some(number) = finding.repeats {
        let _ = writeln!(text, "  The same people were shown before (evidence {number}): it tells nothing new.");
    }
    match &finding.simulated {
        None => {}
        Some(SimulatableVerdict::Safe { possible }) => {
            let many = counted(possible, "multiset", "multisets");
            let _ = writeln!(
                text,
                "  Gate simulatable: safe whatever it shows ({many} possible), decided without its values."
            );
        }
        Some(SimulatableVerdict::Unsafe) => {
            text += "  Gate simulatable: it could show what breaks the demand; decided without its values, so that the refusal\n  \
                     tells nothing.\n";
        }
        Some(SimulatableVerdict::Unknown) if finding.groups > 1 => {
            text += "  Gate simulatable: several groups at once pass it only by force, for what one shows decides on the next.\n";
        }
        Some(SimulatableVerdict::Unknown) => {
            text += "  Gate simulatable: not decided, for there are too many possibilities or too little time; decided without its\n  \
                     values.\n";
        }
    }
    for remark in &finding.remarks {
        let _ = writeln!(text, "  Note: {remark}.");
    }
    if let Some(after) = &finding.after {
        text += &verdict_text(after, finding.before.as_ref(), &finding.gaps);
        if let Some(confidence) = finding.confidence.filter(|_| !after.is_exact()) {
            let _ = writeln!(text, "  All bounds of the estimate hold together with probability {confidence}.");
        }
    } else {
        let _ = writeln!(text, "  Verdict: {}.", finding.verdict());
        if matches!(finding.simulated, None | Some(SimulatableVerdict::Safe { .. })) {
            text += "  Judging takes more time or memory than it may; allow more with --seconds.\n";
        }
        text += &gaps_text(&finding.gaps);
    }
    text
}

/// Why counting does not decide, a line each.
fn gaps_text(gaps: &[String]) -> String {
    gaps.iter().fold(String::new(), |text, gap| text + "    " + gap + ".\n")
}

/// A verdict in words, how many people were concerned before, and why it does not decide, if it does not.
pub fn verdict_text(verdict: &Verdict, before: Option<&Verdict>, gaps: &[String]) -> String {
    let mut text = String::new();
    let exact = match (verdict.is_exact(), verdict.tolerated) {
        (true, _) => "exact",
        (false, true) => "estimate, with the tolerance epsilon",
        (false, false) => "estimate",
    };
    if gaps.is_empty() || verdict.conclusion == VerdictConclusion::Fails {
        let _ = writeln!(text, "  Verdict: {} ({exact}).", verdict.conclusion);
        let holds = if verdict.conclusion.holds() { "It holds against" } else { "It is about" };
        let attacker = wrapped(&format!("{holds} {ATTACKER}."));
        let _ = writeln!(text, "{}\n  Known beforehand: {KNOWN}.", attacker.trim_end());
    } else {
        text += "  Verdict: undecided, because not all that was told is counted:\n";
        text += &gaps_text(gaps);
        let _ = writeln!(text, "  From the groups alone ({exact}):");
    }
    if verdict.is_impossible() {
        text += "  What was shown contradicts itself: no table agrees with all of it.\n";
    }
    let _ = writeln!(text, "  Maximum inference risk: {}.", most(&verdict.highest));
    let earlier = |people: fn(&Verdict) -> CountRange| {
        before.map_or_else(String::new, |before| format!(" (before: {})", people(before)))
    };
    let _ = writeln!(
        text,
        "  People above the limit: {}{}; fully disclosed: {}{}.",
        verdict.failing,
        earlier(|verdict| verdict.failing),
        verdict.certain,
        earlier(|verdict| verdict.certain)
    );
    for record in &verdict.samples {
        let _ = write!(
            text,
            "  Estimated from {} worlds drawn, worth {:.0} of equal weight",
            record.draws, record.effective
        );
        let _ = match record.views {
            Some(followed) => writeln!(text, ", by {} of {} views.", followed.remembered, followed.views),
            None => writeln!(text, "."),
        };
    }
    text
}

/// `4/5 (80.0 %)`, or where it lies.
pub fn most(most: &HighestProbability) -> String {
    match &most.exactly {
        Some(exactly) => {
            let (fraction, percent) = (format_fraction(exactly), decimal(exactly) * 100.0);
            if fraction.len() <= LONG { format!("{fraction} ({percent:.1} %)") } else { format!("{percent:.1} %") }
        }
        None => format!("between {:.4} and {:.4}", most.within.low, most.within.high),
    }
}
