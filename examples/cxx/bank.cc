// Clients of a bank move money between accounts.
//
// Buggy: transfer() looks whether there is enough, and takes it later, under a lock of its own; in between another
// client takes the same money. Fixed: the look and the withdrawal are one critical section.
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Account {
public:
  explicit Account(long balance) : balance_(balance) {}

  long balance() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return balance_;
  }

  void deposit(long amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ += amount;
  }

  void withdraw(long amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ -= amount;
    assert(balance_ >= 0);
  }

  bool withdraw_if_covered(long amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (balance_ < amount)
      return false;
    balance_ -= amount;
    return true;
  }

private:
  mutable std::mutex mutex_;
  long balance_;
};

class Bank {
public:
  void open(const std::string &owner, long balance) { accounts_.try_emplace(owner, balance); }

  bool transfer(const std::string &from, const std::string &to, long amount) {
    Account &source = accounts_.at(from);
    Account &target = accounts_.at(to);
#ifdef FIXED
    if (!source.withdraw_if_covered(amount))
      return false;
#else
    if (source.balance() < amount)
      return false;
    source.withdraw(amount);
#endif
    target.deposit(amount);
    return true;
  }

  long total() const {
    long sum = 0;
    for (const auto &[owner, account] : accounts_)
      sum += account.balance();
    return sum;
  }

private:
  std::map<std::string, Account> accounts_;
};

int main() {
  Bank bank;
  bank.open("alice", 100);
  bank.open("bob", 20);
  bank.open("carol", 0);

  std::vector<std::thread> clients;
  clients.emplace_back([&] { bank.transfer("alice", "bob", 80); });
  clients.emplace_back([&] { bank.transfer("alice", "carol", 60); });
  clients.emplace_back([&] { bank.transfer("bob", "alice", 10); });
  for (std::thread &client : clients)
    client.join();
  assert(bank.total() == 120);
}
