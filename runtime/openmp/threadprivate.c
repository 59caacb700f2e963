/* threadprivate: each worker has its own copy of a variable, which lasts from region to region.
 *
 * dpor-cc has the compiler ask for the copies (-fnoopenmp-use-tls): the threads of each region are new
 * ones, and a task has a thread of its own, so thread-local storage would not last. The initial thread
 * has the variable itself; a worker's copy begins with the value that the variable had when the program
 * began, which is that of the file that it was loaded from. */
#define _GNU_SOURCE
#include "internal.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

/* What a file's data was when it was loaded; behind it are zeros. */
struct image {
    struct image *next;
    const char *address;
    size_t bytes;
    char data[];
};

static struct image *images;

struct registered {
    struct registered *next;
    const void *variable;
    void *(*construct)(void *);
    void *(*copy)(void *, void *);
    void (*destruct)(void *);
};

static struct registered *registered;

static int remember(struct dl_phdr_info *file, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int at = 0; at < file->dlpi_phnum; at++) {
        const ElfW(Phdr) *part = &file->dlpi_phdr[at];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W) || strstr(file->dlpi_name, "/libdpor_rt.so"))
            continue;
        struct image *image = dpor_omp_allocate(1, sizeof *image + part->p_filesz);
        image->address = (const char *)(file->dlpi_addr + part->p_vaddr);
        image->bytes = part->p_filesz;
        memcpy(image->data, image->address, image->bytes);
        image->next = images;
        images = image;
    }
    return 0;
}

void dpor_omp_remember_initial_values(void) { dl_iterate_phdr(remember, NULL); }

static void initialize(char *bytes, const char *variable, size_t size)
{
    for (const struct image *image = images; image; image = image->next) {
        if (variable >= image->address && variable < image->address + image->bytes) {
            size_t there = (size_t)(image->address + image->bytes - variable);
            memcpy(bytes, image->data + (variable - image->address), there < size ? there : size);
        }
    }
}

void __kmpc_threadprivate_register(struct ident *place, void *variable, void *(*construct)(void *),
                                   void *(*copy)(void *, void *), void (*destruct)(void *))
{
    (void)place;
    struct registered *one = dpor_omp_allocate(1, sizeof *one);
    *one = (struct registered){registered, variable, construct, copy, destruct};
    registered = one;
}

void *__kmpc_threadprivate_cached(struct ident *place, int32_t id, void *variable, size_t size, void ***cache)
{
    (void)place, (void)id, (void)cache;
    struct worker *worker = dpor_omp_worker_of(dpor_omp_current());
    if (worker->is_initial)
        return variable;
    for (struct copy *copy = worker->copies; copy; copy = copy->next) {
        if (copy->variable == variable)
            return copy->bytes;
    }
    struct copy *copy = dpor_omp_allocate(1, sizeof *copy);
    *copy = (struct copy){worker->copies, variable, dpor_omp_allocate(1, size), NULL};
    initialize(copy->bytes, variable, size);
    for (const struct registered *one = registered; one; one = one->next) {
        if (one->variable != variable)
            continue;
        if (one->construct)
            one->construct(copy->bytes);
        copy->destruct = one->destruct;
    }
    worker->copies = copy;
    return copy->bytes;
}
