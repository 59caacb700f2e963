// moodycamel::ReaderWriterQueue with room for one value, which grows: one thread puts, one takes.
#include <dpor/scenario.hpp>
#include <optional>
#include <readerwriterqueue/readerwriterqueue.h>

using Queue = moodycamel::ReaderWriterQueue<int, 2>;

DPOR_SCENARIO(Queue, dpor::made_by([] { return new Queue(1); }),
              dpor::operation("enqueue", [](auto &queue, int value) { return queue.enqueue(value); }, dpor::values(1, 2))
                  .by_one_thread(1),
              dpor::operation("try_enqueue", [](auto &queue, int value) { return queue.try_enqueue(value); }, dpor::values(3))
                  .by_one_thread(1),
              dpor::operation("try_dequeue", [](auto &queue) {
                  int value;
                  return queue.try_dequeue(value) ? std::optional(value) : std::nullopt;
              }).by_one_thread(2))
