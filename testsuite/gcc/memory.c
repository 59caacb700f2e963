// Functions of memory, called, and written as assignments: what they access is judged.
//@ revisions: set copy move compare assign padded
//@ expect: bug
//@ kind: data-race
//@[set] cflags: -DREAD=__builtin_memset(&mine,0,sizeof(mine)),mine=shared
//@[copy] cflags: -DREAD=memcpy(&mine,&shared,sizeof(mine))
//@[move] cflags: -DREAD=__builtin_memmove(&mine,&shared,24)
//@[compare] cflags: -DREAD=result+=memcmp(&mine,&shared,24)
//@[assign] cflags: -DREAD=mine=shared
//@[padded] cflags: -DREAD=__builtin_memcpy(&mine,&shared,12)
//@ opt: O0 O2
#include <pthread.h>
#include <string.h>
struct several {
    long first, second, third, fourth;
};
struct several shared, mine;
int result;
static void *write(void *unused) {
    memset(&shared, 1, sizeof(shared)); //~ race
    return unused;
}
int main(void) {
    pthread_t writer;
    pthread_create(&writer, 0, write, 0);
    READ; //~ race
    pthread_join(writer, 0);
    return 0;
}
