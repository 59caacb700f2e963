// Reading a directory in which files were made shows the disk, so it is refused.
//@ expect: unsupported
//@ reason: reading a directory in which files were made
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *idle(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    pthread_join(thread, 0);
    open("/tmp/dpor_files_directory", O_WRONLY | O_CREAT, 0600);
    DIR *directory = opendir("/tmp");
    return readdir(directory) == 0;
}
