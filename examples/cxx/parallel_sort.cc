// Merge sort that gives the left half to another thread.
//
// Buggy: the left half ends behind the middle instead of before it, so that the halves share an element.
// Fixed: it ends where the right half begins.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

template <typename Iterator> void parallel_sort(Iterator first, Iterator last, int depth) {
  const auto size = std::distance(first, last);
  if (depth == 0 || size < 2) {
    std::sort(first, last);
    return;
  }
  const Iterator middle = first + size / 2;
#ifdef FIXED
  const Iterator left_end = middle;
#else
  const Iterator left_end = middle + 1;
#endif
  std::thread left([=] { parallel_sort(first, left_end, depth - 1); });
  parallel_sort(middle, last, depth - 1);
  left.join();

  std::vector<typename std::iterator_traits<Iterator>::value_type> merged;
  std::merge(std::make_move_iterator(first), std::make_move_iterator(middle), std::make_move_iterator(middle),
             std::make_move_iterator(last), std::back_inserter(merged));
  std::move(merged.begin(), merged.end(), first);
}

int main() {
  std::vector<std::string> words = {"quick", "brown", "fox",  "jumps", "over", "the",
                                    "lazy",  "dog",   "and", "runs",  "away", "again"};
  std::vector<std::string> expected = words;
  std::sort(expected.begin(), expected.end());

  parallel_sort(words.begin(), words.end(), 2);
  assert(words == expected);
}
