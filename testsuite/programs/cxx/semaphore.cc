// std::binary_semaphore, std::counting_semaphore: one thread releases, the other acquires.
// acquire() reads the count (V), tries (T: reads it, and takes one if there is one), asks the kernel if
// there was none (F, compares with V), and tries again. The release comes before V, between V and T,
// between T and F, or after F: 4 executions.
//@ revisions: binary counting
//@[binary] cflags: -std=c++20 -DSEMAPHORE=std::binary_semaphore
//@[counting] cflags: -std=c++20 -DSEMAPHORE=std::counting_semaphore<5>
//@ opt: O0 O2
//@ expect: verified
//@ executions: 4
#include <semaphore>
#include <thread>

static SEMAPHORE full(0);
static int box;

int main() {
    std::thread thread([] {
        box = 7;
        full.release();
    });
    full.acquire();
    int got = box;
    thread.join();
    return got == 7 && !full.try_acquire() ? 0 : 1;
}
