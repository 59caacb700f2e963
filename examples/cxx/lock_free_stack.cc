// Treiber's stack: head_ is exchanged where it has not changed meanwhile.
//
// Buggy: pop() deletes the node that it took, while another pop() may still read that node's successor. Fixed: nodes
// are kept as long as another thread is in pop(), and deleted by one that is alone.
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>
#include <utility>

template <typename T> class Stack {
public:
  ~Stack() {
    while (pop()) {
    }
  }

  void push(T value) {
    Node *node = new Node{std::move(value), head_.load()};
    while (!head_.compare_exchange_weak(node->next, node)) {
    }
  }

  std::optional<T> pop() {
    popping_.fetch_add(1);
    Node *node = head_.load();
    while (node != nullptr && !head_.compare_exchange_weak(node, node->next)) {
    }
    std::optional<T> value;
    if (node != nullptr) {
      value = std::move(node->value);
      retire(node);
    }
    leave();
    return value;
  }

private:
  struct Node {
    T value;
    Node *next = nullptr;
    Node *next_retired = nullptr;
  };

#ifdef FIXED
  void retire(Node *node) {
    node->next_retired = retired_.load();
    while (!retired_.compare_exchange_weak(node->next_retired, node)) {
    }
  }

  void leave() {
    // Whoever comes later cannot see what is taken here: it is no longer on the stack.
    Node *mine = popping_.load() == 1 ? retired_.exchange(nullptr) : nullptr;
    if (popping_.fetch_sub(1) == 1) {
      while (mine != nullptr)
        delete std::exchange(mine, mine->next_retired);
    } else {
      while (mine != nullptr)
        retire(std::exchange(mine, mine->next_retired));
    }
  }
#else
  void retire(Node *node) { delete node; }

  void leave() { popping_.fetch_sub(1); }
#endif

  std::atomic<Node *> head_{nullptr};
  std::atomic<Node *> retired_{nullptr};
  std::atomic<int> popping_{0};
};

int main() {
  Stack<int> stack;
  stack.push(1);
  stack.push(2);

  int first = 0, second = 0;
  std::thread worker([&] {
    stack.push(3);
    first = stack.pop().value();
  });
  std::thread other([&] {
    stack.push(4);
    second = stack.pop().value();
  });
  worker.join();
  other.join();

  int sum = first + second;
  while (std::optional<int> rest = stack.pop())
    sum += *rest;
  assert(sum == 1 + 2 + 3 + 4);
}
