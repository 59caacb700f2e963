// flockfile makes two pieces of output one: "ab" or "cd" first, never mixed.
//@ expect: verified
//@ outputs: abcd | cdab
#include <pthread.h>
#include <stdio.h>

static void *say(void *two_letters) {
    const char *letters = two_letters;
    flockfile(stdout);
    putchar(letters[0]);
    putchar(letters[1]);
    funlockfile(stdout);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, say, "ab");
    pthread_create(&b, 0, say, "cd");
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
