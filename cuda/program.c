/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

#include <string.h>
#include "launch_config.h"
#include "cuda/stages/direction_color_step.h"
#include "cuda/stages/plane_map_steps.h"
#include "cuda/tensor/tensor.h"
#include "engine/error.h"
#include "engine/plan/explain.h"
#include "engine/ablation.h"

#define ALIGNMENT 256 /* bytes, of rows and planes; more than the widest access of a kernel */

G_STATIC_ASSERT(CC_LAUNCH_TAPS == CC_MAX_TAPS && CC_LAUNCH_MATRICES == CC_MAX_MATRICES &&
                CC_LAUNCH_SIDE == CC_MAX_MATRIX_SIZE && CC_LAUNCH_PARTS == CC_MAX_PLANES);

/* --- which algorithm --- */

#define ALGORITHM(constant, name, text, runs, automatic, host_code)                                \
  [constant] = &cc_cuda_##host_code,
static const CcCudaAlgorithm *const algorithms[] = {CC_ALGORITHMS(ALGORITHM)};
#undef ALGORITHM

/* The algorithms that AUTO may take, by their numbers. It tries the last one first. */
#define AUTOMATIC(constant, name, text, runs, automatic, host_code) [constant] = automatic,
static const gboolean is_automatic[] = {CC_ALGORITHMS(AUTOMATIC)};
#undef AUTOMATIC

/* The algorithm of a pass and its kernel: the plan's, where that has one for samples that lie as
 * these, or the fastest that has. */
static CcAlgorithm
choose_algorithm(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcOp *op = cc_cuda_leading_pass(plan, pass)->op;
  const CcAlgorithm wanted = plan->algorithm;
  if (wanted != CC_ALGORITHM_AUTO && algorithms[wanted]->choose(plan, pass, kernel))
    return wanted;
  for (CcAlgorithm a = CC_N_ALGORITHMS - 1; a != CC_ALGORITHM_AUTO; a--) {
    *kernel = (CcCudaKernel){0};
    /* sliding knows by itself what it has kernels for, and nothing takes the place of constant */
    if (is_automatic[a] && (!op || a == CC_ALGORITHM_SLIDING || cc_algorithm_runs(a, op)) &&
        (a == CC_ALGORITHM_CONSTANT || !cc_is_left_out(cc_algorithm_name(a))) &&
        algorithms[a]->choose(plan, pass, kernel))
      return a;
  }
  g_return_val_if_reached(CC_ALGORITHM_CONSTANT);
}

/* --- passes that share a launch --- */

typedef struct {
  CcAlgorithm name;
  const CcCudaAlgorithm *algorithm;
  guint n;
  const CcPass *pass[CC_LAUNCH_PARTS];
  CcCudaKernel kernel[CC_LAUNCH_PARTS]; /* of each pass: the same but for what is its own */
  const CcOp *op;                       /* whose taps they use; NULL when none is filtered */
} Group;

static gboolean
same_kernel(const CcCudaKernel *a, const CcCudaKernel *b) {
  return a->module == b->module && g_str_equal(a->name, b->name) && a->block[0] == b->block[0] &&
         a->block[1] == b->block[1] && a->integer == b->integer && a->side == b->side;
}

/* Whether two ops have all in common that is the same for all parts of a launch. */
static gboolean
same_sums(const CcOp *a, const CcOp *b) {
  return a->n_matrices == b->n_matrices && a->width == b->width && a->height == b->height &&
         a->response == b->response && a->arith == b->arith && a->separable == b->separable &&
         a->has_taps == b->has_taps && memcmp(a->tap_i, b->tap_i, sizeof a->tap_i) == 0 &&
         memcmp(a->row_i, b->row_i, sizeof a->row_i) == 0 &&
         memcmp(a->column_i, b->column_i, sizeof a->column_i) == 0;
}

static gboolean
group_takes(const Group *group, const CcCudaKernel *kernel, const CcOp *op) {
  return group->n < CC_LAUNCH_PARTS && same_kernel(&group->kernel[0], kernel) &&
         (!group->op || !op || same_sums(group->op, op));
}

/* Puts every pass of the plan into a group; how many there are. */
static guint
make_groups(const CcPlan *plan, Group group[CC_MAX_PASSES]) {
  guint n = 0;
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    CcCudaKernel kernel = {0};
    const CcAlgorithm name = choose_algorithm(plan, pass, &kernel);
    guint g = 0;
    while (g < n && !group_takes(&group[g], &kernel, pass->op))
      g++;
    if (g == n)
      group[n++] = (Group){.name = name, .algorithm = algorithms[name]};
    group[g].kernel[group[g].n] = kernel;
    group[g].pass[group[g].n++] = pass;
    if (!group[g].op)
      group[g].op = pass->op;
  }
  return n;
}

/* --- parameters --- */

static void
set_part(CcPart *part, const CcPlan *plan, const CcPass *pass) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  part->src_width = (gint)plan->source[pass->plane].width;
  part->src_height = (gint)plan->source[pass->plane].height;
  part->width = (gint)plan->target[pass->plane].width;
  part->height = (gint)plan->target[pass->plane].height;
  part->step = (gint)layout->step;
  part->shift = (gint)layout->shift;
  part->sample_bytes = (gint)cc_sample_size(layout->type);
  part->filter_mask = (gint)pass->filter_mask;
  part->copy_mask = (gint)pass->copy_mask;
  part->fill_mask = (gint)pass->fill_mask;
  for (guint c = 0; c < CC_MAX_COMPONENTS; c++) {
    part->fill[c] = pass->fill[c];
    part->border_code[c] = pass->border[c];
  }
  if (pass->op) {
    part->mul = pass->op->mul;
    part->add = pass->op->add;
    part->mul_f = pass->op->mul_f;
    part->add_f = pass->op->add_f;
    part->lo = pass->op->lo;
    part->hi = pass->op->hi;
  }
}

static CcTap
make_tap(gint32 tap, const CcCudaKernel *kernel) {
  return kernel->integer ? (CcTap){.i = tap} : (CcTap){.f = (gfloat)tap};
}

static gboolean
has_long_lines(const CcOp *op) {
  return MAX(op->width, op->height) > CC_LAUNCH_SIDE;
}

/* Sets the window and its taps, in the middle of side x side where the kernel has a side. */
static void
set_taps(CcLaunch *launch, const CcOp *op, const CcCudaKernel *kernel) {
  const guint width = kernel->side ? kernel->side : op->width;
  const guint height = kernel->side ? kernel->side : op->height;
  const guint left = (width - op->width) / 2, top = (height - op->height) / 2;
  launch->response = op->response;
  launch->n_matrices = (gint)op->n_matrices;
  launch->window_width = (gint)width;
  launch->window_height = (gint)height;
  launch->separable = op->separable;
  if (has_long_lines(op))
    return;
  for (guint m = 0; m < op->n_matrices; m++) {
    for (guint i = 0; op->separable && i < op->width; i++)
      launch->row[m][left + i] = make_tap(op->row_i[m][i], kernel);
    for (guint i = 0; op->separable && i < op->height; i++)
      launch->column[m][top + i] = make_tap(op->column_i[m][i], kernel);
    for (guint y = 0; op->has_taps && y < op->height; y++)
      for (guint x = 0; x < op->width; x++)
        launch->tap[(m * height + top + y) * width + left + x] =
            make_tap(op->tap_i[(m * op->height + y) * op->width + x], kernel);
  }
}

/* Makes a step's own taps part of all taps; their place there. */
static guint
append_taps(GByteArray *taps, gconstpointer own, gsize size) {
  const guint place = (taps->len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  g_byte_array_set_size(taps, place);
  g_byte_array_append(taps, own, (guint)size);
  return place;
}

static void
add_taps(CcCudaStep *step, GByteArray *taps, GBytes *own) {
  gsize size;
  const guint8 *data = g_bytes_get_data(own, &size);
  step->params.memory_taps = append_taps(taps, data, size);
  step->memory_taps = TRUE;
}

/* Adds rows and columns that do not fit the launch's parameters. */
static void
add_lines(CcCudaStep *step, GByteArray *taps, const CcOp *op, const CcCudaKernel *kernel) {
  g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(CcTap));
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint i = 0; i < op->width; i++) {
      const CcTap tap = make_tap(op->row_i[m][i], kernel);
      g_array_append_val(lines, tap);
    }
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint i = 0; i < op->height; i++) {
      const CcTap tap = make_tap(op->column_i[m][i], kernel);
      g_array_append_val(lines, tap);
    }
  step->params.lines = append_taps(taps, lines->data, lines->len * sizeof(CcTap));
  step->lines = TRUE;
}

static gboolean
set_step(CcCudaStep *step, CcCudaProgram *self, const CcPlan *plan, const Group *group,
         const CcCudaAlgorithm *algorithm, GError **error) {
  CcLaunch *launch = &step->params;
  CcCudaKernel kernel[CC_LAUNCH_PARTS] = {{0}};
  for (guint i = 0; i < group->n; i++)
    if (algorithm == group->algorithm)
      kernel[i] = group->kernel[i];
    else
      algorithm->choose(plan, group->pass[i], &kernel[i]);
  launch->stride = (gint)plan->stride;
  launch->border = plan->border;
  launch->window_width = launch->window_height = 1;
  if (group->op)
    set_taps(launch, group->op, kernel);
  launch->n_parts = (gint)group->n;
  for (guint i = 0; i < group->n; i++) {
    set_part(&launch->part[i], plan, group->pass[i]);
    step->plane[i] = (guint8)group->pass[i]->plane;
  }
  algorithm->set_tiles(launch, kernel, self->gpu, group->pass);
  if (!cc_cuda_set_first_tiles(launch, error))
    return FALSE;
  self->scratch_bytes = MAX(self->scratch_bytes, launch->scratch_bytes);
  if (algorithm->make_taps) {
    g_autoptr(GBytes) own = algorithm->make_taps(launch, kernel, group->pass);
    if (own)
      add_taps(step, self->taps, own);
  }
  if (group->op && has_long_lines(group->op))
    add_lines(step, self->taps, group->op, kernel);
  step->n_blocks = (guint)launch->n_tiles;
  step->shared_bytes = kernel->shared_bytes;
  step->overlaps = kernel->overlaps;
  step->block[0] = kernel->block[0];
  step->block[1] = kernel->block[1];
  step->module = kernel->module;
  g_strlcpy(step->name, kernel->name, sizeof step->name);
  return TRUE;
}

static gboolean
upload(const CcCudaDriver *cuda, CUdeviceptr to, const GByteArray *from, GError **error) {
  CUstream stream;
  if (!cc_cuda_check(cuda, cuda->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                     error))
    return FALSE;
  const gboolean ok =
      cc_cuda_check(cuda, cuda->cuMemcpyHtoDAsync(to, from->data, from->len, stream),
                    "cuMemcpyHtoDAsync", error) &&
      cc_cuda_check(cuda, cuda->cuStreamSynchronize(stream), "cuStreamSynchronize", error);
  cuda->cuStreamDestroy(stream);
  return ok;
}

/* Makes places within all taps addresses, once these lie at `base`. */
static void
place_taps(CcCudaStep *step, CUdeviceptr base) {
  if (step->memory_taps)
    step->params.memory_taps += base;
  if (step->lines)
    step->params.lines += base;
}

/* Puts the taps of all steps into device memory. */
static gboolean
load_taps(CcCudaProgram *self, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  if (self->taps->len == 0)
    return TRUE;
  if (!cc_cuda_check(cuda, cuda->cuMemAlloc(&self->memory_taps, self->taps->len), "cuMemAlloc",
                     error))
    return FALSE;
  for (guint i = 0; i < self->n_steps; i++)
    place_taps(&self->step[i], self->memory_taps);
  return upload(cuda, self->memory_taps, self->taps, error);
}

/* --- the program --- */

/* Puts a plane's rectangle behind what is there. */
static void
place_plane(CcCudaPlane *place, gsize *bytes, const CcPlaneLayout *layout, const CcRect *rect) {
  const gsize row = (gsize)rect->width * layout->step * cc_sample_size(layout->type);
  place->pitch = (row + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  place->offset = *bytes;
  *bytes += place->pitch * rect->height;
}

static CcCudaStep *
next_step(CcCudaProgram *self) {
  return &self->step[self->n_steps++];
}

/* The algorithm of the first pass that filters, or of the first. Where there is none, hues are
 * painted, which is no algorithm's. */
static CcAlgorithm
algorithm_of_plan(const CcPlan *plan) {
  CcCudaKernel kernel = {0};
  if (plan->n_passes == 0)
    return plan->algorithm ? plan->algorithm : CC_ALGORITHM_SLIDING;
  return choose_algorithm(plan, cc_cuda_leading_pass(plan, &plan->pass[0]), &kernel);
}

/* --- other plans that give the same --- */

/* What the tensor cores need for 256 target bytes of each sample of a plan's pixels, in products.
 * Several passes over one plane all cost. G_MAXUINT: it is not all for them. */
static guint
products_of(const CcPlan *plan) {
  guint products = 0;
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    CcCudaKernel kernel = {0};
    if (!cc_cuda_sliding.choose(plan, pass, &kernel))
      return G_MAXUINT;
    if (pass->op)
      products += plan->layout.plane[pass->plane].step * cc_sliding_choice(&kernel)->cost;
  }
  return products;
}

/* Whether all of a plan is for the tensor cores. */
static gboolean
is_sliding(const CcPlan *plan) {
  return products_of(plan) < G_MAXUINT;
}

/* What it costs to take planes out of a frame and to put them back, and to make luma of pixels of
 * so many samples of so many bytes where it is filtered, in products for 256 bytes of the frame, or
 * of the luma (docs/experiments.md). */
#define COST_OF_UNPACKING 64
#define COST_OF_PIXELS(samples, bytes) ((samples) == 3 ? 36 : (bytes) == 1 ? 60 : 50)

/* What it costs to make pixels whose colours are grey, in products for 256 bytes of one of their
 * samples, by a plan that is for the tensor cores. */
static guint
cost_of_grey(const CcPlan *plan) {
  const CcPlaneLayout *layout = &plan->layout.plane[0];
  const guint pixel = plan->frame_layout.plane[plan->packing[0].place[0].plane].step;
  const guint bytes = (guint)cc_sample_size(layout->type);
  return products_of(plan) + (plan->packed        ? pixel * COST_OF_UNPACKING
                              : layout->step == 1 ? COST_OF_PIXELS(pixel, bytes)
                                                  : 0);
}

/* What two stages that make samples grey where they stage them lose against those that filter a
 * plane of luma, for each sample of a pixel, in the same products (docs/experiments.md). */
#define COST_OF_GREYING 33

static guint
cost_of_two_stages(const CcPlan *plan) {
  const CcPass *pass = cc_cuda_leading_pass(plan, &plan->pass[0]);
  const guint step = plan->layout.plane[pass->plane].step;
  CcCudaKernel kernel = {0};
  const gboolean has_two = cc_cuda_sliding.choose(plan, pass, &kernel) &&
                           cc_sliding_choice(&kernel)->way == &cc_tensor_separable;
  return has_two && step > 1 ? step * COST_OF_GREYING : 0;
}

/* Appends the cost of a layout and that of another one, for people; G_MAXUINT: the tensor cores
 * have no kernel for the other one. */
static void
add_costs(GString *why, guint cost, guint other_cost, const gchar *other) {
  if (other_cost < G_MAXUINT)
    g_string_append_printf(why, ", cost %u (%s %u)", cost, other, other_cost);
  else
    g_string_append_printf(why, ", cost %u (%s: no kernel)", cost, other);
}

/* Makes the plan that filters packed frames as they are, on the tensor cores, where there is one
 * and where it costs less than a packed plan that is for them. */
static gboolean
make_direct_plan(CcPlan *direct, const CcPlan *plan, GString *why) {
  g_autofree CcPlan *fused = g_new(CcPlan, 1);
  if (!plan->packed || plan->hue || algorithm_of_plan(plan) != CC_ALGORITHM_SLIDING ||
      !cc_packing_merge_plan(direct, plan))
    return FALSE;
  g_string_assign(why, "the packed frame as it is");
  if (plan->packing[0].kind != CC_PACKING_LUMA)
    return is_sliding(direct);
  if (!cc_is_left_out("layout-luma-of-pixels") && cc_packing_fuse_plan(fused, direct, plan) &&
      is_sliding(fused) && (!is_sliding(direct) || cost_of_grey(fused) <= cost_of_grey(direct))) {
    *direct = *fused;
    g_string_assign(why, "luma, made of the packed pixels where they are read");
  }
  if (!is_sliding(direct))
    return FALSE;
  const guint cost = cost_of_grey(direct) + cost_of_two_stages(direct);
  const guint other = is_sliding(plan) ? cost_of_grey(plan) : G_MAXUINT;
  add_costs(why, cost, other, "deinterleaved planes");
  return cost <= other;
}

/* What it costs to take all components of pixels out of a frame and to put them back, in products
 * for 256 target bytes: with a stride these come from more bytes of the source
 * (docs/experiments.md). */
#define COST_OF_SPLITTING(stride) (25 * (stride) * (stride) + 125)

/* What 256 target bytes cost, of a plan for pixels or for a plane of each of their components. */
static guint
cost_of_components(const CcPlan *plan) {
  guint components = 0;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    components += plan->layout.plane[p].step;
  return products_of(plan) / components;
}

static gboolean
may_slide(const CcPlan *plan) {
  return plan->algorithm == CC_ALGORITHM_AUTO || plan->algorithm == CC_ALGORITHM_SLIDING;
}

/* Makes the plan that filters the components of pixels as planes, where their windows are too wide
 * for the tensor cores, or where it costs less. */
static gboolean
make_split_plan(CcPlan *split, const CcPlan *plan, GString *why) {
  if (!may_slide(plan) || !cc_packing_split_plan(split, plan) || !is_sliding(split))
    return FALSE;
  const guint cost = cost_of_components(split) + COST_OF_SPLITTING(plan->stride);
  const guint other = is_sliding(plan) ? cost_of_components(plan) : G_MAXUINT;
  g_string_assign(why, "a plane for each component");
  add_costs(why, cost, other, "whole pixels");
  return cost < other;
}

/* What two-pass takes for 256 bytes of the source, in products of the tensor cores
 * (docs/experiments.md). */
#define COST_OF_TWO_PASS(taps, stride) (8 * (taps) / (stride))

/* Makes the plan of a stride that filters all pixels from the first one that is kept to the last,
 * of which the others are left out then, where the tensor cores have kernels only for that, and
 * where it costs less than two-pass. */
static gboolean
make_full_plan(CcPlan *full, const CcPlan *plan, GString *why) {
  g_autofree CcPlan *split = g_new(CcPlan, 1);
  const CcOp *op = plan->n_passes > 0 ? cc_cuda_leading_pass(plan, &plan->pass[0])->op : NULL;
  if (plan->stride == 1 || !op || plan->hue || !may_slide(plan) || is_sliding(plan))
    return FALSE;
  const guint taps = op->n_matrices * MAX(op->width, op->height);
  *full = *plan;
  full->stride = 1;
  full->out_layout = full->layout;
  for (guint p = 0; p < full->layout.n_planes; p++) {
    full->target[p].width = (plan->target[p].width - 1) * plan->stride + 1;
    full->target[p].height = (plan->target[p].height - 1) * plan->stride + 1;
  }
  if (make_split_plan(split, full, why))
    *full = *split;
  if (!is_sliding(full))
    return FALSE;
  g_string_printf(why, "all pixels, of which one in %ux%u is kept", plan->stride, plan->stride);
  add_costs(why, cost_of_components(full), COST_OF_TWO_PASS(taps, plan->stride), "two-pass");
  return cost_of_components(full) <= COST_OF_TWO_PASS(taps, plan->stride);
}

/* Other layouts that a plan may be rewritten for. The first that is made is taken. */
static const struct {
  const gchar *path; /* for cc_is_left_out */
  gboolean (*make)(CcPlan *other, const CcPlan *plan, GString *why);
} layouts[] = {
    {"layout-all-pixels", make_full_plan},
    {"layout-groups", make_direct_plan},
    {"layout-components", make_split_plan},
};

/* --- for people --- */

static void
explain_step(CcCudaProgram *self, const CcCudaStep *step, GString *line) {
  g_string_append_printf(line, "%s; %u blocks of %ux%u threads", step->name, step->n_blocks,
                         step->block[0], step->block[1]);
  g_ptr_array_add(self->lines, g_string_free(line, FALSE));
}

static void
explain_group(CcCudaProgram *self, const CcPlan *plan, const Group *group,
              const CcCudaAlgorithm *algorithm, const CcCudaStep *step) {
  GString *line = g_string_new(NULL);
  for (guint i = 0; i < group->n; i++) {
    if (i > 0)
      g_string_append(line, "; ");
    cc_explain_pass(line, plan, group->pass[i]);
  }
  g_string_append_printf(line, ": %s", cc_algorithm_name(group->name));
  if (plan->algorithm != CC_ALGORITHM_AUTO && plan->algorithm != group->name)
    g_string_append_printf(line, " (%s has no kernel for these sums or this stride)",
                           cc_algorithm_name(plan->algorithm));
  if (algorithm == &cc_cuda_sliding)
    cc_sliding_explain(line, &group->kernel[0]);
  g_string_append(line, ", ");
  explain_step(self, step, line);
}

/* Puts the planes that are not the frame's into scratch. */
static void
place_in_scratch(CcCudaProgram *self, const CcPlan *plan) {
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->layout.plane[p];
    if (self->unpacks)
      place_plane(&self->unpacked_src[p], &self->plane_bytes, layout, &plan->source[p]);
    if (self->packs)
      place_plane(&self->unpacked_dst[p], &self->plane_bytes, layout, &plan->target[p]);
  }
}

static gboolean
set_filter_steps(CcCudaProgram *self, const CcPlan *plan, GError **error) {
  Group group[CC_MAX_PASSES];
  const guint n = make_groups(plan, group);
  for (guint g = 0; g < n; g++)
    for (const CcCudaAlgorithm *a = group[g].algorithm; a; a = a->next) {
      CcCudaStep *step = next_step(self);
      if (!set_step(step, self, plan, &group[g], a, error))
        return FALSE;
      explain_group(self, plan, &group[g], a, step);
    }
  return TRUE;
}

static gboolean
set_hue_step(CcCudaProgram *self, const CcPlan *plan, GError **error) {
  CcCudaStep *step = next_step(self);
  g_autoptr(GBytes) table = cc_hue_set_step(step, plan, error);
  if (!table)
    return FALSE;
  add_taps(step, self->taps, table);
  GString *line = g_string_new(NULL);
  g_string_append_printf(line, "direction color, %u group%s of components: ", plan->hue->n_fields,
                         plan->hue->n_fields == 1 ? "" : "s");
  explain_step(self, step, line);
  return TRUE;
}

static gboolean
set_unpack_step(CcCudaProgram *self, const CcPlan *plan, GError **error) {
  CcCudaStep *step = next_step(self);
  if (!cc_packing_set_unpack(step, plan, error))
    return FALSE;
  GString *line = g_string_new(NULL);
  g_string_append_printf(line, "deinterleave %u plane%s: ", plan->layout.n_planes,
                         plan->layout.n_planes == 1 ? "" : "s");
  explain_step(self, step, line);
  return TRUE;
}

static gboolean
set_pack_step(CcCudaProgram *self, const CcPlan *plan, guint stride, GError **error) {
  CcCudaStep *step = next_step(self);
  if (!cc_packing_set_pack(step, plan, stride, error))
    return FALSE;
  GString *line = g_string_new("interleave: ");
  explain_step(self, step, line);
  return TRUE;
}

static gboolean
set_steps(CcCudaProgram *self, const CcPlan *plan, GError **error) {
  g_autofree CcPlan *other = g_new(CcPlan, 1);
  g_autoptr(GString) why = g_string_new(NULL);
  const guint stride = plan->stride;
  gboolean found = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(layouts) && !found; i++)
    found = !cc_is_left_out(layouts[i].path) && layouts[i].make(other, plan, why);
  if (found) {
    g_ptr_array_add(self->lines, g_strdup_printf("layout for sliding: %s", why->str));
    plan = other;
  }
  self->algorithm = algorithm_of_plan(plan);
  self->unpacks = plan->packed && plan->n_passes > 0;
  self->packs = self->unpacks || plan->stride != stride;
  place_in_scratch(self, plan);
  if ((self->unpacks && !set_unpack_step(self, plan, error)) ||
      !set_filter_steps(self, plan, error) ||
      (self->packs && !set_pack_step(self, plan, stride / plan->stride, error)) ||
      (plan->hue && !set_hue_step(self, plan, error)))
    return FALSE;
  self->scratch_bytes += self->plane_bytes;
  return TRUE;
}

CcCudaProgram *
cc_cuda_program_plan(const CcCudaGpu *gpu, const CcPlan *plan, GError **error) {
  if (!cc_algorithm_check_plan(plan, error))
    return NULL;
  CcCudaProgram *self = g_new0(CcCudaProgram, 1);
  self->gpu = gpu;
  self->taps = g_byte_array_new();
  self->lines = g_ptr_array_new_with_free_func(g_free);
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->frame_layout.plane[p];
    place_plane(&self->src[p], &self->src_bytes, layout, &plan->frame_source[p]);
    place_plane(&self->dst[p], &self->dst_bytes, layout, &plan->frame_target[p]);
  }
  if (!set_steps(self, plan, error)) {
    cc_cuda_program_free(self);
    return NULL;
  }
  g_ptr_array_add(self->lines, NULL);
  return self;
}

static gboolean
load(CcCudaProgram *self, CcCudaDevice *device, GError **error) {
  self->device = device;
  for (guint i = 0; i < self->n_steps; i++) {
    CcCudaStep *step = &self->step[i];
    step->function = cc_cuda_device_get_function(device, step->module, step->name, error);
    if (!step->function)
      return FALSE;
  }
  const gboolean loaded = load_taps(self, error);
  g_clear_pointer(&self->taps, g_byte_array_unref);
  return loaded;
}

CcCudaProgram *
cc_cuda_program_new(CcCudaDevice *device, const CcPlan *plan, GError **error) {
  CcCudaProgram *self = cc_cuda_program_plan(&device->gpu, plan, error);
  if (self && !load(self, device, error))
    g_clear_pointer(&self, cc_cuda_program_free);
  return self;
}

void
cc_cuda_program_free(CcCudaProgram *self) {
  if (self) {
    g_clear_pointer(&self->taps, g_byte_array_unref);
    g_clear_pointer(&self->lines, g_ptr_array_unref);
  }
  if (self && self->memory_taps) {
    const gboolean pushed = cc_cuda_device_push(self->device, NULL);
    self->device->cuda->cuMemFree(self->memory_taps);
    if (pushed)
      cc_cuda_device_pop(self->device);
  }
  g_free(self);
}

static gboolean
launch_step(const CcCudaProgram *self, const CcCudaStep *step, CcLaunch *params, CUstream stream,
            GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  void *arguments[] = {params};
  if (!step->overlaps || !self->gpu->overlaps)
    return cc_cuda_check(cuda,
                         cuda->cuLaunchKernel(step->function, step->n_blocks, 1, 1, step->block[0],
                                              step->block[1], 1, step->shared_bytes, stream,
                                              arguments, NULL),
                         "cuLaunchKernel", error);
  CUlaunchAttribute overlap = {
      .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
      .value.programmaticStreamSerializationAllowed = 1,
  };
  const CUlaunchConfig config = {
      .gridDimX = step->n_blocks,
      .gridDimY = 1,
      .gridDimZ = 1,
      .blockDimX = step->block[0],
      .blockDimY = step->block[1],
      .blockDimZ = 1,
      .sharedMemBytes = step->shared_bytes,
      .hStream = stream,
      .attrs = &overlap,
      .numAttrs = 1,
  };
  return cc_cuda_check(cuda, cuda->cuLaunchKernelEx(&config, step->function, arguments, NULL),
                       "cuLaunchKernelEx", error);
}

static void
place_parts(CcLaunch *launch, const CcCudaStep *step, const CcCudaPlane *src,
            const CcCudaPlane *dst) {
  for (gint p = 0; p < launch->n_parts; p++) {
    CcPart *part = &launch->part[p];
    const guint plane = step->plane[p];
    part->src = src[plane].offset;
    part->dst = dst[plane].offset;
    part->src_pitch = (gint)src[plane].pitch;
    part->dst_pitch = (gint)dst[plane].pitch;
  }
}

gboolean
cc_cuda_program_launch_planes(const CcCudaProgram *self, const CcCudaDriver *cuda,
                              const CcCudaPlane *src, const CcCudaPlane *dst, CUdeviceptr scratch,
                              CUstream stream, GError **error) {
  CcCudaPlane own_src[CC_MAX_PLANES], own_dst[CC_MAX_PLANES];
  cc_cuda_place_planes(own_src, self->unpacked_src, scratch);
  cc_cuda_place_planes(own_dst, self->unpacked_dst, scratch);
  for (guint i = 0; i < self->n_steps; i++) {
    const CcCudaStep *step = &self->step[i];
    CcLaunch params = step->params;
    params.scratch = scratch + self->plane_bytes;
    if (step->kind == CC_CUDA_UNPACK)
      cc_packing_place_unpack(&params, src, own_src);
    else if (step->kind == CC_CUDA_PACK)
      cc_packing_place_pack(&params, dst, own_dst);
    else if (step->kind == CC_CUDA_HUE)
      cc_hue_place_parts(&params, src, dst);
    else
      place_parts(&params, step, self->unpacks ? own_src : src, self->packs ? own_dst : dst);
    if (!launch_step(self, step, &params, stream, error))
      return FALSE;
  }
  return TRUE;
}

void
cc_cuda_place_planes(CcCudaPlane planes[CC_MAX_PLANES], const CcCudaPlane relative[CC_MAX_PLANES],
                     CUdeviceptr address) {
  for (guint p = 0; p < CC_MAX_PLANES; p++)
    planes[p] = (CcCudaPlane){relative[p].offset + address, relative[p].pitch};
}

gboolean
cc_cuda_program_launch(const CcCudaProgram *self, const CcCudaDriver *cuda, CUdeviceptr src,
                       CUdeviceptr dst, CUdeviceptr scratch, CUstream stream, GError **error) {
  CcCudaPlane src_planes[CC_MAX_PLANES], dst_planes[CC_MAX_PLANES];
  cc_cuda_place_planes(src_planes, self->src, src);
  cc_cuda_place_planes(dst_planes, self->dst, dst);
  return cc_cuda_program_launch_planes(self, cuda, src_planes, dst_planes, scratch, stream, error);
}
