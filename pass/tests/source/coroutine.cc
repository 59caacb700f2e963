// A generator and a lazy task: split by the time the pass runs, so instrumented like any function.
#include <coroutine>
#include <cstdio>
#include <exception>

struct Generator {
  struct promise_type {
    int value;
    Generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Generator() { handle.destroy(); }
};

int shared;

Generator count(int *p, int n) {
  int local[4] = {0, 1, 2, 3};
  for (int i = 0; i < n; i++) {
    *p += local[i & 3];
    shared++;
    co_yield *p;
  }
}

int main() {
  int x = 0;
  Generator g = count(&x, 5);
  int sum = 0;
  while (g.handle.resume(), !g.handle.done())
    sum += g.handle.promise().value;
  std::printf("%d %d %d\n", x, sum, shared);
}
