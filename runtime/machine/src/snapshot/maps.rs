//! Which memory the program can write: `/proc/self/maps`, less what is not the program's.

use super::Range;

/// Private writable mappings, ascending, without those that intersect `excluded`;
/// parts outside an excluded range are kept. The main stack is given apart.
///
/// Returns (mappings, main stack).
pub fn writable_mappings(maps: &str, excluded: &[Range]) -> (Vec<Range>, Option<Range>) {
    let mut found = Vec::new();
    let mut stack = None;
    for line in maps.lines() {
        let mut fields = line.split_ascii_whitespace();
        let (Some(range), Some(permissions)) = (fields.next(), fields.next()) else {
            continue;
        };
        let Some(range) = parse_range(range) else {
            continue;
        };
        let name = fields.nth(3).unwrap_or("");
        if name == "[stack]" {
            stack = Some(range);
        } else if permissions.starts_with("rw") && permissions.ends_with('p') {
            subtract(range, excluded, &mut found);
        }
    }
    (found, stack)
}

fn parse_range(text: &str) -> Option<Range> {
    let (start, end) = text.split_once('-')?;
    Some((
        usize::from_str_radix(start, 16).ok()?,
        usize::from_str_radix(end, 16).ok()?,
    ))
}

/// Appends what is left of `range` outside `excluded`.
fn subtract(range: Range, excluded: &[Range], left: &mut Vec<Range>) {
    let (mut start, end) = range;
    let mut cuts: Vec<Range> = excluded
        .iter()
        .copied()
        .filter(|cut| cut.0 < end && cut.1 > start)
        .collect();
    cuts.sort_unstable();
    for cut in cuts {
        if cut.0 > start {
            left.push((start, cut.0));
        }
        start = start.max(cut.1);
    }
    if start < end {
        left.push((start, end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
1000-3000 r-xp 00000000 fe:01 17 /usr/bin/program
3000-5000 rw-p 00002000 fe:01 17 /usr/bin/program
6000-9000 rw-p 00000000 00:00 0 
a000-b000 rw-s 00000000 00:01 5 /dev/shm/shared
c000-f000 rw-p 00000000 00:00 0 [stack]
";

    fn check(excluded: &[Range], expected: &[Range]) {
        let (found, stack) = writable_mappings(MAPS, excluded);
        assert_eq!(found, expected, "without {excluded:x?}");
        assert_eq!(stack, Some((0xc000, 0xf000)));
    }

    #[test]
    fn private_writable_mappings_less_what_is_excluded() {
        check(&[], &[(0x3000, 0x5000), (0x6000, 0x9000)]);
        check(&[(0x2000, 0x6000)], &[(0x6000, 0x9000)]);
        let cut = [(0x3000, 0x5000), (0x6000, 0x7000), (0x8000, 0x9000)];
        check(&[(0x7000, 0x8000)], &cut);
        check(
            &[(0x8000, 0xa000), (0x4000, 0x7000)],
            &[(0x3000, 0x4000), (0x7000, 0x8000)],
        );
    }
}
