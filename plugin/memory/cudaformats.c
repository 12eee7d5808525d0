/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cudamemory.h"
#include "formats.h"

#define VERSION_1_24_0 12400
#define VERSION_1_24_4 12404

typedef struct {
  const gchar *name;
  CcInCuda in_cuda;
} Format;

#define FORMAT_ROW(name, in_cuda) {#name, in_cuda},
static const Format formats[] = {CC_FORMATS(FORMAT_ROW)};

static gboolean
holds(CcInCuda in_cuda, gint height, guint version) {
  switch (in_cuda) {
  case CC_IN_CUDA_NEVER:
    return FALSE;
  case CC_IN_CUDA_ANY:
    return TRUE;
  case CC_IN_CUDA_ANY_1_24:
    return version >= VERSION_1_24_0;
  case CC_IN_CUDA_ANY_1_24_4:
    return version >= VERSION_1_24_4;
  case CC_IN_CUDA_PLANAR:
    return version >= VERSION_1_24_4 || (version < VERSION_1_24_0 && height % 2 == 0);
  case CC_IN_CUDA_EVEN:
    return height % 2 == 0;
  }
  g_return_val_if_reached(FALSE);
}

gboolean
cc_cuda_memory_holds(const gchar *format, gint height, guint version) {
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
    if (g_str_equal(format, formats[i].name))
      return holds(formats[i].in_cuda, height, version);
  return FALSE;
}
