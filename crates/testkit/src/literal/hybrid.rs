//! Hybrid (Figure 10 of Xiao, Tao, Koudas 2010): Tailor, then Ace on every leaf.

use std::collections::BTreeSet;

use pellucid_model::exact::Fraction;

use crate::instance::{Instance, Output, Outputs, certainly, publish};
use crate::literal::ace::{ValueOrder, ace_partitions};
use crate::literal::assign::Choice;
use crate::literal::tailor::{share_robust, tailor_partition};
use crate::person::Person;

/// What Hybrid publishes, with the probability of each release: the leaves' random choices are independent.
pub fn hybrid(
    external: &[Person],
    instance: &Instance,
    l: u64,
    norm: &[i64],
    protect: Option<&BTreeSet<u32>>,
) -> Outputs {
    let Some(leaves) = tailor_partition(external, instance, norm, &share_robust(l, protect)) else {
        return certainly(None);
    };
    let mut outputs = certainly(Some(Output::new()));
    for leaf in leaves {
        let rules = (ValueOrder::Public, Choice::Random);
        let partitions = ace_partitions(external, &leaf, l, norm, protect, rules).expect("a leaf of Tailor is diverse");
        let mut longer = Outputs::new();
        for (output, so_far) in &outputs {
            for (partition, probability) in &partitions {
                let mut rows = output.clone().expect("only releases are extended");
                rows.extend(publish(external, partition));
                rows.sort_unstable();
                *longer.entry(Some(rows)).or_insert(Fraction::ZERO) += so_far * probability;
            }
        }
        outputs = longer;
    }
    outputs
}
