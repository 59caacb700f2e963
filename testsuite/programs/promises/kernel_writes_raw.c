// Every system call by which the kernel writes into memory, made without libc's wrappers (which the
// runtime could stand in for), into a page that nobody wrote since the root: it succeeds, the answer
// is there, and the page is clean again in the next execution. With the write to a protected page
// left as it is, the kernel would answer EFAULT. A choice of two gives two executions, the second after a restore.
//@ expect: verified
//@ executions: 2
//@ stdin: some words of input
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 64 };

// Each call below has a page of its own, in this order.
static _Alignas(PAGE) unsigned char pages[PAGES][PAGE];
static int used;

// A page as the root has it: 0xa5, which no answer consists of.
static void *clean(void) {
    dpor_assert(used < PAGES);
    unsigned char *page = pages[used++];
    for (int i = 0; i < PAGE; i++) dpor_assert(page[i] == 0xa5);
    return page;
}

// Whether the first bytes were written.
static int changed(const void *page, int bytes) {
    const unsigned char *at = page;
    int same = 0;
    for (int i = 0; i < bytes; i++) same += at[i] == 0xa5;
    return same < bytes;
}

#define DONE(result, page, bytes) dpor_assert((result) >= 0 && changed((page), (bytes)))

static void files(void) {
    int file = syscall(SYS_openat, AT_FDCWD, "/proc/self/exe", O_RDONLY, 0);
    dpor_assert(file >= 0);
    void *p = clean();
    dpor_assert(syscall(SYS_read, file, p, 100) == 100 && !memcmp(p, "\177ELF", 4));
    p = clean();
    dpor_assert(syscall(SYS_pread64, file, p, 100, 1L) == 100 && !memcmp(p, "ELF", 3));
    // Two pages that follow each other, from the middle of one to the middle of the next.
    char *two = clean();
    clean();
    dpor_assert(syscall(SYS_pread64, file, two + 2048, PAGE, 0L) == PAGE);
    dpor_assert(!memcmp(two + 2048, "\177ELF", 4));
    struct iovec pieces[2] = {{clean(), 4}, {clean(), 8}};
    dpor_assert(syscall(SYS_preadv, file, pieces, 2, 0L, 0L) == 12);
    dpor_assert(!memcmp(pieces[0].iov_base, "\177ELF", 4) && changed(pieces[1].iov_base, 8));
    pieces[0].iov_base = clean();
    pieces[1].iov_base = clean();
    dpor_assert(syscall(SYS_lseek, file, 0L, SEEK_SET) == 0);
    dpor_assert(syscall(SYS_readv, file, pieces, 2) == 12);
    dpor_assert(!memcmp(pieces[0].iov_base, "\177ELF", 4) && changed(pieces[1].iov_base, 8));
    p = clean();
    DONE(syscall(SYS_fstat, file, p), p, sizeof(struct stat));
    p = clean();
    DONE(syscall(SYS_newfstatat, file, "", p, AT_EMPTY_PATH), p, sizeof(struct stat));
    p = clean();
    DONE(syscall(SYS_statx, file, "", AT_EMPTY_PATH, STATX_BASIC_STATS, p), p, 256);
    syscall(SYS_close, file);
    p = clean();
    DONE(syscall(SYS_stat, "/", p), p, sizeof(struct stat));
    p = clean();
    DONE(syscall(SYS_lstat, "/", p), p, sizeof(struct stat));
    p = clean();
    DONE(syscall(SYS_readlink, "/proc/self/exe", p, 100L), p, 4);
    p = clean();
    DONE(syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", p, 100L), p, 4);
    p = clean();
    DONE(syscall(SYS_getcwd, p, (long)PAGE), p, 2);
    int folder = syscall(SYS_openat, AT_FDCWD, "/proc/self", O_RDONLY | O_DIRECTORY, 0);
    p = clean();
    DONE(syscall(SYS_getdents64, folder, p, (long)PAGE), p, 16);
    syscall(SYS_close, folder);
    int random = syscall(SYS_open, "/dev/urandom", O_RDONLY, 0);
    p = clean();
    DONE(syscall(SYS_read, random, p, 64L), p, 64);
    syscall(SYS_close, random);
    p = clean();
    dpor_assert(syscall(SYS_read, 0, p, 4L) == 4 && !memcmp(p, "some", 4));
}

static void clocks(void) {
    void *p = clean();
    DONE(syscall(SYS_clock_gettime, CLOCK_REALTIME, p), p, 16);
    p = clean();
    DONE(syscall(SYS_clock_getres, CLOCK_REALTIME, p), p, 16);
    p = clean();
    DONE(syscall(SYS_gettimeofday, p, 0L), p, 16);
    p = clean();
    DONE(syscall(SYS_time, p), p, 8);
    p = clean();
    DONE(syscall(SYS_times, p), p, sizeof(struct tms));
}

static void process(void) {
    void *p = clean();
    DONE(syscall(SYS_uname, p), p, sizeof(struct utsname));
    p = clean();
    DONE(syscall(SYS_sysinfo, p), p, sizeof(struct sysinfo));
    p = clean();
    DONE(syscall(SYS_getrusage, RUSAGE_SELF, p), p, sizeof(struct rusage));
    p = clean();
    DONE(syscall(SYS_getrlimit, RLIMIT_NOFILE, p), p, sizeof(struct rlimit));
    p = clean();
    DONE(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0L, p), p, sizeof(struct rlimit));
    p = clean();
    DONE(syscall(SYS_sched_getaffinity, 0, 128L, p), p, 8);
    p = clean();
    DONE(syscall(SYS_sched_getparam, 0, p), p, 4);
    void *real = clean(), *effective = clean(), *saved = clean();
    DONE(syscall(SYS_getresuid, real, effective, saved), real, 4);
    dpor_assert(changed(effective, 4) && changed(saved, 4));
    p = clean();
    DONE(syscall(SYS_getresgid, p, p, p), p, 4);
    int groups = syscall(SYS_getgroups, 0, 0L);
    p = clean();
    if (groups > 0 && groups < 1024) DONE(syscall(SYS_getgroups, groups, p), p, 4 * groups);
    void *node = clean();
    p = clean();
    DONE(syscall(SYS_getcpu, p, node, 0L), p, 4);
    dpor_assert(changed(node, 4));
    p = clean();
    DONE(syscall(SYS_getrandom, p, 64L, 0), p, 64);
    p = clean();
    DONE(syscall(SYS_prctl, PR_GET_NAME, p), p, 16);
    p = clean();
    DONE(syscall(SYS_arch_prctl, ARCH_GET_FS, p), p, 8);
    p = clean();
    DONE(syscall(SYS_mincore, pages, 3L * PAGE, p), p, 3);
}

static void signals(void) {
    long none = 0;
    void *p = clean();
    DONE(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &none, p, 8L), p, 8);
    p = clean();
    DONE(syscall(SYS_rt_sigaction, SIGUSR1, 0L, p, 8L), p, 32);
    p = clean();
    DONE(syscall(SYS_rt_sigpending, p, 8L), p, 8);
    p = clean();
    DONE(syscall(SYS_sigaltstack, 0L, p), p, 20);
}

// Neither stacks nor thread-local storage are ever protected; the kernel writes there as always.
static _Thread_local char local[64];

static void unprotected(void) {
    char stack[64] = "";
    dpor_assert(syscall(SYS_getcwd, stack, sizeof stack) != 0);
    dpor_assert(syscall(SYS_getrandom, local, sizeof local, 0) == sizeof local);
}

static void *work(void *unused) {
    dpor_observe("chosen", dpor_choose(2));
    files();
    clocks();
    process();
    signals();
    unprotected();
    return unused;
}

int main(void) {
    pthread_t thread;
    memset(pages, 0xa5, sizeof pages);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    unprotected();
    return 0;
}
