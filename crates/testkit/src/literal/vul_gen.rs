//! Vul-Gen (Figure 1 of Xiao, Tao, Koudas 2010), with the one special table defined for any people. Not transparent.

use crate::instance::{Instance, Output, is_diverse, publish};
use crate::literal::mondrian::mondrian_partition;
use crate::person::Person;

/// The whole table as one group when values ascend in the order of identifiers; otherwise Mondrian's groups, unless these
/// are one group. `None` is *nothing*.
pub fn vul_gen(external: &[Person], instance: &Instance, l: u64, norm: &[i64]) -> Option<Output> {
    let partition = mondrian_partition(external, instance, norm, &|rows| is_diverse(rows, l))?;
    let mut by_id = instance.rows().to_vec();
    by_id.sort_by_key(|row| external[row.0].id);
    if by_id.windows(2).all(|pair| pair[0].1 <= pair[1].1) {
        return Some(publish(external, &[by_id]));
    }
    (partition.len() > 1).then(|| publish(external, &partition))
}
