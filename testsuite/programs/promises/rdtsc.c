// The time stamp counter, and the clock that the kernel offers without a system call (vDSO), show
// virtual time: the same in every execution and in both orders of a store and a load (one outcome),
// and growing. Compared with main's first reading, as the root is at another time in each check.
//@ expect: verified
//@ executions: 2
//@ outcomes-distinct: 1
#include <dpor.h>
#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <x86intrin.h>

atomic_int cell;
unsigned long counted[2];
long shown;

// The vDSO's clock_gettime, found by hand as language runtimes do.
static int (*find(void))(clockid_t, struct timespec *) {
    char *image = (char *)getauxval(AT_SYSINFO_EHDR);
    if (!image) return 0;
    Elf64_Ehdr *header = (Elf64_Ehdr *)image;
    Elf64_Phdr *segment = (Elf64_Phdr *)(image + header->e_phoff);
    Elf64_Dyn *dynamic = 0;
    for (int i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_DYNAMIC) dynamic = (Elf64_Dyn *)(image + segment[i].p_offset);
    Elf64_Sym *symbols = 0;
    char *names = 0;
    unsigned *hash = 0;
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        char *at = image + dynamic->d_un.d_ptr;
        if (dynamic->d_tag == DT_SYMTAB) symbols = (Elf64_Sym *)at;
        if (dynamic->d_tag == DT_STRTAB) names = at;
        if (dynamic->d_tag == DT_HASH) hash = (unsigned *)at;
    }
    // Without DT_HASH the number of symbols is not told; the table of names follows the symbols.
    unsigned count = hash ? hash[1] : (unsigned)((names - (char *)symbols) / sizeof(Elf64_Sym));
    for (unsigned i = 0; symbols && i < count; i++)
        if (!strcmp(names + symbols[i].st_name, "__vdso_clock_gettime"))
            return (int (*)(clockid_t, struct timespec *))(image + symbols[i].st_value);
    return 0;
}

static void *work(void *unused) {
    unsigned aux;
    counted[0] = __rdtsc();
    counted[1] = __rdtscp(&aux);
    dpor_assert(aux == 0);
    int (*now)(clockid_t, struct timespec *) = find();
    if (now) {
        struct timespec time;
        dpor_assert(now(CLOCK_MONOTONIC, &time) == 0);
        shown = time.tv_sec * 1000000000 + time.tv_nsec;
    }
    atomic_store(&cell, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    unsigned long base = __rdtsc();
    atomic_load(&cell);
    pthread_join(thread, 0);
    dpor_assert(counted[1] > counted[0]);
    dpor_observe("first", (long)(counted[0] - base));
    dpor_observe("second", (long)(counted[1] - base));
    dpor_observe("shown", shown ? shown - (long)base : 0);
    return 0;
}
