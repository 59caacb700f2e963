// A server for ever: an event loop with epoll over two connections and a self-pipe, a worker that computes the answers
// and wakes the loop, two clients whose requests are two bytes sent one by one. [mixed] What has arrived so far is kept
// for the loop, not for each connection: bytes of two clients become one request. [early] The worker wakes the loop before
// the answer is there: the loop looks, finds none, and nobody wakes it again. [two] Right with two clients, whose bytes
// come in any order: half a million states, too many for a test.
//@ revisions: right mixed early two
//@ args: --states --max-states 20000
//@ checkpoint: snapshot
//@ parts: no
//@ opt: O2
//@[right] expect: verified
//@[mixed] cflags: -DMIXED -DCLIENTS=2
//@[mixed] expect: bug
//@[mixed] kind: assertion
//@[early] cflags: -DEARLY
//@[early] expect: bug
//@[early] kind: deadlock
//@[two] cflags: -DCLIENTS=2
//@[two] expect: incomplete
//@[two] reason: max-states: 20000
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef CLIENTS
#define CLIENTS 1
#endif

struct connection {
    int socket;
    int received;
    char request[2];
};

static struct connection connections[CLIENTS];
static int client_sockets[CLIENTS];
static int wake[2];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t submitted = PTHREAD_COND_INITIALIZER;
static bool is_asked[CLIENTS], is_answered[CLIENTS], is_woken;
static char questions[CLIENTS], answers[CLIENTS];

static void wake_loop(void) {
    if (is_woken) return;
    is_woken = true;
    write(wake[1], "w", 1);
}

static void *work(void *unused) {
    pthread_mutex_lock(&mutex);
    for (;;) {
        int n = 0;
        while (n < CLIENTS && !is_asked[n]) n++;
        if (n == CLIENTS) {
            pthread_cond_wait(&submitted, &mutex);
            continue;
        }
        is_asked[n] = false;
#ifdef EARLY
        wake_loop();
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
#endif
        answers[n] = questions[n] ^ 1;
        is_answered[n] = true;
#ifndef EARLY
        wake_loop();
#endif
    }
    return unused;
}

static void receive(int n) {
#ifdef MIXED
    struct connection *state = &connections[0];
#else
    struct connection *state = &connections[n];
#endif
    read(connections[n].socket, &state->request[state->received++], 1);
    if (state->received < 2) return;
    state->received = 0;
    assert(state->request[0] == state->request[1]);
    pthread_mutex_lock(&mutex);
    questions[n] = state->request[0];
    is_asked[n] = true;
    pthread_cond_signal(&submitted);
    pthread_mutex_unlock(&mutex);
}

static void forget_wake(void) {
    char c;
    read(wake[0], &c, 1);
    pthread_mutex_lock(&mutex);
    is_woken = false;
    pthread_mutex_unlock(&mutex);
}

static void send_answers(void) {
    for (int n = 0; n < CLIENTS; n++) {
        pthread_mutex_lock(&mutex);
        bool is_ready = is_answered[n];
        char answer = answers[n];
        is_answered[n] = false;
        pthread_mutex_unlock(&mutex);
        if (is_ready) write(connections[n].socket, &answer, 1);
    }
}

static void *serve(void *unused) {
    int set = epoll_create1(0);
    for (int n = 0; n <= CLIENTS; n++) {
        struct epoll_event wanted = {EPOLLIN, {.u32 = n}};
        epoll_ctl(set, EPOLL_CTL_ADD, n == CLIENTS ? wake[0] : connections[n].socket, &wanted);
    }
    for (;;) {
        struct epoll_event event;
        if (epoll_wait(set, &event, 1, -1) != 1) continue;
        if (event.data.u32 < CLIENTS) {
            receive(event.data.u32);
            continue;
        }
        forget_wake();
        send_answers();
    }
    return unused;
}

static void *ask(void *number) {
    int n = (int)(long)number;
    for (const char question = n ? 'n' : 'y';;) {
        char answer;
        write(client_sockets[n], &question, 1);
        write(client_sockets[n], &question, 1);
        read(client_sockets[n], &answer, 1);
        assert(answer == (question ^ 1));
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    for (int n = 0; n < CLIENTS; n++) {
        int ends[2];
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        connections[n].socket = ends[0];
        client_sockets[n] = ends[1];
    }
    pipe(wake);
    pthread_create(&thread, 0, work, 0);
    for (long n = 0; n < CLIENTS; n++) pthread_create(&thread, 0, ask, (void *)n);
    serve(0);
    return 0;
}
