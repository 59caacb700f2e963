// Functions that live in libstdc++.so. A call of a non-const member is a write of the object, of a const one a read
// ([res.on.data.races]); iterators may access their container ([container.requirements.dataraces]).
//
// [racy] Two threads, with nothing between them: each line that is marked is one side of a race, the other one is the
// same line in `other`. `std::cout` is like any stream once it is not synchronized with stdio
// ([iostream.objects.overview]).
// [nodes] Containers whose links the library sets: a lookup beside an insertion, a walk beside another one.
// [explored] The same where plain accesses are events: still races. A call writes the stream's state and its buffer, in
// two events; those of the other call may come in either order with each: 2 * 2. (A thread's start has addresses of
// functions in its trace, which are others when it is replayed.)
// [right] What threads may do at the same time: call const members, and those that count as such; access different
// elements of a string; use std::cout, a synchronized pool; use one object each; take turns.
//@ revisions: racy nodes explored right
//@[racy] expect: bug
//@[explored] expect: bug
//@[racy] kind: data-race
//@[explored] kind: data-race
//@[racy] message: call of a non-const member of std::basic_ostream, which writes it
//@[explored] message: call of a non-const member of std::basic_ostream, which writes it
//@[racy] opt: O0 O2
//@[racy] message: call of a non-const member of std::filesystem::path, which writes it
//@[racy] args: -k
//@[nodes] expect: bug
//@[nodes] kind: data-race
//@[nodes] message: call of std::_Rb_tree_insert_and_rebalance, which writes nodes of a tree
//@[nodes] args: -k
//@[nodes] cflags: -std=c++17 -DNODES
//@[explored] opt: O1
//@[explored] args: --plain=explore -k
//@[explored] executions: 4
//@[explored] replay: no
//@[right] opt: O0 O2
//@[right] expect: verified
//@[racy] cflags: -std=c++17
//@[right] cflags: -std=c++17 -DRIGHT
//@[explored] cflags: -std=c++20 -DEXPLORED
#include <filesystem>
#include <iostream>
#include <list>
#include <map>
#include <memory_resource>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

std::ostringstream out, printed, looked, state;
std::istringstream in("1 2 3 4"), lines("a\nb\n");
std::stringbuf buffer;
std::filesystem::path path = "a", guarded = "a";
std::pmr::monotonic_buffer_resource bump;
std::pmr::unsynchronized_pool_resource pool;
std::pmr::synchronized_pool_resource shared_pool;
std::string letters = "abcdef", text = "long enough to be on the heap, by far", copied = "also long enough to be on the heap", more;
std::map<int, int> tree = {{1, 1}, {2, 2}}, grown;
std::list<int> list = {1, 2}, growing;
std::locale place;
std::mutex mutex;
int sum;
thread_local int sink;

#ifdef EXPLORED
static void one() { out << 1; }   //~[explored] race
static void other() { out << 2; } //~[explored] race
#elif defined(RIGHT)
static void both(int own) {
    std::ostringstream mine;
    mine << own;
    std::filesystem::path longer = path / mine.str();
    int seen = tree.count(own) + (int)list.size() + (int)text.length();
    for (auto &entry : tree) seen += entry.second;
    for (int one : list) seen += one;
    std::locale here = place;
    std::string read = copied + text.substr(1) + longer.parent_path().string() + looked.str();
    letters[own] = 'x';
    *(letters.begin() + own + 2) = 'x';
    seen += looked.good() + (int)looked.width() + text.empty() + path.has_filename();
    shared_pool.deallocate(shared_pool.allocate(8), 8);
    std::cout << seen;
    std::lock_guard<std::mutex> guard(mutex);
    out << own;
    guarded /= "b";
    more += read;
    grown[own] = seen;
    growing.push_back(seen);
    sum += *(char *)bump.allocate(4) = 1;
}
static void one() { both(1); }
static void other() { both(2); }
#elif defined(NODES)
static void one() {
    tree.insert({3, 3});              //~[nodes] race
    list.push_back(3);                //~[nodes] race
}
static void other() {
    int seen = tree.count(7);         //~[nodes] race
    for (int one : list) seen += one; //~[nodes] race
    sink = seen;
}
#else
static void one() {
    out << 1;                         //~[racy] race
    printed << "text";                //~[racy] race
    sink = (int)looked.str().size();  //~[racy] race
    state << 1;                       //~[racy] race
    in >> sink;                       //~[racy] race
    std::string line;
    std::getline(lines, line);        //~[racy] race
    buffer.sputn("ab", 2);            //~[racy] race
    path /= "b";                      //~[racy] race
    (void)bump.allocate(8);           //~[racy] race
    (void)pool.allocate(8);           //~[racy] race
    text += "more";                   //~[racy] race
    copied.append("more");            //~[racy] race
    place = std::locale("C");         //~[racy] race
    std::cout << 1;                   //~[racy] race
}
static void other() {
    out << 2;                         //~[racy] race
    printed << "text";                //~[racy] race
    looked << 2;                      //~[racy] race
    sink = state.fail();              //~[racy] race
    in >> sink;                       //~[racy] race
    std::string line;
    std::getline(lines, line);        //~[racy] race
    buffer.sputn("ab", 2);            //~[racy] race
    path /= "b";                      //~[racy] race
    (void)bump.allocate(8);           //~[racy] race
    (void)pool.allocate(8);           //~[racy] race
    text += "more";                   //~[racy] race
    std::string copy = copied;        //~[racy] race
    place = std::locale("C");         //~[racy] race
    std::cout << 2;                   //~[racy] race
}
#endif

int main() {
#ifndef RIGHT
    std::ios::sync_with_stdio(false);
#endif
    std::thread first(one), second(other);
    first.join();
    second.join();
}
