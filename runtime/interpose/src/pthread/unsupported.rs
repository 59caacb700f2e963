//! Functions of the thread interface that have no model (yet).
//!
//! Each is a few instructions: save the argument registers, ask [`check`], restore them, jump to
//! libc's function with the stack as it was. So no signature is needed, variable arguments and
//! `vfork` included. While the program is explored [`check`] does not return: the verdict is
//! `unsupported`, with the function's name.
//!
//! Functions by which libc would create a thread behind our back begin the exploration, like
//! `pthread_create`, and are then unsupported.

use crate::engine;
use crate::real::Real;
use crate::state::Kept;
use core::arch::naked_asm;
use core::ffi::{c_int, c_void, CStr};
use dpor_abi::thread_api::{CREATES_THREADS, MAY_CREATE_THREADS, UNSUPPORTED};

/// The calls of a function that cannot be followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refused {
    /// All calls under exploration.
    Exploring,
    /// All calls, because each creates a thread.
    CreatesThread,
    /// Calls whose second argument, a `sigevent`, asks for a thread.
    IfNotifiedByThread,
}

/// One function without a model, as its stub hands it to [`check`].
struct Function {
    name: &'static CStr,
    real: Real,
    refused: Refused,
}

/// Place of `sigev_notify` in a `sigevent`, in bytes.
const NOTIFY_OFFSET: usize = 12;
/// `SIGEV_THREAD`.
const BY_THREAD: c_int = 2;

/// Returns libc's function, if it may be called now. `second`: the second argument of the call.
extern "C" fn check(function: &Function, second: *const c_void) -> *mut c_void {
    // SAFETY: only for functions whose second argument is null or a `sigevent`.
    if engine::before_root() && unsafe { creates_thread(function.refused, second) } {
        engine::begin();
    }
    if engine::active() {
        engine::unsupported(function.name.to_str().unwrap_or_default());
    }
    let address = function.real.get();
    if address.is_null() {
        super::failure::fail_abort(
            "the runtime stands in for a function that this libc does not have",
        );
    }
    address
}

unsafe fn creates_thread(refused: Refused, second: *const c_void) -> bool {
    match refused {
        Refused::Exploring => false,
        Refused::CreatesThread => true,
        // SAFETY: `second` is the second argument of a function that takes a `sigevent` there, null
        // or readable, as this function's caller guarantees.
        Refused::IfNotifiedByThread => unsafe {
            !second.is_null() && second.byte_add(NOTIFY_OFFSET).cast::<c_int>().read() == BY_THREAD
        },
    }
}

macro_rules! refuse {
    ($names:ident, $refused:ident: $($name:ident)*) => {
        $(
            #[no_mangle]
            #[unsafe(naked)]
            unsafe extern "C" fn $name() {
                static FUNCTION: Kept<Function> = Kept::new(Function {
                    // SAFETY: the literal ends with its only NUL.
                    name: unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
                    // SAFETY: the literal ends with its only NUL.
                    real: Real::new(unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }),
                    refused: Refused::$refused,
                });
                // 7 pushes and the return address keep the stack aligned; 128 bytes for xmm0-7,
                // which hold floating-point arguments (al: how many, for variable arguments).
                naked_asm!(
                    "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push rax",
                    "sub rsp, 128",
                    "movaps [rsp], xmm0", "movaps [rsp + 16], xmm1",
                    "movaps [rsp + 32], xmm2", "movaps [rsp + 48], xmm3",
                    "movaps [rsp + 64], xmm4", "movaps [rsp + 80], xmm5",
                    "movaps [rsp + 96], xmm6", "movaps [rsp + 112], xmm7",
                    "lea rdi, [rip + {function}]",
                    "call {check}",
                    "mov r11, rax",
                    "movaps xmm0, [rsp]", "movaps xmm1, [rsp + 16]",
                    "movaps xmm2, [rsp + 32]", "movaps xmm3, [rsp + 48]",
                    "movaps xmm4, [rsp + 64]", "movaps xmm5, [rsp + 80]",
                    "movaps xmm6, [rsp + 96]", "movaps xmm7, [rsp + 112]",
                    "add rsp, 128",
                    "pop rax", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
                    "jmp r11",
                    function = sym FUNCTION,
                    check = sym check,
                )
            }
        )*
        const $names: &[&str] = &[$(stringify!($name)),*];
    };
}

refuse! { EXPLORING, Exploring:
    _Fork __clone __fork __vfork aio_cancel aio_cancel64 aio_error aio_error64 aio_init
    aio_return aio_return64 aio_suspend aio_suspend64 clone daemon execl execle execlp
    execv execve execveat execvp execvpe fexecve fork forkpty posix_spawn posix_spawnp
    pthread_kill_other_threads_np system vfork wordexp
}

refuse! { CREATORS, CreatesThread:
    aio_fsync aio_fsync64 aio_read aio_read64 aio_write aio_write64 getaddrinfo_a
    lio_listio lio_listio64
}

refuse! { NOTIFIERS, IfNotifiedByThread:
    mq_notify
}

const _: () = assert!(same(EXPLORING, UNSUPPORTED), "as the table has them");
const _: () = assert!(same(CREATORS, CREATES_THREADS), "as the table has them");
const _: () = assert!(same(NOTIFIERS, MAY_CREATE_THREADS), "as the table has them");

/// Returns whether two lists of names are equal.
const fn same(left: &[&str], right: &[&str]) -> bool {
    let mut equal = left.len() == right.len();
    let mut at = 0;
    while equal && at < left.len() {
        let (a, b) = (left[at].as_bytes(), right[at].as_bytes());
        equal = a.len() == b.len();
        let mut k = 0;
        while equal && k < a.len() {
            equal = a[k] == b[k];
            k += 1;
        }
        at += 1;
    }
    equal
}
