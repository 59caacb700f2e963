// pthread_exit deep inside C++ frames: their destructors run, innermost first, then the
// thread_local ones. catch (...) sees the unwinding and passes it on. Both threads do it; they share
// nothing, so there is one trace.
//@ expect: verified
//@ executions: 1
//@ opt: O0 O2
#include <cassert>
#include <pthread.h>

struct Log {
    int steps = 0;
    int order[4] = {};
};

struct Leaves {
    Log *log;
    int name;
    ~Leaves() { log->order[log->steps++] = name; }
};

static thread_local Leaves last{nullptr, 0};

__attribute__((noinline)) static void deep(Log *log, int depth) {
    Leaves frame{log, depth};
    if (depth == 1) pthread_exit(log);
    try {
        deep(log, depth - 1);
    } catch (...) {
        throw;
    }
}

static void *work(void *log) {
    last.log = static_cast<Log *>(log);
    last.name = 9;
    deep(static_cast<Log *>(log), 3);
    return nullptr;
}

int main() {
    Log logs[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], nullptr, work, &logs[i]);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert(result == &logs[i] && logs[i].steps == 4);
        for (int k = 0; k < 3; k++) assert(logs[i].order[k] == k + 1);
        assert(logs[i].order[3] == 9);
    }
    return 0;
}
