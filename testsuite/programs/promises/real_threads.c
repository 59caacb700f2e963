// No real thread is created after the root: the process has as many tasks (entries of
// /proc/self/task) in every thread, after every creation, as when the second thread was made. The
// tasks there are, were made before: more than one. Threads are created one after the other and
// nested, more often than the runtime has fibers.
//@ expect: verified
//@ executions: 1
//@ checkpoint: snapshot // the process of a restarted execution has a single task from the start
#include <dirent.h>
#include <dpor.h>
#include <pthread.h>

static int tasks(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    dpor_assert(folder != 0);
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void *nested(void *count) {
    dpor_assert(tasks() == *(int *)count);
    return 0;
}

static void *work(void *count) {
    pthread_t thread;
    if (*(int *)count == 0) *(int *)count = tasks();
    dpor_assert(tasks() == *(int *)count);
    pthread_create(&thread, 0, nested, count);
    pthread_join(thread, 0);
    return 0;
}

int main(void) {
    int count = 0, before = tasks();
    dpor_assert(before == 1);
    for (int i = 0; i < 40; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, &count);
        pthread_join(thread, 0);
    }
    dpor_assert(count > 1 && tasks() == count);
    return 0;
}
