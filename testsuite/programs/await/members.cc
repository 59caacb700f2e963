// Turns that look at a string under a mutex and change a variable of their own by a member of it that is const: what the
// member writes is no string of its own. The first turn changes the variable, the second finds it changed and is the
// last: none is in vain, and the loop ends whatever the other thread does.
//
// [copies] `copy` writes to a buffer. [parts] `substr` returns another string.
//@ revisions: copies parts
//@ opt: O0 O1 O2
//@ expect: verified
//@ outcomes: last=98
//@[copies] cflags: -DCOPIES
#include <dpor.h>
#include <mutex>
#include <string>
#include <thread>

static std::mutex m;
static std::string state = "b";

int main() {
    std::thread other([] { std::lock_guard<std::mutex> guard(m); });
#ifdef COPIES
    char last[2] = "a";
    for (;;) {
        std::lock_guard<std::mutex> guard(m);
        char before = last[0];
        state.copy(last, 1, 0);
        if (before == 'b') break;
    }
    char end = last[0];
#else
    std::string last = "a";
    for (;;) {
        std::lock_guard<std::mutex> guard(m);
        bool was = last == "b";
        last = state.substr(0, 1);
        if (was) break;
    }
    char end = last[0];
#endif
    other.join();
    dpor_observe("last", end);
}
