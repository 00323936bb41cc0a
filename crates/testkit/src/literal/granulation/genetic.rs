//! Granulations as strings of bits, and what a genetic search does with them (section 4.3).

use super::lattice::Granulation;

/// A granulation as bits: the numbers of its partitions in binary, column after column.
pub type Code = Vec<bool>;

/// Bits for a column of `partitions` partitions: the least `b` with `2^b >= partitions`.
pub fn bits(partitions: usize) -> usize {
    let mut bits = 0;
    while 1 << bits < partitions {
        bits += 1;
    }
    bits
}

/// The code of a granulation when the columns have `sizes` partitions.
pub fn encode(node: &[usize], sizes: &[usize]) -> Code {
    let binary = |(&at, &size): (&usize, &usize)| (0..bits(size)).rev().map(move |bit| at >> bit & 1 == 1);
    node.iter().zip(sizes).flat_map(binary).collect()
}

/// The numbers in a code as they stand: they may be beyond the partitions of a column.
pub fn numbers(code: &[bool], sizes: &[usize]) -> Vec<usize> {
    let mut rest = code;
    let mut numbers = Vec::new();
    for &size in sizes {
        let (own, after) = rest.split_at(bits(size));
        numbers.push(own.iter().fold(0, |number, &bit| 2 * number + usize::from(bit)));
        rest = after;
    }
    assert!(rest.is_empty(), "the code has the bits of all columns and no more");
    numbers
}

/// The granulation of a code; a number beyond the partitions of a column is taken modulo how many there are.
pub fn decode(code: &[bool], sizes: &[usize]) -> Granulation {
    numbers(code, sizes).iter().zip(sizes).map(|(number, size)| number % size).collect()
}

/// The code of the granulation that `code` stands for.
pub fn repaired(code: &[bool], sizes: &[usize]) -> Code {
    encode(&decode(code, sizes), sizes)
}

/// Both children when everything from bit `cut` on is exchanged.
pub fn one_point(first: &[bool], second: &[bool], cut: usize) -> (Code, Code) {
    two_point(first, second, cut, first.len())
}

/// Both children when the bits from `from` until before `to` are exchanged.
pub fn two_point(first: &[bool], second: &[bool], from: usize, to: usize) -> (Code, Code) {
    let child = |outer: &[bool], inner: &[bool]| [&outer[..from], &inner[from..to], &outer[to..]].concat();
    (child(first, second), child(second, first))
}

/// The code with the bits at `places` flipped.
pub fn mutated(code: &[bool], places: &[usize]) -> Code {
    code.iter().enumerate().map(|(place, &bit)| bit ^ places.contains(&place)).collect()
}

/// Bits as text of 0 and 1.
pub fn text(code: &[bool]) -> String {
    code.iter().map(|&bit| if bit { '1' } else { '0' }).collect()
}

/// Text of 0 and 1 as bits; anything else is left out.
pub fn code(text: &str) -> Code {
    text.chars().filter(|letter| "01".contains(*letter)).map(|letter| letter == '1').collect()
}
