// boost::lockfree::spsc_queue for two values: one thread pushes, one pops.
#include <boost/lockfree/spsc_queue.hpp>
#include <dpor/scenario.hpp>
#include <optional>

using Queue = boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>;

DPOR_SCENARIO(Queue,
              dpor::operation("push", [](auto &queue, int value) { return queue.push(value); }, dpor::values(1, 2))
                  .by_one_thread(1),
              dpor::operation("pop", [](auto &queue) {
                  int value;
                  return queue.pop(value) ? std::optional(value) : std::nullopt;
              }).by_one_thread(2))
