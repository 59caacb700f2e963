/* What the environment says. */
#ifndef DPOR_OPENMP_SETTINGS_H
#define DPOR_OPENMP_SETTINGS_H

#include "internal.h"

/* Threads of a region where nothing says how many: the smallest number that shows a race. */
#define THREADS_DEFAULT 2

extern struct settings dpor_omp_first_settings;

/* Reads OMP_NUM_THREADS, OMP_SCHEDULE, OMP_MAX_ACTIVE_LEVELS, OMP_NESTED, OMP_CANCELLATION. Called once, before there are threads. */
void dpor_omp_read_environment(void);

/* The number of threads that OMP_NUM_THREADS gives to regions of a level, if it is a list that long; otherwise 0. */
int dpor_omp_threads_of_level(int level);

#endif
