// Two threads append a letter each to a file of the disk: 2 orders. What one execution writes, the next
// does not find, and the file on_disk.txt beside this one holds three letters for ever.
//@ expect: verified
//@ executions: 2
//@ outcomes: letters=9798 *1 | letters=9897 *1
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name = "programs/files/on_disk.txt";
static int file;

static void *append(void *letter) {
    dpor_assert(write(file, letter, 1) == 1);
    return 0;
}

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t a, b;
    char text[8] = "";
    pthread_create(&a, 0, idle, 0);
    pthread_join(a, 0);
    file = open(name, O_RDWR | O_APPEND);
    dpor_assert(file >= 0);
    pthread_create(&a, 0, append, "a");
    pthread_create(&b, 0, append, "b");
    pthread_join(a, 0);
    pthread_join(b, 0);
    dpor_assert(pread(file, text, 8, 0) == 5 && !memcmp(text, "old", 3));
    dpor_observe("letters", text[3] * 100 + text[4]);
    close(file);
    dpor_assert(unlink(name) == 0);
    return 0;
}
