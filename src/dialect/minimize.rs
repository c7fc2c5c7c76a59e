//! Minimization of deterministic automata (Hopcroft, "An n log n algorithm for minimizing states in a finite automaton", 1971).

/// Transitions of an automaton: for each state, the next one for each of `width` classes of bytes.
#[derive(Debug)]
pub(super) struct TransitionTable {
    pub(super) next: Vec<u32>,
    pub(super) width: usize,
}

impl TransitionTable {
    /// Returns the next states of a state, by class.
    pub(super) fn of(&self, state: usize) -> &[u32] {
        &self.next[state * self.width..][..self.width]
    }
}

/// States that go to each state by each class.
struct Predecessors {
    /// Beginning of each list in `states`, by class and then by state.
    starts: Vec<u32>,
    states: Vec<u32>,
    count: usize,
}

impl Predecessors {
    fn of(table: &TransitionTable, count: usize) -> Self {
        let list = |class: usize, next: u32| class * count + next as usize;
        let mut starts = vec![0_u32; table.width * count + 1];
        for state in 0..count {
            for (class, &next) in table.of(state).iter().enumerate() {
                starts[list(class, next) + 1] += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut ends = starts.clone();
        let mut states = vec![0; table.width * count];
        for state in 0..count {
            for (class, &next) in table.of(state).iter().enumerate() {
                let end = &mut ends[list(class, next)];
                states[*end as usize] = state as u32;
                *end += 1;
            }
        }
        Self {
            starts,
            states,
            count,
        }
    }

    fn get(&self, class: usize, state: u32) -> &[u32] {
        let list = class * self.count + state as usize;
        &self.states[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// Division of states into groups.
struct Partition {
    group_of: Vec<u32>,
    groups: Vec<Vec<u32>>,
    /// Index of each state in its group.
    place: Vec<u32>,
    /// Groups by which others may have to be split.
    waiting: Vec<usize>,
    is_waiting: Vec<bool>,
}

impl Partition {
    /// Groups the states by numbers below their count.
    fn new(kinds: Vec<u32>) -> Self {
        let count = kinds.iter().max().map_or(0, |most| *most as usize + 1);
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut place = Vec::with_capacity(kinds.len());
        for (state, &kind) in kinds.iter().enumerate() {
            let group = &mut groups[kind as usize];
            place.push(group.len() as u32);
            group.push(state as u32);
        }
        Self {
            group_of: kinds,
            groups,
            place,
            waiting: (0..count).collect(),
            is_waiting: vec![true; count],
        }
    }

    /// Moves some states of one group, but not all, to a new one.
    fn split(&mut self, group: usize, states: impl Iterator<Item = u32>) {
        let new = self.groups.len();
        let mut moved = Vec::new();
        for state in states {
            let at = self.place[state as usize] as usize;
            let rest = &mut self.groups[group];
            rest.swap_remove(at);
            if let Some(&other) = rest.get(at) {
                self.place[other as usize] = at as u32;
            }
            self.place[state as usize] = moved.len() as u32;
            self.group_of[state as usize] = new as u32;
            moved.push(state);
        }
        let is_smaller = moved.len() <= self.groups[group].len();
        self.groups.push(moved);
        self.is_waiting.push(false);
        // A group that waits is replaced by both of its parts. Otherwise one part is enough, and the smaller one is less work.
        let next = match is_smaller || self.is_waiting[group] {
            true => new,
            false => group,
        };
        self.is_waiting[next] = true;
        self.waiting.push(next);
    }
}

/// Groups the states from which every byte sequence has the same result. States of different `kinds` are never in one group.
///
/// The time is that of sorting the transitions, whatever the automaton.
pub(super) fn minimized(table: &TransitionTable, kinds: Vec<u32>) -> Vec<u32> {
    let predecessors = Predecessors::of(table, kinds.len());
    let mut partition = Partition::new(kinds);
    while let Some(splitter) = partition.waiting.pop() {
        partition.is_waiting[splitter] = false;
        let targets = partition.groups[splitter].clone();
        for class in 0..table.width {
            let sources = targets
                .iter()
                .flat_map(|&target| predecessors.get(class, target));
            let mut found: Vec<(u32, u32)> = sources
                .map(|&state| (partition.group_of[state as usize], state))
                .collect();
            found.sort_unstable();
            for part in found.chunk_by(|(one, _), (other, _)| one == other) {
                let group = part[0].0 as usize;
                if part.len() < partition.groups[group].len() {
                    partition.split(group, part.iter().map(|(_, state)| *state));
                }
            }
        }
    }
    partition.group_of
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups states by comparing all their transitions, until no group is split any more.
    fn naively(table: &TransitionTable, kinds: &[u32]) -> Vec<u32> {
        let mut groups = kinds.to_vec();
        loop {
            let mut keys: Vec<(u32, Vec<u32>)> = Vec::new();
            let next: Vec<u32> = (0..kinds.len())
                .map(|state| {
                    let row = table.of(state).iter().map(|&next| groups[next as usize]);
                    let key = (groups[state], row.collect());
                    let known = keys.iter().position(|known| *known == key);
                    known.unwrap_or_else(|| {
                        keys.push(key);
                        keys.len() - 1
                    }) as u32
                })
                .collect();
            if next == groups {
                return groups;
            }
            groups = next;
        }
    }

    /// Numbers groups in the order of their first states.
    fn in_order(groups: &[u32]) -> Vec<usize> {
        let first = |group: &u32| groups.iter().position(|other| other == group);
        groups.iter().filter_map(first).collect()
    }

    #[test]
    fn the_groups_are_those_of_a_naive_comparison() {
        let mut random = 1_u64;
        let mut below = move |count: u32| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 40) as u32 % count
        };
        for round in 0..3_000 {
            let (count, width) = (1 + below(12), 1 + below(3));
            // Few different targets, so that states can be equal.
            let targets = 1 + below(count);
            let next = (0..count * width).map(|_| below(targets)).collect();
            let kinds: Vec<u32> = (0..count).map(|_| below(2).min(count - 1)).collect();
            let table = TransitionTable {
                next,
                width: width as usize,
            };
            let found = minimized(&table, kinds.clone());
            let expected = naively(&table, &kinds);
            assert_eq!(
                in_order(&found),
                in_order(&expected),
                "{round}: {table:?}, {kinds:?}"
            );
        }
    }
}
