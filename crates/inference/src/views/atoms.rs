//! Atoms: people whom no view tells apart; and components, which no view ties together.

use hashbrown::HashMap;

use super::View;
use crate::meter::CountingSubject;

/// People who are in the same views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ViewAtom {
    /// Who they are, ascending.
    pub(super) people: Vec<u32>,
    /// The views they are in, by number in the component, ascending.
    pub(super) views: Vec<usize>,
    /// By code of the component, how many of them can have it at most.
    pub(super) most: Vec<u32>,
}

/// Views that overlap, one with the next, and everybody in them.
#[derive(Debug, Clone)]
pub(super) struct ViewComponent {
    /// The numbers of its views, ascending.
    pub(super) views: Vec<usize>,
    /// The codes that they show, ascending.
    pub(super) codes: Vec<u32>,
    pub(super) atoms: Vec<ViewAtom>,
    /// By view and code of the component, how often it occurs.
    pub(super) counts: Vec<Vec<u32>>,
}

impl ViewComponent {
    /// The components of `views` of so many people; whoever is in no view is in none.
    pub(super) fn all(people: usize, views: &[View]) -> Vec<Self> {
        let mut seen_in: Vec<Vec<u32>> = vec![Vec::new(); people];
        for (number, view) in (0u32..).zip(views) {
            view.members.iter().for_each(|&person| seen_in[person as usize].push(number));
        }
        // By view, the first of the views that it is tied to.
        let mut first: Vec<u32> = (0..views.len() as u32).collect();
        let root = |first: &[u32], mut at: u32| {
            while first[at as usize] != at {
                at = first[at as usize];
            }
            at
        };
        for tied in &seen_in {
            for pair in tied.windows(2) {
                let (a, b) = (root(&first, pair[0]), root(&first, pair[1]));
                first[a.max(b) as usize] = a.min(b);
            }
        }
        let roots: Vec<u32> = (0..views.len() as u32).map(|view| root(&first, view)).collect();
        let mut names = roots.clone();
        names.sort_unstable();
        names.dedup();
        let mut members: HashMap<u32, HashMap<Vec<u32>, Vec<u32>>> = HashMap::new();
        for (person, tied) in (0u32..).zip(seen_in) {
            if let Some(&view) = tied.first() {
                members.entry(roots[view as usize]).or_default().entry(tied).or_default().push(person);
            }
        }
        let component = |name: u32| {
            let mine: Vec<u32> = (0..views.len() as u32).filter(|&view| roots[view as usize] == name).collect();
            let local = |view: &u32| mine.binary_search(view).expect("all views of an atom are tied together");
            let together = members.remove(&name).unwrap_or_default();
            let shown = mine.iter().flat_map(|&view| views[view as usize].values.entries());
            let mut codes: Vec<u32> = shown.map(|entry| entry.0).collect();
            codes.sort_unstable();
            codes.dedup();
            let counts =
                |view: &u32| codes.iter().map(|&code| views[*view as usize].values.count(code) as u32).collect();
            let counts: Vec<Vec<u32>> = mine.iter().map(counts).collect();
            let atom = |(views, people): (Vec<u32>, Vec<u32>)| {
                let views: Vec<usize> = views.iter().map(local).collect();
                let most = |code: usize| views.iter().map(|&view| counts[view][code]).min().unwrap_or(0);
                let most = (0..codes.len()).map(|code| most(code).min(people.len() as u32)).collect();
                ViewAtom { people, views, most }
            };
            let mut atoms: Vec<ViewAtom> = together.into_iter().map(atom).collect();
            atoms.sort_by(|a, b| a.people.cmp(&b.people));
            Self { views: mine.iter().map(|&view| view as usize).collect(), counts, codes, atoms }
        };
        names.into_iter().map(component).collect()
    }

    /// What a refusal to count it names.
    pub(super) fn subject(&self) -> CountingSubject {
        CountingSubject::Views { people: self.people(), views: self.counts.len() }
    }

    /// The same people, of whom only the views in `kept`, ascending, are remembered; each atom still has no code more often than all views
    /// allow.
    pub(super) fn with_views(&self, kept: &[usize]) -> Self {
        let atom = |atom: &ViewAtom| {
            let views = atom.views.iter().filter_map(|view| kept.binary_search(view).ok()).collect();
            ViewAtom { views, ..atom.clone() }
        };
        Self {
            views: kept.iter().map(|&view| self.views[view]).collect(),
            codes: self.codes.clone(),
            atoms: self.atoms.iter().map(atom).collect(),
            counts: kept.iter().map(|&view| self.counts[view].clone()).collect(),
        }
    }

    /// How many people it has.
    pub(super) fn people(&self) -> usize {
        self.atoms.iter().map(|atom| atom.people.len()).sum()
    }
}
