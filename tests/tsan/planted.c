/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Two threads or a pool count. ThreadSanitizer must accept each GLib lock that locks.c replaces,
 * and must report counting without a lock.
 *
 * usage: planted mutex|recursive|rwlock|cond|pool|race */

#include <glib.h>

#define N_ROUNDS 1000

static GMutex mutex;
static GRecMutex rec_mutex;
static GRWLock rw_lock;
static GCond cond;
static int count;
static gboolean is_second; /* whose turn it is, for cond */

static gpointer
count_with_mutex(gpointer unused) {
  (void)unused;
  for (int i = 0; i < N_ROUNDS; i++) {
    g_mutex_lock(&mutex);
    count++;
    g_mutex_unlock(&mutex);
  }
  return NULL;
}

static gpointer
count_recursively(gpointer unused) {
  (void)unused;
  for (int i = 0; i < N_ROUNDS; i++) {
    g_rec_mutex_lock(&rec_mutex);
    g_rec_mutex_lock(&rec_mutex);
    count++;
    g_rec_mutex_unlock(&rec_mutex);
    g_rec_mutex_unlock(&rec_mutex);
  }
  return NULL;
}

static gpointer
count_with_rw_lock(gpointer unused) {
  (void)unused;
  for (int i = 0; i < N_ROUNDS; i++) {
    g_rw_lock_writer_lock(&rw_lock);
    count++;
    g_rw_lock_writer_unlock(&rw_lock);
    g_rw_lock_reader_lock(&rw_lock);
    g_assert(count > 0);
    g_rw_lock_reader_unlock(&rw_lock);
  }
  return NULL;
}

static gpointer
count_in_turn(gpointer me) {
  const gboolean is_mine = me != NULL;
  for (int i = 0; i < N_ROUNDS; i++) {
    g_mutex_lock(&mutex);
    while (is_second != is_mine)
      g_cond_wait(&cond, &mutex);
    count++;
    is_second = !is_mine;
    g_cond_signal(&cond);
    g_mutex_unlock(&mutex);
  }
  return NULL;
}

static gpointer
count_without_lock(gpointer unused) {
  (void)unused;
  for (int i = 0; i < N_ROUNDS; i++)
    count++;
  return NULL;
}

static void
count_one(gpointer number, gpointer unused) {
  (void)unused;
  (*(int *)number)++;
}

/* The pool reads data written before a push. After its end the caller reads data written by the
 * pool. */
static void
count_in_pool(void) {
  int numbers[N_ROUNDS];
  GThreadPool *pool = g_thread_pool_new(count_one, NULL, 2, TRUE, NULL);
  for (int i = 0; i < N_ROUNDS; i++) {
    numbers[i] = 1;
    g_thread_pool_push(pool, &numbers[i], NULL);
  }
  g_thread_pool_free(pool, FALSE, TRUE);
  for (int i = 0; i < N_ROUNDS; i++)
    count += numbers[i];
}

int
main(int argc, char **argv) {
  static const struct {
    const char *name;
    GThreadFunc work;
  } kinds[] = {
      {"mutex", count_with_mutex}, {"recursive", count_recursively}, {"rwlock", count_with_rw_lock},
      {"cond", count_in_turn},     {"race", count_without_lock},     {"pool", NULL},
  };
  for (guint i = 0; argc == 2 && i < G_N_ELEMENTS(kinds); i++) {
    if (!g_str_equal(argv[1], kinds[i].name))
      continue;
    if (kinds[i].work) {
      GThread *first = g_thread_new("first", kinds[i].work, NULL);
      GThread *second = g_thread_new("second", kinds[i].work, GINT_TO_POINTER(TRUE));
      g_thread_join(first);
      g_thread_join(second);
    } else {
      count_in_pool();
    }
    g_print("%d\n", count);
    return 0;
  }
  g_printerr("usage: planted mutex|recursive|rwlock|cond|pool|race\n");
  return 2;
}
