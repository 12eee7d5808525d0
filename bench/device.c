/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cudaconv-bench: the CUDA kernels' speed as a share of the device's copy rate, measured in the
 * same run. Times come from events around batches of launches, after a warm-up, medians of several
 * batches; the pixels are random and the buffers rotate through more than any L2 cache. */

#include <stdlib.h>
#include "cuda/program.h"
#include "engine/error.h"

#define BATCHES 9
#define ROTATION_BYTES ((gsize)768 << 20) /* of source buffers, and as much of destinations */
#define MAX_BUFFERS 256

typedef struct {
  const gchar *name;
  guint n_planes;
  CcPlaneLayout plane[2]; /* width and height as divisors of the picture's */
} Format;

static const Format formats[] = {
    {"GRAY8", 1, {{1, 1, 1, CC_SAMPLE_U8, 8, 0, {CC_ROLE_COLOR}}}},
    {"RGBA",
     1,
     {{1, 1, 4, CC_SAMPLE_U8, 8, 0, {CC_ROLE_COLOR, CC_ROLE_COLOR, CC_ROLE_COLOR, CC_ROLE_ALPHA}}}},
    {"RGB", 1, {{1, 1, 3, CC_SAMPLE_U8, 8, 0, {CC_ROLE_COLOR, CC_ROLE_COLOR, CC_ROLE_COLOR}}}},
    {"NV12",
     2,
     {{1, 1, 1, CC_SAMPLE_U8, 8, 0, {CC_ROLE_LUMA}},
      {2, 2, 2, CC_SAMPLE_U8, 8, 0, {CC_ROLE_CHROMA, CC_ROLE_CHROMA}}}},
    {"GRAY16", 1, {{1, 1, 1, CC_SAMPLE_U16, 16, 0, {CC_ROLE_COLOR}}}},
};

static const struct {
  const gchar *kernel;
  guint size;
} kernels[] = {{"gaussian", 3},  {"gaussian", 5}, {"box", 3},     {"box", 5},
               {"sharpen", 3},   {"sobel-x", 3},  {"sobel", 3},   {"sobel", 5},
               {"laplacian", 3}, {"unsharp", 5},  {"gaussian", 7}};

static const guint sizes[][2] = {{7680, 4320}, {1920, 1080}};

typedef struct {
  CcCudaDevice *device;
  CUstream stream;
  CUevent begin, end;
} Bench;

/* The buffers that one case rotates through. */
typedef struct {
  guint n;
  CUdeviceptr src[MAX_BUFFERS], dst[MAX_BUFFERS];
} Buffers;

static void
must(const Bench *bench, CUresult result, const gchar *call) {
  g_autoptr(GError) error = NULL;
  if (cc_cuda_check(bench->device->cuda, result, call, &error))
    return;
  g_printerr("cudaconv-bench: %s\n", error->message);
  exit(1);
}

#define MUST(bench, call) must(bench, (bench)->device->cuda->call, #call)

static void
allocate_buffers(const Bench *bench, gsize bytes, Buffers *buffers) {
  buffers->n = (guint)CLAMP(ROTATION_BYTES / bytes, 2, MAX_BUFFERS);
  g_autofree guint32 *random = g_malloc(bytes + 4);
  guint32 state = 1;
  for (gsize i = 0; i < bytes / 4 + 1; i++) {
    state = state * 1664525 + 1013904223;
    random[i] = state ^ state >> 13;
  }
  for (guint i = 0; i < buffers->n; i++) {
    MUST(bench, cuMemAlloc(&buffers->src[i], bytes));
    MUST(bench, cuMemAlloc(&buffers->dst[i], bytes));
    MUST(bench, cuMemcpyHtoDAsync(buffers->src[i], random, bytes, bench->stream));
    MUST(bench, cuStreamSynchronize(bench->stream));
  }
}

static void
free_buffers(const Bench *bench, Buffers *buffers) {
  for (guint i = 0; i < buffers->n; i++) {
    MUST(bench, cuMemFree(buffers->src[i]));
    MUST(bench, cuMemFree(buffers->dst[i]));
  }
}

/* One frame: the program, or a copy of `bytes` when it is NULL. */
static void
run_frame(const Bench *bench, const CcCudaProgram *program, gsize bytes, CUdeviceptr src,
          CUdeviceptr dst) {
  if (!program) {
    MUST(bench, cuMemcpyDtoDAsync(dst, src, bytes, bench->stream));
    return;
  }
  for (guint i = 0; i < program->n_steps; i++) {
    const CcCudaStep *step = &program->step[i];
    CcLaunch params = step->params;
    void *arguments[] = {&params};
    params.src += src;
    params.dst += dst;
    MUST(bench,
         cuLaunchKernel(step->function, step->grid[0], step->grid[1], step->grid[2], step->block[0],
                        step->block[1], 1, 0, bench->stream, arguments, NULL));
  }
}

static int
compare_floats(const void *a, const void *b) {
  const gfloat x = *(const gfloat *)a, y = *(const gfloat *)b;
  return (x > y) - (x < y);
}

/* The median time of a frame in microseconds. */
static gdouble
time_frames(const Bench *bench, const CcCudaProgram *program, gsize bytes, const Buffers *buffers) {
  gfloat ms[BATCHES];
  const guint frames = MAX(buffers->n, 50);
  for (gint batch = -1; batch < BATCHES; batch++) { /* the first warms up */
    MUST(bench, cuEventRecord(bench->begin, bench->stream));
    for (guint i = 0; i < frames; i++)
      run_frame(bench, program, bytes, buffers->src[i % buffers->n], buffers->dst[i % buffers->n]);
    MUST(bench, cuEventRecord(bench->end, bench->stream));
    MUST(bench, cuEventSynchronize(bench->end));
    if (batch >= 0)
      MUST(bench, cuEventElapsedTime(&ms[batch], bench->begin, bench->end));
  }
  qsort(ms, BATCHES, sizeof *ms, compare_floats);
  return ms[BATCHES / 2] * 1000.0 / frames;
}

static gboolean
bench_case(const Bench *bench, const CcFrameLayout *layout, const gchar *format,
           const gchar *kernel, guint size, const Buffers *buffers, gsize bytes, gdouble copy_us) {
  g_autoptr(GError) error = NULL;
  const CcFilter filter = {.kernel = cc_kernels_find(kernel), .size = size};
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, layout, &error);
  g_autofree CcCudaProgram *program =
      plan ? cc_cuda_program_new(bench->device, plan, &error) : NULL;
  if (!program) {
    g_printerr("cudaconv-bench: %s\n", error->message);
    return FALSE;
  }
  const gdouble us = time_frames(bench, program, bytes, buffers);
  g_print("%-8s %5ux%-5u %-10s %2u %10.1f %9.0f %7.1f\n", format, layout->plane[0].width,
          layout->plane[0].height, kernel, size, us, 2e-3 * (gdouble)bytes / us,
          100 * copy_us / us);
  return TRUE;
}

static gboolean
bench_format(const Bench *bench, const Format *format, guint width, guint height) {
  CcFrameLayout layout = {.n_planes = format->n_planes};
  gsize bytes = 0, padded = 0;
  for (guint p = 0; p < format->n_planes; p++) {
    layout.plane[p] = format->plane[p];
    layout.plane[p].width = width / format->plane[p].width;
    layout.plane[p].height = height / format->plane[p].height;
    const gsize row = cc_plane_row_bytes(&layout.plane[p]);
    bytes += row * layout.plane[p].height;
    padded += (row + 256) * layout.plane[p].height;
  }
  Buffers buffers;
  allocate_buffers(bench, padded, &buffers);
  const gdouble copy_us = time_frames(bench, NULL, bytes, &buffers);
  g_print("%-8s %5ux%-5u %-10s %2s %10.1f %9.0f %7.1f\n", format->name, width, height, "copy", "",
          copy_us, 2e-3 * (gdouble)bytes / copy_us, 100.0);
  gboolean ok = TRUE;
  for (guint k = 0; ok && k < G_N_ELEMENTS(kernels); k++)
    ok = bench_case(bench, &layout, format->name, kernels[k].kernel, kernels[k].size, &buffers,
                    bytes, copy_us);
  free_buffers(bench, &buffers);
  return ok;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  gint device_id = -1;
  const GOptionEntry options[] = {
      {"device", 'd', 0, G_OPTION_ARG_INT, &device_id, "CUDA device (the first that works)", "ID"},
      G_OPTION_ENTRY_NULL};
  g_autoptr(GOptionContext) context = g_option_context_new("- times the CUDA kernels");
  g_option_context_add_main_entries(context, options, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error)) {
    g_printerr("cudaconv-bench: %s\n", error->message);
    return 2;
  }
  Bench bench = {.device = cc_cuda_device_open(device_id, &error)};
  if (!bench.device || !cc_cuda_device_push(bench.device, &error)) {
    g_printerr("cudaconv-bench: %s\n", error->message);
    return 77;
  }
  MUST(&bench, cuStreamCreate(&bench.stream, CU_STREAM_NON_BLOCKING));
  MUST(&bench, cuEventCreate(&bench.begin, CU_EVENT_DEFAULT));
  MUST(&bench, cuEventCreate(&bench.end, CU_EVENT_DEFAULT));

  g_print("%s; GB/s counts bytes read and written\n", bench.device->name);
  g_print("%-8s %11s %-10s %2s %10s %9s %7s\n", "format", "size", "kernel", "", "us/frame", "GB/s",
          "% copy");
  gboolean ok = TRUE;
  for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
    for (guint f = 0; ok && f < G_N_ELEMENTS(formats); f++)
      ok = bench_format(&bench, &formats[f], sizes[s][0], sizes[s][1]);

  MUST(&bench, cuEventDestroy(bench.begin));
  MUST(&bench, cuEventDestroy(bench.end));
  MUST(&bench, cuStreamDestroy(bench.stream));
  cc_cuda_device_pop(bench.device);
  cc_cuda_device_close(bench.device);
  return ok ? 0 : 1;
}
