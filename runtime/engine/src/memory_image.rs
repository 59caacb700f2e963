//! What memory and stacks hold when something is found, for the driver to name addresses by: `node->next` instead of
//! `0x200000000598`. Taken while one schedule is repeated for a report, as the calls on the stack are.

use crate::between::Shared;
use crate::call_stacks;
use crate::own_places::{all_blocks, variables};
use crate::runtime::runtime;
use crate::world::world;
use dpor_machine::probe;
use dpor_machine::snapshot::Range;
use dpor_machine::state::Kept;
use dpor_machine::unwind::Registers;
use dpor_model::ThreadId;
use dpor_report::image::{Image, Part, Stack};

/// The most words of 8 bytes: of all, of a stack from its innermost function on, of an object's variables, of a block of
/// the heap (chosen: what a test of a few threads has, in some milliseconds; names are missing for what is beyond).
const WORDS_MAX: usize = 1 << 19;
const STACK_WORDS_MAX: usize = 1 << 13;
const VARIABLES_WORDS_MAX: usize = 1 << 17;
const BLOCK_WORDS_MAX: usize = 1 << 13;

/// Bytes of a word.
const WORD: usize = 8;

/// The variables of instrumented objects that were loaded at the root.
static VARIABLES: Kept<Shared<Vec<Range>>> = Kept::new(Shared::nothing());

/// Looks up what does not change; at the root, where files may be read.
pub fn begin() {
    VARIABLES.install(Box::new(variables()));
}

/// The image of this moment, where the calls on stacks are kept, too.
pub fn here() -> Option<Image> {
    call_stacks::are_kept().then(take)
}

/// The image of this moment, behind [`call_stacks::prepare`].
pub fn take() -> Image {
    take_within(WORDS_MAX)
}

/// The same, of so many words of 8 bytes at most.
pub fn take_within(room: usize) -> Image {
    let running = Registers::here();
    let mut image = Image::default();
    let mut room = room.min(WORDS_MAX);
    for thread in threads() {
        let Some(registers) = registers_of(thread, running) else {
            continue;
        };
        let (low, bytes) = crate::stack_of(thread);
        let live = (registers.stack as usize, low + bytes);
        add(&mut image, live, STACK_WORDS_MAX, &mut room);
        image.stacks.push(Stack {
            thread: u32::from(thread.0),
            frames: call_stacks::frames(registers),
        });
    }
    // SAFETY: installed at the root, before calls are kept, and not written since.
    for &range in unsafe { &*VARIABLES.get() } {
        add(&mut image, range, VARIABLES_WORDS_MAX, &mut room);
    }
    for range in all_blocks() {
        add(&mut image, range, BLOCK_WORDS_MAX, &mut room);
        image
            .blocks
            .push((range.0 as u64, (range.1 - range.0) as u64));
    }
    image
}

/// The numbers that threads may have.
fn threads() -> impl Iterator<Item = ThreadId> {
    // SAFETY: installed at the root, before calls are kept; the areas change between two executions only.
    let areas = unsafe { &(*runtime()).areas };
    (0..areas.len()).map(|thread| ThreadId(thread as u16))
}

/// The function on whose stack an address is: its first instruction, and what the stack pointer was before it was called.
/// Behind [`call_stacks::prepare`].
pub fn frame_of(address: u64) -> Option<(u64, u64)> {
    let running = Registers::here();
    let mut threads = threads();
    let thread = threads.find(|&thread| {
        let (low, bytes) = crate::stack_of(thread);
        (low..low + bytes).contains(&(address as usize))
    })?;
    let frames = call_stacks::frames(registers_of(thread, running)?);
    let holder = frames.iter().find(|frame| address < frame.frame)?;
    Some((call_stacks::function(holder.instruction)?, holder.frame))
}

/// What a live thread's registers hold where it stands; `running`: what they hold now, on whatever stack that is.
fn registers_of(thread: ThreadId, running: Registers) -> Option<Registers> {
    // SAFETY: the world is mapped from the root on, and calls are kept from then on only. Nobody writes the number of the
    // live threads or a suspended one's stack pointer meanwhile.
    let (is_live, pointer) = unsafe {
        let threads = &raw const (*world()).threads;
        let pointer = (*threads)[thread.index()].fiber.stack_pointer;
        ((*world()).engine.live.contains(thread), pointer)
    };
    let (low, bytes) = crate::stack_of(thread);
    let is_on_it = |pointer: usize| (low..low + bytes).contains(&pointer);
    match is_live {
        true if is_on_it(running.stack as usize) => Some(running),
        true if is_on_it(pointer) => Registers::of_suspended(pointer),
        _ => None,
    }
}

/// Adds the words of a range, the first ones if it has more than `most`.
fn add(image: &mut Image, (start, end): Range, most: usize, room: &mut usize) {
    let start = start / WORD * WORD;
    let count = end.saturating_sub(start).div_ceil(WORD);
    let count = count.min(most).min(*room);
    let words = (0..count).map_while(|word| probe::word(start + word * WORD));
    let part = Part {
        address: start as u64,
        words: words.collect(),
    };
    *room -= part.words.len();
    image.parts.push(part);
}
