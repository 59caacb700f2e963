/* A program that looks instrumented and speaks the runtime's side of the channel as it is told:
 *   program FILE exit N      writes FILE to the channel, exits with N
 *   program FILE signal N    writes FILE, dies of signal N
 *   program FILE wait        writes the first line of FILE, waits for SIGINT or SIGTERM, writes
 *                            the rest, exits with 0
 *   program FILE fork        writes FILE, leaves behind a child that holds the channel open
 *   program FILE stubborn    writes FILE, ignores SIGINT and SIGTERM
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ABI /* the tests put the number here */
#define ABI VERSION
#endif

struct module {
    unsigned magic, abi_version;
    const char *name;
    unsigned counts[4];
    unsigned long reserved[3];
};
#ifndef PLAIN
__attribute__((section("dpor_modules"), used)) static struct module module = {
    0x726f7064, ABI, "program.c", {0}, {0}};
#endif

int runtime_is_here(void);

static int channel(void)
{
    const char *options = getenv("DPOR_OPTIONS");
    const char *at = options ? strstr(options, "channel=") : 0;
    return at ? atoi(at + strlen("channel=")) : -1;
}

static void send(FILE *from, int lines)
{
    char line[65536];
    while (lines-- && fgets(line, sizeof line, from))
        if (write(channel(), line, strlen(line)) < 0)
            _exit(99);
}

static volatile sig_atomic_t stopped;
static void stop(int signal) { (void)signal; stopped = 1; }

int main(int argc, char **argv)
{
    if (argc < 3) {
        static const char loaded[] = "\"loaded\"\n";
        if (write(channel(), loaded, sizeof loaded - 1) < 0)
            return 99;
        return runtime_is_here() ? 0 : 1;
    }
    FILE *from = fopen(argv[1], "r");
    if (!from)
        return 98;
    if (!strcmp(argv[2], "wait")) {
        sigset_t both, before;
        sigemptyset(&both);
        sigaddset(&both, SIGINT);
        sigaddset(&both, SIGTERM);
        sigprocmask(SIG_BLOCK, &both, &before);
        signal(SIGINT, stop);
        signal(SIGTERM, stop);
        send(from, 1);
        puts("ready");
        fflush(stdout);
        while (!stopped)
            sigsuspend(&before);
        send(from, -1);
        return 0;
    }
    if (!strcmp(argv[2], "stubborn")) {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        send(from, -1);
        puts("ready");
        fflush(stdout);
        for (;;)
            pause();
    }
    send(from, -1);
    if (!strcmp(argv[2], "fork")) {
        if (fork() == 0) {
            close(0), close(1), close(2);
            sleep(20);
        }
        return 0;
    }
    if (!strcmp(argv[2], "signal"))
        raise(atoi(argv[3]));
    return atoi(argv[3]);
}
