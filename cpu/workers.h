/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Work in slices, which threads that bring it share with workers: threads that all users in the
 * process have in common, at most one less than there are cores.
 *
 * Who brings work begins with it at once and waits for no worker that sleeps. Workers come while
 * there are slices and as long as the threads at work, those that bring some included, are no more
 * than cores; so many users share the cores, and one alone has all of them. */

#include <glib.h>
#include <time.h>

G_BEGIN_DECLS

/* Nanoseconds of a clock that only goes forward. */
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

/* Makes room for at least `size` bytes, a multiple of CC_ROW_ALIGN; what was there is lost. FALSE:
 * there is no memory, and the room that there was stays. */
gboolean cc_scratch_grow(CcScratch *self, gsize size);
void cc_scratch_clear(CcScratch *self);

/* Nanoseconds that a worker looks out for more work before it sleeps. */
#define CC_LOOK_OUT_NS 30000

typedef struct {
  guint n_slices;
  guint n_threads;    /* the most at once, of which one brings the work; at least 1 */
  gsize scratch_size; /* that each of them needs */
  void (*run)(gconstpointer data, guint slice, guint8 *scratch);
  gconstpointer data;
} CcParallelFor;

/* Counts those who use workers. Workers begin when they are called for the first time, and have
 * ended when the last user is gone. Any thread. A child that the process forks has its parent's
 * users, and workers of its own. */
void cc_workers_ref(void);
void cc_workers_unref(void);

/* The most threads that do anything at once: as many as the process has cores. */
guint cc_workers_n_cores(void);

/* As if there were n cores; 0: as many as there are. For tests, while nobody uses workers. */
void cc_workers_set_n_cores(guint n);

/* Runs every slice once, with the caller's scratch memory or a worker's, in no order that can be
 * relied on. All is done when this returns. Returns the nanoseconds that it took, those of all
 * threads added up. For users, in any thread. */
guint64 cc_workers_run(const CcParallelFor *loop, guint8 *scratch);

G_END_DECLS
