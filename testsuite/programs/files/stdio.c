// The same through FILEs: fopen, fprintf, rename, fgets, remove.
//@ expect: verified
//@ executions: 1
//@ opt: O0 O2
#include <dpor.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME "/tmp/dpor_files_stdio"

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    char line[32];
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    FILE *to = fopen(NAME ".new", "w");
    dpor_assert(to != 0);
    fprintf(to, "%d\n%s\n", 42, "last");
    dpor_assert(fclose(to) == 0);
    dpor_assert(rename(NAME ".new", NAME) == 0);
    dpor_assert(!fopen(NAME ".new", "r") && errno == ENOENT);
    FILE *from = fopen(NAME, "r+");
    dpor_assert(fgets(line, sizeof line, from) && !strcmp(line, "42\n"));
    dpor_assert(fgets(line, sizeof line, from) && !strcmp(line, "last\n"));
    dpor_assert(!fgets(line, sizeof line, from) && feof(from));
    rewind(from);
    dpor_assert(fputs("99", from) > 0 && fflush(from) == 0);
    rewind(from);
    dpor_assert(fgets(line, sizeof line, from) && !strcmp(line, "99\n"));
    fclose(from);
    dpor_assert(remove(NAME) == 0 && access(NAME, F_OK) == -1);
    return 0;
}
