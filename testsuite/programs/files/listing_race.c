// A thread makes a file in a folder while another lists it. The listing is read from the kernel in one go,
// before the file is there or after it.
//@ expect: verified
//@ outcomes: seen=0 | seen=1
//@ dfs: same-outcomes
#include <dirent.h>
#include <dpor.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOP "/tmp/dpor_files_listing_race"

static void *make(void *unused) {
    dpor_assert(open(TOP "/file", O_WRONLY | O_CREAT, 0600) >= 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    int seen = 0;
    unlink(TOP "/file"), rmdir(TOP); // of a run without dpor
    dpor_assert(mkdir(TOP, 0700) == 0);
    DIR *folder = opendir(TOP);
    pthread_create(&thread, 0, make, 0);
    for (struct dirent *entry; (entry = readdir(folder));) seen += entry->d_name[0] == 'f';
    pthread_join(thread, 0);
    closedir(folder);
    dpor_observe("seen", seen);
    return 0;
}
