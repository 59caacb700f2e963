// A checkpoint in the midst of a directory scan: the position of the kernel's descriptor and what
// libc's stream has buffered go back together. One thread reads the directory of the tasks of this
// process entry by entry with a small buffer, so that the kernel is asked again and again; between
// its reads it meets the other thread at a cell. Each execution sees each entry once.
// Three additions by each of two threads to one cell, results used: 6! / (3! 3!) = 20.
//@ expect: verified
//@ executions: 20
#define _GNU_SOURCE
#include <dirent.h>
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

atomic_int cell;
int seen[2];

// Entries in one piece of the directory; their numbers are added to `sum`.
static int piece(int folder, long *sum) {
    char buffer[200];
    int count = 0;
    long bytes = getdents64(folder, buffer, sizeof buffer);
    dpor_assert(bytes >= 0);
    for (long at = 0; at < bytes;) {
        struct dirent64 *entry = (struct dirent64 *)(buffer + at);
        count += entry->d_name[0] != '.';
        *sum += atol(entry->d_name);
        at += entry->d_reclen;
    }
    return count;
}

static int rest(int folder, long *sum) {
    int count = 0;
    for (int more; (more = piece(folder, sum));) count += more;
    return count;
}

static void *scan(void *unused) {
    long known_sum = 0, sum = 0, stream_sum = 0;
    int whole = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    int known = rest(whole, &known_sum);
    close(whole);
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    int count = piece(folder, &sum);
    seen[0] += atomic_fetch_add(&cell, 1);
    DIR *stream = opendir("/proc/self/task");
    int stream_count = 0;
    for (struct dirent *entry; stream_count < 5 && (entry = readdir(stream));)
        if (entry->d_name[0] != '.') stream_count++, stream_sum += atol(entry->d_name);
    seen[0] += atomic_fetch_add(&cell, 1);
    count += piece(folder, &sum);
    for (struct dirent *entry; (entry = readdir(stream));)
        if (entry->d_name[0] != '.') stream_count++, stream_sum += atol(entry->d_name);
    seen[0] += atomic_fetch_add(&cell, 1);
    count += rest(folder, &sum);
    closedir(stream);
    close(folder);
    dpor_assert(count == known && sum == known_sum);
    dpor_assert(stream_count == known && stream_sum == known_sum);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, scan, 0);
    for (int i = 0; i < 3; i++) seen[1] += atomic_fetch_add(&cell, 1);
    pthread_join(thread, 0);
    dpor_observe("scanner", seen[0]);
    dpor_observe("other", seen[1]);
    return 0;
}
