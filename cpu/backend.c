/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend.h"

#include "cpu.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINGER_NS 30000 /* that a worker looks out for the next frame before it sleeps */
#define SPINS 4000 /* some microseconds: what the last slice of another thread may still take */

typedef struct {
  guint8 *memory;
  gsize size;
} Scratch;

/* A frame is run by the calling thread and whichever workers come in time: they enter while the
 * frame is open and work through the same list of slices. A worker that wakes up after the frame
 * finds it closed, or helps with the next one; nobody waits for it. */
typedef struct {
  CcBackend base;
  guint n_threads;  /* the calling one included */
  Scratch *scratch; /* n_threads; the first is the caller's */
  GThreadPool *pool;

  GMutex mutex;
  GCond done;    /* the last worker left */
  guint called;  /* workers that come: from the pool, or looking out for the next frame */
  gint n_opened; /* frames; read without the mutex by the latter */
  gboolean open;
  gint n_active; /* workers inside; read without the mutex while spinning */
  guint n_free;
  guint *free_scratch; /* indices of those that no worker uses */

  const CcCpuProgram *program;
  const CcFrame *src, *dst;
  gint next_slice; /* atomic */
} CpuBackend;

typedef struct {
  CcJob base;
  guint64 time;
} CpuJob;

/* --- scratch memory --- */

/* Makes room for at least `size` bytes, a multiple of CC_ROW_ALIGN; what was there is lost. On
 * failure the room that there was stays, for the programs that use it. What kernels read beyond the
 * ends of rows has no effect, but a value. */
static gboolean
grow_scratch(Scratch *scratch, gsize size, GError **error) {
  if (scratch->size >= size)
    return TRUE;
  guint8 *memory = aligned_alloc(CC_ROW_ALIGN, size);
  if (!memory) {
    g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY,
                "out of memory: %" G_GSIZE_FORMAT " bytes for the rows of a thread", size);
    return FALSE;
  }
  memset(memory, 0, size);
  free(scratch->memory);
  scratch->memory = memory;
  scratch->size = size;
  return TRUE;
}

/* Makes room for each thread. */
static gboolean
reserve(CpuBackend *self, gsize size, GError **error) {
  for (guint i = 0; i < self->n_threads; i++)
    if (!grow_scratch(&self->scratch[i], size, error))
      return FALSE;
  return TRUE;
}

/* --- frames --- */

static guint64
now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (guint64)t.tv_sec * 1000000000 + (guint64)t.tv_nsec;
}

static void
run_slices(CpuBackend *self, guint8 *scratch) {
  const CcCpuProgram *program = self->program;
  for (;;) {
    const guint i = (guint)g_atomic_int_add(&self->next_slice, 1);
    if (i >= program->n_slices)
      return;
    cc_cpu_program_run(program, &program->slices[i], self->src, self->dst, scratch);
  }
}

/* Helps with the open frame; the mutex is held, but not meanwhile. */
static void
help(CpuBackend *self) {
  const guint mine = self->free_scratch[--self->n_free];
  g_atomic_int_inc(&self->n_active);
  g_mutex_unlock(&self->mutex);

  run_slices(self, self->scratch[mine].memory);

  g_mutex_lock(&self->mutex);
  self->free_scratch[self->n_free++] = mine;
  if (g_atomic_int_dec_and_test(&self->n_active))
    g_cond_signal(&self->done);
}

/* Looks out for the frame after number `last` for a while. */
static void
look_out(CpuBackend *self, gint last) {
  const guint64 start = now();
  while (g_atomic_int_get(&self->n_opened) == last && now() - start < LINGER_NS)
    continue;
}

/* What the pool runs: helps with frames until none has come for a while, as it takes longer to be
 * woken up than some frames take. */
static void
work(gpointer data, gpointer user_data) {
  CpuBackend *self = user_data;
  g_mutex_lock(&self->mutex);
  self->called--;
  while (self->open) {
    const gint last = self->n_opened;
    help(self);
    self->called++;
    g_mutex_unlock(&self->mutex);
    look_out(self, last);
    g_mutex_lock(&self->mutex);
    self->called--;
    if (self->n_opened == last)
      break;
  }
  g_mutex_unlock(&self->mutex);
}

/* Lets n_workers in, of whom some may be on their way from an earlier frame. */
static void
open_frame(CpuBackend *self, guint n_workers) {
  g_mutex_lock(&self->mutex);
  self->open = TRUE;
  g_atomic_int_inc(&self->n_opened);
  guint n_calls = n_workers > self->called ? n_workers - self->called : 0;
  self->called += n_calls;
  g_mutex_unlock(&self->mutex);
  for (; n_calls; n_calls--)
    g_thread_pool_push(self->pool, self, NULL);
}

/* Lets no more workers in and waits for those inside. */
static void
close_frame(CpuBackend *self) {
  g_mutex_lock(&self->mutex);
  self->open = FALSE;
  g_mutex_unlock(&self->mutex);
  for (guint i = 0; i < SPINS && g_atomic_int_get(&self->n_active); i++)
    continue;
  g_mutex_lock(&self->mutex);
  while (g_atomic_int_get(&self->n_active))
    g_cond_wait(&self->done, &self->mutex);
  g_mutex_unlock(&self->mutex);
}

static CcJob *
cpu_submit(CcBackend *backend, CcProgram *base, const CcFrame *src, const CcFrame *dst,
           GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  const guint64 start = now();
  self->program = (CcCpuProgram *)base;
  if (!reserve(self, cc_cpu_program_frame_scratch(self->program), error))
    return NULL;
  self->src = src;
  self->dst = dst;
  g_atomic_int_set(&self->next_slice, 0);
  const guint n_workers = MIN(self->program->n_threads, self->program->n_slices) - 1;
  if (n_workers > 0)
    open_frame(self, n_workers);
  run_slices(self, self->scratch[0].memory);
  if (n_workers > 0)
    close_frame(self);
  CpuJob *job = g_slice_new0(CpuJob);
  job->time = now() - start;
  return &job->base;
}

static gboolean
cpu_wait(CcBackend *backend, CcJob *base, CcTimes *times, GError **error) {
  CpuJob *job = (CpuJob *)base;
  *times = (CcTimes){.kernel = job->time};
  g_slice_free(CpuJob, job);
  return TRUE;
}

/* --- programs --- */

static CcProgram *
cpu_prepare(CcBackend *backend, const CcPlan *plan, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  CcCpuProgram *program = cc_cpu_program_new(plan, self->n_threads);
  if (reserve(self, program->scratch_size, error))
    return &program->base;
  cc_cpu_program_free(program);
  return NULL;
}

static void
cpu_program_free(CcProgram *program) {
  cc_cpu_program_free((CcCpuProgram *)program);
}

/* --- the backend --- */

static CcBackend *
cpu_open(const CcBackendConfig *config, GError **error) {
  const guint n_threads = config->n_threads ? config->n_threads : g_get_num_processors();
  CpuBackend *self = g_new0(CpuBackend, 1);
  self->n_threads = MIN(n_threads, CC_MAX_THREADS);
  self->scratch = g_new0(Scratch, self->n_threads);
  self->free_scratch = g_new(guint, self->n_threads);
  for (guint i = 1; i < self->n_threads; i++)
    self->free_scratch[self->n_free++] = i;
  g_mutex_init(&self->mutex);
  g_cond_init(&self->done);
  if (self->n_threads > 1)
    self->pool = g_thread_pool_new(work, self, (gint)self->n_threads - 1, FALSE, NULL);
  self->base = (CcBackend){
      .klass = &cc_cpu_backend,
      .device_name = g_strdup_printf("%s, %u thread%s", cc_cpu_variant()->title, self->n_threads,
                                     self->n_threads == 1 ? "" : "s"),
      .device_id = -1,
      .depth = 1,
  };
  return &self->base;
}

static void
cpu_close(CcBackend *backend) {
  CpuBackend *self = (CpuBackend *)backend;
  if (self->pool)
    g_thread_pool_free(self->pool, FALSE, TRUE);
  for (guint i = 0; i < self->n_threads; i++)
    free(self->scratch[i].memory);
  g_mutex_clear(&self->mutex);
  g_cond_clear(&self->done);
  g_free(self->scratch);
  g_free(self->free_scratch);
  g_free(self->base.device_name);
  g_free(self);
}

const CcBackendClass cc_cpu_backend = {
    .name = "cpu",
    .open = cpu_open,
    .prepare = cpu_prepare,
    .program_free = cpu_program_free,
    .submit = cpu_submit,
    .wait = cpu_wait,
    .close = cpu_close,
};
