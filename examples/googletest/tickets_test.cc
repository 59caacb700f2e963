#include "tickets.h"
#include <gtest/gtest.h>
#include <thread>

// How many of two threads sell one.
static int sold(Tickets &tickets) {
  bool first = false, second = false;
  std::thread seller([&] { first = tickets.sell(); });
  std::thread other([&] { second = tickets.sell(); });
  seller.join();
  other.join();
  return first + second;
}

// Each seller takes the mutex twice, so the mutex is taken in one of 4!/(2!·2!) = 6 orders.
TEST(Tickets, AreEnough) {
  Tickets tickets(2);
  EXPECT_EQ(sold(tickets), 2);
  EXPECT_EQ(tickets.left(), 0);
}

// Fails where both look before one of them sells.
TEST(Tickets, LastIsSoldOnce) {
  Tickets tickets(1);
  EXPECT_EQ(sold(tickets), 1);
}

TEST(Tickets, NoneAreLeftWithoutSellers) {
  EXPECT_EQ(Tickets(0).left(), 0);
}

TEST(Tickets, AreScanned) { GTEST_SKIP() << "no scanner"; }

TEST(Tickets, DISABLED_AreRefunded) { FAIL() << "not written"; }
