/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "step.h"

#include "engine/error.h"

gboolean
cc_cuda_set_first_tiles(CcLaunch *launch, GError **error) {
  guint64 n = 0;
  for (gint i = 0; i < launch->n_parts; i++) {
    launch->part[i].first_tile = (gint)n;
    n += (guint)launch->part[i].n_tiles;
    if (n >= G_MAXINT32) {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                  "a picture of %dx%d needs more tiles than a launch can have with this algorithm",
                  launch->part[0].width, launch->part[0].height);
      return FALSE;
    }
  }
  launch->n_tiles = (gint)n;
  return TRUE;
}
