// boost::lockfree::stack with four nodes, which are used again: with as many as are in it, a push may find none while a pop has not given its node back.
#include <boost/lockfree/stack.hpp>
#include <dpor/scenario.hpp>
#include <optional>

using Stack = boost::lockfree::stack<int, boost::lockfree::fixed_sized<true>>;

DPOR_SCENARIO(Stack, dpor::made_by([] { return new Stack(4); }),
              dpor::operation("push", [](auto &stack, int value) { return stack.push(value); }, dpor::values(1, 2)),
              dpor::operation("pop", [](auto &stack) {
                  int value;
                  return stack.pop(value) ? std::optional(value) : std::nullopt;
              }))
