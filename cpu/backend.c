/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend.h"

#include <string.h>
#include "isa.h"
#include "lower.h"
#include "workers.h"

/* What a thread has to do for it to be called. One that sleeps comes after some 50 us, and one that
 * looks out for the next frame after 1 us. */
#define WORTH_ASLEEP_NS 25000
#define WORTH_AWAKE_NS 8000

#define CLOSE 8 /* pixels; more than a sample stands for, each way */

typedef struct {
  CcBackend base;
  guint n_threads;             /* as asked for: the most at once, the calling one included */
  CcScratch scratch;           /* the calling one's */
  CcScratch planes;            /* between the phases of a frame */
  GArray *slices;              /* of CcSlice; kept, so that frames allocate nothing */
  const CcCpuProgram *program; /* that ran last */
  gdouble pace;                /* how many times as long as estimated its frames take one thread */
  guint64 end;                 /* of the last frame */
} CpuBackend;

typedef struct {
  const CcPhase *phase;
  const CcSlice *slices;
  const CcSubmission *submission;
  guint8 *planes;
} Frame;

/* Takes scratch memory for the calling thread. On failure what there was stays, for other
 * programs. */
static gboolean
reserve(CpuBackend *self, gsize size, GError **error) {
  if (cc_scratch_grow(&self->scratch, size))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY,
              "out of memory: %" G_GSIZE_FORMAT " bytes for the rows of a thread", size);
  return FALSE;
}

/* Takes memory for planes between phases. */
static gboolean
reserve_planes(CpuBackend *self, gsize size, GError **error) {
  const gsize before = self->planes.size;
  if (!cc_scratch_grow(&self->planes, size)) {
    g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY,
                "out of memory: %" G_GSIZE_FORMAT " bytes for the planes between two stages", size);
    return FALSE;
  }
  cc_backend_add_kept_bytes(&self->base, (gssize)(self->planes.size - before));
  return TRUE;
}

static void
cpu_trim(CcBackend *backend) {
  CpuBackend *self = (CpuBackend *)backend;
  cc_backend_add_kept_bytes(backend, -(gssize)self->planes.size);
  cc_scratch_clear(&self->planes);
}

/* --- frames --- */

static void
run_slice(gconstpointer data, guint i, guint8 *scratch) {
  const Frame *frame = data;
  cc_phase_run(frame->phase, &frame->slices[i], frame->submission, frame->planes, scratch);
}

/* Whether two spans of the output's pixels are so close that they may share a sample. */
static gboolean
are_close(guint a, guint n_a, guint b, guint n_b) {
  return a < (guint64)b + n_b + CLOSE && b < (guint64)a + n_a + CLOSE;
}

/* Whether two regions have samples of the output in common. */
static gboolean
overlap(const CcPlan *plan, const CcRegion *a, const CcRegion *b) {
  CcPlacement first, second;
  if (!are_close(a->target_x, a->source.width, b->target_x, b->source.width) ||
      !are_close(a->target_y, a->source.height, b->target_y, b->source.height))
    return FALSE;
  cc_plan_place(plan, a, &first);
  cc_plan_place(plan, b, &second);
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcRect *x = &first.frame_target[p], *y = &second.frame_target[p];
    if (x->x < y->x + y->width && y->x < x->x + x->width && x->y < y->y + y->height &&
        y->y < x->y + x->height)
      return TRUE;
  }
  return FALSE;
}

/* How many regions, from number `first` on, may be made at the same time: none of them overlaps one
 * before it. */
static guint
count_apart(const CcPlan *plan, const CcSubmission *submission, guint first) {
  for (guint i = first + 1; i < submission->n_regions; i++)
    for (guint k = first; k < i; k++)
      if (overlap(plan, &submission->regions[k], &submission->regions[i]))
        return i - first;
  return submission->n_regions - first;
}

/* How many threads a frame is worth that begins now and takes one thread so many nanoseconds. Where
 * the last one ended just before, a thread that is called stays awake for the next ones. */
static guint
count_threads(const CpuBackend *self, guint64 start, gdouble work) {
  const gboolean awake = start - self->end < CC_LOOK_OUT_NS;
  const guint worth = awake ? WORTH_AWAKE_NS : WORTH_ASLEEP_NS;
  return (guint)CLAMP(work / worth, 1, MIN(self->n_threads, cc_workers_n_cores()));
}

/* Takes over the pace of the first frame of a program, and of later ones that were faster. A thread
 * that loses its core for a while makes one slower, which counts little. */
static void
note_pace(CpuBackend *self, gdouble pace, gboolean first) {
  if (first || pace < self->pace)
    self->pace = pace;
  else
    self->pace += MIN(pace - self->pace, self->pace) / 8;
}

static CcJob *
cpu_submit(CcBackend *backend, CcProgram *base, const CcSubmission *submission, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  const CcCpuProgram *program = (const CcCpuProgram *)base;
  const guint64 start = cc_now();
  guint64 estimate = 0, work_ns = 0;
  if (!reserve(self, program->scratch_size, error) ||
      (program->planes_size && !reserve_planes(self, program->planes_size, error)))
    return NULL;
  if (submission->results)
    memset(submission->results, 0, submission->n_regions * cc_plan_result_bytes(program->plan));
  for (guint i = 0; i < submission->n_regions; i++)
    estimate += cc_cpu_program_cost(program, &submission->regions[i]);
  const gboolean first = self->program != program;
  if (first)
    self->pace = 1;
  self->program = program;
  const guint n_threads = count_threads(self, start, self->pace * 1e-3 * (gdouble)estimate);
  for (guint at = 0, n; at < submission->n_regions; at += n) {
    n = count_apart(program->plan, submission, at);
    for (guint p = 0; p < program->n_phases; p++) {
      g_array_set_size(self->slices, 0);
      for (guint i = at; i < at + n; i++)
        cc_phase_cut(&program->phase[p], &submission->regions[i], i, n_threads, self->slices);
      const Frame frame = {&program->phase[p], (const CcSlice *)(gpointer)self->slices->data,
                           submission, self->planes.memory};
      const CcWork work = {.n_slices = self->slices->len,
                           .n_threads = n_threads,
                           .scratch_size = program->scratch_size,
                           .run = run_slice,
                           .data = &frame};
      work_ns += cc_workers_run(&work, self->scratch.memory);
    }
  }
  note_pace(self, 1e3 * (gdouble)work_ns / (gdouble)MAX(estimate, 1), first);
  self->end = cc_now();
  CcJob *job = g_new0(CcJob, 1);
  job->times.kernel = self->end - start;
  return job;
}

/* --- programs --- */

static CcProgram *
cpu_prepare(CcBackend *backend, const CcPlan *plan, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  CcCpuProgram *program = cc_cpu_program_new(plan, cc_cpu_variant());
  /* a change of the filter is refused now, and no frame is lost by it */
  for (guint p = 0; p < program->n_phases; p++)
    if (!reserve(self, program->phase[p].fixed_scratch, error)) {
      cc_cpu_program_free(program);
      return NULL;
    }
  program->base.steps = cc_cpu_program_explain(program);
  return &program->base;
}

static void
cpu_program_free(CcProgram *program) {
  CpuBackend *self = (CpuBackend *)program->backend;
  if (self->program == (CcCpuProgram *)program)
    self->program = NULL;
  cc_cpu_program_free((CcCpuProgram *)program);
}

/* --- the backend --- */

static CcBackend *
cpu_open(const CcBackendConfig *config, GError **error) {
  CpuBackend *self = g_new0(CpuBackend, 1);
  cc_workers_ref();
  self->n_threads =
      MIN(config->n_threads ? config->n_threads : cc_workers_n_cores(), CC_MAX_THREADS);
  self->slices = g_array_new(FALSE, FALSE, sizeof(CcSlice));
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
  cc_workers_unref();
  cc_scratch_clear(&self->scratch);
  cc_scratch_clear(&self->planes);
  g_array_unref(self->slices);
  g_free(self->base.device_name);
  g_free(self);
}

const CcBackendClass cc_cpu_backend = {
    .name = "cpu",
    .open = cpu_open,
    .prepare = cpu_prepare,
    .program_free = cpu_program_free,
    .submit = cpu_submit,
    .trim = cpu_trim,
    .close = cpu_close,
};
