//! Arguments of functions of the library where they are told by their registers alone, without their types.

/// Bit beside the word of a call whose first argument is no pointer, where arguments are told by their registers: pointers
/// begin with the second.
pub const BEHIND_FLAG: u64 = 1 << 32;

/// Whether the first argument of a function of this name is a `bool`: as far as it is of the library and accesses objects.
pub fn begins_with_flag(name: &str) -> bool {
    // `_Rb_tree_insert_and_rebalance(bool, _Rb_tree_node_base *, …)`.
    name.strip_prefix("_ZSt29_Rb_tree_insert_and_rebalance")
        .is_some_and(|arguments| arguments.starts_with('b'))
}
