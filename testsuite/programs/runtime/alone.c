// A program with one thread, run by itself, is the plain program: it prints and returns 77, as a
// configure test would. So it is under off=1.
//@ revisions: itself off
//@[itself] mode: alone
//@[off] mode: off
//@ exit: 77
//@ outputs: conftest says hello\n
//@ stdin: hello\n
//@ program-args: says
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[64] = "";
    if (!fgets(line, sizeof line, stdin)) return 1;
    line[strcspn(line, "\n")] = 0;
    printf("conftest %s %s\n", argc > 1 ? argv[1] : "?", line);
    return 77;
}
