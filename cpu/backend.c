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

/* A region of a frame, or a field of it. */
typedef struct {
  const CcCpuProgram *program;
  CcPlacement placement;
  /* of the frame or of a field; in place, dst is what place_target says; results are those of the
   * region */
  CcSubmitInfo info;
  CcFrame target; /* dst, also in place */
  /* placement and frames of the inner program; not set if there is none */
  CcPlacement inner_placement;
  CcInnerFrames inner;
  /* the number of parts, from this one on, that are processed at the same time; not set for the
   * others of them */
  guint n_at_once;
} Part;

typedef struct {
  CcBackend base;
  guint n_threads;   /* maximum number of threads for a frame, including the caller */
  CcScratch scratch; /* scratch memory of the calling thread */
  /* memory of the planes between the phases of a frame, and after it the targets of the regions of
   * a frame that is filtered in place */
  CcScratch planes;
  /* Data of the current or last frame. The arrays are kept, so that frames allocate nothing. */
  GArray *parts;  /* elements: Part */
  GArray *slices; /* elements: CcSlice */
  /* program of the last frame; NULL: no frame yet, or the program was freed */
  const CcCpuProgram *program;
  /* actual divided by estimated single-threaded time of frames of `program` */
  gdouble pace;
  guint64 end; /* cc_now() at the end of the last frame */
} CpuBackend;

typedef struct {
  const Part *parts;
  guint phase; /* number of the phase */
  const CcSlice *slices;
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
  const gboolean ok = reserve(&self->planes, size, "planes between stages and regions", error);
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

static const CcPlacement *
placement_of(const Part *part, const CcPhase *phase) {
  return phase->is_inner ? &part->inner_placement : &part->placement;
}

static void
run_slice(gconstpointer data, guint i, guint8 *scratch) {
  const Frame *frame = data;
  const CcSlice *slice = &frame->slices[i];
  const Part *part = &frame->parts[slice->part];
  const CcPhase *phase = &part->program->phase[frame->phase];
  cc_phase_run(phase, placement_of(part, phase), slice, &part->info, &part->inner, frame->planes,
               scratch);
}

static const CcPlan *
plan_of(const Part *part) {
  return part->program->phase[0].plan;
}

static gboolean
overlap(const CcRect *a, const CcRect *b) {
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

/* Whether two parts must not be processed at the same time: their targets overlap, or the planes
 * between their phases overlap. The planes of all programs of a frame are those of repetitions and
 * of an inner program, or there are none, or stages share memory. So planes of the same size have
 * the same places in memory. A target, and a source of an inner program, has the same place in them
 * as in its field. */
static gboolean
collide(const Part *a, const Part *b) {
  const gsize size = a->program->planes_size, other = b->program->planes_size;
  const gboolean have_planes = size && other, have_inner = a->program->inner && b->program->inner;
  if (have_planes && (size != other || a->program->shared_size))
    return TRUE;
  for (guint p = 0; p < plan_of(a)->frame_layout.n_planes; p++) {
    const CcPlacement *x = &a->placement, *y = &b->placement;
    if (((x->target_field[p] == y->target_field[p] || have_planes) &&
         overlap(&x->frame_target[p], &y->frame_target[p])) ||
        (have_inner && overlap(&x->frame_source[p], &y->frame_source[p])))
      return TRUE;
  }
  return FALSE;
}

/* More parts are not compared with each other, because that takes too long. */
#define MAX_AT_ONCE 64

/* Returns how many of the parts from part `first` to n - 1 may be processed at the same time. */
static guint
count_apart(const Part *parts, guint first, guint n) {
  n = MIN(n, first + MAX_AT_ONCE);
  for (guint i = first + 1; i < n; i++)
    for (guint k = first; k < i; k++)
      if (collide(&parts[k], &parts[i]))
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

/* --- in place --- */

/* Copying fewer bytes takes less time than taking a slice. */
#define COPY_BYTES (64 * 1024)
#define COPY_NS_PER_BYTE 0.1

/* Places the target of a region in memory, from offset `at` on. All other pixels of dst have no
 * memory. Returns the offset after the target. */
static gsize
place_target(Part *part, guint8 *memory, gsize at) {
  const CcFrameLayout *layout = &plan_of(part)->out_frame_layout;
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcRect *target = &part->placement.frame_target[p];
    const gsize size = cc_plane_group_bytes(&layout->plane[p]);
    const gsize pitch = target->width * size; /* narrow regions need little memory */
    CcPlane *plane = &part->info.dst.plane[p];
    if (memory)
      *plane = (CcPlane){memory + at - target->y * pitch - target->x * size, (gssize)pitch};
    at = cc_row_align(at + pitch * target->height);
  }
  return at;
}

/* Copies rows of a target from its memory to the frame. */
static void
copy_slice(gconstpointer data, guint number, guint8 *scratch) {
  const Frame *frame = data;
  const CcSlice *slice = &frame->slices[number];
  const Part *part = &frame->parts[slice->part];
  const guint p = slice->plane;
  const CcPlaneLayout *layout = &plan_of(part)->out_frame_layout.plane[p];
  const CcRect *target = &part->placement.frame_target[p];
  const CcPlane *from = &part->info.dst.plane[p], *to = &part->target.plane[p];
  const gsize size = cc_plane_group_bytes(layout), x = target->x * size;
  for (guint i = slice->y0; i < slice->y1; i++) {
    const gssize y = target->y + i;
    memcpy(to->data + y * to->pitch + x, from->data + y * from->pitch + x, target->width * size);
  }
}

/* Appends the slices of a part for copy_slice. Returns the bytes of its target. */
static gsize
cut_copy(const Part *part, guint number, GArray *slices) {
  const CcFrameLayout *layout = &plan_of(part)->out_frame_layout;
  gsize bytes = 0;
  for (guint p = 0; p < layout->n_planes; p++) {
    const CcRect *target = &part->placement.frame_target[p];
    const gsize row = target->width * cc_plane_group_bytes(&layout->plane[p]);
    const guint rows = (guint)(COPY_BYTES / row) + 1;
    bytes += row * target->height;
    for (guint y = 0; y < target->height; y += rows) {
      const CcSlice slice = {number, p, y, MIN(y + rows, target->height)};
      g_array_append_val(slices, slice);
    }
  }
  return bytes;
}

/* --- submissions --- */

static void
place_planes(CcFrame *frame, const CcPlaneSet *set, guint8 *memory) {
  for (guint p = 0; p < CC_MAX_PLANES; p++)
    frame->plane[p] = (CcPlane){memory + set->at[p], (gssize)set->pitch[p]};
}

static void
begin_part(Part *part, CcProgram *program, const CcSubmitInfo *info, guint region, guint field) {
  const guint fields[CC_MAX_PLANES] = {field, field, field, field};
  part->program = (CcCpuProgram *)cc_submit_info_program(info, program, region);
  part->info = *info;
  if (info->results)
    part->info.results = (guint8 *)info->results + region * program->plan->result_bytes;
  const CcPlan *plan = plan_of(part);
  const guint n_planes = plan->frame_layout.n_planes;
  cc_plan_place(plan, &info->regions[region], &part->placement);
  if (info->by_fields) {
    cc_placement_take_field(&part->placement, plan, field);
    cc_frame_take_field(&part->info.src, n_planes, fields);
    cc_frame_take_field(&part->info.dst, n_planes, part->placement.target_field);
  }
  part->target = part->info.dst;
  if (!part->program->inner)
    return;
  const CcPlan *inner = part->program->inner->plan;
  cc_plan_place(inner, &info->regions[region], &part->inner_placement);
  if (info->by_fields)
    cc_placement_take_field(&part->inner_placement, inner, field);
}

/* Sets the parts of a submission, and reserves memory for all of them. Sets *estimate to the
 * estimated single-threaded nanoseconds for all parts. */
static gboolean
begin_parts(CpuBackend *self, CcProgram *program, const CcSubmitInfo *info, gdouble *estimate,
            GError **error) {
  const guint n_fields = info->by_fields ? 2 : 1;
  gsize planes_size = 0, rows_size = 0, at = 0;
  guint64 cost = 0;
  g_array_set_size(self->parts, info->n_regions * n_fields);
  Part *parts = &g_array_index(self->parts, Part, 0);
  for (guint i = 0; i < self->parts->len; i++) {
    Part *part = &parts[i];
    begin_part(part, program, info, i / n_fields, i % n_fields);
    for (guint p = 0; p < part->program->n_phases; p++) {
      const CcPhase *phase = &part->program->phase[p];
      cost += cc_phase_cost(phase, placement_of(part, phase));
    }
    rows_size = MAX(rows_size, part->program->scratch_size);
    planes_size = MAX(planes_size, part->program->planes_size);
    if (info->in_place)
      at = place_target(part, NULL, at);
  }
  if (!reserve_rows(self, rows_size, error) || !reserve_planes(self, planes_size + at, error))
    return FALSE;
  at = planes_size;
  for (guint i = 0; i < self->parts->len; i++) {
    Part *part = &parts[i];
    if (info->in_place)
      at = place_target(part, self->planes.memory, at);
    if (part->program->inner) {
      place_planes(&part->inner.source, &part->program->inner_source, self->planes.memory);
      place_planes(&part->inner.target, &part->program->inner_target, self->planes.memory);
    }
  }
  *estimate = 1e-3 * (gdouble)MAX(cost, 1);
  return TRUE;
}

/* Processes the n parts that begin with part `first`. Returns the sum of the times of all
 * threads. */
static guint64
run_parts(CpuBackend *self, guint first, guint n, guint n_threads) {
  Frame frame = {.parts = &g_array_index(self->parts, Part, 0), .planes = self->planes.memory};
  guint64 work_ns = 0;
  for (guint n_slices = 1; n_slices > 0; frame.phase++) {
    gsize scratch_size = 0;
    g_array_set_size(self->slices, 0);
    for (guint i = first; i < first + n; i++) {
      const Part *part = &frame.parts[i];
      if (frame.phase >= part->program->n_phases)
        continue;
      const CcPhase *phase = &part->program->phase[frame.phase];
      cc_phase_cut(phase, placement_of(part, phase), i, n_threads, self->slices);
      scratch_size = MAX(scratch_size, part->program->scratch_size);
    }
    n_slices = self->slices->len;
    frame.slices = &g_array_index(self->slices, CcSlice, 0);
    if (n_slices > 0)
      work_ns +=
          cc_workers_run(&(CcParallelFor){n_slices, n_threads, scratch_size, run_slice, &frame},
                         self->scratch.memory);
  }
  return work_ns;
}

/* Copies the targets of the n parts that begin with part `first` to the frame. */
static void
copy_parts(CpuBackend *self, guint first, guint n) {
  Frame frame = {.parts = &g_array_index(self->parts, Part, 0)};
  gsize bytes = 0;
  g_array_set_size(self->slices, 0);
  for (guint i = first; i < first + n; i++)
    bytes += cut_copy(&frame.parts[i], i, self->slices);
  frame.slices = &g_array_index(self->slices, CcSlice, 0);
  const guint n_threads = count_threads(self, cc_now(), (gdouble)bytes * COPY_NS_PER_BYTE);
  cc_workers_run(&(CcParallelFor){self->slices->len, n_threads, 0, copy_slice, &frame},
                 self->scratch.memory);
}

static CcSubmission *
cpu_submit(CcBackend *backend, CcProgram *base, const CcSubmitInfo *info, GError **error) {
  CpuBackend *self = (CpuBackend *)backend;
  const CcCpuProgram *program = (const CcCpuProgram *)base;
  const guint64 start = cc_now();
  guint64 work_ns = 0;
  gdouble estimate;
  if (!begin_parts(self, base, info, &estimate, error))
    return NULL;
  if (info->results)
    memset(info->results, 0, info->n_regions * base->plan->result_bytes);
  Part *parts = &g_array_index(self->parts, Part, 0);
  const gboolean first = self->program != program;
  if (first)
    self->pace = 1;
  self->program = program;
  const guint n_threads = count_threads(self, start, self->pace * estimate);
  const guint n = self->parts->len;
  for (guint at = 0; at < n; at += parts[at].n_at_once) {
    parts[at].n_at_once = count_apart(parts, at, n);
    work_ns += run_parts(self, at, parts[at].n_at_once, n_threads);
  }
  for (guint at = 0; at < n && info->in_place; at += parts[at].n_at_once)
    copy_parts(self, at, parts[at].n_at_once);
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
  self->parts = g_array_new(FALSE, FALSE, sizeof(Part));
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
  g_array_unref(self->parts);
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
