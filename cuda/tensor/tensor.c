/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sliding: on the tensor cores, in two stages or in one. */

#include "tensor.h"

#include <string.h>

/* What grey costs, in products of the tensor cores for 256 bytes of what is filtered, as measured
 * in "Grey pixels" of bench/notes/experiments.md: for two stages that make samples grey where they
 * stage them, of pixels of so many samples of so many bytes that become luma where they are read,
 * and of such a luma that is taken out of the frame as a plane and put back. */
#define COST_OF_GREY_SAMPLES 33
#define COST_OF_PIXELS(samples, bytes) ((samples) == 3 ? 36 : (bytes) == 1 ? 60 : 50)
#define COST_OF_LUMA_PLANE(samples) (64 * (samples))

static guint
cost_of_grey(const CcPlan *plan, const CcPass *pass, const CcTensorCoreChoice *choice) {
  const CcPlaneMap *map = &plan->map[pass->plane];
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  const guint samples = plan->frame_layout.plane[map->offset[0].plane].step;
  if (map->kind != CC_PLANE_MAP_LUMA)
    return 0;
  if (plan->packed)
    return COST_OF_LUMA_PLANE(samples);
  if (choice->map.pixel)
    return COST_OF_PIXELS(samples, cc_sample_size(layout->type));
  return choice->method == &cc_tensor_separable ? COST_OF_GREY_SAMPLES : 0;
}

static gboolean
choose_by(const CcTensorCoreMethod *method, const CcPlan *plan, const CcPass *pass,
          CcCudaKernel *kernel) {
  CcTensorCoreChoice *choice = CC_PRIVATE(CcTensorCoreChoice, kernel);
  choice->method = method;
  kernel->block[0] = 32;
  kernel->integer = TRUE;
  kernel->overlaps = TRUE;
  return cc_tensor_core_find_plane_map(&choice->map, plan, pass) &&
         method->choose(plan, pass, kernel);
}

/* Plans that filter nothing, which no format leads to, are left to other algorithms. */
static gboolean
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  CcCudaKernel one = {0}, two = {0};
  const CcPass *leading = cc_cuda_leading_pass(plan, pass);
  if (!leading->op)
    return FALSE;
  const gboolean has_one = choose_by(&cc_tensor_conv2d, plan, leading, &one);
  const gboolean has_two = choose_by(&cc_tensor_separable, plan, leading, &two);
  if (!has_one && !has_two)
    return FALSE;
  const gboolean takes_two = has_two && (!has_one || two.cost < one.cost);
  *kernel = takes_two ? two : one;
  kernel->grey_cost = cost_of_grey(plan, leading, cc_tensor_core_choice(kernel));
  CC_PRIVATE(CcTensorCoreChoice, kernel)->other_cost = takes_two ? one.cost : two.cost;
  return TRUE;
}

/* Appends the way that runs a pass, its cost and that of the other way. */
static void
explain(GString *line, const CcCudaKernel *kernel) {
  const CcTensorCoreChoice *choice = cc_tensor_core_choice(kernel);
  const gboolean is_one = choice->method == &cc_tensor_conv2d;
  g_string_append_printf(line, " in %s, cost %u", is_one ? "one stage" : "two stages",
                         kernel->cost);
  if (choice->other_cost)
    g_string_append_printf(line, " (%s %u)", is_one ? "two stages" : "one stage",
                           choice->other_cost);
}

static void
set_tiles(CcLaunch *launch, const CcCudaKernel *kernel, const CcCudaGpu *gpu,
          const CcPass *const *pass) {
  const CcTensorCoreMethod *method = cc_tensor_core_choice(kernel)->method;
  guint64 bytes = 0;
  method->choose_tiles(launch, kernel, gpu);
  for (gint i = 0; i < launch->n_jobs; i++) {
    CcPlaneJob *job = &launch->job[i];
    const CcTensorCoreChoice *choice = cc_tensor_core_choice(&kernel[i]);
    cc_tensor_core_set_plane_map(job, &choice->map);
    method->set_job(job, &kernel[i], pass[i]);
    if (pass[i]->op) {
      CC_PRIVATE(CcTensorCoreJob, job)->table = bytes;
      bytes += choice->table_bytes;
    }
  }
}

static GBytes *
make_taps(const CcLaunch *launch, const CcCudaKernel *kernel, const CcPass *const *pass) {
  GByteArray *tables = g_byte_array_new();
  for (gint i = 0; i < launch->n_jobs; i++) {
    const CcPlaneJob *job = &launch->job[i];
    const CcTensorCoreChoice *choice = cc_tensor_core_choice(&kernel[i]);
    if (!pass[i]->op)
      continue;
    const guint at = tables->len;
    g_byte_array_set_size(tables, at + choice->table_bytes);
    memset(tables->data + at, 0, choice->table_bytes);
    choice->method->write_table(tables->data + at, job, &kernel[i], pass[i]);
  }
  return g_byte_array_free_to_bytes(tables);
}

const CcCudaAlgorithm cc_cuda_tensor_core = {
    .choose = choose, .set_tiles = set_tiles, .make_taps = make_taps, .explain = explain};
