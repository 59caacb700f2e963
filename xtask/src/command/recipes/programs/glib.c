// Two threads of GLib's add to a number: under a GMutex, or without it.
#include <glib.h>

static GMutex mutex;
static int sum;
static gboolean is_racy;

static gpointer add(gpointer unused) {
    if (!is_racy) g_mutex_lock(&mutex);
    sum++;
    if (!is_racy) g_mutex_unlock(&mutex);
    return unused;
}

int main(int count, char **arguments) {
    is_racy = count > 1 && g_str_equal(arguments[1], "racy");
    GThread *one = g_thread_new("one", add, NULL);
    GThread *other = g_thread_new("other", add, NULL);
    g_thread_join(one);
    g_thread_join(other);
    g_assert_cmpint(sum, ==, 2);
    return 0;
}
