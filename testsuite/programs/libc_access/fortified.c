// The names that -D_FORTIFY_SOURCE calls, and calls at the end of a function, which would be jumps: each
// reads or writes the text to which main writes its first byte meanwhile. One trace, a race; with a lock
// around both, two traces (the sections in either order) and none.
//@ revisions: strcpy strncpy strcat snprintf printf read puts fputs strcpy-locked snprintf-locked
//@[strcpy] cflags: -D_FORTIFY_SOURCE=2 -DCALL=strcpy(known.text,from)
//@[strncpy] cflags: -D_FORTIFY_SOURCE=2 -DCALL=strncpy(known.text,from,count)
//@[strcat] cflags: -D_FORTIFY_SOURCE=2 -DCALL=strcat(known.text,from)
//@[snprintf] cflags: -D_FORTIFY_SOURCE=2 -DCALL=snprintf(known.text,count,form,count)
//@[printf] cflags: -D_FORTIFY_SOURCE=2 -DCALL=printf(form_of_text,known.text)
//@[read] cflags: -D_FORTIFY_SOURCE=2 -DCALL=sink=read(file,known.text,count)
//@[puts] cflags: -DCALL=return(void*)(long)puts(known.text)
//@[fputs] cflags: -DCALL=return(void*)(long)fputs(known.text,stdout)
//@[strcpy-locked] cflags: -DLOCKED -D_FORTIFY_SOURCE=2 -DCALL=strcpy(known.text,from)
//@[snprintf-locked] cflags: -DLOCKED -D_FORTIFY_SOURCE=2 -DCALL=snprintf(known.text,count,form,count)
//@[strcpy] expect: bug
//@[strncpy] expect: bug
//@[strcat] expect: bug
//@[snprintf] expect: bug
//@[printf] expect: bug
//@[read] expect: bug
//@[puts] expect: bug
//@[fputs] expect: bug
//@[strcpy] kind: data-race
//@[strncpy] kind: data-race
//@[strcat] kind: data-race
//@[snprintf] kind: data-race
//@[printf] kind: data-race
//@[read] kind: data-race
//@[puts] kind: data-race
//@[fputs] kind: data-race
//@[strcpy] executions: 1
//@[strncpy] executions: 1
//@[strcat] executions: 1
//@[snprintf] executions: 1
//@[printf] executions: 1
//@[read] executions: 1
//@[puts] executions: 1
//@[fputs] executions: 1
//@[strcpy-locked] expect: verified
//@[snprintf-locked] expect: verified
//@[strcpy-locked] executions: 2
//@[snprintf-locked] executions: 2
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct {
    char text[16];
} known = {"known"};
char from[16] = "abc", form[] = "%d!", form_of_text[] = "%s\n";
int count = 5, file;
_Thread_local volatile long sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *caller(void *unused) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
    CALL;
    pthread_mutex_unlock(&mutex);
#else
    CALL;
#endif
    return unused;
}

int main(int arguments, char **names) {
    pthread_t thread;
    file = open(names[0], O_RDONLY);
    pthread_create(&thread, 0, caller, 0);
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
    known.text[0] = 'k';
    pthread_mutex_unlock(&mutex);
#else
    known.text[0] = 'k';
#endif
    pthread_join(thread, 0);
    return arguments - 1;
}
