//! What the program's memory and stacks held when something was found: by it the driver finds names for addresses. No
//! part of a report.

use serde::{Deserialize, Serialize};

/// Memory and stacks at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Parts of memory, which do not overlap: variables of instrumented objects, blocks of the heap, stacks.
    pub parts: Vec<Part>,
    /// Blocks of the heap, alive or freed, by the address of their first byte, and the number of their bytes.
    pub blocks: Vec<(u64, u64)>,
    /// The functions on the stacks of the threads.
    pub stacks: Vec<Stack>,
}

/// Memory and stacks when a step of an execution was about to use an object on the heap or on a stack: the first use of
/// what was then there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The object's address, as the step has it.
    pub address: u64,
    /// Index of the step among those of the execution.
    pub step: u64,
    /// By the end of the image's execution it was gone: its block was freed, or its function returned.
    pub is_over: bool,
    /// Memory and stacks before the step.
    pub image: Image,
}

/// A part of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Address of the first word, a multiple of 8.
    pub address: u64,
    /// What the words of 8 bytes hold.
    pub words: Vec<u64>,
}

/// The functions on a thread's stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// Number of the thread in the order of first creation.
    pub thread: u32,
    /// The functions, the innermost first.
    pub frames: Vec<Registers>,
}

/// What is known of the processor's registers in a function on a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registers {
    /// An instruction of the function: where it was interrupted, or the last byte of its call of the one before.
    pub instruction: u64,
    /// The stack pointer.
    pub stack: u64,
    /// What the stack pointer was before the function was called (DWARF's canonical frame address).
    pub frame: u64,
    /// Rbx, rbp, r12, r13, r14 and r15.
    pub kept: [u64; 6],
}
