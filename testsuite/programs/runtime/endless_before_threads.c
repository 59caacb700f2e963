// What a program does before its second thread takes wall time like everything else, and may never end. The limit of time ends
// it, whatever it is at: nothing was explored.
//
//@ revisions: spins sleeps pauses reads ignores
//@ opt: O0
//@ checkpoint: snapshot
//@ parts: no
//@ expect: incomplete
//@ executions: 0
//@ args: --time-limit=0.3
//@ reason: time-limit: 0.3 s, before the program had a second thread
//@[spins] cflags: -DSPINS
//@[sleeps] cflags: -DSLEEPS
//@[pauses] cflags: -DPAUSES
//@[reads] cflags: -DREADS
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int cell;

int main(void)
{
#if defined SPINS
    for (;;)
        atomic_load(&cell);
#elif defined SLEEPS
    sleep(1000);
#elif defined PAUSES
    for (;;)
        pause();
#elif defined READS
    /* An empty pipe that somebody could still write to: itself. */
    int ends[2];
    char byte;
    if (pipe(ends) == 0)
        (void)!read(ends[0], &byte, 1);
#else
    /* Whoever ends it must not ask. */
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    nanosleep(&(struct timespec){1000, 0}, 0);
#endif
    return atomic_load(&cell);
}
