#include <atomic>
#include <dpor/scenario.hpp>
// Who wants it writes its number, and has it when the number is still there.
struct Owner {
    std::atomic<int> owner{0};
    void take(int me)
    {
        do
            owner = me;
        while (owner != me);
    }
};
DPOR_SCENARIO(Owner, dpor::operation("take", [] (auto &it, int me) { it.take(me); }, dpor::values(1, 2)))
