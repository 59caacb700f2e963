// FILEs on both ends of a pipe. The writer's lines are written when it closes the FILE, 8 bytes at
// once; the reader's first fgets reads the pipe, and later ones its buffer until the end.
// Events on the pipe: the first use of each FILE asks for its attributes (S1, S2); the writer writes
// (W) and closes (K); the reader reads all data (R1, after W), the end (R2, after K), and closes.
// S1 W K and S2 R1 R2: S2 before W (before or after S1) leaves R1 on both sides of K, 4; S2 between W
// and K, 2; S2 after K, 1: together 7. Both fclose then free an entry of the table of descriptors, in
// both orders: 14 executions.
//@ expect: verified
//@ executions: 14
//@ opt: O0 O2
#include <dpor.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
    FILE *to = fdopen(ends[1], "w");
    fprintf(to, "one\n");
    fprintf(to, "%s\n", "two");
    dpor_assert(fclose(to) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    char line[16];
    dpor_assert(pipe(ends) == 0);
    FILE *from = fdopen(ends[0], "r");
    pthread_create(&thread, 0, writer, 0);
    dpor_assert(fgets(line, sizeof line, from) && !strcmp(line, "one\n"));
    dpor_assert(fgets(line, sizeof line, from) && !strcmp(line, "two\n"));
    dpor_assert(!fgets(line, sizeof line, from));
    fclose(from);
    pthread_join(thread, 0);
    return 0;
}
