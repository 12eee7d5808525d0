/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tensor-core: chooses between its two methods, separable and conv2d. */

#include "tensor.h"

#include <string.h>

/* The costs of the conversion to grey, in tensor-core products per 256 filtered bytes. "Grey
 * pixels" of bench/notes/experiments.md has the measurements. GREY_SAMPLES is for separable, which
 * converts samples after staging. PIXELS is for pixels of `samples` samples of `bytes` bytes that
 * are converted while they are read. LUMA_PLANE is for luma that is deinterleaved into a plane and
 * interleaved again. */
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
choose_method(const CcTensorCoreMethod *method, const CcPlan *plan, const CcPass *pass,
              CcCudaKernel *kernel) {
  CcTensorCoreChoice *choice = CC_PRIVATE(CcTensorCoreChoice, kernel);
  choice->method = method;
  kernel->block[0] = 32;
  kernel->integer = TRUE;
  kernel->overlaps = TRUE;
  return cc_tensor_core_find_plane_map(&choice->map, plan, pass) &&
         method->choose(plan, pass, kernel);
}

/* Declines plans that filter nothing. No format leads to such plans. Other algorithms could run
 * them. */
static gboolean
choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  CcCudaKernel conv2d = {0}, separable = {0};
  const CcPass *leading = cc_cuda_leading_pass(plan, pass);
  if (!leading->op)
    return FALSE;
  const gboolean has_conv2d = choose_method(&cc_tensor_conv2d, plan, leading, &conv2d);
  const gboolean has_separable = choose_method(&cc_tensor_separable, plan, leading, &separable);
  if (!has_conv2d && !has_separable)
    return FALSE;
  const gboolean takes_separable = has_separable && (!has_conv2d || separable.cost < conv2d.cost);
  *kernel = takes_separable ? separable : conv2d;
  kernel->grey_cost = cost_of_grey(plan, leading, cc_tensor_core_choice(kernel));
  CC_PRIVATE(CcTensorCoreChoice, kernel)->other_cost =
      takes_separable ? conv2d.cost : separable.cost;
  return TRUE;
}

static void
explain(GString *line, const CcCudaKernel *kernel) {
  const CcTensorCoreChoice *choice = cc_tensor_core_choice(kernel);
  const gboolean is_conv2d = choice->method == &cc_tensor_conv2d;
  g_string_append_printf(line, " in %s, cost %u", is_conv2d ? "one stage" : "two stages",
                         kernel->cost);
  if (choice->other_cost)
    g_string_append_printf(line, " (%s %u)", is_conv2d ? "two stages" : "one stage",
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
