/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A parallel-for over slices. The calling thread and worker threads run the slices. All users in
 * the process share the workers. With n cores there are at most n - 1 workers.
 *
 * A caller begins at once and never waits for a sleeping worker. Workers help until no slice is
 * left. A worker stops earlier if more threads are running than there are cores; callers count as
 * running threads. Many users thus share the cores. A single user has all cores. */

#include <glib.h>
#include <time.h>

G_BEGIN_DECLS

/* Returns the nanoseconds of a monotonic clock. */
static inline guint64
cc_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (guint64)t.tv_sec * 1000000000 + (guint64)t.tv_nsec;
}

typedef struct {
  guint8 *memory; /* aligned to CC_ROW_ALIGN; NULL: none */
  gsize size;
} CcScratch;

/* Makes the memory at least `size` bytes large. `size` is a multiple of CC_ROW_ALIGN. If the memory
 * grows, its content is lost and replaced by zeros. Returns FALSE and keeps the old memory if there
 * is not enough memory. */
gboolean cc_scratch_grow(CcScratch *self, gsize size);
void cc_scratch_clear(CcScratch *self);

/* How many nanoseconds a worker spins for the next call before it sleeps. While other calls are
 * running, it spins up to ten times as long. */
#define CC_LOOK_OUT_NS 30000

typedef struct {
  guint n_slices;
  guint n_threads;    /* maximum number of threads, including the caller; at least 1 */
  gsize scratch_size; /* bytes of scratch memory for each thread */
  void (*run)(gconstpointer data, guint slice, guint8 *scratch);
  gconstpointer data;
} CcParallelFor;

/* Add and remove a user of the workers. Workers start when they are first needed. The last call of
 * cc_workers_unref ends the workers and waits until they have ended. After a fork, the child
 * process keeps the count of users and starts its own workers. Both functions may be called from
 * any thread. */
void cc_workers_ref(void);
void cc_workers_unref(void);

/* Returns the number of cores that the process may use, 1 to CC_MAX_THREADS. At most
 * this many threads work on a frame. The number is valid only while there is a user. */
guint cc_workers_n_cores(void);

/* Sets the number of cores; 0: the actual number. Only for tests, and only while there are no
 * users. */
void cc_workers_set_n_cores(guint n);

/* Runs every slice once, in any order. `scratch` is the caller's scratch memory; workers have their
 * own. Returns when all slices are done. The result is the sum of the nanoseconds that each thread
 * was busy. The caller must be a user (cc_workers_ref). May be called from any thread. */
guint64 cc_workers_run(const CcParallelFor *loop, guint8 *scratch);

G_END_DECLS
