//! The answer about publishers, as JSON for programs and as lines for people.

use std::fmt::Write;

use pellucid_inference::adversary::{BoxRelease, PosteriorBelief};
use pellucid_model::exact::{Fraction, format_fraction};
use pellucid_model::words::counted;
use serde_json::{Map, Value, json};

use crate::CaseAnswer;
use crate::people::CasePeople;
use crate::values::ratio;

/// The most answers of one publisher that people are shown.
const SHOWN: usize = 8;

/// The whole answer.
#[derive(Debug)]
pub struct TransparentAnswer {
    /// Names.
    pub cast: CasePeople,
    /// Number of people in the table.
    pub rows: usize,
    /// By publisher what it does, or why that is refused.
    pub told: Vec<(String, Result<PublisherBeliefs, String>)>,
    /// Whether one publisher was asked about.
    pub single: bool,
}

/// One publisher.
#[derive(Debug)]
pub struct PublisherBeliefs {
    /// What it may answer on the table.
    pub seen: Vec<PossibleAnswer>,
    /// What it may answer on any table.
    pub wide: Option<AllAnswers>,
}

/// One possible answer on the table.
#[derive(Debug)]
pub struct PossibleAnswer {
    /// The release; `None` is *nothing*.
    pub release: Option<BoxRelease>,
    /// Over the random choices of the publisher, on this table.
    pub probability: Fraction,
    /// What is believed by one who knows the publisher; `None` when that cannot be said.
    pub belief: Option<PosteriorBelief>,
    /// The highest risk for one who ignores the publisher; `None` for *nothing*, or when it takes too long.
    pub ignorant: Option<Fraction>,
}

/// All answers on all worlds.
#[derive(Debug)]
pub struct AllAnswers {
    /// Number of different releases.
    pub releases: usize,
    /// The highest risk after any of them.
    pub worst: Fraction,
    /// The worlds in which nothing is answered, and the highest risk then.
    pub silence: Option<(u64, Fraction)>,
}

impl CaseAnswer for TransparentAnswer {
    fn json(&self) -> Value {
        let one = |told: &Result<PublisherBeliefs, String>| match told {
            Ok(told) => self.told_json(told),
            Err(words) => Map::from_iter([("refused".to_owned(), json!(words))]),
        };
        match &self.told[..] {
            [(_, told)] if self.single => Value::Object(one(told)),
            all => Value::Object(all.iter().map(|(name, told)| (name.clone(), Value::Object(one(told)))).collect()),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{}, {} in the table\n", self.cast.heading(), self.rows);
        for (name, told) in &self.told {
            match told {
                Ok(told) => text.push_str(&self.told_text(name, told)),
                Err(words) => drop(writeln!(text, "\n  {name}: refused: {words}")),
            }
        }
        text
    }
}

impl TransparentAnswer {
    fn told_json(&self, told: &PublisherBeliefs) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("outputs".into(), told.seen.iter().map(|seen| Value::Object(self.seen_json(seen))).collect());
        if let Some(wide) = &told.wide {
            object.insert("worst_risk_any_output".into(), json!(ratio(&wide.worst)));
            object.insert("n_outputs".into(), json!(wide.releases));
            if let Some((worlds, highest)) = &wide.silence {
                object.insert("nothing_instances".into(), json!(worlds));
                object.insert("nothing_max_risk".into(), json!(ratio(highest)));
            }
        }
        // With a certain answer the belief stands beside it too.
        if let ([PossibleAnswer { release, belief: Some(belief), .. }], true) = (&told.seen[..], self.single) {
            object.insert("risk_for".into(), self.cast.release_json(release.as_ref()));
            object.extend(self.cast.belief_json(belief));
        }
        object
    }

    fn seen_json(&self, seen: &PossibleAnswer) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("prob".into(), json!(ratio(&seen.probability)));
        object.insert("rows".into(), self.cast.release_json(seen.release.as_ref()));
        if let Some(belief) = &seen.belief {
            object.extend(self.cast.belief_json(belief));
        }
        if let Some(highest) = &seen.ignorant {
            object.insert("blind_max_risk".into(), json!(ratio(highest)));
        }
        object
    }

    fn told_text(&self, name: &str, told: &PublisherBeliefs) -> String {
        let mut text = format!("\n  {name}: {}\n", counted(told.seen.len(), "possible answer", "possible answers"));
        for (number, seen) in (1..).zip(&told.seen).take(SHOWN) {
            let what = seen.release.as_ref().map_or("nothing".to_owned(), |release| {
                let mut boxes: Vec<_> = release.iter().map(|row| &row.0).collect();
                boxes.dedup();
                counted(boxes.len(), "box", "boxes")
            });
            let _ = write!(text, "    {number}. with probability {}: {what}", format_fraction(&seen.probability));
            if let Some(belief) = &seen.belief {
                let _ = write!(text, "; {}", self.cast.belief_text(belief));
            }
            if let Some(highest) = &seen.ignorant {
                let _ = write!(text, "; {} for one who ignores how it was made", format_fraction(highest));
            }
            text.push('\n');
        }
        if told.seen.len() > SHOWN {
            let _ = writeln!(text, "    and {} more; --json has them all", told.seen.len() - SHOWN);
        }
        if let Some(wide) = &told.wide {
            let releases = counted(wide.releases, "release", "releases");
            let _ = writeln!(text, "    on any table: {releases}, highest {}", format_fraction(&wide.worst));
            if let Some((worlds, highest)) = &wide.silence {
                let worlds = counted(worlds, "world", "worlds");
                let _ = writeln!(text, "    nothing: {worlds}, highest {}", format_fraction(highest));
            }
        }
        text
    }
}
