// Folders and links are made, renamed and removed; paths through them lead where they should. The disk
// stays as it is. One thread at a time: 1 execution.
//@ expect: verified
//@ executions: 1
#define _GNU_SOURCE
#include <dpor.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOP "/tmp/dpor_files_folders"

static int fails(int result, int code) { return result == -1 && errno == code; }

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dpor_assert(fd >= 0 && write(fd, text, 1) == 1 && close(fd) == 0);
}

static int get(const char *path) {
    char letter = '?';
    int fd = open(path, O_RDONLY);
    if (fd < 0) return -1;
    dpor_assert(read(fd, &letter, 1) == 1 && close(fd) == 0);
    return letter;
}

int main(void) {
    struct stat info, other;
    char text[PATH_MAX];
    dpor_assert(fails(mkdir(TOP "/a", 0700), ENOENT));
    dpor_assert(mkdir(TOP, 0750) == 0 && fails(mkdir(TOP, 0700), EEXIST));
    dpor_assert(stat(TOP, &info) == 0 && S_ISDIR(info.st_mode) && (info.st_mode & 0777) == 0750);
    dpor_assert(mkdir(TOP "/a/", 0700) == 0 && mkdir(TOP "/a/b", 0700) == 0);
    put(TOP "/a/b/file", "x");
    dpor_assert(get(TOP "/a/../a/./b//file") == 'x' && get(TOP "/a/b/file/") == -1 && errno == ENOTDIR);
    dpor_assert(fails(open(TOP "/a", O_WRONLY), EISDIR) && fails(open(TOP "/c/d", O_CREAT, 0600), ENOENT));
    dpor_assert(fails(open(TOP "/a/b/file", O_DIRECTORY), ENOTDIR));
    dpor_assert(fails(unlink(TOP "/a"), EISDIR) && fails(rmdir(TOP "/a/b/file"), ENOTDIR));
    // By a descriptor of a folder.
    int folder = open(TOP "/a", O_RDONLY | O_DIRECTORY);
    dpor_assert(folder >= 0 && fstatat(folder, "b/file", &info, 0) == 0 && info.st_size == 1);
    dpor_assert(mkdirat(folder, "c", 0700) == 0 && faccessat(folder, "c", W_OK, 0) == 0);
    dpor_assert(read(folder, text, 1) == -1 && errno == EISDIR);
    // Symbolic links.
    dpor_assert(symlink("a/b", TOP "/link") == 0 && get(TOP "/link/file") == 'x');
    dpor_assert(lstat(TOP "/link", &info) == 0 && S_ISLNK(info.st_mode) && info.st_size == 3);
    dpor_assert(stat(TOP "/link", &info) == 0 && S_ISDIR(info.st_mode));
    dpor_assert(readlink(TOP "/link", text, sizeof text) == 3 && !memcmp(text, "a/b", 3));
    dpor_assert(fails(readlink(TOP "/a", text, sizeof text), EINVAL));
    dpor_assert(symlink(TOP "/self", TOP "/self") == 0 && fails(open(TOP "/self", O_RDONLY), ELOOP));
    dpor_assert(symlink("nothing", TOP "/hanging") == 0 && fails(open(TOP "/hanging", O_RDONLY), ENOENT));
    put(TOP "/hanging", "h");
    dpor_assert(get(TOP "/nothing") == 'h' && fails(open(TOP "/link", O_RDONLY | O_NOFOLLOW), ELOOP));
    dpor_assert(fails(symlink("x", TOP "/link"), EEXIST) && unlink(TOP "/link") == 0);
    // Hard links: one file with two names.
    dpor_assert(link(TOP "/a/b/file", TOP "/second") == 0 && fails(link(TOP "/a", TOP "/d"), EPERM));
    put(TOP "/second", "y");
    dpor_assert(get(TOP "/a/b/file") == 'y');
    dpor_assert(stat(TOP "/second", &info) == 0 && stat(TOP "/a/b/file", &other) == 0);
    dpor_assert(info.st_nlink == 2 && info.st_ino == other.st_ino);
    dpor_assert(rename(TOP "/second", TOP "/a/b/file") == 0 && get(TOP "/second") == 'y');
    dpor_assert(unlink(TOP "/second") == 0 && get(TOP "/a/b/file") == 'y');
    // A folder with all that is below it gets another name.
    dpor_assert(fails(rename(TOP "/a", TOP "/a/b/a"), EINVAL) && fails(rename(TOP "/a", TOP "/nothing"), ENOTDIR));
    dpor_assert(fails(rename(TOP "/nothing", TOP "/a"), EISDIR));
    dpor_assert(mkdir(TOP "/e", 0700) == 0 && rename(TOP "/a", TOP "/e") == 0);
    dpor_assert(get(TOP "/e/b/file") == 'y' && get(TOP "/a/b/file") == -1 && errno == ENOENT);
    dpor_assert(mkdir(TOP "/f", 0700) == 0 && fails(rename(TOP "/f", TOP "/e"), ENOTEMPTY));
    dpor_assert(fstatat(folder, "b/file", &info, 0) == 0);
    dpor_assert(fails(renameat2(AT_FDCWD, TOP "/f", AT_FDCWD, TOP "/e", RENAME_NOREPLACE), EEXIST));
    // The working directory.
    dpor_assert(chdir(TOP "/e/b") == 0 && get("file") == 'y' && get("../../nothing") == 'h');
    dpor_assert(getcwd(text, sizeof text) && !strcmp(text, TOP "/e/b"));
    dpor_assert(realpath("../c", text) && !strcmp(text, TOP "/e/c"));
    dpor_assert(fchdir(folder) == 0 && get("b/file") == 'y' && fails(chdir("b/file"), ENOTDIR));
    dpor_assert(fails(chdir("nowhere"), ENOENT) && chdir("/") == 0 && get("tmp/dpor_files_folders/nothing") == 'h');
    // Permissions.
    dpor_assert(chmod(TOP "/nothing", 0640) == 0 && stat(TOP "/nothing", &info) == 0);
    dpor_assert((info.st_mode & 0777) == 0640);
    // All goes away.
    dpor_assert(fails(rmdir(TOP), ENOTEMPTY) && fails(rmdir(TOP "/e/."), EINVAL));
    dpor_assert(unlink(TOP "/e/b/file") == 0 && rmdir(TOP "/e/b") == 0 && rmdir(TOP "/e/c") == 0);
    dpor_assert(remove(TOP "/e") == 0 && rmdir(TOP "/f") == 0 && unlink(TOP "/nothing") == 0);
    dpor_assert(unlink(TOP "/self") == 0 && unlink(TOP "/hanging") == 0 && rmdir(TOP) == 0);
    dpor_assert(fails(stat(TOP, &info), ENOENT) && fails(openat(folder, "x", O_CREAT, 0600), ENOENT));
    return 0;
}
