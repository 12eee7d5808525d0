/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "npp.h"

#include <string.h>
#include "engine/error.h"

#if __has_include(<nppdefs.h>)
#include <nppdefs.h>
G_STATIC_ASSERT(sizeof(BenchNppContext) == sizeof(NppStreamContext));
G_STATIC_ASSERT(offsetof(BenchNppContext, stream_flags) ==
                offsetof(NppStreamContext, nStreamFlags));
G_STATIC_ASSERT(BENCH_NPP_BORDER_REPLICATE == NPP_BORDER_REPLICATE);
G_STATIC_ASSERT(NPP_MASK_SIZE_5_X_5 == 201 && NPP_MASK_SIZE_15_X_15 == 800);
#endif

static GModule *
open_library(const gchar *folder, const gchar *stem, gint version) {
  g_autofree gchar *name = g_strdup_printf("%s.so.%d", stem, version);
  g_autofree gchar *path = folder ? g_build_filename(folder, name, NULL) : g_strdup(name);
  return g_module_open(path, G_MODULE_BIND_LAZY);
}

/* Loads libnppc first, because libnppif depends on it and the loader may not search `folder`. */
static gboolean
open_libraries(BenchNpp *self, const gchar *folder, GError **error) {
  BenchNppGetVersion *get_version = NULL;
  for (gint version = 13; version >= 11; version--) {
    GModule *core = open_library(folder, "libnppc", version);
    GModule *filters = core ? open_library(folder, "libnppif", version) : NULL;
    if (filters && g_module_symbol(core, "nppGetLibVersion", (gpointer *)&get_version)) {
      const gint *v = get_version();
      self->version = g_strdup_printf("NPP %d.%d.%d (libnppif.so.%d)", v[0], v[1], v[2], version);
      self->filters = filters;
      return TRUE;
    }
  }
  g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
              "no libnppc.so and libnppif.so of version 13, 12 or 11 in %s",
              folder ? folder : "the loader's path");
  return FALSE;
}

gboolean
bench_npp_open(BenchNpp *self, const BenchTimer *timer, const gchar *folder, GError **error) {
  BenchNppContext *context = &self->context;
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
    if (!BENCH_CALL(timer, cuDeviceGetAttribute, values[i].value, values[i].attribute,
                    timer->device->device))
      return FALSE;
  context->stream = timer->stream;
  context->device_id = timer->device->base.id;
  context->shared_bytes_per_block = (gsize)shared_bytes;
  context->stream_flags = CU_STREAM_NON_BLOCKING;
  return open_libraries(self, folder, error);
}

/* NPP's function for each of cudaconv's kernels, and the largest size that NPP supports. */
static const struct {
  const gchar *kernel, *function;
  guint max_size;
} filters[] = {
    {"gaussian", "Gauss", 15}, {"sobel-x", "SobelVert", 3}, {"sobel-y", "SobelHoriz", 3}};

/* NPP_MASK_SIZE_3_X_3 and the other constants of NPP for the side of a Gaussian. */
static const gint masks[] = {
    [3] = 200, [5] = 201, [7] = 400, [9] = 500, [11] = 600, [13] = 700, [15] = 800};

typedef struct {
  const BenchNpp *npp;
  gpointer function;
  gint mask; /* mask size; 0: the function has no such parameter */
  BenchNppSize size;
  gint src_pitch, dst_pitch; /* bytes */
} Call;

static gboolean
find_function(const BenchNpp *self, const CcFilter *filter, const CcPlaneLayout *plane,
              Call *call) {
  for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
    g_autofree gchar *name = g_strdup_printf("nppiFilter%sBorder_%uu_C%uR_Ctx", filters[i].function,
                                             plane->depth, plane->step);
    if (strcmp(filter->kernel->name, filters[i].kernel) == 0 &&
        filter->size <= filters[i].max_size &&
        g_module_symbol(self->filters, name, &call->function)) {
      call->mask = i == 0 ? masks[filter->size] : 0;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
queue_call(const BenchTask *task, const BenchTimer *timer, CUdeviceptr src, CUdeviceptr dst,
           CUdeviceptr scratch, GError **error) {
  const Call *call = task->data;
  const BenchNppPoint origin = {0, 0};
  BenchNppGauss *gauss = (BenchNppGauss *)call->function;
  BenchNppSobel *sobel = (BenchNppSobel *)call->function;
  const gint status = call->mask ? gauss((gconstpointer)src, call->src_pitch, call->size, origin,
                                         (gpointer)dst, call->dst_pitch, call->size, call->mask,
                                         BENCH_NPP_BORDER_REPLICATE, call->npp->context)
                                 : sobel((gconstpointer)src, call->src_pitch, call->size, origin,
                                         (gpointer)dst, call->dst_pitch, call->size,
                                         BENCH_NPP_BORDER_REPLICATE, call->npp->context);
  return status == 0 || bench_refuse(error, "npp: NPP answers with status %d", status);
}

gboolean
bench_npp_time(const BenchNpp *self, BenchTimer *timer, const CcFilter *filter, const CcPlan *plan,
               const CcCudaProgram *program, BenchTime *time, GError **error) {
  const CcPlaneLayout *plane = &plan->layout.plane[0];
  Call call = {.npp = self,
               .size = {(gint)plane->width, (gint)plane->height},
               .src_pitch = (gint)program->lowered->src[0].pitch,
               .dst_pitch = (gint)program->lowered->dst[0].pitch};
  const BenchTask task = {.queue = queue_call,
                          .data = &call,
                          .src_bytes = program->lowered->src_bytes,
                          .dst_bytes = program->lowered->dst_bytes,
                          .n_launches = 1};
  if (!self->filters) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "NPP is not installed");
    return FALSE;
  }
  if (filter->border != CC_BORDER_REPLICATE || filter->stride != 1 || filter->sigma > 0 ||
      plan->packed || plan->layout.n_planes != 1 || plane->depth % 8 != 0 ||
      !find_function(self, filter, plane, &call))
    return bench_refuse(error, "npp has no such filter");
  return bench_time_task(timer, &task, time, error);
}
