//! The versions of LLVM that the pass is built for.

/// Major versions, in the order of preference: the first for which there are a clang and a pass is the one to use.
///
/// 19 and newer register through the pass's own shim, which is tested in full: 22 is the newest, 19 the one that Debian
/// 13 and Ubuntu 24.04 have. 16 leads the others because Debian 12 has it and it is smoke-tested.
pub const VERSIONS: [u32; 8] = [22, 19, 21, 20, 16, 18, 17, 15];
