// Tests for several values and types: each is a test of its own.
#include "tickets.h"
#include <gtest/gtest.h>
#include <string>
#include <thread>

class Sold : public testing::TestWithParam<int> {};

// Fails for one ticket, where both sellers look before one of them sells.
TEST_P(Sold, NoMoreThanThereAre) {
  if (GetParam() == 0)
    GTEST_SKIP() << "nothing to sell";
  Tickets tickets(GetParam());
  bool first = false, second = false;
  std::thread seller([&] { first = tickets.sell(); });
  std::thread other([&] { second = tickets.sell(); });
  seller.join();
  other.join();
  EXPECT_LE(first + second, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, Sold, testing::Values(0, 1, 2));
INSTANTIATE_TEST_SUITE_P(Named, Sold, testing::Values(2), [](const auto &info) {
  return "Of" + std::to_string(info.param);
});

template <typename T> class Left : public testing::Test {};
using Types = testing::Types<int, long>;
TYPED_TEST_SUITE(Left, Types);

TYPED_TEST(Left, IsWhatWasThere) { EXPECT_EQ(TypeParam(Tickets(3).left()), TypeParam(3)); }
