// A thread whose load sees the store overwrites the variables of the checker, which is a library in its
// process: as a wild pointer may. The other trace is complete. After the load nothing is left to be
// ordered: the store comes before it, so the death makes no further trace.
//@ revisions: first all
//@ expect: bug
//@ kind: process-death
//@ message: the program overwrites memory of the checker
//@ note: the process died once
//@[all] args: -k
//@[all] executions: 1
//@[all] failed: 1
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int armed;
static char *variables, *end;

// The last part of the checker's writable segment; what comes first the linker made read-only.
static int find(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    if (strstr(object->dlpi_name, "libdpor_rt") == 0) return 0;
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[k];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0) {
            variables = (char *)object->dlpi_addr + header->p_vaddr;
            end = variables + header->p_memsz;
        }
    }
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[k];
        char *start = (char *)object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_RELRO && variables < start + header->p_memsz &&
            start + header->p_memsz < end) {
            variables = start + header->p_memsz;
        }
    }
    return 0;
}

static void *arm(void *unused) {
    atomic_store(&armed, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    dl_iterate_phdr(find, 0);
    pthread_create(&thread, 0, arm, 0);
    int is_armed = atomic_load(&armed);
    pthread_join(thread, 0);
    if (is_armed) {
        memset(variables, -1, end - variables); //~ process-death
    }
    return 0;
}
