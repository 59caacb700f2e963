// new and delete, new[] and delete[], in two threads. One thread has the objects when it begins, and main
// when it has joined it, so that nothing comes in another order: 1 execution.
//
// clean: all is right, also where the library frees what the program used last and the other way round.
// object: a method of an object that the thread deleted. array: an element of an array that it deleted.
// element: a reference into a vector that grew. shared: what the last shared pointer let go of.
//@ revisions: clean object array element shared
//@ opt: O0 O2
//@ args: -k
//@ executions: 1
//@[clean] expect: verified
//@[object] expect: bug
//@[object] kind: use-after-free
//@[object] cflags: -DOBJECT
//@[object] message: use of a freed heap block of 16 bytes
//@[object] message: freed by T1
//@[array] expect: bug
//@[array] kind: use-after-free
//@[array] cflags: -DARRAY
//@[element] expect: bug
//@[element] kind: use-after-free
//@[element] cflags: -DELEMENT
//@[shared] expect: bug
//@[shared] kind: use-after-free
//@[shared] cflags: -DSHARED
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Shape {
    int corners = 4;
    virtual ~Shape() {}
    __attribute__((noinline)) virtual int count() { return corners; }
};

struct Square : Shape {
    __attribute__((noinline)) int count() override { return corners + 1; }
};

Shape *shape;
int *numbers;
std::vector<int> *list;
std::shared_ptr<std::string> text;
std::map<int, std::string> *names;
volatile int sink;

static void work() {
    numbers[9] = 1;
    sink = shape->count();
    for (int i = 0; i < 20; i++) {
        list->push_back(i);
        (*names)[i % 5] += "a name that is too long to be inside of the string";
    }
    names->erase(3);
    std::string other = std::move(*text);
    other += *text + "and more of it";
    text.reset();
    delete shape;
    delete[] numbers;
}

__attribute__((noinline)) static void use(int *place) {
    sink = *place;
}

int main() {
    shape = new Square;
    numbers = new int[10]();
    list = new std::vector<int>(4);
    names = new std::map<int, std::string>;
    text = std::make_shared<std::string>("a text that is too long to be inside of the string");
    int *element = &(*list)[2];
    std::string *string = text.get();
    std::thread thread(work);
    thread.join();
    (void)element, (void)string;
#ifdef OBJECT
    sink = shape->count();
#endif
#ifdef ARRAY
    use(numbers + 9);
#endif
#ifdef ELEMENT
    use(element);
#endif
#ifdef SHARED
    use(reinterpret_cast<int *>(string));
#endif
    delete list;
    delete names;
}
