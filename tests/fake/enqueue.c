/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies, modules and launches. */

#include "stream.h"

#include "cuda/stages/canny.h"
#include "cuda/stages/compose.h"
#include "cuda/stages/direction_color.h"
#include "cuda/stages/measure.h"
#include "cuda/stages/weighted.h"
#include "cuda/tensor/conv2d_kernels.h"

struct CUmod_st {
  FakeObject object;
  GPtrArray *functions;
};

struct CUfunc_st {
  FakeObject object;
  const gchar *name;
};

/* --- copies --- */

static FakeRange
rows_range(gconstpointer data, gsize pitch, gsize row_bytes, gsize rows) {
  return (FakeRange){(gsize)data, (gsize)data + (rows - 1) * pitch + row_bytes};
}

/* Enqueues a copy after checking both sides. CUDA allows the same kind of memory on both. */
static CUresult
enqueue_copy(const gchar *call, const FakeOp *copy, FakeUse to, FakeUse from, CUstream handle,
             gboolean waits_later) {
  FakeOp op = *copy;
  if (op.row_bytes == 0 || op.rows == 0)
    return CUDA_SUCCESS;
  CUstream stream = fake_stream_of(call, handle);
  CUcontext context = fake_current(call);
  op.kind = FAKE_OP_COPY;
  op.range[0] = rows_range(op.to, op.to_pitch, op.row_bytes, op.rows);
  op.range[1] = rows_range(op.from, op.from_pitch, op.row_bytes, op.rows);
  op.n_ranges = 2;
  fake_check_range(call, op.range[0], to, context, waits_later);
  fake_check_range(call, op.range[1], from, context, waits_later);
  fake_enqueue(stream, &op);
  if (!waits_later)
    fake_run_stream(stream);
  return CUDA_SUCCESS;
}

static CUresult
copy_to_device(const gchar *call, CUdeviceptr to, gconstpointer from, gsize bytes, CUstream stream,
               gboolean waits_later) {
  ENTER(call);
  return enqueue_copy(call,
                      &(FakeOp){.to = (guint8 *)to, .from = from, .row_bytes = bytes, .rows = 1},
                      FAKE_DEVICE, FAKE_HOST_READ, stream, waits_later);
}

static CUresult
copy_to_host(const gchar *call, gpointer to, CUdeviceptr from, gsize bytes, CUstream stream,
             gboolean waits_later) {
  ENTER(call);
  return enqueue_copy(call,
                      &(FakeOp){.to = to, .from = (guint8 *)from, .row_bytes = bytes, .rows = 1},
                      FAKE_HOST_WRITE, FAKE_DEVICE, stream, waits_later);
}

static CUresult
copy_on_device(const gchar *call, CUdeviceptr to, CUdeviceptr from, gsize bytes, CUstream stream,
               gboolean waits_later) {
  ENTER(call);
  return enqueue_copy(
      call, &(FakeOp){.to = (guint8 *)to, .from = (guint8 *)from, .row_bytes = bytes, .rows = 1},
      FAKE_DEVICE, FAKE_DEVICE, stream, waits_later);
}

EXPORT CUresult
cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return copy_to_device("cuMemcpyHtoD", to, from, bytes, NULL, FALSE);
}

EXPORT CUresult
cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return copy_to_device("cuMemcpyHtoDAsync", to, from, bytes, stream, TRUE);
}

EXPORT CUresult
cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return copy_to_host("cuMemcpyDtoH", to, from, bytes, NULL, FALSE);
}

EXPORT CUresult
cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_to_host("cuMemcpyDtoHAsync", to, from, bytes, stream, TRUE);
}

EXPORT CUresult
cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_on_device("cuMemcpyDtoD", to, from, bytes, NULL, FALSE);
}

EXPORT CUresult
cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_on_device("cuMemcpyDtoDAsync", to, from, bytes, stream, TRUE);
}

/* Copies between any two contexts. */
EXPORT CUresult
cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                  size_t bytes, CUstream stream) {
  static const gchar call[] = "cuMemcpyPeerAsync";
  ENTER(call);
  const FakeOp op = {.to = (guint8 *)to, .from = (guint8 *)from, .row_bytes = bytes, .rows = 1};
  if (bytes > 0) {
    fake_check_context(call, to_context);
    fake_check_context(call, from_context);
    fake_check_range(call, rows_range(op.to, 0, bytes, 1), FAKE_DEVICE, to_context, TRUE);
    fake_check_range(call, rows_range(op.from, 0, bytes, 1), FAKE_DEVICE, from_context, TRUE);
  }
  return enqueue_copy(call, &op, FAKE_ANY_TARGET, FAKE_ANY, stream, TRUE);
}

static const FakeUse source_uses[] = {[CU_MEMORYTYPE_HOST] = FAKE_HOST_READ,
                                      [CU_MEMORYTYPE_DEVICE] = FAKE_DEVICE,
                                      [CU_MEMORYTYPE_UNIFIED] = FAKE_ANY};
static const FakeUse target_uses[] = {[CU_MEMORYTYPE_HOST] = FAKE_HOST_WRITE,
                                      [CU_MEMORYTYPE_DEVICE] = FAKE_DEVICE,
                                      [CU_MEMORYTYPE_UNIFIED] = FAKE_ANY_TARGET};

static CUresult
copy_rectangle(const gchar *call, const CUDA_MEMCPY2D *c, CUstream stream, gboolean waits_later) {
  ENTER(call);
  const gboolean from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST,
                 to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;
  if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY || c->dstMemoryType == CU_MEMORYTYPE_ARRAY)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (c->srcPitch < c->srcXInBytes + c->WidthInBytes ||
      c->dstPitch < c->dstXInBytes + c->WidthInBytes)
    return CUDA_ERROR_INVALID_VALUE;
  const guint8 *from = from_host ? c->srcHost : (const guint8 *)c->srcDevice;
  guint8 *to = to_host ? c->dstHost : (guint8 *)c->dstDevice;
  const FakeOp op = {.to = to + c->dstY * c->dstPitch + c->dstXInBytes,
                     .to_pitch = c->dstPitch,
                     .from = from + c->srcY * c->srcPitch + c->srcXInBytes,
                     .from_pitch = c->srcPitch,
                     .row_bytes = c->WidthInBytes,
                     .rows = c->Height};
  return enqueue_copy(call, &op, target_uses[c->dstMemoryType], source_uses[c->srcMemoryType],
                      stream, waits_later);
}

EXPORT CUresult
cuMemcpy2D(const CUDA_MEMCPY2D *copy) {
  return copy_rectangle("cuMemcpy2D", copy, NULL, FALSE);
}

EXPORT CUresult
cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy_rectangle("cuMemcpy2DAsync", copy, stream, TRUE);
}

EXPORT CUresult
cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream handle) {
  static const gchar call[] = "cuMemsetD8Async";
  ENTER(call);
  CUstream stream = fake_stream_of(call, handle);
  const FakeRange range = {(gsize)to, (gsize)to + bytes};
  fake_check_range(call, range, FAKE_DEVICE, fake_current(call), TRUE);
  fake_enqueue(stream, &(FakeOp){.kind = FAKE_OP_FILL,
                                 .to = (guint8 *)to,
                                 .row_bytes = bytes,
                                 .value = value,
                                 .range = {range},
                                 .n_ranges = 1});
  return CUDA_SUCCESS;
}

/* --- modules --- */

EXPORT CUresult
cuModuleLoadData(CUmodule *module, const void *image) {
  ENTER("cuModuleLoadData");
  fake_current("cuModuleLoadData");
  if (*(const guint32 *)image != 0xBA55ED50) /* magic number of a fatbin */
    return CUDA_ERROR_INVALID_IMAGE;
  *module = g_new0(struct CUmod_st, 1);
  (*module)->functions = g_ptr_array_new();
  fake_add_object("cuModuleLoadData", &(*module)->object, FAKE_MODULE);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuModuleUnload(CUmodule module) {
  fake_need_context("cuModuleUnload");
  fake_remove_object("cuModuleUnload", &module->object, FAKE_MODULE);
  for (guint i = 0; i < module->functions->len; i++) {
    CUfunction function = module->functions->pdata[i];
    fake_remove_object("cuModuleUnload", &function->object, FAKE_FUNCTION);
    g_free(function);
  }
  g_ptr_array_unref(module->functions);
  g_free(module);
  return fake_enter("cuModuleUnload");
}

EXPORT CUresult
cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER("cuModuleGetFunction");
  fake_check_own_object("cuModuleGetFunction", &module->object, FAKE_MODULE);
  *function = g_new0(struct CUfunc_st, 1);
  (*function)->name = g_intern_string(name);
  fake_add_object("cuModuleGetFunction", &(*function)->object, FAKE_FUNCTION);
  g_rec_mutex_lock(&fake_lock);
  g_ptr_array_add(module->functions, *function);
  g_rec_mutex_unlock(&fake_lock);
  return CUDA_SUCCESS;
}

/* --- launches --- */

/* Adds the range of rows with n samples that are `spacing` apart. */
static void
add_spaced_range(FakeOp *op, const CcPlaneJob *job, guint64 address, gint pitch, gint first,
                 gint spacing, gint n, gint rows) {
  const gsize samples = (gsize)first + (gsize)spacing * (gsize)(n - 1) + 1;
  op->range[op->n_ranges++] = rows_range((gconstpointer)address, (gsize)pitch,
                                         samples * (gsize)job->sample_bytes, (gsize)rows);
}

static void
add_luma_ranges(FakeOp *op, const CcPlaneJob *job, const CcLumaSource *luma) {
  for (gint i = 0; i < luma->n; i++)
    add_spaced_range(op, job, luma->address[i], luma->pitch[i], luma->first[i], luma->spacing[i],
                     job->src_width, job->src_height);
}

/* Adds the ranges of direction-color kernels, which keep addresses in the private data. */
static void
add_direction_color_ranges(FakeOp *op, const CcPlaneJob *job) {
  const CcDirectionColorJob *priv = CC_PRIVATE(const CcDirectionColorJob, job);
  add_luma_ranges(op, job, &priv->luma);
  for (gint i = 0; i < priv->n_dst; i++)
    add_spaced_range(op, job, priv->dst[i], priv->dst_pitch[i], priv->dst_first[i],
                     priv->dst_spacing[i], job->width, job->height);
}

static void
add_measure_ranges(FakeOp *op, const CcPlaneJob *job) {
  const CcMeasureJob *priv = CC_PRIVATE(const CcMeasureJob, job);
  for (gint i = 0; i < priv->luma.n; i++)
    add_spaced_range(op, job, priv->luma.address[i], priv->luma.pitch[i], priv->luma.first[i],
                     priv->luma.spacing[i], job->width, job->height);
  op->range[op->n_ranges++] =
      (FakeRange){priv->result, priv->result + (priv->has_histogram ? sizeof(CcMeasured)
                                                                    : offsetof(CcMeasured, bin))};
}

/* The same for the kernels of Canny's edges, whose map is in scratch memory. */
static void
add_canny_ranges(FakeOp *op, const CcPlaneJob *job) {
  const CcCannyJob *priv = CC_PRIVATE(const CcCannyJob, job);
  if (g_str_has_prefix(op->kernel, "cc_canny_suppress_"))
    add_luma_ranges(op, job, &priv->luma);
  for (gint i = 0; i < priv->luma.n && g_str_has_prefix(op->kernel, "cc_canny_edges_"); i++)
    add_spaced_range(op, job, priv->luma.address[i], priv->luma.pitch[i], priv->luma.first[i],
                     priv->luma.spacing[i], job->width, job->height);
}

/* The same for the overlay's kernels. */
static void
add_overlay_ranges(FakeOp *op, const CcPlaneJob *job) {
  const CcOverlayJob *priv = CC_PRIVATE(const CcOverlayJob, job);
  for (gint i = 0; i < priv->n_pixel + priv->n_chroma; i++) {
    const gboolean is_pixel = i < priv->n_pixel;
    const gint width = is_pixel ? job->src_width : priv->chroma_width;
    const gint height = is_pixel ? job->src_height : priv->chroma_height;
    const gint stride = op->launch.stride;
    add_spaced_range(op, job, priv->src[i], priv->src_pitch[i], priv->first[i], priv->spacing[i],
                     stride * (width - 1) + 1, stride * (height - 1) + 1);
    add_spaced_range(op, job, priv->dst[i], priv->dst_pitch[i], priv->first[i], priv->spacing[i],
                     width, height);
  }
}

/* Adds the ranges of a launch's parameters, and checks that the context can access them. */
static void
set_launch_ranges(const gchar *call, FakeOp *op, CUcontext context) {
  const CcLaunch *l = &op->launch;
  for (gint p = 0; p < l->n_jobs; p++) {
    const CcPlaneJob *job = &l->job[p];
    const gboolean has_pixels = g_str_has_prefix(op->kernel, "cc_tensor_core_") &&
                                CC_PRIVATE(const CcTensorCoreJob, job)->pixel;
    const gint step = has_pixels ? CC_PRIVATE(const CcTensorCoreJob, job)->pixel : job->step;
    const gsize pixel = (gsize)step * (gsize)job->sample_bytes;
    if (g_str_has_prefix(op->kernel, "cc_direction_color_")) {
      add_direction_color_ranges(op, job);
      continue;
    }
    if (g_str_has_prefix(op->kernel, "cc_measure_")) {
      add_measure_ranges(op, job);
      continue;
    }
    if (g_str_has_prefix(op->kernel, "cc_canny_")) {
      add_canny_ranges(op, job);
      continue;
    }
    if (g_str_has_prefix(op->kernel, "cc_overlay_")) {
      add_overlay_ranges(op, job);
      continue;
    }
    const gsize inner = CC_PRIVATE(const CcWeightedJob, job)->is_luma ? 4 : 8;
    const gsize from = g_str_has_prefix(op->kernel, "cc_divide_") ? inner : pixel;
    const gsize to = g_str_has_prefix(op->kernel, "cc_premultiply_") ? inner : pixel;
    if (job->src) /* else all samples are filled */
      op->range[op->n_ranges++] = rows_range((gconstpointer)job->src, (gsize)job->src_pitch,
                                             (gsize)job->src_width * from, (gsize)job->src_height);
    op->range[op->n_ranges++] = rows_range((gconstpointer)job->dst, (gsize)job->dst_pitch,
                                           (gsize)job->width * to, (gsize)job->height);
  }
  if (l->memory_taps)
    op->range[op->n_ranges++] = (FakeRange){l->memory_taps, l->memory_taps + 1};
  if (l->lines)
    op->range[op->n_ranges++] = (FakeRange){
        l->lines,
        l->lines + sizeof(CcTap) * (guint)(l->n_matrices * (l->window_width + l->window_height))};
  if (l->scratch_bytes)
    op->range[op->n_ranges++] = (FakeRange){l->scratch, l->scratch + l->scratch_bytes};
  for (guint i = 0; i < op->n_ranges; i++)
    fake_check_range(call, op->range[i], FAKE_KERNEL, context, TRUE);
}

/* Checks that the tiles of the plane jobs follow one another, that every block has at least one
 * tile, and that every thread has at most one. A plane job has no tiles if a field has no rows of
 * its plane. */
static void
check_tiles(const CcLaunch *launch, const FakeGrid *grid) {
  gint64 n = 0;
  g_assert_cmpint(launch->n_jobs, >=, 1);
  g_assert_cmpint(launch->n_jobs, <=, CC_LAUNCH_JOBS);
  for (gint p = 0; p < launch->n_jobs; p++) {
    const CcPlaneJob *job = &launch->job[p];
    g_assert_cmpint(job->first_tile, ==, n);
    g_assert_cmpint(job->tiles_across, >=, 1);
    g_assert_cmpint(job->n_tiles, >=, 0);
    g_assert_cmpint(job->n_tiles % job->tiles_across, ==, 0);
    n += job->n_tiles;
  }
  g_assert_cmpint(launch->n_tiles, ==, n);
  g_assert_cmpint(n, >=, 1);
  g_assert_cmpint(grid->n_blocks, <=, n);
  g_assert_cmpint((gint64)grid->n_blocks * grid->across * grid->down, >=, n);
}

static CUresult
enqueue_launch(const gchar *call, const CUlaunchConfig *config, CUfunction function,
               void **parameters) {
  CUstream stream = fake_stream_of(call, config->hStream);
  const guint threads = config->blockDimX * config->blockDimY * config->blockDimZ;
  fake_check_own_object(call, &function->object, FAKE_FUNCTION);
  g_assert_cmpuint(threads, <=, 1024);
  g_assert_cmpuint(config->gridDimX, <=, G_MAXINT32);
  /* all kernels of the project use a flat grid */
  g_assert_cmpuint(config->gridDimY * config->gridDimZ, ==, 1);
  FakeOp op = {.kind = FAKE_OP_LAUNCH,
               .kernel = function->name,
               .grid = {config->gridDimX, config->blockDimX, config->blockDimY * config->blockDimZ,
                        config->sharedMemBytes},
               .launch = *(const CcLaunch *)parameters[0]};
  check_tiles(&op.launch, &op.grid);
  set_launch_ranges(call, &op, fake_current(call));
  fake_enqueue(stream, &op);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
               CUstream stream, void **parameters, void **extra) {
  ENTER("cuLaunchKernel");
  const CUlaunchConfig config = {.gridDimX = grid_x,
                                 .gridDimY = grid_y,
                                 .gridDimZ = grid_z,
                                 .blockDimX = block_x,
                                 .blockDimY = block_y,
                                 .blockDimZ = block_z,
                                 .sharedMemBytes = shared_bytes,
                                 .hStream = stream};
  return enqueue_launch("cuLaunchKernel", &config, function, parameters);
}

/* Supports only the attribute for programmatic dependent launch, which devices have from capability
 * 9 on. It does not change the order of work on a stream. */
EXPORT CUresult
cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                 void **extra) {
  ENTER("cuLaunchKernelEx");
  g_assert_cmpint(fake_settings()->capability, >=, 9);
  for (guint i = 0; i < config->numAttrs; i++)
    g_assert_cmpint(config->attrs[i].id, ==, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  return enqueue_launch("cuLaunchKernelEx", config, function, parameters);
}
