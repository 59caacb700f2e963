// A callback of the dynamic linker runs with the linker's lock held. Another thread that needs the
// lock meanwhile would wait on a futex, which is unsupported; the report itself must not need it.
//@ expect: unsupported
//@ reason: a wait on a futex
#include <atomic>
#include <dlfcn.h>
#include <link.h>
#include <thread>

std::atomic<int> cell;

static int callback(dl_phdr_info *, size_t, void *) {
    cell.fetch_add(cell.load() + 1);
    return 0;
}

int main() {
    std::thread thread([] { dl_iterate_phdr(callback, nullptr); });
    cell.store(1);
    dl_iterate_phdr(callback, nullptr);
    thread.join();
}
