/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A parallel-for over slices. The calling thread shares the slices with workers. All users in the
 * process share the workers, of which there are at most one less than cores.
 *
 * A caller begins at once and never waits for a sleeping worker. Workers help while slices are left
 * and while no more threads than cores are running, callers included. Many users thus share the
 * cores, and a single user has all of them. */

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

/* Ensures at least `size` bytes, a multiple of CC_ROW_ALIGN. The content is lost. Returns FALSE and
 * keeps the old memory if there is not enough memory. */
gboolean cc_scratch_grow(CcScratch *self, gsize size);
void cc_scratch_clear(CcScratch *self);

/* Nanoseconds that a worker spins for the next call before it sleeps. */
#define CC_LOOK_OUT_NS 30000

typedef struct {
  guint n_slices;
  guint n_threads;    /* the most at once, the caller included; at least 1 */
  gsize scratch_size; /* for each thread */
  void (*run)(gconstpointer data, guint slice, guint8 *scratch);
  gconstpointer data;
} CcParallelFor;

/* Counts the users of workers. Workers start when they are first needed, and have ended when the
 * last user is gone. May be called from any thread. After a fork the child has its parent's users,
 * and workers of its own. */
void cc_workers_ref(void);
void cc_workers_unref(void);

/* Returns how many threads run at once at most: the number of cores of the process. */
guint cc_workers_n_cores(void);

/* Pretends that there are n cores; 0: the actual number. For tests, while nobody uses workers. */
void cc_workers_set_n_cores(guint n);

/* Runs every slice once, in any order, with the caller's or a worker's scratch memory. Returns when
 * all slices are done. Returns the nanoseconds that all threads took together. For users, from any
 * thread. */
guint64 cc_workers_run(const CcParallelFor *loop, guint8 *scratch);

G_END_DECLS
