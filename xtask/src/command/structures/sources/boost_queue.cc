// boost::lockfree::queue with four nodes, which are used again.
#include <boost/lockfree/queue.hpp>
#include <dpor/scenario.hpp>
#include <optional>

using Queue = boost::lockfree::queue<int, boost::lockfree::fixed_sized<true>>;

DPOR_SCENARIO(Queue, dpor::made_by([] { return new Queue(4); }),
              dpor::operation("push", [](auto &queue, int value) { return queue.push(value); }, dpor::values(1, 2)),
              dpor::operation("pop", [](auto &queue) {
                  int value;
                  return queue.pop(value) ? std::optional(value) : std::nullopt;
              }))
