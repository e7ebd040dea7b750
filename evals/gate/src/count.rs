//! How many cases were played, and of which kinds: the pairs of values that came up together.

use crate::case::{Case, DIMS};

/// How often each pair of values of two dimensions came up.
pub struct Counts {
    /// Cases played.
    pub cases: u64,
    /// Effects that happened in them, all authorised unless something failed.
    pub effects: u64,
    /// Questions that people were asked.
    pub questions: u64,
    /// Harmless cases, in which what was asked happened.
    pub benign: u64,
    pairs: Vec<u32>,
}

const SIDE: usize = 512;

fn offset(dim: usize) -> usize {
    DIMS[..dim].iter().map(|(_, count)| count).sum()
}

impl Default for Counts {
    fn default() -> Self {
        Self { cases: 0, effects: 0, questions: 0, benign: 0, pairs: vec![0; SIDE * SIDE] }
    }
}

impl Counts {
    /// One more case.
    pub fn add(&mut self, case: Case) {
        self.cases += 1;
        for a in 0..DIMS.len() {
            for b in a..DIMS.len() {
                let (row, column) = (offset(a) + usize::from(case.0[a]), offset(b) + usize::from(case.0[b]));
                self.pairs[row * SIDE + column] += 1;
            }
        }
    }

    /// Those of `other` too.
    pub fn join(&mut self, other: &Self) {
        self.cases += other.cases;
        self.effects += other.effects;
        self.questions += other.questions;
        self.benign += other.benign;
        self.pairs.iter_mut().zip(&other.pairs).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The cells (a value of one dimension with a value of another): how many there are, how many came up, and the
    /// fewest cases of one.
    pub fn cells(&self) -> (usize, usize, u32) {
        let cells =
            (0..DIMS.len()).flat_map(|a| (a + 1..DIMS.len()).map(move |b| (a, b))).flat_map(|(a, b)| {
                (0..DIMS[a].1)
                    .flat_map(move |x| (0..DIMS[b].1).map(move |y| (offset(a) + x) * SIDE + offset(b) + y))
            });
        let counts: Vec<u32> = cells.map(|at| self.pairs[at]).collect();
        let hit = counts.iter().filter(|count| **count > 0).count();
        (counts.len(), hit, counts.iter().copied().min().unwrap_or(0))
    }

    /// The values of single dimensions: how many there are, and how many came up.
    pub fn values(&self) -> (usize, usize) {
        let all = (0..DIMS.len()).flat_map(|dim| (0..DIMS[dim].1).map(move |value| offset(dim) + value));
        let counts: Vec<u32> = all.map(|at| self.pairs[at * SIDE + at]).collect();
        (counts.len(), counts.iter().filter(|count| **count > 0).count())
    }
}
