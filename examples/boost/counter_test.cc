#define BOOST_TEST_MODULE counter
#include <boost/test/unit_test.hpp>
#include <boost/test/data/test_case.hpp>
#include "counter.h"
#include <thread>
#include <tuple>

namespace utf = boost::unit_test;

BOOST_AUTO_TEST_SUITE(counting)

// The framework's macros are for one thread: they look at what the others left.
BOOST_AUTO_TEST_CASE(in_one_step) {
  Counter counter;
  std::thread first([&] { counter.add(1); });
  std::thread second([&] { counter.add(1); });
  first.join();
  second.join();
  BOOST_TEST(counter.value() == 2);
}

BOOST_AUTO_TEST_CASE(in_two_steps) {
  Counter counter;
  std::thread first([&] { counter.add_in_two_steps(1); });
  std::thread second([&] { counter.add_in_two_steps(1); });
  first.join();
  second.join();
  BOOST_TEST(counter.value() == 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_DATA_TEST_CASE(from, utf::data::make({0, 1}), begin) {
  Counter counter;
  counter.add(begin);
  std::thread first([&] { counter.add(1); });
  counter.add(1);
  first.join();
  BOOST_TEST(counter.value() == begin + 2);
}

using Types = std::tuple<int, long>;
BOOST_AUTO_TEST_CASE_TEMPLATE(zero, T, Types) { BOOST_TEST(Counter().value() == T(0)); }

static boost::test_tools::assertion_result no_disk(utf::test_unit_id) { return false; }
BOOST_AUTO_TEST_CASE(loaded, *utf::precondition(no_disk)) {}

BOOST_AUTO_TEST_CASE(saved, *utf::disabled()) { BOOST_FAIL("not written"); }
