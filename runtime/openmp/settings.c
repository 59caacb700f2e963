#include "settings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct settings dpor_omp_first_settings = {
    .threads = THREADS_DEFAULT,
    .active_levels_max = 1,
    .schedule = SCHEDULE_STATIC,
};

#define LEVELS_LISTED 8
static int listed[LEVELS_LISTED];

static void read_threads(const char *text)
{
    for (int level = 0; level < LEVELS_LISTED && *text; level++) {
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text || value < 1 || value > INT_MAX)
            return;
        listed[level] = (int)value;
        text = *end == ',' ? end + 1 : end;
    }
}

static void read_schedule(const char *text)
{
    static const struct { const char *name; int schedule; } names[] = {
        {"static", SCHEDULE_STATIC}, {"dynamic", SCHEDULE_DYNAMIC},
        {"guided", SCHEDULE_GUIDED}, {"auto", SCHEDULE_AUTO},
    };
    const char *colon = strchr(text, ':');
    if (colon)
        text = colon + 1;
    size_t length = strcspn(text, ",");
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        if (strlen(names[at].name) == length && strncasecmp(text, names[at].name, length) == 0)
            dpor_omp_first_settings.schedule = names[at].schedule;
    }
    if (text[length] == ',')
        dpor_omp_first_settings.chunk = atoi(text + length + 1);
}

static bool is_true(const char *name)
{
    const char *value = getenv(name);
    return value && (strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

void dpor_omp_read_environment(void)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    if (threads)
        read_threads(threads);
    if (listed[0])
        dpor_omp_first_settings.threads = listed[0];
    const char *schedule = getenv("OMP_SCHEDULE");
    if (schedule)
        read_schedule(schedule);
    if (listed[1] || is_true("OMP_NESTED"))
        dpor_omp_first_settings.active_levels_max = INT_MAX;
    const char *levels = getenv("OMP_MAX_ACTIVE_LEVELS");
    if (levels && atoi(levels) >= 0)
        dpor_omp_first_settings.active_levels_max = atoi(levels);
    if (is_true("OMP_CANCELLATION"))
        dpor_omp_unsupported("OMP_CANCELLATION=true is not supported; without it, cancel has no effect");
}

int dpor_omp_threads_of_level(int level) { return level >= 0 && level < LEVELS_LISTED ? listed[level] : 0; }
