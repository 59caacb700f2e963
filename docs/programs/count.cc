#include <thread>

static int counter;

static void add() { counter++; }

int main() {
  std::thread a(add), b(add);
  a.join();
  b.join();
}
