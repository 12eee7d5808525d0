/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "npp.h"

#include <gmodule.h>
#include <string.h>
#include "common.h"
#include "engine/error.h"

#if __has_include(<nppdefs.h>)
#include <nppdefs.h>
G_STATIC_ASSERT(sizeof(BenchNppContext) == sizeof(NppStreamContext));
G_STATIC_ASSERT(offsetof(BenchNppContext, stream_flags) ==
                offsetof(NppStreamContext, nStreamFlags));
G_STATIC_ASSERT(BENCH_NPP_BORDER_REPLICATE == NPP_BORDER_REPLICATE);
G_STATIC_ASSERT(BENCH_NPP_MASK_5X5 == NPP_MASK_SIZE_5_X_5);
G_STATIC_ASSERT(BENCH_NPP_MASK_7X7 == NPP_MASK_SIZE_7_X_7);
#endif

#define MASK_NONE (-1)

struct _BenchNpp {
  GModule *core, *filters; /* libnppc, libnppif */
  gchar *version;
  BenchNppContext context;
};

static GModule *
open_library(const gchar *folder, const gchar *stem, gint version) {
  g_autofree gchar *name = g_strdup_printf("%s.so.%d", stem, version);
  g_autofree gchar *path = folder ? g_build_filename(folder, name, NULL) : g_strdup(name);
  return g_module_open(path, G_MODULE_BIND_LAZY);
}

/* libnppif needs libnppc, which may lie in the same folder that the loader does not look into. */
static gboolean
open_libraries(BenchNpp *self, const gchar *folder, GError **error) {
  for (gint version = 13; version >= 11; version--) {
    BenchNppGetVersion *get_version = NULL;
    self->core = open_library(folder, "libnppc", version);
    self->filters = self->core ? open_library(folder, "libnppif", version) : NULL;
    if (self->filters &&
        g_module_symbol(self->core, "nppGetLibVersion", (gpointer *)&get_version)) {
      const gint *v = get_version();
      self->version = g_strdup_printf("NPP %d.%d.%d (libnppif.so.%d)", v[0], v[1], v[2], version);
      return TRUE;
    }
    g_clear_pointer(&self->core, g_module_close);
    g_clear_pointer(&self->filters, g_module_close);
  }
  g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
              "no libnppc.so and libnppif.so of version 13, 12 or 11 in %s",
              folder ? folder : "the loader's path");
  return FALSE;
}

static gboolean
fill_context(BenchNppContext *context, const CcCudaDevice *device, CUstream stream,
             GError **error) {
  gint shared_bytes = 0;
  const struct {
    CUdevice_attribute attribute;
    gint *value;
  } values[] = {
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &context->n_multiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
       &context->max_threads_per_multiprocessor},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &context->max_threads_per_block},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &shared_bytes},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &context->compute_major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &context->compute_minor},
  };
  for (guint i = 0; i < G_N_ELEMENTS(values); i++)
    if (!BENCH_CALL(device, cuDeviceGetAttribute, values[i].value, values[i].attribute,
                    device->device))
      return FALSE;
  context->stream = stream;
  context->device_id = device->base.id;
  context->shared_bytes_per_block = (gsize)shared_bytes;
  context->stream_flags = CU_STREAM_NON_BLOCKING;
  return TRUE;
}

BenchNpp *
bench_npp_open(const CcCudaDevice *device, CUstream stream, const gchar *folder, GError **error) {
  BenchNpp *self = g_new0(BenchNpp, 1);
  if (open_libraries(self, folder, error) && fill_context(&self->context, device, stream, error))
    return self;
  g_free(self);
  return NULL;
}

const gchar *
bench_npp_version(const BenchNpp *self) {
  return self->version;
}

static gint
gauss_mask(guint size) {
  if (size == 3)
    return BENCH_NPP_MASK_3X3;
  if (size == 5)
    return BENCH_NPP_MASK_5X5;
  return BENCH_NPP_MASK_7X7 + ((gint)size - 7) / 2 * 100;
}

gboolean
bench_npp_find(const BenchNpp *self, const CcFilter *filter, const CcFrameLayout *layout,
               BenchNppCall *call, GError **error) {
  static const struct {
    const gchar *kernel, *function;
  } functions[] = {{"gaussian", "Gauss"}, {"sobel-x", "SobelVert"}, {"sobel-y", "SobelHoriz"}};
  const CcPlaneLayout *plane = &layout->plane[0];
  const gboolean fits = filter->border == CC_BORDER_REPLICATE && filter->stride == 1 &&
                        !(filter->sigma > 0) && layout->n_planes == 1 && plane->depth % 8 == 0;
  for (guint i = 0; fits && i < G_N_ELEMENTS(functions); i++) {
    const gboolean gauss = i == 0;
    g_autofree gchar *name = g_strdup_printf("nppiFilter%sBorder_%uu_C%uR_Ctx",
                                             functions[i].function, plane->depth, plane->step);
    *call = (BenchNppCall){.npp = self,
                           .mask = gauss ? gauss_mask(filter->size) : MASK_NONE,
                           .size = {(gint)plane->width, (gint)plane->height}};
    if (strcmp(filter->kernel->name, functions[i].kernel) == 0 && (gauss || filter->size == 3) &&
        g_module_symbol(self->filters, name, &call->function))
      return TRUE;
  }
  return bench_refuse(error, "npp has no such filter");
}

gboolean
bench_npp_queue(const BenchNppCall *call, CUdeviceptr src, CUdeviceptr dst, GError **error) {
  const BenchNppPoint origin = {0, 0};
  BenchNppGauss *gauss = (BenchNppGauss *)call->function;
  BenchNppSobel *sobel = (BenchNppSobel *)call->function;
  const gint status =
      call->mask != MASK_NONE
          ? gauss((gconstpointer)src, call->src_pitch, call->size, origin, (gpointer)dst,
                  call->dst_pitch, call->size, call->mask, BENCH_NPP_BORDER_REPLICATE,
                  call->npp->context)
          : sobel((gconstpointer)src, call->src_pitch, call->size, origin, (gpointer)dst,
                  call->dst_pitch, call->size, BENCH_NPP_BORDER_REPLICATE, call->npp->context);
  return status == 0 || bench_refuse(error, "npp: NPP answers with status %d", status);
}
