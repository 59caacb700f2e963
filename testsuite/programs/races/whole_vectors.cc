// whole_pages.c with vectors: two threads work on the halves of one, each behind work on a vector of its own, and meet in it in
// one way or another. The lock orders nothing of it: its two orders are the executions.
//@ revisions: halves raced grown
//@ opt: O0 O2
//@[halves] cflags: -DHALVES
//@[halves] expect: verified
//@[halves] executions: 2
//@[raced] cflags: -DRACED
//@[raced] expect: bug
//@[raced] kind: data-race
//@[grown] cflags: -DGROWN
//@[grown] expect: verified
//@[grown] executions: 2
#include <mutex>
#include <thread>
#include <vector>

using Bytes = std::vector<unsigned char>;

static std::mutex lock;
static unsigned total;

static unsigned work(Bytes &bytes, size_t from, size_t to, unsigned sum)
{
    for (size_t at = from; at < to; at++) {
        sum = sum * 5 + bytes[at];
        bytes[at] = static_cast<unsigned char>(sum);
    }
    return sum;
}

static void work_alone()
{
    Bytes own(300000, 2);
    work(own, 0, own.size(), 1);
}

static void meet(unsigned sum)
{
    std::lock_guard<std::mutex> guard(lock);
    total += sum;
}

int main()
{
    Bytes all(300000, 1);
    const size_t half = all.size() / 2 + 100;
    std::thread other([&] {
        work_alone();
#if RACED
        meet(work(all, 0, half + 1, 1));
#elif GROWN
        // Its memory is another one each time that it doubles.
        Bytes grows;
        for (unsigned i = 0; i < 300000; i++)
            grows.push_back(static_cast<unsigned char>(i * 3));
        meet(work(grows, 0, grows.size(), 2));
        work(all, 0, half, 1);
#else
        meet(work(all, 0, half, 1));
#endif
    });
    work_alone();
    work(all, half, all.size(), 2);
    meet(3);
    other.join();
    all.resize(400000);
    work(all, 0, all.size(), 2);
    return total == 42;
}
