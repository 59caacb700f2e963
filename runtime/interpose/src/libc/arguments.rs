//! The arguments of a call of libc's function, as a stand-in saves them before it knows which registers have some.

/// Registers that can hold arguments (System V, x86-64), as the body of a stand-in saves them ([`with_saved_registers`]).
#[repr(C, align(16))]
pub struct Arguments {
    /// rdi, rsi, rdx, rcx, r8, r9.
    pub integer: [usize; 6],
    /// Number of vector registers used by a variadic call.
    rax: usize,
    padding: usize,
    /// The registers xmm0 to xmm7.
    pub vector: [u128; 8],
}

impl Arguments {
    /// Returns the address of the return address of the call whose registers these are: above them lies
    /// rbp.
    pub fn slot(&self) -> usize {
        core::ptr::from_ref(self) as usize + size_of::<Arguments>() + 8
    }
}

/// Body of a naked function: saves every register that can hold an argument, calls `$enter` with r11 and
/// the saved registers, restores them and jumps to what it answered.
macro_rules! with_saved_registers {
    ($enter:ident) => {
        core::arch::naked_asm!(
            $crate::hooks::clean_entry::clear_below!(),
            "push rbp",
            "mov rbp, rsp",
            "sub rsp, 192",
            "mov [rsp], rdi",
            "mov [rsp + 8], rsi",
            "mov [rsp + 16], rdx",
            "mov [rsp + 24], rcx",
            "mov [rsp + 32], r8",
            "mov [rsp + 40], r9",
            "mov [rsp + 48], rax",
            "movaps [rsp + 64], xmm0",
            "movaps [rsp + 80], xmm1",
            "movaps [rsp + 96], xmm2",
            "movaps [rsp + 112], xmm3",
            "movaps [rsp + 128], xmm4",
            "movaps [rsp + 144], xmm5",
            "movaps [rsp + 160], xmm6",
            "movaps [rsp + 176], xmm7",
            "mov edi, r11d",
            "mov rsi, rsp",
            "call {enter}",
            "mov r11, rax",
            "mov rdi, [rsp]",
            "mov rsi, [rsp + 8]",
            "mov rdx, [rsp + 16]",
            "mov rcx, [rsp + 24]",
            "mov r8, [rsp + 32]",
            "mov r9, [rsp + 40]",
            "mov rax, [rsp + 48]",
            "movaps xmm0, [rsp + 64]",
            "movaps xmm1, [rsp + 80]",
            "movaps xmm2, [rsp + 96]",
            "movaps xmm3, [rsp + 112]",
            "movaps xmm4, [rsp + 128]",
            "movaps xmm5, [rsp + 144]",
            "movaps xmm6, [rsp + 160]",
            "movaps xmm7, [rsp + 176]",
            "leave",
            "jmp r11",
            clears = sym $crate::hooks::clean_entry::CLEARS,
            begin = sym $crate::hooks::clean_entry::begin,
            enter = sym $enter,
        )
    };
}

pub(super) use with_saved_registers;
