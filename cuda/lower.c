/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lower.h"

#include <string.h>
#include "engine/ablation.h"
#include "engine/error.h"
#include "engine/plan/explain.h"
#include "cuda/classic/classic.h"
#include "cuda/stages/plane_map_steps.h"
#include "cuda/stages/stage.h"

/* --- choosing the algorithm --- */

#define ALGORITHM(constant, name, text, runs, automatic, host_code)                                \
  [constant] = &cc_cuda_##host_code,
static const CcCudaAlgorithm *const algorithms[] = {CC_ALGORITHMS(ALGORITHM)};
#undef ALGORITHM

/* AUTO tries the last algorithm of the list first. */
#define AUTOMATIC(constant, name, text, runs, automatic, host_code) [constant] = automatic,
static const gboolean is_automatic[] = {CC_ALGORITHMS(AUTOMATIC)};
#undef AUTOMATIC

/* Chooses the plan's algorithm if it has a CUDA kernel for the pass. Otherwise chooses, in the
 * order of AUTO, the first algorithm that AUTO may choose and that has a CUDA kernel for the pass.
 * If no such algorithm exists, chooses CC_ALGORITHM_FALLBACK. */
static CcAlgorithm
choose_algorithm(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  const CcOp *op = cc_cuda_leading_pass(plan, pass)->op;
  const CcAlgorithm wanted = plan->algorithm;
  *kernel = (CcCudaKernel){0};
  if (wanted != CC_ALGORITHM_AUTO && algorithms[wanted]->choose(plan, pass, kernel))
    return wanted;
  for (CcAlgorithm a = CC_N_ALGORITHMS - 1; a != CC_ALGORITHM_FALLBACK; a--) {
    *kernel = (CcCudaKernel){0};
    if (is_automatic[a] && (!op || cc_algorithm_runs(a, op)) &&
        !cc_is_left_out(cc_algorithm_name(a)) && algorithms[a]->choose(plan, pass, kernel))
      return a;
  }
  *kernel = (CcCudaKernel){0};
  algorithms[CC_ALGORITHM_FALLBACK]->choose(plan, pass, kernel);
  return CC_ALGORITHM_FALLBACK;
}

/* --- costs, in tensor-core products per 256 target bytes --- */

/* The cost of deinterleaving all components of a frame and interleaving them again. With a stride,
 * 256 target bytes come from more source bytes. The cost was measured: see "Planes of pixels" in
 * bench/notes/experiments.md. */
#define COST_OF_PLANES(stride) (25 * (stride) * (stride) + 125)

#define NO_KERNEL G_MAXUINT /* cost of a layout in which a pass has no tensor-core kernel */

/* --- equivalent plans with other layouts --- */

/* A plan with the algorithm and the CUDA kernel of each pass. */
typedef struct {
  CcPlan plan;
  CcAlgorithm algorithm[CC_MAX_PASSES];
  CcCudaKernel kernel[CC_MAX_PASSES];
  /* Sums over the passes that filter: `cost` and grey_cost of the kernel, times the number of
   * samples of a pixel in the plane of the pass. */
  guint products, grey;
  guint cost; /* cost of the passes and of the conversion of their planes, or NO_KERNEL */
} Layout;

static guint
count_samples(const CcFrameLayout *layout) {
  guint n = 0;
  for (guint p = 0; p < layout->n_planes; p++)
    n += layout->plane[p].step;
  return n;
}

/* Chooses the CUDA kernels of self->plan and computes the costs. The costs of several passes over
 * one plane are added. The passes cost as much in every repetition. */
static void
choose_kernels(Layout *self) {
  const CcPlan *plan = &self->plan;
  const gboolean takes_planes = plan->packed && plan->map[0].kind != CC_PLANE_MAP_LUMA;
  gboolean has_all = plan->n_ops > 0;
  self->products = self->grey = 0;
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    const guint step = pass->op ? plan->layout.plane[pass->plane].step : 0;
    CcCudaKernel *kernel = &self->kernel[i];
    self->algorithm[i] = choose_algorithm(plan, pass, kernel);
    self->products += step * kernel->cost;
    self->grey += step * kernel->grey_cost;
    has_all &= kernel->cost > 0;
  }
  self->cost =
      cc_plan_n_repeats(plan) * (self->products + self->grey) / count_samples(&plan->frame_layout) +
      (takes_planes ? COST_OF_PLANES(plan->stride) : 0);
  if (!has_all)
    self->cost = NO_KERNEL;
}

/* The candidate layouts. If costs are equal, the last layout is chosen. */
enum { COMPONENTS, PLANNED, GROUPS, LUMA_OF_PIXELS, ALL_PIXELS, N_CANDIDATES };

/* Sets the layout with one plane for each component. A window then covers fewer samples of a row,
 * because the samples of a pixel are not interleaved. */
static gboolean
make_components(Layout *self, const Layout *layouts) {
  if (!cc_plane_map_split_plan(&self->plan, &layouts[PLANNED].plan))
    return FALSE;
  choose_kernels(self);
  return TRUE;
}

static gboolean
make_groups(Layout *self, const Layout *layouts) {
  const CcPlan *plan = &layouts[PLANNED].plan;
  if (!plan->packed || !cc_plane_map_merge_plan(&self->plan, plan))
    return FALSE;
  choose_kernels(self);
  return TRUE;
}

/* Sets the layout in which kernels compute luma as they read pixels. The cost of this layout was
 * measured only against GROUPS, so the layout is declined if GROUPS takes fewer products. Its
 * planes cannot lie in scratch, so the layout is also declined if passes are repeated. */
static gboolean
make_luma_of_pixels(Layout *self, const Layout *layouts) {
  const Layout *planned = &layouts[PLANNED], *groups = &layouts[GROUPS];
  g_autofree CcPlan *merged = g_new(CcPlan, 1);
  if (!planned->plan.packed || cc_plan_n_repeats(&planned->plan) > 1 ||
      !cc_plane_map_merge_plan(merged, &planned->plan) ||
      !cc_plane_map_fuse_plan(&self->plan, merged, &planned->plan))
    return FALSE;
  choose_kernels(self);
  return groups->cost == NO_KERNEL || self->products + self->grey <= groups->products;
}

/* Sets the layout that filters every pixel. The interleave step then keeps one pixel in stride^2.
 * This layout is declined if a tensor-core kernel supports the stride, or if a classic algorithm
 * costs less. */
static gboolean
make_all_pixels(Layout *self, const Layout *layouts) {
  const Layout *planned = &layouts[PLANNED];
  const CcPlan *plan = &planned->plan;
  const guint stride = plan->stride;
  g_autofree Layout *components = g_new(Layout, 1);
  if (stride == 1 || planned->cost != NO_KERNEL || !cc_cuda_leading_pass(plan, &plan->pass[0])->op)
    return FALSE;
  self->plan = *plan;
  self->plan.stride = 1;
  choose_kernels(self);
  if (cc_plane_map_split_plan(&components->plan, &self->plan)) {
    choose_kernels(components);
    if (components->cost < self->cost)
      *self = *components;
  }
  if (self->cost == NO_KERNEL)
    return FALSE;
  self->cost = stride * stride * (self->products / count_samples(&self->plan.layout));
  return self->cost <= cc_cuda_classic_cost(plan);
}

/* The layouts that a plan may be rewritten for. `name` is for cc_is_left_out, and `text` is for
 * people. `make` sets the layout from the plan's own layout and from earlier candidates. FALSE: the
 * layout is declined. */
static const struct {
  const gchar *name, *text;
  gboolean (*make)(Layout *self, const Layout *layouts);
} candidates[N_CANDIDATES] = {
    [COMPONENTS] = {"layout-components", "a plane for each component", make_components},
    [GROUPS] = {"layout-groups", "the packed frame as it is", make_groups},
    [LUMA_OF_PIXELS] = {"layout-luma-of-pixels",
                        "luma, made of the packed pixels where they are read", make_luma_of_pixels},
    [ALL_PIXELS] = {"layout-all-pixels", "all pixels", make_all_pixels},
};

/* Returns the cheapest candidate except `but`. If no candidate has kernels, returns PLANNED, the
 * plan's own layout. */
static guint
find_cheapest(const Layout *layouts, guint but) {
  guint best = PLANNED, lowest = NO_KERNEL - 1;
  for (guint i = 0; i < N_CANDIDATES; i++)
    if (i != but && layouts[i].cost <= lowest) {
      best = i;
      lowest = layouts[i].cost;
    }
  return best;
}

static void
explain_layout(GPtrArray *lines, const Layout *layouts, guint best) {
  const CcPlan *plan = &layouts[PLANNED].plan;
  const guint next = find_cheapest(layouts, best), stride = plan->stride;
  const gchar *next_text = next != PLANNED ? candidates[next].text
                           : plan->packed  ? "deinterleaved planes"
                                           : "whole pixels";
  GString *line = g_string_new("layout for tensor-core: ");
  g_string_append(line, candidates[best].text);
  if (best == ALL_PIXELS)
    g_string_append_printf(line, ", of which one in %ux%u is kept", stride, stride);
  g_string_append_printf(line, ", cost %u", layouts[best].cost);
  if (layouts[next].cost < NO_KERNEL)
    g_string_append_printf(line, " (%s %u)", next_text, layouts[next].cost);
  else if (best == ALL_PIXELS)
    g_string_append_printf(line, " (%s %u)", cc_algorithm_name(layouts[PLANNED].algorithm[0]),
                           cc_cuda_classic_cost(plan));
  else
    g_string_append_printf(line, " (%s: no kernel)", next_text);
  g_ptr_array_add(lines, g_string_free(line, FALSE));
}

/* Sets all candidates and returns the chosen one. The costs include the passes and the conversion
 * of their planes, but no other stages. */
static guint
choose_layout(Layout layouts[N_CANDIDATES], const CcPlan *plan, GPtrArray *lines) {
  layouts[PLANNED].plan = *plan;
  choose_kernels(&layouts[PLANNED]);
  const gboolean is_fixed = cc_plan_get_direction_color(plan) || !cc_plan_may_change_planes(plan);
  for (guint i = 0; i < N_CANDIDATES; i++)
    if (i != PLANNED && (is_fixed || cc_is_left_out(candidates[i].name) ||
                         !candidates[i].make(&layouts[i], layouts)))
      layouts[i].cost = NO_KERNEL;
  const guint best = find_cheapest(layouts, N_CANDIDATES);
  if (best != PLANNED)
    explain_layout(lines, layouts, best);
  return best;
}

/* --- passes that share a launch --- */

static gboolean
same_kernel(const CcCudaKernel *a, const CcCudaKernel *b) {
  return a->module == b->module && g_str_equal(a->name, b->name) && a->block[0] == b->block[0] &&
         a->block[1] == b->block[1] && a->integer == b->integer && a->side == b->side;
}

/* Whether two ops have equal values for everything that the plane jobs of a launch share. */
static gboolean
same_sums(const CcOp *a, const CcOp *b) {
  return a->n_matrices == b->n_matrices && a->width == b->width && a->height == b->height &&
         a->response == b->response && a->arith == b->arith && a->separable == b->separable &&
         a->has_taps == b->has_taps && memcmp(a->tap_i, b->tap_i, sizeof a->tap_i) == 0 &&
         memcmp(a->row_i, b->row_i, sizeof a->row_i) == 0 &&
         memcmp(a->column_i, b->column_i, sizeof a->column_i) == 0;
}

static gboolean
group_takes(const CcCudaGroup *group, const CcCudaKernel *kernel, const CcOp *op) {
  return group->n < CC_LAUNCH_JOBS && same_kernel(&group->kernel[0], kernel) &&
         (!group->op || !op || same_sums(group->op, op));
}

/* Puts every pass of `plan` into a group and returns the number of groups. `plan` is a copy of
 * layout->plan and may have another stride. */
static guint
group_passes(const CcPlan *plan, const Layout *layout, CcCudaGroup group[CC_MAX_PASSES]) {
  guint n = 0;
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    guint g = 0;
    while (g < n && !group_takes(&group[g], &layout->kernel[i], pass->op))
      g++;
    if (g == n)
      group[n++] = (CcCudaGroup){.name = layout->algorithm[i]};
    group[g].kernel[group[g].n] = layout->kernel[i];
    group[g].pass[group[g].n++] = pass;
    if (!group[g].op)
      group[g].op = pass->op;
  }
  return n;
}

/* --- steps --- */

static CcCudaStep *
add_step(CcCudaLowered *self, guint from, guint to) {
  CcCudaStep *step = &self->step[self->n_steps++];
  step->plan = &self->plan;
  step->gpu = self->gpu;
  step->from = from;
  step->to = to;
  return step;
}

/* Returns the number of the set. */
static guint
add_set(CcCudaLowered *self, gboolean of_source, const CcStage *reader) {
  self->set[self->n_sets] = (CcCudaSet){of_source, reader};
  return self->n_sets++;
}

/* `text` is the purpose of the step. */
static void
explain_step(CcCudaLowered *self, const CcCudaStep *step, const gchar *text) {
  g_ptr_array_add(self->lines,
                  g_strdup_printf("%s%s; %d blocks of %ux%u threads", text, step->name,
                                  step->params.n_tiles, step->block[0], step->block[1]));
}

/* Sets the sizes of a step and adds its line of text. All other members of the step must be set. */
static gboolean
finish_step(CcCudaLowered *self, CcCudaStep *step, const gchar *text, GError **error) {
  g_autofree gchar *before = g_strdup_printf("%s: ", text);
  if (!cc_cuda_step_set_sizes(step, &step->params, &self->whole, error))
    return FALSE;
  explain_step(self, step, before);
  return TRUE;
}

static void
explain_group(CcCudaLowered *self, const CcCudaGroup *group, const CcCudaAlgorithm *algorithm,
              const CcCudaStep *step) {
  const CcPlan *plan = step->plan;
  g_autoptr(GString) text = g_string_new(NULL);
  cc_explain_repetition(text, step->stage ? 1 + (guint)(step->stage - plan->stage) : 1);
  for (guint i = 0; i < group->n; i++) {
    if (i > 0)
      g_string_append(text, "; ");
    cc_explain_pass(text, plan, group->pass[i]);
  }
  g_string_append_printf(text, ": %s", cc_algorithm_name(group->name));
  if (plan->algorithm != CC_ALGORITHM_AUTO && plan->algorithm != group->name)
    g_string_append_printf(text, " (%s has no kernel for these sums or this stride)",
                           cc_algorithm_name(plan->algorithm));
  if (algorithm->explain)
    algorithm->explain(text, &group->kernel[0]);
  g_string_append(text, ", ");
  explain_step(self, step, text->str);
}

/* Adds the steps of all passes, which CONVOLVE (if `stage` is NULL) or a stage REPEAT runs. */
static gboolean
add_filter_steps(CcCudaLowered *self, const Layout *layout, const CcStage *stage, guint from,
                 guint to, GError **error) {
  CcCudaGroup group[CC_MAX_PASSES];
  const CcPlan *plan = &layout->plan;
  const guint n = group_passes(&self->plan, layout, group);
  for (guint g = 0; g < n; g++)
    for (const CcCudaAlgorithm *a = algorithms[group[g].name]; a; a = a->next) {
      CcCudaStep *step = add_step(self, from, to);
      step->stage = stage;
      if (!cc_cuda_step_set_filter(step, self->taps, &group[g], a, plan->stride, &self->whole,
                                   error))
        return FALSE;
      explain_group(self, &group[g], a, step);
      for (guint i = 0; a->next && i < group[g].n; i++) {
        group[g].kernel[i] = (CcCudaKernel){0};
        if (!a->next->choose(plan, group[g].pass[i], &group[g].kernel[i]))
          g_return_val_if_reached(FALSE); /* `next` can run every pass that `a` runs */
      }
    }
  return TRUE;
}

static gboolean
add_deinterleave_step(CcCudaLowered *self, guint to, GError **error) {
  const guint n = self->plan.layout.n_planes;
  g_autofree gchar *text = g_strdup_printf("deinterleave %u plane%s", n, n == 1 ? "" : "s");
  CcCudaStep *step = add_step(self, CC_CUDA_FRAME_SRC, to);
  cc_plane_map_set_deinterleave(step);
  return finish_step(self, step, text, error);
}

static gboolean
add_interleave_step(CcCudaLowered *self, guint from, GError **error) {
  CcCudaStep *step = add_step(self, from, CC_CUDA_FRAME_DST);
  cc_plane_map_set_interleave(step, self->decimation);
  return finish_step(self, step, "interleave", error);
}

static gboolean
add_stage_steps(CcCudaLowered *self, const CcStage *stage, guint from, guint to, GError **error) {
  for (const CcCudaStageClass *c = cc_cuda_stage_classes[stage->kind]; c; c = c->next) {
    g_autoptr(GString) text = g_string_new(NULL);
    CcCudaStep *step = add_step(self, from, to);
    step->stage = stage;
    c->set_step(step, self->taps, text);
    if (!finish_step(self, step, text->str, error))
      return FALSE;
  }
  return TRUE;
}

/* Returns the set that the next step writes: a new set in scratch if the stage `reader` or the
 * interleave step reads the planes, otherwise the target frame. */
static guint
add_next_set(CcCudaLowered *self, const CcStage *reader, gboolean interleaves) {
  return reader || interleaves ? add_set(self, FALSE, reader) : CC_CUDA_FRAME_DST;
}

/* Adds the steps of passes and of the stages that read their output, with deinterleave and
 * interleave steps around them. */
static gboolean
add_plane_steps(CcCudaLowered *self, const Layout *layout, GError **error) {
  const CcPlan *plan = &self->plan;
  const gboolean interleaves = plan->packed || self->decimation > 1;
  const CcStage *reader = cc_plan_get_reader(plan, plan->stage);
  const guint source = plan->packed ? add_set(self, TRUE, NULL) : CC_CUDA_FRAME_SRC;
  guint target = add_next_set(self, reader, interleaves);
  if ((plan->packed && !add_deinterleave_step(self, source, error)) ||
      !add_filter_steps(self, layout, NULL, source, target, error))
    return FALSE;
  while (reader) {
    const CcStage *stage = reader;
    const guint from = target;
    reader = cc_plan_get_reader(plan, stage);
    target = add_next_set(self, reader, interleaves);
    if (stage->kind == CC_STAGE_REPEAT ? !add_filter_steps(self, layout, stage, from, target, error)
                                       : !add_stage_steps(self, stage, from, target, error))
      return FALSE;
  }
  return !interleaves || add_interleave_step(self, target, error);
}

static CcCudaLowered *lower(const CcPlan *plan, const CcCudaGpu *gpu, GByteArray *taps,
                            GPtrArray *lines, GError **error);

/* Adds the steps of an inner plan. */
static gboolean
add_inner_steps(CcCudaLowered *self, const CcPlan *plan, GError **error) {
  CcCudaLowered *inner = self->inner = lower(plan, self->gpu, self->taps, self->lines, error);
  for (guint i = 0; inner && i < inner->n_steps; i++) {
    inner->step[i].is_inner = TRUE;
    self->step[self->n_steps++] = inner->step[i];
  }
  return inner != NULL;
}

/* Adds the steps of all stages after CONVOLVE that read `reads` and write the frame. */
static gboolean
add_frame_steps(CcCudaLowered *self, CcStageReads reads, GError **error) {
  const CcPlan *plan = &self->plan;
  for (guint i = 1; i < plan->n_stages; i++)
    if (plan->stage[i].reads == reads &&
        ((plan->stage[i].inner && !add_inner_steps(self, plan->stage[i].inner, error)) ||
         !add_stage_steps(self, &plan->stage[i], CC_CUDA_FRAME_SRC, CC_CUDA_FRAME_DST, error)))
      return FALSE;
  return TRUE;
}

/* --- regions --- */

/* Changes a target to that of the passes. */
static void
expand_target(const CcCudaLowered *self, CcRect *target) {
  target->width = (target->width - 1) * self->decimation + 1;
  target->height = (target->height - 1) * self->decimation + 1;
}

static void
place_region(const CcCudaLowered *self, const CcRegion *region, CcPlacement *placement) {
  cc_plan_place(&self->plan, region, placement);
  for (guint p = 0; p < self->plan.layout.n_planes; p++)
    expand_target(self, &placement->target[p]);
}

const CcPlacement *
cc_cuda_place_region(const CcCudaLowered *self, const CcRegion *region, CcPlacement *placement) {
  if (memcmp(region, &self->whole_region, sizeof *region) == 0)
    return &self->whole;
  place_region(self, region, placement);
  return placement;
}

static void
place_sets(const CcCudaLowered *self, CcCudaAddresses *addresses, gsize *end) {
  const CcPlacement *placement = addresses->placement;
  for (guint s = CC_CUDA_N_FRAMES; s < self->n_sets; s++)
    for (guint p = 0; p < self->plan.layout.n_planes; p++) {
      const CcPlaneLayout *layout = &self->plan.layout.plane[p];
      const CcRect *rect = self->set[s].of_source ? &placement->source[p] : &placement->target[p];
      const gsize pixel = layout->step * cc_plan_sample_bytes(&self->plan, self->set[s].reader, p);
      addresses->set[s][p] = cc_cuda_place_rows(pixel * rect->width, rect->height, end);
    }
}

/* The placement of the inner plan for a placement of the plan. All planes of its frames are as
 * large as the only plane of the frame. */
static void
place_inner(const CcCudaLowered *inner, const CcPlacement *outer, CcPlacement *placement) {
  *placement = (CcPlacement){0};
  for (guint p = 0; p < CC_MAX_PLANES; p++) {
    placement->frame_source[p] = placement->source[p] = outer->frame_source[0];
    placement->frame_target[p] = placement->target[p] = outer->frame_target[0];
    expand_target(inner, &placement->target[p]);
  }
}

CUdeviceptr
cc_cuda_place_scratch(const CcCudaLowered *self, CcCudaAddresses *addresses, CcCudaInner *storage) {
  gsize end = addresses->scratch;
  if (self->inner) {
    const CcFrameLayout *layout = &self->inner->plan.frame_layout;
    const CcRect *source = &addresses->placement->frame_source[0];
    const CcRect *target = &addresses->placement->frame_target[0];
    CcCudaAddresses *inner = &storage->addresses;
    *inner = (CcCudaAddresses){.placement = &storage->placement};
    if (addresses->placement == &self->whole)
      inner->placement = &self->inner->whole;
    else
      place_inner(self->inner, addresses->placement, &storage->placement);
    for (guint g = 0; g < layout->n_planes; g++) {
      const gsize pixel = cc_plane_group_bytes(&layout->plane[g]);
      inner->set[CC_CUDA_FRAME_SRC][g] =
          cc_cuda_place_rows(pixel * source->width, source->height, &end);
      inner->set[CC_CUDA_FRAME_DST][g] =
          cc_cuda_place_rows(pixel * target->width, target->height, &end);
    }
    place_sets(self->inner, inner, &end);
    addresses->inner = inner;
  }
  place_sets(self, addresses, &end);
  return end;
}

static gsize
measure_scratch(const CcCudaLowered *self, const CcPlacement *placement) {
  CcCudaAddresses addresses = {.placement = placement};
  CcCudaInner inner;
  const gsize planes = cc_cuda_place_scratch(self, &addresses, &inner);
  gsize max = 0;
  for (guint i = 0; i < self->n_steps; i++)
    if (self->step[i].params.scratch_bytes > 0) {
      const CcCudaStep *step = &self->step[i];
      CcLaunch launch = step->params;
      const CcPlacement *of_step = step->is_inner ? addresses.inner->placement : placement;
      if (cc_cuda_step_set_sizes(step, &launch, of_step, NULL))
        max = MAX(max, launch.scratch_bytes);
    }
  return planes + max;
}

gsize
cc_cuda_scratch_bytes(const CcCudaLowered *self, const CcPlacement *placement) {
  return placement == &self->whole ? self->scratch_bytes : measure_scratch(self, placement);
}

/* Checks that the pitches of all planes in scratch fit 32 bits, as kernels require. */
static gboolean
check_pitches(const CcCudaLowered *self, GError **error) {
  CcCudaAddresses addresses = {.placement = &self->whole};
  CcCudaInner inner;
  gsize longest = 0;
  cc_cuda_place_scratch(self, &addresses, &inner);
  for (guint p = 0; p < CC_MAX_PLANES; p++) {
    for (guint s = CC_CUDA_N_FRAMES; s < self->n_sets; s++)
      longest = MAX(longest, addresses.set[s][p].pitch);
    for (guint s = 0; addresses.inner && s < CC_CUDA_N_FRAMES; s++)
      longest = MAX(longest, addresses.inner->set[s][p].pitch);
  }
  if (longest <= G_MAXINT32)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "rows of %" G_GSIZE_FORMAT " bytes between two stages are longer than %d", longest,
              G_MAXINT32);
  return FALSE;
}

static void
place_whole(CcCudaLowered *self) {
  const CcPlan *plan = &self->plan;
  self->whole_region = cc_frame_layout_region(&plan->frame_layout);
  place_region(self, &self->whole_region, &self->whole);
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->frame_layout.plane[p];
    const gsize group = cc_plane_group_bytes(layout);
    const CcRect *source = &self->whole.frame_source[p], *target = &self->whole.frame_target[p];
    self->src[p] = cc_cuda_place_rows(source->width * group, source->height, &self->src_bytes);
    self->dst[p] = cc_cuda_place_rows(target->width * group, target->height, &self->dst_bytes);
  }
}

/* --- the lowering --- */

/* Lowers a plan without taps and lines of its own: they are appended to `taps` and `lines`. */
static CcCudaLowered *
lower(const CcPlan *plan, const CcCudaGpu *gpu, GByteArray *taps, GPtrArray *lines,
      GError **error) {
  g_autofree Layout *layouts = g_new(Layout, N_CANDIDATES);
  g_autoptr(CcCudaLowered) self = g_new0(CcCudaLowered, 1);
  self->taps = g_byte_array_ref(taps);
  self->lines = g_ptr_array_ref(lines);
  const Layout *layout = &layouts[choose_layout(layouts, plan, self->lines)];
  /* If direction-color replaces all passes, no algorithm runs. Then self->algorithm is the
   * algorithm of the plan, or the first one that AUTO tries. */
  self->algorithm = plan->n_passes > 0                     ? layout->algorithm[0]
                    : plan->algorithm != CC_ALGORITHM_AUTO ? plan->algorithm
                                                           : CC_N_ALGORITHMS - 1;
  self->plan = layout->plan;
  self->plan.stride = plan->stride;
  self->gpu = gpu;
  self->decimation = plan->stride / layout->plan.stride;
  self->n_sets = CC_CUDA_N_FRAMES;
  place_whole(self);
  if ((plan->n_passes > 0 && !add_plane_steps(self, layout, error)) ||
      !add_frame_steps(self, CC_READS_SOURCE, error) ||
      !add_frame_steps(self, CC_READS_SAMPLES, error) ||
      !add_frame_steps(self, CC_READS_PIXELS, error) || !check_pitches(self, error))
    return NULL;
  self->scratch_bytes = measure_scratch(self, &self->whole);
  g_clear_pointer(&self->taps, g_byte_array_unref);
  g_clear_pointer(&self->lines, g_ptr_array_unref);
  return g_steal_pointer(&self);
}

CcCudaLowered *
cc_cuda_lower(const CcPlan *plan, const CcCudaGpu *gpu, GError **error) {
  if (!cc_algorithm_check_plan(plan, error))
    return NULL;
  g_autoptr(GByteArray) taps = g_byte_array_new();
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
  CcCudaLowered *self = lower(plan, gpu, taps, lines, error);
  if (!self)
    return NULL;
  g_ptr_array_add(lines, NULL);
  self->taps = g_steal_pointer(&taps);
  self->lines = g_steal_pointer(&lines);
  return self;
}

void
cc_cuda_lowered_free(CcCudaLowered *self) {
  if (!self)
    return;
  g_clear_pointer(&self->taps, g_byte_array_unref);
  g_clear_pointer(&self->lines, g_ptr_array_unref);
  cc_cuda_lowered_free(self->inner);
  g_free(self);
}
