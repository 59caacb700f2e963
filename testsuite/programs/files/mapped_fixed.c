// Files that are mapped at fixed addresses (MAP_FIXED): a private one, in memory that the thread had reserved,
// which stays as it was before and after it; again in the same place, so that what was stored there is gone; and
// a shared one over itself. native: the kernel says so too.
// One thread at a time: one execution.
//@ revisions: checked native
//@[checked] expect: verified
//@[checked] executions: 1
//@[native] mode: off
//@[native] exit: 0
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BOTH (PROT_READ | PROT_WRITE)
#define PAGE 4096

static int copied, shared;

static int made(const char *text) {
    char name[] = "/tmp/dpor_files_fixedXXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    return fd;
}

static void *thread(void *unused) {
    char *room = mmap(0, 3 * PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), text[4] = "";
    room[PAGE - 1] = 'a', room[PAGE] = 'b', room[2 * PAGE] = 'c';
    char *middle = mmap(room + PAGE, PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, copied, 0);
    assert(middle == room + PAGE && !memcmp(middle, "xyz\0", 4));
    assert(room[PAGE - 1] == 'a' && room[2 * PAGE] == 'c' && middle[PAGE - 1] == 0);
    middle[0] = 'w';
    assert(pread(copied, text, 3, 0) == 3 && !strcmp(text, "xyz"));
    assert(mmap(middle, 2, PROT_READ, MAP_PRIVATE | MAP_FIXED, copied, 0) == middle && middle[0] == 'x');
    // Anonymous memory again.
    assert(mmap(middle, PAGE, BOTH, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == middle);
    assert(middle[0] == 0);
    errno = 0;
    assert(mmap(room + 1, PAGE, BOTH, MAP_PRIVATE | MAP_FIXED, copied, 0) == MAP_FAILED && errno == EINVAL);

    char *all = mmap(0, 2 * PAGE, BOTH, MAP_SHARED, shared, 0);
    all[0] = 'm', all[PAGE] = 'n';
    assert(mmap(all + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, shared, PAGE) == all + PAGE);
    assert(mmap(all, PAGE, BOTH, MAP_SHARED | MAP_FIXED, shared, 0) == all);
    assert(all[0] == 'm' && all[PAGE] == 'n');
    all[1] = 'o';
    assert(pread(shared, text, 2, 0) == 2 && text[0] == 'm' && text[1] == 'o');
    assert(pread(shared, text, 1, PAGE) == 1 && text[0] == 'n');
    errno = 0;
    assert(mmap(all + 1, PAGE, BOTH, MAP_SHARED | MAP_FIXED, shared, 0) == MAP_FAILED && errno == EINVAL);
    return unused;
}

int main(void) {
    pthread_t created;
    copied = made("xyz");
    shared = made("p");
    assert(ftruncate(shared, 2 * PAGE) == 0);
    pthread_create(&created, 0, thread, 0);
    pthread_join(created, 0);
    return 0;
}
