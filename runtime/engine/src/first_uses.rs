//! Images of memory at the first uses of objects on the heap and on stacks, for rows of a trace about what is gone where
//! the finding is: `account.mutex`, a member of a variable of a function that has returned by then.
//!
//! An object is told from another one at the same address by the life of its block, or by the function on whose stack it
//! is. Taken while one schedule is repeated for a report, as the calls on the stack are.

use crate::between::Shared;
use crate::{call_stacks, memory_image, object, steps};
use dpor_machine::heap;
use dpor_machine::state::Kept;
use dpor_model::Operation;
use dpor_report::image::Moment;

/// The most images of an execution, and the most words of 8 bytes in all of them (chosen: rows have addresses instead of
/// names where there are more).
const IMAGES_MAX: usize = 64;
const WORDS_MAX: usize = 1 << 20;

/// What an object is part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// A block of the heap, which lives from one allocation to one free.
    Block,
    /// The stack, in the function that begins at `function`, called with its stack pointer at `frame`.
    Frame { function: u64, frame: u64 },
}

/// An object at its first use.
struct FirstUse {
    moment: Moment,
    of: Part,
}

/// The first uses of the running execution.
struct FirstUses {
    all: Vec<FirstUse>,
    /// Words that further images may have.
    room: usize,
}

static FIRST_USES: Kept<Shared<FirstUses>> = Kept::new(Shared::nothing());

/// Prepares for the execution; at the root, where calls are kept.
pub fn begin() {
    FIRST_USES.install(Box::new(FirstUses {
        all: Vec::with_capacity(IMAGES_MAX),
        room: WORDS_MAX,
    }));
}

/// What is known of the running execution, where calls are kept.
fn known() -> Option<&'static mut FirstUses> {
    if !call_stacks::are_kept() {
        return None;
    }
    // SAFETY: null, or installed at the root and never freed; the functions here are the only ones that look, one at a
    // time, none of which calls another one of them while it holds the reference.
    unsafe { FIRST_USES.get().as_mut() }
}

/// The execution begins anew.
pub fn execution_begins() {
    if let Some(known) = known() {
        known.all.clear();
        known.room = WORDS_MAX;
    }
}

/// The running thread is about to perform an operation, where calls are kept.
#[cold]
#[inline(never)]
pub fn about_to_use(operation: &Operation) {
    let address = object::address(operation.object).map(|_| steps::object_address(operation));
    let (Some(address), Some(known)) = (address.flatten(), known()) else {
        return;
    };
    if known.all.len() >= IMAGES_MAX || known.room == 0 {
        return;
    }
    let Some(of) = part(address) else {
        return;
    };
    let mut uses = known.all.iter_mut().rev();
    if let Some(last) = uses.find(|used| used.moment.address == address) {
        if last.of == of && !last.moment.is_over {
            return;
        }
        last.moment.is_over = true;
    }
    let image = memory_image::take_within(known.room);
    known.room -= image
        .parts
        .iter()
        .map(|part| part.words.len())
        .sum::<usize>();
    known.all.push(FirstUse {
        moment: Moment {
            address,
            step: call_stacks::steps().saturating_sub(1),
            is_over: false,
            image,
        },
        of,
    });
}

/// What the object at an address is part of; `None` if of nothing that comes and goes.
fn part(address: u64) -> Option<Part> {
    if heap::block_at(address as usize).is_some() {
        return Some(Part::Block);
    }
    let (function, frame) = memory_image::frame_of(address)?;
    Some(Part::Frame { function, frame })
}

/// A block of the heap is freed.
#[inline(always)]
pub fn freed(start: usize, bytes: usize) {
    if call_stacks::are_kept() {
        block_ends(start as u64, bytes as u64);
    }
}

#[cold]
#[inline(never)]
fn block_ends(start: u64, bytes: u64) {
    let inside = |used: &&mut FirstUse| (start..start + bytes).contains(&used.moment.address);
    let uses = known().into_iter().flat_map(|known| &mut known.all);
    uses.filter(inside)
        .for_each(|used| used.moment.is_over = true);
}

/// The first uses up to now, each with whether the object is gone.
pub fn so_far() -> Vec<Moment> {
    let uses = known().map_or(&mut [][..], |known| &mut known.all);
    let told = |used: &FirstUse| {
        let is_over = used.moment.is_over || part(used.moment.address) != Some(used.of);
        Moment {
            is_over,
            ..used.moment.clone()
        }
    };
    uses.iter().map(told).collect()
}
