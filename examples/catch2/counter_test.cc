#if __has_include(<catch2/catch_all.hpp>) // from version 3 on
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
#include "counter.h"
#include <thread>

// Catch2's macros are for one thread: they look at what the others left.
TEST_CASE("two threads count, each in one step", "[counter]") {
  Counter counter;
  std::thread first([&] { counter.add(1); });
  std::thread second([&] { counter.add(1); });
  first.join();
  second.join();
  CHECK(counter.value() == 2);
}

TEST_CASE("two threads count, each in two steps", "[counter]") {
  Counter counter;
  std::thread first([&] { counter.add_in_two_steps(1); });
  std::thread second([&] { counter.add_in_two_steps(1); });
  first.join();
  second.join();
  CHECK(counter.value() == 2);
}

TEST_CASE("a new counter is zero") { CHECK(Counter().value() == 0); }

#ifdef SKIP // from version 3.3 on
TEST_CASE("a counter is loaded") { SKIP("no disk"); }
#endif
