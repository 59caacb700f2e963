// Constructs of OpenMP by two threads; the argument says which.
#include <assert.h>
#include <omp.h>
#include <string.h>

static void reduction(void) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int k = 1; k <= 4; k++) sum += k;
    assert(sum == 10);
}

static void racy_sum(void) {
    int sum = 0;
#pragma omp parallel for
    for (int k = 1; k <= 4; k++) sum += k;
}

static void atomic(void) {
    int sum = 0;
#pragma omp parallel
    {
#pragma omp atomic
        sum++;
    }
    assert(sum == 2);
}

static void critical(void) {
    int sum = 0;
#pragma omp parallel
    {
#pragma omp critical
        sum++;
    }
    assert(sum == 2);
}

static void barrier(void) {
    int given[2] = {0, 0}, seen[2] = {0, 0};
#pragma omp parallel
    {
        int self = omp_get_thread_num();
        given[self] = self + 1;
#pragma omp barrier
        seen[self] = given[1 - self];
    }
    assert(seen[0] == 2 && seen[1] == 1);
}

static void no_barrier(void) {
    int given[2] = {0, 0}, seen[2] = {0, 0};
#pragma omp parallel
    {
        int self = omp_get_thread_num();
        given[self] = self + 1;
        seen[self] = given[1 - self];
    }
}

static void task(void) {
    int half = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(half)
        half = 1;
#pragma omp taskwait
        assert(half == 1);
    }
}

static void racy_task(void) {
    int half = 0;
#pragma omp parallel shared(half)
    {
#pragma omp single nowait
        {
#pragma omp task shared(half)
            half = 1;
        }
        if (omp_get_thread_num() == 1) half = 2;
    }
}

int main(int count, char **arguments) {
    struct {
        const char *name;
        void (*run)(void);
    } all[] = {
        {"reduction", reduction}, {"racy-sum", racy_sum}, {"atomic", atomic}, {"critical", critical},
        {"barrier", barrier},     {"no-barrier", no_barrier}, {"task", task}, {"racy-task", racy_task},
    };
    omp_set_num_threads(2);
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        if (count > 1 && !strcmp(arguments[1], all[k].name)) {
            all[k].run();
            return 0;
        }
    return 2;
}
