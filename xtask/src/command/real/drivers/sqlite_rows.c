// Two threads insert a row each into a table that they share in memory, through connections of their own.
// Who finds the table locked gives up; all other rows arrive.
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

enum { THREADS = 2 };

struct insertion {
    char *statement;
    int result;
};

static sqlite3 *open_database(void) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    sqlite3 *database;
    assert(sqlite3_open_v2("file:rows?mode=memory&cache=shared", &database, flags, NULL) == SQLITE_OK);
    return database;
}

static void *insert(void *argument) {
    struct insertion *own = argument;
    sqlite3 *database = open_database();
    own->result = sqlite3_exec(database, own->statement, NULL, NULL, NULL);
    assert(own->result == SQLITE_OK || own->result == SQLITE_LOCKED);
    assert(sqlite3_close(database) == SQLITE_OK);
    return NULL;
}

static int read_count(void *total, int columns, char **values, char **names) {
    (void)columns, (void)names;
    *(int *)total = values[0][0] - '0';
    return 0;
}

int main(void) {
    static struct insertion insertions[THREADS] = {{"INSERT INTO t VALUES (1)", 0},
                                                   {"INSERT INTO t VALUES (2)", 0}};
    pthread_t threads[THREADS];
    sqlite3 *database = open_database();
    int rows = 0, inserted = 0;
    assert(sqlite3_exec(database, "CREATE TABLE t (number INTEGER)", NULL, NULL, NULL) == SQLITE_OK);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, insert, &insertions[t]);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        inserted += insertions[t].result == SQLITE_OK;
    }
    assert(sqlite3_exec(database, "SELECT count(*) FROM t", read_count, &rows, NULL) == SQLITE_OK);
    assert(rows == inserted);
    assert(sqlite3_close(database) == SQLITE_OK);
    return 0;
}
