// Errors of the heap in a C++ program that has no second thread: 1 execution, which a write out of bounds ends.
// node: a member of an object that was deleted. vector: an element of one that has grown, and moved. behind: an
// element behind the last of a vector whose capacity is used up. local: an object that nobody else can see.
//@ revisions: node vector behind local
//@ opt: O1
//@ expect: bug
//@[node] cflags: -DWORK=node()
//@[node] kind: use-after-free
//@[node] executions: 1
//@[vector] cflags: -DWORK=vector()
//@[vector] kind: use-after-free
//@[vector] executions: 1
//@[behind] cflags: -DWORK=behind()
//@[behind] kind: out-of-bounds
//@[behind] failed: 1
//@[behind] executions: 0
//@[local] cflags: -DWORK=local()
//@[local] kind: use-after-free
//@[local] executions: 1
#include <string>
#include <vector>

struct person {
    std::string name = "a name that is too long to lie inside";
    int age = 7;
};
person *volatile shared;
int age;

__attribute__((unused)) static void node() {
    shared = new person;
    delete shared;
    age = shared->age;
}

__attribute__((unused)) static void vector() {
    std::vector<int> all(4);
    int *volatile first = &all[0];
    all.push_back(5);
    *first = 1;
}

__attribute__((unused)) static void behind() {
    std::vector<int> all(4);
    int *volatile first = &all[0];
    volatile int index = 4;
    first[index] = 1;
}

__attribute__((unused)) static void local() {
    int *mine = new int(1);
    delete mine;
    *mine = 2;
}

int main() {
    WORK;
    return 0;
}
