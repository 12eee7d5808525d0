/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The host half of the kernels in registers: which of them runs a pass, and its tiles. */

#include "register_window.h"
#include "sliding.h"

CC_CUDA_DECLARE_MODULE(register_window);

void
cc_register_window_choose(const CcPlan *plan, const CcPass *pass, CcCudaKernel *kernel) {
  static const guint sides[] = {3, 5, 7, 11, 15};
  const CcOp *op = cc_cuda_leading_pass(plan, pass)->op;
  const guint side = op ? MAX(op->width, op->height) : 3;
  guint i = 0;
  while (sides[i] < side)
    i++;
  const gboolean separable = !op || op->separable;
  kernel->module = cc_fatbin_register_window;
  kernel->integer = op && op->arith == CC_ARITH_I64;
  kernel->side = sides[i];
  g_snprintf(kernel->name, sizeof kernel->name, "cc_register_window_%s_%u_%s_m%u%s",
             kernel->integer ? "i32" : "f32", sides[i], separable ? "sep" : "full",
             op ? op->n_matrices : 1, plan->stride == 1 ? "" : "_strided");
  kernel->block[0] = 32;
  kernel->block[1] = CC_REGISTER_WINDOW_WARPS;
  kernel->tiles_per_block = CC_REGISTER_WINDOW_WARPS;
}

void
cc_register_window_set_tiles(CcLaunch *launch, const CcCudaDevice *device) {
  gint64 columns = 0;
  for (gint i = 0; i < launch->n_parts; i++) {
    CcPart *part = &launch->part[i];
    part->tiles_across =
        (gint)cc_cuda_divide_up((guint)(part->width * part->step), CC_REGISTER_WINDOW_TILE_WIDTH);
    columns += (gint64)part->tiles_across * part->height;
  }
  for (gint i = 0; i < launch->n_parts; i++) {
    CcPart *part = &launch->part[i];
    CcRegisterWindowPart *own = CC_OWN(CcRegisterWindowPart, part);
    own->tile_rows = cc_register_window_tile_rows(columns, launch->window_height, launch->stride,
                                                  (gint)device->multiprocessors);
    cc_cuda_part_set_tiles(part, (guint)part->tiles_across,
                           cc_cuda_divide_up((guint)part->height, (guint)own->tile_rows));
  }
}
