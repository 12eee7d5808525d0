/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "step.h"

#include "engine/error.h"

gboolean
cc_cuda_set_first_tiles(CcLaunch *launch, GError **error) {
  guint64 n = 0;
  for (gint i = 0; i < launch->n_parts; i++)
    n += (guint)launch->part[i].n_tiles;
  if (n >= G_MAXINT32) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "this algorithm needs %" G_GUINT64_FORMAT
                " tiles for the output, and a launch has fewer than %d; smaller frames need fewer",
                n, G_MAXINT32);
    return FALSE;
  }
  launch->n_tiles = 0;
  for (gint i = 0; i < launch->n_parts; i++) {
    launch->part[i].first_tile = launch->n_tiles;
    launch->n_tiles += launch->part[i].n_tiles;
  }
  return TRUE;
}
