// A function of C++ that ends without returning a value: without optimization clang puts a trap there. Each time the
// second thread comes to it, in every execution. The finding is at the closing brace of the function.
// [branch] One of several ends has none. [object] The result is stored through a pointer.
// [nested] Braces in comments and literals, and a lambda in the function, which ends as it should.
// [lambda] A lambda has no name on the line where it begins; the finding is at its last statement.
// Traps that the program asks for are what they are: [trap] alone, as the last statement, [unreachable] with the word
// that nothing comes behind it, from one macro, so that both are at one place; [sanitizer] clang's check of the same end.
//@ revisions: plain branch object nested lambda trap unreachable sanitizer
//@ opt: O0
//@ expect: bug
//@ kind: crash
//@ cflags: -w
//@[plain] message: work ends without returning a value; clang puts a trap there
//@[branch] message: sign ends without returning a value; clang puts a trap there
//@[object] message: make ends without returning a value; clang puts a trap there
//@[nested] message: sum ends without returning a value; clang puts a trap there
//@[lambda] message: operator() ends without returning a value; clang puts a trap there
//@[trap] message: illegal instruction (SIGILL)
//@[unreachable] message: illegal instruction (SIGILL)
//@[sanitizer] cflags: -w -DPLAIN -fsanitize=return -fsanitize-trap=return
//@[sanitizer] message: illegal instruction (SIGILL)
//@[plain] cflags: -w -DPLAIN
//@[branch] cflags: -w -DBRANCH
//@[object] cflags: -w -DOBJECT
//@[nested] cflags: -w -DNESTED
//@[lambda] cflags: -w -DLAMBDA
//@[trap] cflags: -w -DTRAP
//@[unreachable] cflags: -w -DUNREACHABLE
#include <pthread.h>

static int calls;
static void touch() { calls++; }

#if defined(BRANCH)
static int sign(int x) {
    if (x > 0)
        return 1;
    else if (x == 0)
        touch();
} //~[branch] crash
static void *work(void *) { sign(0); return nullptr; }
#elif defined(OBJECT)
struct Large { int values[8]; };
static Large make() {
    touch();
} //~[object] crash
static void *work(void *) { make(); return nullptr; }
#elif defined(NESTED)
static int sum(int x) { // }
    auto twice = [](int y) { return 2 * y; };
    const char *text = R"x(} ")x";
    char brace = '}', quote = '\'';
    if (x) { calls += twice(1'000) + text[0] + brace + quote; /* } */ }
} //~[nested] crash
static void *work(void *) { sum(1); return nullptr; }
#elif defined(LAMBDA)
static void *work(void *) {
    auto one = []() -> int { touch(); }; //~[lambda] crash
    one();
    return nullptr;
}
#elif defined(TRAP)
static void *work(void *) {
    touch();
    __builtin_trap(); //~[trap] crash
}
#elif defined(UNREACHABLE)
#define DIE() (__builtin_trap(), __builtin_unreachable())
static int check(int x) {
    if (x)
        DIE(); //~[unreachable] crash
    return 1;
}
static void *work(void *) { check(1); return nullptr; }
#else
static void *work(void *) {
    touch();
    touch();
} //~[plain] crash
#endif

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
}
