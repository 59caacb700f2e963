// A pool of GLib's threads works off tasks and gives the results back through a queue.
#include <glib.h>

enum { TASKS = 3, THREADS = 2 };

static GMutex mutex;
static int sum;

static void work(gpointer task, gpointer queue) {
    g_mutex_lock(&mutex);
    sum += GPOINTER_TO_INT(task);
    g_mutex_unlock(&mutex);
    g_async_queue_push(queue, task);
}

int main(void) {
    GAsyncQueue *done = g_async_queue_new();
    GThreadPool *pool = g_thread_pool_new(work, done, THREADS, TRUE, NULL);
    int back = 0;
    for (int k = 1; k <= TASKS; k++)
        g_thread_pool_push(pool, GINT_TO_POINTER(k), NULL);
    for (int k = 1; k <= TASKS; k++)
        back += GPOINTER_TO_INT(g_async_queue_pop(done));
    g_thread_pool_free(pool, FALSE, TRUE);
    g_assert_cmpint(back, ==, sum);
    g_async_queue_unref(done);
    return 0;
}
