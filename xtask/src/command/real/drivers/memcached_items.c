// memcached's items, hash table and slabs without its network: two clients store, delete and count up items of
// one hash table, through the functions that its protocols call. Arguments: how often, and "share" if there is an item that both read and store.
#define main memcached_main
#include "memcached.c"
#undef main
#include <err.h>

enum { CLIENTS = 2, LENGTH = 2 };

// A connection, of which items need the thread with its statistics and its logger, which logs nothing.
struct client {
    char *key;
    conn connection;
    LIBEVENT_THREAD thread;
    logger quiet;
};

static char both[] = "both";
static int rounds, shares;

static void store(struct client *client, char *key, const char *value) {
    item *it = item_alloc(key, strlen(key), 0, 0, LENGTH + 2);
    if (!it) errx(1, "no item");
    memcpy(ITEM_data(it), value, LENGTH);
    memcpy(ITEM_data(it) + LENGTH, "\r\n", 2);
    if (store_item(it, NREAD_SET, &client->connection) != STORED) errx(1, "%s is not stored", key);
    item_remove(it);
}

static void delete(struct client *client, char *key) {
    uint32_t hash;
    item *it = item_get_locked(key, strlen(key), &client->connection, DONT_UPDATE, &hash);
    if (it) {
        do_item_unlink(it, hash);
        do_item_remove(it);
    }
    item_unlock(hash);
}

static void *use(void *argument) {
    struct client *client = argument;
    for (int round = 0; round < rounds; round++) {
        item *it = shares ? item_get(both, strlen(both), &client->connection, DO_UPDATE) : NULL;
        if (it) item_remove(it);
        store(client, client->key, "10");
        delete(client, both);
        char number[INCR_MAX_STORAGE_LEN];
        uint64_t cas = 0;
        if (add_delta(&client->connection, client->key, strlen(client->key), true, 5, number, &cas) != OK)
            errx(1, "%s is not found", client->key);
        if (strcmp(number, "15")) errx(1, "10 + 5 = %s", number);
        if (shares) store(client, both, "20");
    }
    return NULL;
}

int main(int count, char **arguments) {
    static struct client clients[CLIENTS] = {{.key = "one"}, {.key = "two"}};
    pthread_t threads[CLIENTS];
    rounds = atoi(arguments[1]);
    shares = count > 2;
    settings_init();
    settings.slab_page_size = settings.item_size_max = 64 * 1024;
    settings.slab_chunk_size_max = settings.slab_page_size / 2;
    // Larger than the table of locks, which has 2^10.
    settings.hashpower_init = 11;
    hash_init(JENKINS_HASH);
    stats_init();
    assoc_init(settings.hashpower_init);
    slabs_init(settings.maxbytes, settings.factor, false, NULL, NULL, false);
    memcached_thread_init(0, NULL);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_mutex_init(&clients[i].thread.stats.mutex, NULL);
        clients[i].thread.l = &clients[i].quiet;
        clients[i].connection.thread = &clients[i].thread;
    }
    store(&clients[0], both, "20");
    for (int i = 0; i < CLIENTS; i++) pthread_create(&threads[i], NULL, use, &clients[i]);
    for (int i = 0; i < CLIENTS; i++) pthread_join(threads[i], NULL);
    // Each client stored its own, and last the common one, if they share.
    if (stats_state.curr_items != CLIENTS + shares) errx(1, "%ju items", (uintmax_t)stats_state.curr_items);
    return 0;
}
