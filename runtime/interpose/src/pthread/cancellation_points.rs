//! Functions that are cancellation points, as the program finds them.
//!
//! A thread that is cancelled leaves where it called the function, and nothing unwinds through a frame of
//! Rust. So each stub calls the function that does the work, and if that says that the thread leaves
//! ([`super::cancel::Outcome`]), the stack is as it was at the call before the unwinding begins. If it says
//! that the program is not explored, libc's function is jumped to, which may be cancelled natively.

use super::unwinder::cancelled;
use super::{c11, cancel, cancel_flags, condvar, join, semaphore, signal};
use crate::hooks::clean_entry::{begin, clear_below, CLEARS};
use crate::libc::time;
use core::arch::naked_asm;

/// Functions that are cancellation points: each calls the one that does its work, with the same (at most
/// four) arguments, and does what that says ([`cancel::Outcome`]).
macro_rules! cancellable {
    ($($(#[$attribute:meta])* $name:ident = $body:path;)*) => {$(
        $(#[$attribute])*
        #[no_mangle]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            naked_asm!(
                // Debuggers look through this frame.
                ".cfi_startproc",
                clear_below!(),
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "sub rsp, 8",
                ".cfi_def_cfa_offset 48",
                "call {body}",
                "add rsp, 8",
                "mov r11, rdx",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                ".cfi_def_cfa_offset 8",
                "test r11, r11",
                "jnz 3f",
                // `cancel::LEAVE`.
                "bt rax, 32",
                "jc 2f",
                "ret",
                "2:",
                "jmp {cancelled}",
                "3:",
                "jmp r11",
                ".cfi_endproc",
                clears = sym CLEARS, begin = sym begin,
                body = sym $body,
                cancelled = sym cancelled,
            )
        }
    )*};
}

cancellable! {
    /// `int pthread_join(pthread_t thread, void **result)`
    ///
    /// # Safety
    /// `result` is null or writable for a pointer.
    pthread_join = join::wait;
    /// `int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)`
    ///
    /// # Safety
    /// `result` is null or writable for a pointer, and `until` is null or points to a time.
    pthread_timedjoin_np = join::timed;
    /// `int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct
    /// timespec *until)`
    ///
    /// # Safety
    /// `result` is null or writable for a pointer, and `until` is null or points to a time.
    pthread_clockjoin_np = join::clock;
    /// `int pthread_cond_wait(pthread_cond_t *condvar, pthread_mutex_t *mutex)`
    ///
    /// # Safety
    /// `condvar` and `mutex` point to such objects.
    pthread_cond_wait = condvar::wait;
    /// `int pthread_cond_timedwait(pthread_cond_t *condvar, pthread_mutex_t *mutex, const struct
    /// timespec *until)`
    ///
    /// # Safety
    /// `condvar`, `mutex` and `until` point to such objects.
    pthread_cond_timedwait = condvar::timed;
    /// `int pthread_cond_clockwait(pthread_cond_t *condvar, pthread_mutex_t *mutex, clockid_t clock,
    /// const struct timespec *until)`
    ///
    /// # Safety
    /// `condvar`, `mutex` and `until` point to such objects.
    pthread_cond_clockwait = condvar::clock;
    /// `int sem_wait(sem_t *semaphore)`
    ///
    /// # Safety
    /// `semaphore` points to a semaphore.
    sem_wait = semaphore::wait;
    /// `int sem_timedwait(sem_t *semaphore, const struct timespec *until)`
    ///
    /// # Safety
    /// `semaphore` points to a semaphore, `until` to a time.
    sem_timedwait = semaphore::timed;
    /// `int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)`
    ///
    /// # Safety
    /// `semaphore` points to a semaphore, `until` to a time.
    sem_clockwait = semaphore::clock;
    /// `int cnd_timedwait(cnd_t *condvar, mtx_t *mutex, const struct timespec *until)`
    ///
    /// # Safety
    /// `condvar`, `mutex` and `until` point to such objects.
    cnd_timedwait = c11::timed_wait;
    /// `void pthread_testcancel(void)`
    ///
    /// # Safety
    /// There are no arguments, so nothing is asked of the caller.
    pthread_testcancel = cancel::test;
    /// `int pthread_setcancelstate(int state, int *old)`
    ///
    /// # Safety
    /// `old` is null or writable for an `int`.
    pthread_setcancelstate = cancel_flags::set_state;
    /// `int pthread_setcanceltype(int type, int *old)`
    ///
    /// # Safety
    /// `old` is null or writable for an `int`.
    pthread_setcanceltype = cancel_flags::set_type;
    /// `int sigwait(const sigset_t *set, int *signal)`
    ///
    /// # Safety
    /// `set` points to a set, and `signal` is writable for an `int`.
    sigwait = signal::wait::wait;
    /// `int sigwaitinfo(const sigset_t *set, siginfo_t *information)`
    ///
    /// # Safety
    /// `set` points to a set, and `information` is null or writable.
    sigwaitinfo = signal::wait::wait_info;
    /// `int sigtimedwait(const sigset_t *set, siginfo_t *information, const struct timespec *limit)`
    ///
    /// # Safety
    /// `set` points to a set, `information` is null or writable, and `limit` is null or points to a
    /// time.
    sigtimedwait = signal::wait::timed_wait;
    /// `int pause(void)`
    ///
    /// # Safety
    /// There are no arguments, so nothing is asked of the caller.
    pause = signal::wait::pause;
    /// `int sigsuspend(const sigset_t *mask)`
    ///
    /// # Safety
    /// `mask` points to a set.
    sigsuspend = signal::wait::suspend;
    /// `int thrd_join(thrd_t thread, int *result)`
    ///
    /// # Safety
    /// `result` is null or writable for an `int`.
    thrd_join = c11::join;
    /// `int cnd_wait(cnd_t *condvar, mtx_t *mutex)`
    ///
    /// # Safety
    /// `condvar` and `mutex` point to such objects.
    cnd_wait = c11::wait;
    /// `int thrd_sleep(const struct timespec *request, struct timespec *remaining)`
    ///
    /// # Safety
    /// `request` points to a time, and `remaining` is null or writable for one.
    thrd_sleep = c11::sleep;
    /// `int nanosleep(const struct timespec *request, struct timespec *remaining)`
    ///
    /// # Safety
    /// `request` points to a time, and `remaining` is null or writable for one.
    nanosleep = time::nanosleep;
    /// `int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct
    /// timespec *remaining)`
    ///
    /// # Safety
    /// `request` points to a time, and `remaining` is null or writable for one.
    clock_nanosleep = time::clock_nanosleep;
    /// `int usleep(useconds_t microseconds)`
    ///
    /// # Safety
    /// The argument is a number, so nothing is asked of the caller.
    usleep = time::usleep;
    /// `unsigned sleep(unsigned seconds)`
    ///
    /// # Safety
    /// The argument is a number, so nothing is asked of the caller.
    sleep = time::sleep;
}
