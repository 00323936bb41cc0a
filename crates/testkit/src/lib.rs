//! Slow, literal twins of the publishing algorithms and a literal adversary, for tests only.
//!
//! Everything here is written down from the definitions of Xiao, Tao, Koudas, "Transparent Anonymization: Thwarting
//! Adversaries Who Know the Algorithm", TODS 2010, with exact fractions and by enumeration, and shares no code with the
//! publishers it checks. Start at [`adversary::beliefs`]; the twins are in [`literal`], the recorded answers in
//! [`golden`], random tables in [`random`]. Only [`fast`] runs the publishers themselves, to be compared with the
//! twins, and [`sweep`] is a twin of the cuts for larger tables.
//!
//! Sequences of functions and the strategies along them have a twin of their own, [`literal::strategy`], with recorded
//! answers in [`golden_strategy`] and random sequences in [`random_sequence`]; [`engine_belief`] asks the engine of the
//! core crate the same questions and gives the same [`answer::Answer`].
//!
//! Granulations have a twin of their own as well, [`literal::granulation`], with recorded answers in
//! [`golden_granulation`] and random lattices in [`random_lattice`]; [`engine_search`] binds these to the search engine of
//! the product.

pub mod adversary;
pub mod answer;
pub mod engine_belief;
pub mod engine_search;
pub mod fast;
pub mod golden;
pub mod golden_granulation;
pub mod golden_strategy;
pub mod instance;
pub mod literal;
pub mod mechanism;
pub mod person;
pub mod principle;
pub mod random;
pub mod random_lattice;
pub mod random_sequence;
pub mod sweep;

/// How many rounds a random comparison goes: as many as usual, or as many times more as `PELLUCID_SOAK` says (up to 255).
pub fn repeats<N: From<u8> + std::ops::Mul<Output = N>>(usual: N) -> N {
    let more = std::env::var("PELLUCID_SOAK").ok().and_then(|times| times.parse::<u8>().ok());
    usual * N::from(more.filter(|times| *times > 0).unwrap_or(1))
}
