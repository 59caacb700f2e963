//! A load and the store to the same bytes next behind it, as in `x++`: one hook tells of both.
//!
//! Only where nothing between the two could fail, be seen or be told of: whoever makes the load makes the store. So
//! the write may be told of where the read is, as long as no other thread runs between the two, which is so unless
//! plain accesses are events (`--plain=explore`). Then the hook asks for one of the store's own.

use crate::llvm::{Opcode, Predicate, Value};
use crate::rewriter::Rewriter;
use crate::{access, destructor};
use std::collections::HashMap;

/// Number of instructions behind the load among which the store is looked for (chosen: what is computed in place is
/// short).
const STEPS_MAX: usize = 16;

/// The updates of a function.
pub struct Updates {
    /// The store of each load.
    stores: HashMap<Value, Value>,
    /// For each store whose load has its hook, an `i32` that says whether a hook of its own is asked for; none if the
    /// memory is private.
    told: HashMap<Value, Option<Value>>,
}

impl Updates {
    /// Finds the updates among the loads. There are none where programs are compared: there each access is listed.
    pub fn find(rewriter: &Rewriter, loads: impl Iterator<Item = Value>) -> Updates {
        let stores = match rewriter.is_compared() {
            true => HashMap::new(),
            false => loads
                .filter_map(|load| Some((load, store_behind(rewriter, load)?)))
                .collect(),
        };
        Updates {
            stores,
            told: HashMap::new(),
        }
    }

    /// Inserts the hook of a load or store at which the rewriter stands. False if it is of no update.
    pub fn tell(&mut self, rewriter: &mut Rewriter, instruction: Value) -> bool {
        if let Some(&store) = self.stores.get(&instruction) {
            let asks = load(rewriter, instruction, store);
            self.told.insert(store, asks);
            return true;
        }
        match self.told.get(&instruction) {
            Some(&asks) => {
                write(rewriter, instruction, asks);
                true
            }
            None => false,
        }
    }
}

/// The store to the bytes that a plain load reads, if nothing but computing is between.
fn store_behind(rewriter: &Rewriter, load: Value) -> Option<Value> {
    let pointer = load.operand(0);
    if !is_plain(load) || !Rewriter::is_flat(pointer) {
        return None;
    }
    let width = access::scalar_width(rewriter, load.ty())?;
    let store = { load.instructions_behind().take(STEPS_MAX) }
        .find(|instruction| !instruction.only_computes())?;
    let is_update = store.opcode() == Some(Opcode::LLVMStore)
        && is_plain(store)
        && store.operand(1) == pointer
        && access::scalar_width(rewriter, store.operand(0).ty()) == Some(width)
        && !destructor::is_vptr_write(store);
    is_update.then_some(store)
}

fn is_plain(access: Value) -> bool {
    access.ordering() == 0 && !access.is_volatile()
}

/// Inserts the hook before the load, and returns the `i32` that says whether the store needs one; none if the memory is
/// private.
fn load(rewriter: &mut Rewriter, load: Value, store: Value) -> Option<Value> {
    let pointer = load.operand(0);
    if !rewriter.meet(pointer) {
        return None;
    }
    let width = access::scalar_width(rewriter, load.ty()).expect("an update has a width");
    let address = rewriter.builder.to_flat_pointer(pointer);
    let write_site = rewriter.site_of(store);
    Some(rewriter.insert("__dpor_update", width, &[address, write_site], 0))
}

/// Inserts the hook before the store, to be called where it is asked for.
fn write(rewriter: &mut Rewriter, store: Value, asks: Option<Value>) {
    let (value, pointer) = (store.operand(0), store.operand(1));
    let is_met = rewriter.meet(pointer);
    let Some(asks) = asks.filter(|_| is_met) else {
        return;
    };
    let zero = rewriter.word(0);
    let condition = rewriter
        .builder
        .compare(Predicate::UnsignedAbove, asks, zero);
    rewriter.stand_aside(store, condition);
    let width = access::scalar_width(rewriter, value.ty()).expect("an update has a width");
    let address = rewriter.builder.to_flat_pointer(pointer);
    rewriter.insert("__dpor_write", width, &[address], 0);
}
