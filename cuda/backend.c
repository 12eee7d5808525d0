/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend. Each of its slots holds one frame under way: rows are copied to pinned memory,
 * and upload, kernels and download follow on the slot's own stream, so that the transfers of one
 * frame overlap the work on another. */

#include "engine/error.h"
#include "program.h"

#include <string.h>

#define DEPTH 2 /* slots: double buffering */

enum { EVENT_START, EVENT_UPLOADED, EVENT_FILTERED, EVENT_DONE, N_EVENTS };

/* Device memory, and as much pinned memory where it is copied to or from. */
typedef struct {
  gsize bytes; /* of each; 0 when there are none */
  guint8 *host;
  CUdeviceptr device;
} Buffer;

typedef struct {
  CcJob base;
  gboolean busy;
  CcFrame dst;
  CUstream stream;
  CUevent event[N_EVENTS];
  Buffer in, out, scratch;
} Slot;

typedef struct {
  CcBackend base;
  CcCudaDevice *device;
  Slot slot[DEPTH];
  guint next;
} CudaBackend;

/* --- slots --- */

/* Only after the slot's stream is idle. */
static void
free_buffer(const CcCudaDriver *cuda, Buffer *buffer) {
  if (buffer->host)
    cuda->cuMemFreeHost(buffer->host);
  if (buffer->device)
    cuda->cuMemFree(buffer->device);
  *buffer = (Buffer){0};
}

static gboolean
reserve_buffer(const CcCudaDriver *cuda, Buffer *buffer, gsize bytes, gboolean with_host,
               GError **error) {
  if (buffer->bytes >= bytes)
    return TRUE;
  free_buffer(cuda, buffer);
  if ((with_host &&
       !cc_cuda_check(cuda,
                      cuda->cuMemHostAlloc((void **)&buffer->host, bytes, CU_MEMHOSTALLOC_PORTABLE),
                      "cuMemHostAlloc", error)) ||
      !cc_cuda_check(cuda, cuda->cuMemAlloc(&buffer->device, bytes), "cuMemAlloc", error)) {
    free_buffer(cuda, buffer);
    return FALSE;
  }
  buffer->bytes = bytes;
  return TRUE;
}

static gboolean
reserve_buffers(const CcCudaDriver *cuda, Slot *slot, const CcCudaProgram *program,
                GError **error) {
  return reserve_buffer(cuda, &slot->in, program->src_bytes, TRUE, error) &&
         reserve_buffer(cuda, &slot->out, program->dst_bytes, TRUE, error) &&
         reserve_buffer(cuda, &slot->scratch, program->scratch_bytes, FALSE, error);
}

static gboolean
open_slot(const CcCudaDriver *cuda, Slot *slot, GError **error) {
  if (!cc_cuda_check(cuda, cuda->cuStreamCreate(&slot->stream, CU_STREAM_NON_BLOCKING),
                     "cuStreamCreate", error))
    return FALSE;
  for (guint i = 0; i < N_EVENTS; i++)
    if (!cc_cuda_check(cuda, cuda->cuEventCreate(&slot->event[i], CU_EVENT_BLOCKING_SYNC),
                       "cuEventCreate", error))
      return FALSE;
  return TRUE;
}

static void
close_slot(const CcCudaDriver *cuda, Slot *slot) {
  if (slot->stream)
    cuda->cuStreamSynchronize(slot->stream);
  free_buffer(cuda, &slot->in);
  free_buffer(cuda, &slot->out);
  free_buffer(cuda, &slot->scratch);
  for (guint i = 0; i < N_EVENTS; i++)
    if (slot->event[i])
      cuda->cuEventDestroy(slot->event[i]);
  if (slot->stream)
    cuda->cuStreamDestroy(slot->stream);
}

/* --- staging --- */

static void
copy_rows(guint8 *to, gssize to_pitch, const guint8 *from, gssize from_pitch, gsize row_bytes,
          guint rows) {
  if (to_pitch == from_pitch && (gsize)to_pitch == row_bytes) {
    memcpy(to, from, row_bytes * rows);
    return;
  }
  for (guint y = 0; y < rows; y++)
    memcpy(to + (gssize)y * to_pitch, from + (gssize)y * from_pitch, row_bytes);
}

/* The first sample of a rectangle. */
static guint8 *
rect_data(const CcPlane *plane, const CcPlaneLayout *layout, const CcRect *rect) {
  return plane->data + (gssize)rect->y * plane->pitch +
         (gsize)rect->x * layout->step * cc_sample_size(layout->type);
}

static gsize
rect_row_bytes(const CcPlaneLayout *layout, const CcRect *rect) {
  return (gsize)rect->width * layout->step * cc_sample_size(layout->type);
}

static void
stage_in(const CcCudaProgram *program, guint8 *staging, const CcFrame *frame) {
  const CcPlan *plan = program->base.plan;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->layout.plane[p];
    const CcRect *rect = &plan->source[p];
    copy_rows(staging + program->src[p].offset, (gssize)program->src[p].pitch,
              rect_data(&frame->plane[p], layout, rect), frame->plane[p].pitch,
              rect_row_bytes(layout, rect), rect->height);
  }
}

static void
stage_out(const CcCudaProgram *program, const guint8 *staging, const CcFrame *frame) {
  const CcPlan *plan = program->base.plan;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->out_layout.plane[p];
    const CcRect *rect = &plan->target[p];
    copy_rows(rect_data(&frame->plane[p], layout, rect), frame->plane[p].pitch,
              staging + program->dst[p].offset, (gssize)program->dst[p].pitch,
              rect_row_bytes(layout, rect), rect->height);
  }
}

/* --- a frame --- */

static gboolean
record(const CcCudaDriver *cuda, Slot *slot, guint event, GError **error) {
  return cc_cuda_check(cuda, cuda->cuEventRecord(slot->event[event], slot->stream), "cuEventRecord",
                       error);
}

static gboolean
enqueue(const CcCudaDriver *cuda, const CcCudaProgram *program, Slot *slot, GError **error) {
  return record(cuda, slot, EVENT_START, error) &&
         cc_cuda_check(cuda,
                       cuda->cuMemcpyHtoDAsync(slot->in.device, slot->in.host, program->src_bytes,
                                               slot->stream),
                       "cuMemcpyHtoDAsync", error) &&
         record(cuda, slot, EVENT_UPLOADED, error) &&
         cc_cuda_program_launch(program, cuda, slot->in.device, slot->out.device,
                                slot->scratch.device, slot->stream, error) &&
         record(cuda, slot, EVENT_FILTERED, error) &&
         cc_cuda_check(cuda,
                       cuda->cuMemcpyDtoHAsync(slot->out.host, slot->out.device, program->dst_bytes,
                                               slot->stream),
                       "cuMemcpyDtoHAsync", error) &&
         record(cuda, slot, EVENT_DONE, error);
}

static CcJob *
cuda_submit(CcBackend *base, CcProgram *base_program, const CcFrame *src, const CcFrame *dst,
            GError **error) {
  CudaBackend *self = (CudaBackend *)base;
  CcCudaProgram *program = (CcCudaProgram *)base_program;
  const CcCudaDriver *cuda = self->device->cuda;
  Slot *slot = &self->slot[self->next];
  g_return_val_if_fail(!slot->busy, NULL);
  if (!cc_cuda_device_push(self->device, error))
    return NULL;
  gboolean ok = reserve_buffers(cuda, slot, program, error);
  if (ok) {
    stage_in(program, slot->in.host, src);
    ok = enqueue(cuda, program, slot, error);
    if (!ok) /* what was queued must not run into the next frame of this slot */
      cuda->cuStreamSynchronize(slot->stream);
  }
  cc_cuda_device_pop(self->device);
  if (!ok)
    return NULL;
  slot->busy = TRUE;
  slot->dst = *dst;
  self->next = (self->next + 1) % DEPTH;
  return &slot->base;
}

static guint64
nanoseconds(const CcCudaDriver *cuda, CUevent from, CUevent to) {
  float ms = 0;
  return cuda->cuEventElapsedTime(&ms, from, to) == CUDA_SUCCESS ? (guint64)(ms * 1e6) : 0;
}

static gboolean
cuda_wait(CcBackend *base, CcJob *job, CcTimes *times, GError **error) {
  CudaBackend *self = (CudaBackend *)base;
  Slot *slot = (Slot *)job;
  const CcCudaDriver *cuda = self->device->cuda;
  const gint64 begin = g_get_monotonic_time();
  slot->busy = FALSE;
  const gboolean pushed = cc_cuda_device_push(self->device, error);
  const gboolean ok =
      pushed && cc_cuda_check(cuda, cuda->cuEventSynchronize(slot->event[EVENT_DONE]),
                              "cuEventSynchronize", error);
  if (!ok) /* the program, whose taps the launches read, may be freed now */
    cuda->cuStreamSynchronize(slot->stream);
  if (ok) {
    times->wait = (guint64)(g_get_monotonic_time() - begin) * 1000;
    times->upload = nanoseconds(cuda, slot->event[EVENT_START], slot->event[EVENT_UPLOADED]);
    times->kernel = nanoseconds(cuda, slot->event[EVENT_UPLOADED], slot->event[EVENT_FILTERED]);
    times->download = nanoseconds(cuda, slot->event[EVENT_FILTERED], slot->event[EVENT_DONE]);
    stage_out((CcCudaProgram *)job->program, slot->out.host, &slot->dst);
  }
  if (pushed)
    cc_cuda_device_pop(self->device);
  return ok;
}

/* --- the backend --- */

static CcProgram *
cuda_prepare(CcBackend *base, const CcPlan *plan, GError **error) {
  CudaBackend *self = (CudaBackend *)base;
  if (!cc_cuda_device_push(self->device, error))
    return NULL;
  CcCudaProgram *program = cc_cuda_program_new(self->device, plan, error);
  cc_cuda_device_pop(self->device);
  if (program && plan->n_ops > 0)
    program->base.algorithm = cc_algorithm_name(program->algorithm);
  return (CcProgram *)program;
}

static void
cuda_program_free(CcProgram *program) {
  cc_cuda_program_free((CcCudaProgram *)program);
}

static void
cuda_close(CcBackend *base) {
  CudaBackend *self = (CudaBackend *)base;
  /* on a device that is lost the calls fail, and everything goes with its context */
  const gboolean pushed = cc_cuda_device_push(self->device, NULL);
  for (guint i = 0; i < DEPTH; i++)
    close_slot(self->device->cuda, &self->slot[i]);
  if (pushed)
    cc_cuda_device_pop(self->device);
  cc_cuda_device_close(self->device);
  g_free(self->base.device);
  g_free(self);
}

static CcBackend *
cuda_open(const CcBackendConfig *config, GError **error) {
  g_autoptr(GError) reason = NULL;
  CcCudaDevice *device = cc_cuda_device_open(config->device_id, error);
  if (!device)
    return NULL;
  CudaBackend *self = g_new0(CudaBackend, 1);
  self->device = device;
  self->base.klass = &cc_cuda_backend;
  self->base.device = g_strdup(device->name);
  self->base.device_id = device->id;
  self->base.depth = DEPTH;
  gboolean ok = cc_cuda_device_push(device, &reason);
  if (ok) {
    for (guint i = 0; ok && i < DEPTH; i++)
      ok = open_slot(device->cuda, &self->slot[i], &reason);
    /* finds out now whether the device runs this build's code */
    ok = ok && cc_cuda_device_get_function(device, CC_CUDA_MODULE_CONSTANT, "cc_constant_u8_f32",
                                           &reason);
    cc_cuda_device_pop(device);
  }
  if (!ok) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "CUDA device %d does not work: %s",
                device->id, reason->message);
    cuda_close(&self->base);
    return NULL;
  }
  return &self->base;
}

const CcBackendClass cc_cuda_backend = {
    .name = "cuda",
    .open = cuda_open,
    .prepare = cuda_prepare,
    .program_free = cuda_program_free,
    .submit = cuda_submit,
    .wait = cuda_wait,
    .close = cuda_close,
};
