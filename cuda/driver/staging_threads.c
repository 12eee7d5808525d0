/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "staging_threads.h"

/* Helpers of the process. More threads copy no faster, because memory is the limit. */
#define MAX_HELPERS 6
/* Helpers of one CcStagingWork: few, so that several CcStagingWork can run at once. */
#define HELPERS_EACH 2

struct _CcStagingWork {
  gatomicrefcount refs; /* the caller's, and one per helper */
  guint n_slices;
  void (*run)(gpointer data, guint slice);
  void (*end)(gpointer data);
  gpointer data;
  gint next;        /* first slice that no thread has begun; atomic */
  gint n_left;      /* slices that are not done; atomic */
  GMutex lock;      /* guards is_over */
  GCond over;       /* signalled when is_over becomes TRUE */
  gboolean is_over; /* all slices and `end` are done */
};

static void
staging_work_unref(CcStagingWork *self) {
  if (!g_atomic_ref_count_dec(&self->refs))
    return;
  g_mutex_clear(&self->lock);
  g_cond_clear(&self->over);
  g_free(self);
}

/* Runs slices until every slice has been begun. The thread that finishes the last slice calls
 * `end`. */
static void
do_slices(CcStagingWork *self) {
  guint slice;
  while ((slice = (guint)g_atomic_int_add(&self->next, 1)) < self->n_slices) {
    self->run(self->data, slice);
    if (!g_atomic_int_dec_and_test(&self->n_left))
      continue;
    if (self->end)
      self->end(self->data);
    g_mutex_lock(&self->lock);
    self->is_over = TRUE;
    g_cond_signal(&self->over);
    g_mutex_unlock(&self->lock);
  }
}

static gint n_called; /* helpers that run or will run soon; atomic */

static void
help(gpointer work, gpointer unused) {
  do_slices(work);
  g_atomic_int_add(&n_called, -1);
  staging_work_unref(work);
}

/* Returns the helpers, which live as long as the process. NULL on a machine with one core. */
static GThreadPool *
get_helpers(void) {
  static gsize made;
  static GThreadPool *helpers;
  if (g_once_init_enter(&made)) {
    const guint n = MIN(g_get_num_processors() - 1, MAX_HELPERS);
    if (n > 0)
      helpers = g_thread_pool_new(help, NULL, (gint)n, FALSE, NULL);
    g_once_init_leave(&made, 1);
  }
  return helpers;
}

/* Starts a helper, unless all are busy. */
static gboolean
call_helper(CcStagingWork *self) {
  GThreadPool *helpers = get_helpers();
  const gint max = helpers ? g_thread_pool_get_max_threads(helpers) : 0;
  if (g_atomic_int_add(&n_called, 1) >= max) {
    g_atomic_int_add(&n_called, -1);
    return FALSE;
  }
  g_atomic_ref_count_inc(&self->refs);
  g_thread_pool_push(helpers, self, NULL);
  return TRUE;
}

CcStagingWork *
cc_staging_start(guint n_slices, void (*run)(gpointer data, guint slice),
                 void (*end)(gpointer data), gpointer data) {
  CcStagingWork *self = g_new0(CcStagingWork, 1);
  guint n_helpers = 0;
  self->n_slices = n_slices;
  self->run = run;
  self->end = end;
  self->data = data;
  self->n_left = (gint)n_slices;
  g_atomic_ref_count_init(&self->refs);
  g_mutex_init(&self->lock);
  g_cond_init(&self->over);
  while (n_helpers < MIN(n_slices, HELPERS_EACH) && call_helper(self))
    n_helpers++;
  if (n_helpers == 0)
    do_slices(self);
  return self;
}

void
cc_staging_finish(CcStagingWork *self) {
  do_slices(self);
  g_mutex_lock(&self->lock);
  while (!self->is_over)
    g_cond_wait(&self->over, &self->lock);
  g_mutex_unlock(&self->lock);
  staging_work_unref(self);
}
