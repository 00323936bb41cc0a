//! The linear relaxation of views, solved exactly: numbers between 0 and 1 for every person and value instead of yes and no.
//!
//! That it has a solution does not mean that a world agrees with all views, and its vertices need not be worlds: it misleads.

use pellucid_model::exact::Fraction;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::views::NamedViews;

/// Directions in which a vertex with fractions is looked for.
const DIRECTIONS: u64 = 500;

/// Equations over variables that are not negative, and one of its vertices: a simplex tableau.
#[derive(Debug, Clone)]
pub(super) struct LinearRelaxation {
    /// By equation, the coefficients of the variables, then of one artificial variable for each equation, then the right side.
    rows: Vec<Vec<Fraction>>,
    /// By equation, the variable that it determines.
    basis: Vec<usize>,
    variables: usize,
    domain: usize,
}

impl LinearRelaxation {
    /// The relaxation of the views `shown` where the people in `fixed` have these codes; `None` when it has no solution.
    ///
    /// # Cost
    /// The simplex method on a dense tableau of people times codes: for small examples.
    pub(super) fn new(shown: &NamedViews, fixed: &[(u32, u32)]) -> Option<Self> {
        let (people, domain) = (shown.people.len(), shown.values.len());
        let variables = people * domain;
        let mut equations: Vec<(Vec<usize>, u64)> = Vec::new();
        equations.extend((0..people).map(|person| ((0..domain).map(|code| person * domain + code).collect(), 1)));
        for view in shown.views.views() {
            equations.extend((0..domain).map(|code| {
                let members = view.members().iter().map(|&person| person as usize * domain + code);
                (members.collect(), view.values().count(code as u32))
            }));
        }
        equations.extend(fixed.iter().map(|&(person, code)| (vec![person as usize * domain + code as usize], 1)));
        let width = variables + equations.len() + 1;
        let rows = equations.iter().enumerate().map(|(number, (members, right))| {
            let mut row = vec![Fraction::ZERO; width];
            members.iter().for_each(|&at| row[at] = Fraction::ONE);
            row[variables + number] = Fraction::ONE;
            row[width - 1] = Fraction::from(*right);
            row
        });
        let rows: Vec<Vec<Fraction>> = rows.collect();
        let basis = (variables..variables + rows.len()).collect();
        let mut relaxation = Self { rows, basis, variables, domain };
        // Make the artificial variables as small as can be; they must vanish.
        let mut cost = vec![Fraction::ZERO; width];
        cost[variables..width - 1].fill(Fraction::ONE);
        relaxation.minimize(&cost, width - 1);
        let last = width - 1;
        let vanish = |relaxation: &Self| {
            (0..relaxation.rows.len())
                .all(|row| relaxation.basis[row] < variables || relaxation.rows[row][last] == Fraction::ZERO)
        };
        if !vanish(&relaxation) {
            return None;
        }
        relaxation.drop_artificial();
        Some(relaxation)
    }

    /// Moves to a vertex at which the sum of `cost` times the variables is least, `cost` by person and code.
    fn towards(&mut self, cost: &[i64]) {
        let width = self.variables + 1;
        let mut full: Vec<Fraction> = cost.iter().map(|&cost| Fraction::from(cost)).collect();
        full.resize(width, Fraction::ZERO);
        self.minimize(&full, self.variables);
    }

    /// The vertex, by person and code.
    pub(super) fn vertex(&self) -> Vec<Vec<Fraction>> {
        let mut values = vec![Fraction::ZERO; self.variables];
        for (row, &variable) in self.rows.iter().zip(&self.basis) {
            values[variable].clone_from(&row[row.len() - 1]);
        }
        values.chunks(self.domain).map(<[Fraction]>::to_vec).collect()
    }

    /// Whether every number of the vertex is 0 or 1.
    pub(super) fn is_integral(&self) -> bool {
        self.vertex().iter().flatten().all(|value| *value == Fraction::ZERO || *value == Fraction::ONE)
    }

    /// A vertex with fractions: the first one found in directions that are always the same; `None` when there is none in any of them, which
    /// does not prove that there is none.
    pub(super) fn fractional(&self) -> Option<Vec<Vec<Fraction>>> {
        let mut at = self.clone();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for _ in 0..DIRECTIONS {
            if !at.is_integral() {
                return Some(at.vertex());
            }
            let cost: Vec<i64> = (0..self.variables).map(|_| rng.random_range(-100..=100)).collect();
            at.towards(&cost);
        }
        None
    }

    /// Pivots by Bland's rule, which never cycles, until no variable below `allowed` lowers the cost.
    fn minimize(&mut self, cost: &[Fraction], allowed: usize) {
        let mut reduced = cost.to_vec();
        for (row, &variable) in self.rows.iter().zip(&self.basis) {
            let factor = reduced[variable].clone();
            subtract(&mut reduced, row, &factor);
        }
        while let Some(enters) = (0..allowed).find(|&at| reduced[at] < Fraction::ZERO) {
            let last = self.rows[0].len() - 1;
            let ratios = (0..self.rows.len()).filter(|&row| self.rows[row][enters] > Fraction::ZERO);
            let leaves = ratios.min_by(|&a, &b| {
                let ratio = |row: usize| &self.rows[row][last] / &self.rows[row][enters];
                ratio(a).cmp(&ratio(b)).then(self.basis[a].cmp(&self.basis[b]))
            });
            // Every variable is at most 1, so some equation always limits it.
            let Some(leaves) = leaves else { return };
            self.pivot(leaves, enters);
            let factor = reduced[enters].clone();
            subtract(&mut reduced, &self.rows[leaves], &factor);
        }
    }

    fn pivot(&mut self, row: usize, variable: usize) {
        let by = self.rows[row][variable].clone();
        self.rows[row].iter_mut().for_each(|value| *value = &*value / &by);
        let pivot = self.rows[row].clone();
        for (at, other) in self.rows.iter_mut().enumerate() {
            if at != row && other[variable] != Fraction::ZERO {
                let factor = other[variable].clone();
                subtract(other, &pivot, &factor);
            }
        }
        self.basis[row] = variable;
    }

    /// Leaves out artificial variables, and equations that follow from others.
    fn drop_artificial(&mut self) {
        for row in 0..self.rows.len() {
            if self.basis[row] >= self.variables
                && let Some(variable) = (0..self.variables).find(|&at| self.rows[row][at] != Fraction::ZERO)
            {
                self.pivot(row, variable);
            }
        }
        let variables = self.variables;
        let kept: Vec<bool> = self.basis.iter().map(|&variable| variable < variables).collect();
        let mut at = kept.iter();
        self.rows.retain(|_| *at.next().expect("one for each row"));
        self.basis.retain(|&variable| variable < variables);
        for row in &mut self.rows {
            let right = row.pop().expect("every row has a right side");
            row.truncate(variables);
            row.push(right);
        }
    }
}

fn subtract(from: &mut [Fraction], row: &[Fraction], factor: &Fraction) {
    if *factor == Fraction::ZERO {
        return;
    }
    for (value, other) in from.iter_mut().zip(row).filter(|entry| *entry.1 != Fraction::ZERO) {
        *value = &*value - factor * other;
    }
}
