/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Parallel loops that threads share with the workers of the process, as on a machine with N_CORES
 * cores. */

#include "cpu/kernels/row_kernels.h"
#include "cpu/workers.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_CORES 6
#define N_SLICES 300
#define SCRATCH_SIZE 4096

static void
begin(void) {
  cc_workers_set_n_cores(N_CORES);
  cc_workers_ref();
}

/* --- a loop that counts --- */

typedef struct {
  gint n_runs[N_SLICES]; /* atomic */
  gint n_inside, max;    /* threads at once; atomic */
  GThread *caller;
  gint n_helped;     /* slices that other threads ran; atomic */
  guint64 nano_each; /* time of a slice */
} Counts;

static void
note_max(Counts *counts, gint n) {
  gint max = g_atomic_int_get(&counts->max);
  while (n > max && !g_atomic_int_compare_and_exchange(&counts->max, max, n))
    max = g_atomic_int_get(&counts->max);
}

static void
count_slice(gconstpointer data, guint slice, guint8 *scratch) {
  Counts *counts = (Counts *)data;
  note_max(counts, g_atomic_int_add(&counts->n_inside, 1) + 1);
  const guint64 start = cc_now();
  memset(scratch, (gint)slice, SCRATCH_SIZE);
  while (cc_now() - start < counts->nano_each)
    g_thread_yield();
  for (guint i = 0; i < SCRATCH_SIZE; i++) /* no other thread writes there */
    g_assert_cmpuint(scratch[i], ==, slice & 0xff);
  g_atomic_int_inc(&counts->n_runs[slice]);
  if (g_thread_self() != counts->caller)
    g_atomic_int_inc(&counts->n_helped);
  g_atomic_int_add(&counts->n_inside, -1);
}

/* Runs n_slices slices on up to n_threads threads, and checks that each slice ran once. */
static void
run_slices(Counts *counts, guint n_slices, guint n_threads, guint64 nano_each) {
  CcScratch scratch = {0};
  g_assert_true(cc_scratch_grow(&scratch, SCRATCH_SIZE));
  *counts = (Counts){.caller = g_thread_self(), .nano_each = nano_each};
  const CcParallelFor loop = {n_slices, n_threads, SCRATCH_SIZE, count_slice, counts};
  const guint64 busy = cc_workers_run(&loop, scratch.memory);
  for (guint i = 0; i < N_SLICES; i++)
    g_assert_cmpint(g_atomic_int_get(&counts->n_runs[i]), ==, i < n_slices);
  g_assert_cmpint(g_atomic_int_get(&counts->max), <=, n_threads);
  g_assert_cmpuint(busy, >=, n_slices * nano_each);
  cc_scratch_clear(&scratch);
}

/* --- threads of the process --- */

static guint
count_threads(void) {
  g_autofree gchar *status = NULL;
  g_assert_true(g_file_get_contents("/proc/self/status", &status, NULL, NULL));
  const gchar *line = strstr(status, "\nThreads:");
  g_assert_nonnull(line);
  return (guint)g_ascii_strtoull(line + strlen("\nThreads:"), NULL, 10);
}

/* Waits, because the system still counts a thread for a moment after it was joined. */
static void
assert_threads_end(guint n) {
  for (guint i = 0; i < 1000 && count_threads() > n; i++)
    g_usleep(1000);
  g_assert_cmpuint(count_threads(), ==, n);
}

/* --- tests --- */

static void
test_every_slice_once(void) {
  static const guint n_slices[] = {1, 2, 3, 17, N_SLICES};
  static const guint n_threads[] = {1, 2, 5, N_CORES, 200};
  Counts counts;
  begin();
  for (guint round = 0; round < 20; round++)
    for (guint s = 0; s < G_N_ELEMENTS(n_slices); s++)
      for (guint t = 0; t < G_N_ELEMENTS(n_threads); t++)
        run_slices(&counts, n_slices[s], n_threads[t], 0);
  cc_workers_unref();
}

/* Workers start, at most as many as allowed, and end with the last user. */
static void
test_workers_come_and_go(void) {
  const guint before = count_threads();
  Counts counts;
  for (guint round = 0; round < 3; round++) {
    begin();
    cc_workers_ref();
    g_assert_cmpuint(cc_workers_n_cores(), ==, N_CORES);
    g_assert_cmpuint(count_threads(), ==, before);
    run_slices(&counts, N_SLICES, 1, 0);
    g_assert_cmpuint(count_threads(), ==, before);
    for (guint i = 0; i < 3; i++)
      run_slices(&counts, N_SLICES, 200, 100000);
    g_assert_cmpint(counts.n_helped, >, 0);
    g_assert_cmpuint(count_threads(), <=, before + N_CORES - 1);
    cc_workers_unref();
    run_slices(&counts, N_SLICES, N_CORES, 0);
    cc_workers_unref();
    assert_threads_end(before);
  }
}

static void
test_one_core(void) {
  const guint before = count_threads();
  Counts counts;
  cc_workers_set_n_cores(1);
  cc_workers_ref();
  run_slices(&counts, N_SLICES, 200, 0);
  g_assert_cmpint(counts.n_helped, ==, 0);
  g_assert_cmpuint(count_threads(), ==, before);
  cc_workers_unref();
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__

static void
test_without_memory(void) {
  g_test_skip("the sanitizer ends the program when memory runs out");
}

#else

static void
never_helped(gconstpointer data, guint slice, guint8 *scratch) {
  g_assert_true(g_thread_self() == data);
}

/* A worker that gets no scratch memory leaves the slices to other threads. */
static void
test_without_memory(void) {
  const CcParallelFor loop = {N_SLICES, N_CORES, (gsize)1 << 60, never_helped, g_thread_self()};
  begin();
  for (guint i = 0; i < 100; i++)
    cc_workers_run(&loop, NULL);
  cc_workers_unref();
}

#endif

/* --- many users --- */

typedef struct {
  guint number;
  guint n_helped;
} User;

static gpointer
bring_much(gpointer data) {
  User *user = data;
  Counts counts;
  for (guint round = 0; round < 5; round++) {
    cc_workers_ref();
    for (guint i = 0; i < 20; i++) {
      run_slices(&counts, 1 + (user->number * 37 + i * 13) % N_SLICES, 1 + (user->number + i) % 8,
                 2000);
      user->n_helped += (guint)counts.n_helped;
    }
    cc_workers_unref();
  }
  return NULL;
}

/* Users come and go at any time, and start no more threads than there are cores. */
static void
test_many_users(void) {
  enum { N_USERS = 16 };
  const guint before = count_threads();
  User users[N_USERS] = {{0}};
  GThread *threads[N_USERS];
  guint max = 0;
  cc_workers_set_n_cores(N_CORES);
  for (guint i = 0; i < N_USERS; i++) {
    users[i].number = i;
    threads[i] = g_thread_new("user", bring_much, &users[i]);
  }
  for (guint i = 0; i < N_USERS; i++) {
    max = MAX(max, count_threads());
    g_thread_join(threads[i]);
  }
  g_test_message("%u threads", max);
  g_assert_cmpuint(max, <=, before + N_USERS + N_CORES - 1);
  assert_threads_end(before);
}

/* A forked child continues with its own workers, and ends without those of its parent. */
static void
test_fork(void) {
#ifdef __SANITIZE_THREAD__
  g_test_skip("ThreadSanitizer knows no threads after a fork");
  return;
#endif
  Counts counts;
  begin();
  do
    run_slices(&counts, N_SLICES, N_CORES, 100000);
  while (counts.n_helped == 0);
  const pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    alarm(60);
    const guint alone = count_threads();
    do
      run_slices(&counts, N_SLICES, N_CORES, 100000);
    while (counts.n_helped == 0);
    cc_workers_unref();
    assert_threads_end(alone);
    _exit(alone == 1 ? 0 : 1);
  }
  gint status;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 0);
  run_slices(&counts, N_SLICES, N_CORES, 0);
  cc_workers_unref();
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/workers/every-slice-once", test_every_slice_once);
  g_test_add_func("/workers/come-and-go", test_workers_come_and_go);
  g_test_add_func("/workers/one-core", test_one_core);
  g_test_add_func("/workers/without-memory", test_without_memory);
  g_test_add_func("/workers/many-users", test_many_users);
  g_test_add_func("/workers/fork", test_fork);
  return g_test_run();
}
