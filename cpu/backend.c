/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend.h"

#include <string.h>
#include "isa.h"
#include "lower.h"
#include "workers.h"

/* A frame uses one thread for every 25 us of its single-threaded time if workers sleep, or for
 * every 8 us if they are awake. A sleeping thread starts to help after about 50 us, a spinning
 * thread after 1 us. */
#define WORTH_ASLEEP_NS 25000
#define WORTH_AWAKE_NS 8000

typedef struct {
  CcBackend base;
  guint n_threads;   /* maximum number of threads for a frame, including the caller */
  CcScratch scratch; /* scratch memory of the calling thread */
  CcScratch planes;  /* memory of the planes between the phases of a frame */
  /* Data of the current or last frame. The arrays are kept, so that frames allocate nothing. */
  GArray *placements; /* elements: CcPlacement, one for each region */
  GArray *slices;     /* elements: CcSlice */
  /* program of the last frame; NULL: no frame yet, or the program was freed */
  const CcCpuProgram *program;
  /* actual divided by estimated single-threaded time of frames of `program` */
  gdouble pace;
  guint64 end; /* cc_now() at the end of the last frame */
} CpuBackend;

typedef struct {
  const CcPhase *phase;
  const CcPlacement *placements;
  const CcSlice *slices;
  const CcSubmitInfo *info;
  guint8 *planes;
} Frame;

/* `use` is text for the error message. On failure the old memory stays, because other programs may
 * need it. */
static gboolean
reserve(CcScratch *scratch, gsize size, const gchar *use, GError **error) {
  if (cc_scratch_grow(scratch, size))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_NO_MEMORY,
              "out of memory: %" G_GSIZE_FORMAT " bytes for %s", size, use);
  return FALSE;
}

static gboolean
reserve_rows(CpuBackend *self, gsize size, GError **error) {
  return reserve(&self->scratch, size, "the rows of a thread", error);
}

static gboolean
reserve_planes(CpuBackend *self, gsize size, GError **error) {
  const gsize before = self->planes.size;
  const gboolean ok = reserve(&self->planes, size, "the planes between two stages", error);
  cc_backend_add_kept_bytes(&self->base, (gssize)(self->planes.size - before));
  return ok;
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
  const CcSlice *slice = &frame->slices[i];
  cc_phase_run(frame->phase, &frame->placements[slice->region], slice, frame->info, frame->planes,
               scratch);
}

static gboolean
overlap(const CcPlan *plan, const CcPlacement *a, const CcPlacement *b) {
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcRect *x = &a->frame_target[p], *y = &b->frame_target[p];
    if (x->x < y->x + y->width && y->x < x->x + x->width && x->y < y->y + y->height &&
        y->y < x->y + x->height)
      return TRUE;
  }
  return FALSE;
}

/* Returns how many of the n regions, from region `first` on, may be processed at the same time
 * because they do not overlap. */
static guint
count_apart(const CcPlan *plan, const CcPlacement *placements, guint first, guint n) {
  for (guint i = first + 1; i < n; i++)
    for (guint k = first; k < i; k++)
      if (overlap(plan, &placements[k], &placements[i]))
        return i - first;
  return n - first;
}

/* Returns how many threads to use for a frame that begins now. `estimate_ns` is its single-threaded
 * time. If the last frame ended less than CC_LOOK_OUT_NS ago, workers are expected to be awake. A
 * thread is then worth using for less work. */
static guint
count_threads(const CpuBackend *self, guint64 start, gdouble estimate_ns) {
  const gboolean awake = start - self->end < CC_LOOK_OUT_NS;
  const guint worth = awake ? WORTH_AWAKE_NS : WORTH_ASLEEP_NS;
  return (guint)CLAMP(estimate_ns / worth, 1, MIN(self->n_threads, cc_workers_n_cores()));
}

/* The first frame after a change of the program sets the pace. A frame that is faster than the pace
 * also sets it. Slower frames change the pace only a little, because a thread may have lost its
 * core for a while. */
static void
note_pace(CpuBackend *self, gdouble pace, gboolean first) {
  if (first || pace < self->pace)
    self->pace = pace;
  else
    self->pace += MIN(pace - self->pace, self->pace) / 8;
}

/* Sets the placement of each region. Returns the estimated single-threaded nanoseconds for all
 * regions. */
static gdouble
place_regions(CpuBackend *self, const CcCpuProgram *program, const CcSubmitInfo *info) {
  guint64 cost = 0;
  g_array_set_size(self->placements, info->n_regions);
  for (guint i = 0; i < info->n_regions; i++) {
    CcPlacement *placement = &g_array_index(self->placements, CcPlacement, i);
    cc_plan_place(program->phase[0].plan, &info->regions[i], placement);
    for (guint p = 0; p < program->n_phases; p++)
      cost += cc_phase_cost(&program->phase[p], placement);
  }
  return 1e-3 * (gdouble)MAX(cost, 1);
}

static CcSubmission *
cpu_submit(CcBackend *backend, CcProgram *base, const CcSubmitInfo *info, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  const CcCpuProgram *program = (const CcCpuProgram *)base;
  const CcPlan *plan = program->phase[0].plan;
  const guint64 start = cc_now();
  guint64 work_ns = 0;
  if (!reserve_rows(self, program->scratch_size, error) ||
      !reserve_planes(self, program->planes_size, error))
    return NULL;
  if (info->results)
    memset(info->results, 0, info->n_regions * plan->result_bytes);
  const gdouble estimate = place_regions(self, program, info);
  const CcPlacement *placements = &g_array_index(self->placements, CcPlacement, 0);
  const gboolean first = self->program != program;
  if (first)
    self->pace = 1;
  self->program = program;
  const guint n_threads = count_threads(self, start, self->pace * estimate);
  for (guint at = 0, n; at < info->n_regions; at += n) {
    n = count_apart(plan, placements, at, info->n_regions);
    for (guint p = 0; p < program->n_phases; p++) {
      const CcPhase *phase = &program->phase[p];
      g_array_set_size(self->slices, 0);
      for (guint i = at; i < at + n; i++)
        cc_phase_cut(phase, &placements[i], i, n_threads, self->slices);
      const Frame frame = {phase, placements, &g_array_index(self->slices, CcSlice, 0), info,
                           self->planes.memory};
      const CcParallelFor loop = {.n_slices = self->slices->len,
                                  .n_threads = n_threads,
                                  .scratch_size = program->scratch_size,
                                  .run = run_slice,
                                  .data = &frame};
      work_ns += cc_workers_run(&loop, self->scratch.memory);
    }
  }
  note_pace(self, (gdouble)work_ns / estimate, first);
  self->end = cc_now();
  CcSubmission *done = g_new0(CcSubmission, 1);
  done->times.kernel = self->end - start;
  return done;
}

/* --- programs --- */

static CcProgram *
cpu_prepare(CcBackend *backend, const CcPlan *plan, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  CcCpuProgram *program = cc_cpu_program_new(plan, cc_cpu_variant());
  /* Reserves the part of the scratch memory that does not grow with the frame. If memory is short,
   * the change of the filter fails here and no frame is lost. */
  for (guint p = 0; p < program->n_phases; p++)
    if (!reserve_rows(self, program->phase[p].fixed_scratch, error)) {
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
  self->placements = g_array_new(FALSE, FALSE, sizeof(CcPlacement));
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
  g_array_unref(self->placements);
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
