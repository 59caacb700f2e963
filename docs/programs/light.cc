#include <atomic>
#include <dpor/scenario.hpp>
// A light that everybody may toggle.
struct Light {
    std::atomic<bool> on{false};
    void toggle()
    {
        bool seen = on;
        while (!on.compare_exchange_weak(seen, !seen)) { }
    }
};
DPOR_SCENARIO(Light, dpor::operation("toggle", [] (auto &light) { light.toggle(); }))
