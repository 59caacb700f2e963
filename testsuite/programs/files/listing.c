// What is made, removed and replaced is listed so. Beside this file, listed/ has the files kept, gone and
// other on the disk.
// One thread at a time: 1 execution.
//@ expect: verified
//@ executions: 1
#include <dirent.h>
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "programs/files/listed"

static void put(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dpor_assert(fd >= 0 && close(fd) == 0);
}

// Letters by which entries are known: the first of their names, in upper case for folders.
static void expect(const char *folder, const char *letters) {
    char seen[128] = "";
    int count = 0;
    DIR *listing = opendir(folder);
    dpor_assert(listing != 0);
    for (struct dirent *entry; (entry = readdir(listing));) {
        unsigned char letter = entry->d_name[0];
        if (letter == '.') continue;
        if (entry->d_type == DT_DIR) letter -= 'a' - 'A';
        dpor_assert(seen[letter]++ == 0 && strchr(letters, letter));
        count++;
    }
    dpor_assert(count == (int)strlen(letters));
    // Again from the beginning.
    rewinddir(listing);
    for (count = 0; readdir(listing);) count++;
    dpor_assert(count == (int)strlen(letters) + 2);
    dpor_assert(closedir(listing) == 0);
}

int main(void) {
    expect(FOLDER, "kgo");
    put(FOLDER "/new");
    put(FOLDER "/other");
    dpor_assert(unlink(FOLDER "/gone") == 0 && mkdir(FOLDER "/folder", 0700) == 0);
    expect(FOLDER, "konF");
    expect(FOLDER "/folder", "");
    put(FOLDER "/folder/inner");
    expect(FOLDER "/folder", "i");
    expect(FOLDER, "konF");
    dpor_assert(rmdir(FOLDER "/folder") == -1 && errno == ENOTEMPTY);
    dpor_assert(rmdir(FOLDER) == -1 && errno == ENOTEMPTY);
    dpor_assert(unlink(FOLDER "/folder/inner") == 0 && rmdir(FOLDER "/folder") == 0);
    put(FOLDER "/gone");
    expect(FOLDER, "kong");
    const char *names[] = {FOLDER "/kept", FOLDER "/other", FOLDER "/new", FOLDER "/gone"};
    for (int i = 0; i < 4; i++) dpor_assert(unlink(names[i]) == 0);
    expect(FOLDER, "");
    dpor_assert(rmdir(FOLDER) == 0 && !opendir(FOLDER) && errno == ENOENT);
    dpor_assert(mkdir(FOLDER, 0700) == 0);
    expect(FOLDER, "");
    return 0;
}
