//! Products against literal twins, recorded cases and every possible original.

mod attack;
mod attack_job;
mod attack_scale;
mod belief_engine;
mod best_of;
mod engine;
mod engine_large;
mod engine_random;
mod engine_time;
mod exhaustion;
mod fast_golden;
mod golden;
mod granulation_literal;
mod granulation_search;
mod opaque;
mod papers;
mod registry;
mod strategies;
mod strategy_theory;
mod views;
mod views_decided;
mod views_estimated;
mod workload;
