#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include "counter.h"
#include <thread>

TEST_CASE("two threads count, each in one step") {
  Counter counter;
  std::thread first([&] { counter.add(1); });
  std::thread second([&] { counter.add(1); });
  first.join();
  second.join();
  CHECK(counter.value() == 2);
}

TEST_CASE("two threads count, each in two steps") {
  Counter counter;
  std::thread first([&] { counter.add_in_two_steps(1); });
  std::thread second([&] { counter.add_in_two_steps(1); });
  first.join();
  second.join();
  CHECK(counter.value() == 2);
}

TEST_CASE("two threads count from what is there") {
  int begin = 0;
  SUBCASE("nothing") {}
  SUBCASE("one") { begin = 1; }
  Counter counter;
  counter.add(begin);
  std::thread first([&] { counter.add(1); });
  counter.add(1);
  first.join();
  CHECK(counter.value() == begin + 2);
}

TEST_CASE_TEMPLATE("a new counter is zero", T, int, long) { CHECK(Counter().value() == T(0)); }

TEST_CASE("a counter is saved" * doctest::skip()) { FAIL("not written"); }
