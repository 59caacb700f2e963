//! Strongly connected components of a graph whose nodes are numbers.
//!
//! Source: Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM J. Comput. 1972; without recursion.

/// The arrows of a graph, by the node where they begin, in the order in which they were given.
pub(super) struct Arrows {
    /// `starts[n]..starts[n + 1]` are the places of the arrows of node n in `targets`.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Arrows {
    /// The graph of so many nodes with these arrows, each from its first node to its second.
    pub fn new(nodes: usize, arrows: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; nodes + 1];
        for (from, _) in arrows.clone() {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut targets = vec![0; starts[nodes] as usize];
        for (from, to) in arrows {
            let place = &mut free[from as usize];
            targets[*place as usize] = to;
            *place += 1;
        }
        Arrows { starts, targets }
    }

    /// Where the arrows of a node lead.
    pub fn of(&self, node: u32) -> &[u32] {
        let (first, end) = (self.starts[node as usize], self.starts[node as usize + 1]);
        &self.targets[first as usize..end as usize]
    }

    fn nodes(&self) -> u32 {
        self.starts.len() as u32 - 1
    }
}

/// The strongly connected components; what a component leads to comes before it.
pub(super) struct Components {
    /// The component of each node.
    pub of: Vec<u32>,
    /// The nodes, by component. The last one of a component is where it was entered.
    members: Vec<u32>,
    /// Where the members of each component begin, and the number of all nodes.
    starts: Vec<u32>,
}

impl Components {
    /// The members of each component, in the order of the components.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let ranges = self.starts.windows(2);
        ranges.map(|range| &self.members[range[0] as usize..range[1] as usize])
    }
}

/// No number yet.
const NONE: u32 = u32::MAX;

/// The search for components, in progress.
struct Tarjan<'a> {
    arrows: &'a Arrows,
    /// When each node was entered, or [`NONE`].
    entered: Vec<u32>,
    /// The earliest node on the stack that each node is known to lead to.
    low: Vec<u32>,
    count: u32,
    /// Nodes whose component is not complete.
    stack: Vec<u32>,
    /// The way from the first node to the present one, each with the number of its arrows that were followed.
    way: Vec<(u32, u32)>,
    found: Components,
}

impl Tarjan<'_> {
    fn enter(&mut self, node: u32) {
        (self.entered[node as usize], self.low[node as usize]) = (self.count, self.count);
        self.count += 1;
        self.stack.push(node);
        self.way.push((node, 0));
    }

    fn follow(&mut self, node: u32, to: u32) {
        if self.entered[to as usize] == NONE {
            self.enter(to);
        } else if self.found.of[to as usize] == NONE {
            let low = &mut self.low[node as usize];
            *low = (*low).min(self.entered[to as usize]);
        }
    }

    fn leave(&mut self, node: u32) {
        self.way.pop();
        let low = self.low[node as usize];
        if let Some(&(before, _)) = self.way.last() {
            let before = &mut self.low[before as usize];
            *before = (*before).min(low);
        }
        if low == self.entered[node as usize] {
            self.complete(node);
        }
    }

    /// The nodes on the stack from `first` on are a component.
    fn complete(&mut self, first: u32) {
        let number = self.found.starts.len() as u32 - 1;
        while let Some(member) = self.stack.pop() {
            self.found.of[member as usize] = number;
            self.found.members.push(member);
            if member == first {
                break;
            }
        }
        self.found.starts.push(self.found.members.len() as u32);
    }
}

/// The components of a graph.
pub(super) fn components(arrows: &Arrows) -> Components {
    let nodes = arrows.nodes();
    let mut tarjan = Tarjan {
        arrows,
        entered: vec![NONE; nodes as usize],
        low: vec![NONE; nodes as usize],
        count: 0,
        stack: Vec::new(),
        way: Vec::new(),
        found: Components {
            of: vec![NONE; nodes as usize],
            members: Vec::with_capacity(nodes as usize),
            starts: vec![0],
        },
    };
    for root in 0..nodes {
        if tarjan.entered[root as usize] == NONE {
            tarjan.enter(root);
        }
        while let Some((node, followed)) = tarjan.way.last_mut() {
            let node = *node;
            match tarjan.arrows.of(node).get(*followed as usize) {
                Some(&to) => {
                    *followed += 1;
                    tarjan.follow(node, to);
                }
                None => tarjan.leave(node),
            }
        }
    }
    tarjan.found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(nodes: usize, arrows: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let found = components(&Arrows::new(nodes, arrows.iter().copied()));
        for (number, members) in found.iter().enumerate() {
            assert!(members
                .iter()
                .all(|&m| found.of[m as usize] == number as u32));
        }
        let sorted = found.iter().map(|members| {
            let mut members = members.to_vec();
            members.sort_unstable();
            members
        });
        sorted.collect()
    }

    #[test]
    fn what_is_led_to_comes_first() {
        assert_eq!(all(0, &[]), Vec::<Vec<u32>>::new());
        assert_eq!(all(2, &[]), [vec![0], vec![1]]);
        assert_eq!(all(3, &[(0, 1), (1, 2)]), [vec![2], vec![1], vec![0]]);
        assert_eq!(all(3, &[(0, 1), (1, 2), (2, 0)]), [vec![0, 1, 2]]);
        assert_eq!(all(1, &[(0, 0)]), [vec![0]]);
    }

    #[test]
    fn cycles_that_touch_are_one() {
        let arrows = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 4), (4, 3)];
        assert_eq!(all(5, &arrows), [vec![3, 4], vec![0, 1, 2]]);
    }

    /// Two nodes are in one component if each leads to the other: compared with reachability, on random graphs.
    #[test]
    fn components_are_mutual_reachability() {
        let mut word = 1_u64;
        let mut below = move |n: u64| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (word >> 33) % n
        };
        for _ in 0..500 {
            let nodes = 1 + below(7) as usize;
            let count = below(12) as usize;
            let arrows: Vec<(u32, u32)> = (0..count)
                .map(|_| (below(nodes as u64) as u32, below(nodes as u64) as u32))
                .collect();
            let mut leads = vec![vec![false; nodes]; nodes];
            (0..nodes).for_each(|n| leads[n][n] = true);
            arrows
                .iter()
                .for_each(|&(a, b)| leads[a as usize][b as usize] = true);
            for via in 0..nodes {
                for from in 0..nodes {
                    for to in 0..nodes {
                        leads[from][to] |= leads[from][via] && leads[via][to];
                    }
                }
            }
            let found = components(&Arrows::new(nodes, arrows.iter().copied()));
            for (a, leads_from_a) in leads.iter().enumerate() {
                for (b, &leads_there) in leads_from_a.iter().enumerate() {
                    let mutual = leads_there && leads[b][a];
                    assert_eq!(found.of[a] == found.of[b], mutual, "{arrows:?}");
                    assert!(!leads_there || found.of[b] <= found.of[a], "{arrows:?}");
                }
            }
        }
    }
}
