// What the judged functions return and store under exploration is what libc's return and store.
// Alone after the thread, so there is one trace: of the events only the input and output has any.
//@ expect: verified
//@ executions: 1
//@ opt: O0 O2
//@ stdin: line\nnext one\n
//@ outputs: 7 of 1.5 text \x\n
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

// glibc declares these since 2.38.
size_t strlcpy(char *to, const char *from, size_t room);
size_t strlcat(char *to, const char *from, size_t room);

static void *nothing(void *unused) { return unused; }

static int print(char *to, size_t room, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(to, room, format, list);
    va_end(list);
    return length;
}

static int order(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

int main(int count, char **arguments) {
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);

    char buffer[64], *end, *save, *line = 0;
    size_t room = 0;
    int number, other, counted = -1;
    long double wide_number;
    double real;

    assert(sscanf("12 word 3.5 x", "%d %63s %lf%n", &number, buffer, &real, &counted) == 3);
    assert(number == 12 && !strcmp(buffer, "word") && real == 3.5 && counted == 11);
    assert(sscanf("", "%d", &number) == EOF);
    // More values than registers, of all classes.
    assert(snprintf(buffer, sizeof buffer, "%d%d%d%d %.1f %.1Lf %s%n|%d", 1, 2, 3, 4, 0.5, 1.5L, "s",
                    &counted, 5) == 16);
    assert(!strcmp(buffer, "1234 0.5 1.5 s|5") && counted == 14);
    assert(print(buffer, 4, "%s%d", "abc", 9) == 4 && !strcmp(buffer, "abc"));
    assert(asprintf(&line, "%*d", 5, 42) == 5 && !strcmp(line, "   42"));
    free(line);
    line = strdup("copied");
    assert(!strcmp(line, "copied"));
    free(line);
    line = strndup("copied", 3);
    assert(!strcmp(line, "cop"));
    free(line);
    strcpy(buffer, ",a,,b");
    assert(!strcmp(strtok_r(buffer, ",", &save), "a") && !strcmp(strtok_r(0, ",", &save), "b"));
    assert(!strtok_r(0, ",", &save));
    assert(strtol("0x1fz", &end, 0) == 31 && *end == 'z' && strtod("2.5e1", 0) == 25);
    assert((wide_number = strtold("0.25", &end)) == 0.25L && !*end && atof("1e2") == 100);
    assert(strlcpy(buffer, "abcdef", 4) == 6 && !strcmp(buffer, "abc"));
    assert(strlcat(buffer, "xyz", 6) == 6 && !strcmp(buffer, "abcxy"));
    char letters[] = "cab";
    qsort(letters, 3, 1, order);
    assert(!strcmp(letters, "abc"));
    assert(wcslen(L"wide") == 4);
    wchar_t wide[16];
    assert(swprintf(wide, 16, L"%d-%s-%ls-%.1Lf", 7, "s", L"w", 1.5L) == 9 && !wcscmp(wide, L"7-s-w-1.5"));
    assert(swprintf(wide, 3, L"%d", 12345) < 0);
    assert(swscanf(L"5 ab 3.5", L"%d %s %lf", &number, buffer, &real) == 3);
    assert(number == 5 && !strcmp(buffer, "ab") && real == 3.5);
    strcpy(buffer, "-x--y");
    assert(!strcmp(strtok(buffer, "-"), "x") && !strcmp(strtok(0, "-"), "y") && !strtok(0, "-") && !strtok(0, "-"));
    struct tm date = {.tm_mday = 2, .tm_year = 70, .tm_hour = 3};
    assert(strftime(buffer, 64, "%Y-%m-%d %k|%%", &date) == 15 && !strcmp(buffer, "1970-01-02  3|%"));
    assert(timegm(&date) == 97200 && date.tm_wday == 5);
    assert(realpath("/.", buffer) == buffer && !strcmp(buffer, "/"));
    assert(readlink("/proc/self/exe", buffer, 1) == 1 && buffer[0] == '/');
    assert(getcwd(buffer, 1) == 0);

    line = 0;
    assert(fgets(buffer, sizeof buffer, stdin) == buffer && !strcmp(buffer, "line\n"));
    assert(getline(&line, &room, stdin) == 9 && !strcmp(line, "next one\n"));
    free(line);
    assert(!fgets(buffer, sizeof buffer, stdin));
    int file = open(arguments[0], O_RDONLY);
    assert(read(file, buffer, 4) == 4 && !memcmp(buffer, "\177ELF", 4));
    assert(pread(file, buffer, 3, 1) == 3 && !memcmp(buffer, "ELF", 3));
    close(file);
    int ends[2];
    assert(!pipe(ends) && write(ends[1], "piped", 5) == 5 && read(ends[0], buffer, 64) == 5);
    assert(!memcmp(buffer, "piped", 5));
    assert(sscanf("5", "%d", &other) == 1);
    printf("%d of %.1f %s \\%c\n", other + 2, real - 2, "text", 'x');
    (void)count;
    (void)wide_number;
    return 0;
}
