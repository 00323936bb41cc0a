//! Logical security on histograms and on belief.

use crate::distribution::Distribution;
use crate::exact::fraction;
use crate::histogram::Histogram;
use crate::principle::{AchievedLevel, BoundPrinciple, SentenceClaims};

/// Groups over the codes of [`SentenceClaims`] in which every sentence that is confidential for somebody is falsified by somebody.
#[derive(Debug)]
pub(super) struct BoundSecurity {
    claims: SentenceClaims,
    /// By code and sentence, whether it is confidential.
    wanted: Vec<Vec<bool>>,
    /// Whether all codes have the same confidential sentences.
    alike: bool,
    /// When that is so and no confidential sentence is satisfied by two codes: by code, whether it satisfies one.
    single: Option<Vec<bool>>,
}

impl BoundSecurity {
    pub fn new(claims: SentenceClaims) -> Self {
        let alike = claims.alike();
        let codes = claims.satisfied.len() as u32;
        let threatened = |code: u32| claims.of(code).any(|sentence| claims.satisfies(code, sentence));
        let apart = claims.confidential.first().is_none_or(|set| {
            set.iter().all(|&(sentence, _)| (0..codes).filter(|&code| claims.satisfies(code, sentence)).count() <= 1)
        });
        let single = (alike && apart).then(|| (0..codes).map(threatened).collect());
        let wanted = (0..codes).map(|code| {
            let mut flags = vec![false; claims.sentences];
            claims.of(code).for_each(|sentence| flags[sentence] = true);
            flags
        });
        Self { wanted: wanted.collect(), alike, single, claims }
    }

    /// Whether people with these codes, at least one, are secure among each other.
    fn is_secure(&self, codes: impl Iterator<Item = u32> + Clone) -> bool {
        let mut asked = vec![false; self.claims.sentences];
        codes.clone().flat_map(|code| self.claims.of(code)).for_each(|sentence| asked[sentence] = true);
        let falsified = |sentence: usize| codes.clone().any(|code| !self.claims.satisfies(code, sentence));
        (0..self.claims.sentences).all(|sentence| !asked[sentence] || falsified(sentence))
    }

    /// The rows that satisfy each sentence for which some code of `group` answers to `asks`; 0 for the others.
    fn rows(&self, group: &Histogram, asks: impl Fn(u32, usize) -> bool) -> Vec<u64> {
        let mut rows = vec![0; self.claims.sentences];
        for (sentence, rows) in rows.iter_mut().enumerate() {
            let confidential = |code: u32| self.wanted[code as usize][sentence] && asks(code, sentence);
            if group.entries().iter().any(|entry| confidential(entry.0)) {
                let satisfying = group.entries().iter().filter(|entry| self.claims.satisfies(entry.0, sentence));
                *rows = satisfying.map(|entry| entry.1).sum();
            }
        }
        rows
    }
}

impl BoundPrinciple for BoundSecurity {
    fn holds(&self, group: &Histogram) -> bool {
        group.total() > 0 && self.is_secure(group.entries().iter().map(|entry| entry.0))
    }

    /// The largest share of a group that satisfies a sentence confidential for one of its people; never when it is 1: then
    /// all satisfy the sentence, that person included, and the group fails. Otherwise it passes.
    fn measure(&self, group: &Histogram) -> AchievedLevel {
        if group.total() == 0 {
            return AchievedLevel::Never;
        }
        let most = self.rows(group, |_, _| true).into_iter().max().unwrap_or(0);
        if most == group.total() { AchievedLevel::Never } else { AchievedLevel::Exact(fraction(most, group.total())) }
    }

    /// One more than the largest number of rows that satisfy a sentence which is confidential for one of them.
    ///
    /// A part that fails and has rows has a row for which a sentence is confidential that all its rows satisfy, that row
    /// included; so it lies within the rows of the group that satisfy this sentence, one of which wants it kept. And
    /// these rows together are a part that fails. The largest part that fails therefore has as many rows as the largest
    /// such set, or none when there is no such set, and this number is exact. When the whole passes, such a set is never
    /// all of it.
    fn robust(&self, group: &Histogram) -> Option<u64> {
        if !self.holds(group) {
            return None;
        }
        let satisfying = self.rows(group, |code, sentence| self.claims.satisfies(code, sentence));
        Some(satisfying.into_iter().max().unwrap_or(0) + 1)
    }

    /// What is possible for the person decides, not how probable it is.
    fn holds_on(&self, belief: &Distribution) -> bool {
        self.is_secure(belief.weights().iter().map(|entry| entry.0))
    }

    /// A passing group whose people have the same sentences as everybody else holds somebody who falsifies each of them,
    /// and further rows do not remove that person. When people have different sentences, a further row can bring one
    /// that everybody in the group satisfies.
    fn is_closed_under_growth(&self) -> bool {
        self.alike
    }

    /// When all have the same confidential sentences and each is satisfied by one code at most, a group fails just when
    /// all its rows have a code that satisfies one: such a code may take all rows but one.
    fn cap(&self, code: u32, rows: u64) -> Option<u64> {
        let threatened = self.single.as_ref()?;
        Some(if threatened[code as usize] { rows.saturating_sub(1) } else { rows })
    }

    fn claims(&self) -> Option<&SentenceClaims> {
        Some(&self.claims)
    }
}
