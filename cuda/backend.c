/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The CUDA backend. Each of its slots holds one frame in flight. In this file, the stages of a
 * frame are its upload, its kernels and its download (`Stage`). Each stage has its own stream.
 * Events chain the stages of a frame, so the transfers of one frame can overlap the kernels of
 * another frame. Frames in host memory that is not pinned, or with a negative pitch, go through
 * pinned staging memory. So do the results of frames in host memory that are filtered in place.
 * Other frames need no staging. Staging threads fill the staging memory of
 * large frames while the caller continues. The thread that fills the last slice queues the stages
 * of the frame. */

#include "backend.h"

#include <string.h>
#include "engine/error.h"
#include "program.h"
#include "cuda/classic/classic.h"
#include "cuda/driver/staging_threads.h"
#include "transfer.h"

/* A short kernel and a short transfer end sooner than a sleeping thread wakes up. */
#define SPIN_US 50
#define SHORT_TRANSFER ((gsize)256 << 10) /* bytes */

/* One frame in TIMED_FRAMES is timed, because timing events cause gaps of a few microseconds
 * between transfers. An untimed frame reports the times of the last timed frame. */
#define TIMED_FRAMES 16

typedef enum { UPLOAD, KERNEL, DOWNLOAD, N_STAGES } Stage;

/* Device memory. For staging and results, also pinned memory, which is large enough for a copy of
 * the used part of the device memory. */
typedef struct {
  gsize device_bytes, host_bytes;
  CUdeviceptr device;
  guint8 *host;
} Buffer;

typedef struct _CudaBackend CudaBackend;

typedef struct {
  CcSubmission base;
  CudaBackend *backend;
  gboolean busy;
  CcProgram *program; /* of the submission */
  CcSubmitInfo info;  /* copy of the caller's info, limited to the regions in flight */
  CcTransfer src, dst;
  /* Work of the staging threads: fill the staging memory, then queue the stages. NULL: the caller's
   * thread has queued the stages. */
  CcStagingWork *filling;
  GError *failure; /* error of queueing after `filling`; NULL: queueing succeeded */
  gboolean timed;
  /* the frame is filtered in place in device memory, and copies to it may be queued */
  gboolean writes_frame;
  /* In a timed frame, `upload`, `kernel` and `download` are sums over the finished regions. In
   * every frame, `wait` is the wait for the regions that finished last. */
  CcTimes times;
  /* Events are NULL until their first use. */
  CUevent src_ready, dst_ready; /* CcFrame.stream no longer uses the memory of the frame */
  CUevent over[N_STAGES];       /* end of each stage except the last; the next stage waits for it */
  CUevent done;                 /* end of the last stage; a host thread that waits for it sleeps */
  CUevent begin[N_STAGES], end[N_STAGES]; /* in a timed frame: timing events of each stage */
  Buffer in, out, scratch, results;
} Slot;

struct _CudaBackend {
  CcBackend base;
  CcCudaDevice *device;
  GMutex queueing; /* held while the stages of a frame are queued, so that frames do not mix */
  CUstream stream[N_STAGES];
  Slot slot[CC_MAX_SUBMISSIONS];
  guint n_frames;
  CcTimes times; /* of the last timed frame */
};

/* Waits until no work in flight uses frames, programs or memory. */
static void
finish_streams(CudaBackend *self) {
  for (guint i = 0; i < N_STAGES; i++)
    if (self->stream[i])
      self->device->cuda->cuStreamSynchronize(self->stream[i]);
}

/* --- memory of slots --- */

/* All functions of this section require an idle slot. */

static void
free_device(CudaBackend *self, Buffer *buffer) {
  if (buffer->device)
    self->device->cuda->cuMemFree(buffer->device);
  cc_backend_add_kept_bytes(&self->base, -(gssize)buffer->device_bytes);
  buffer->device = 0;
  buffer->device_bytes = 0;
}

static void
free_host(CudaBackend *self, Buffer *buffer) {
  if (buffer->host)
    self->device->cuda->cuMemFreeHost(buffer->host);
  buffer->host = NULL;
  buffer->host_bytes = 0;
}

static void
free_slot_memory(CudaBackend *self, Slot *slot) {
  Buffer *const buffers[] = {&slot->in, &slot->out, &slot->scratch, &slot->results};
  for (guint i = 0; i < G_N_ELEMENTS(buffers); i++) {
    free_device(self, buffers[i]);
    free_host(self, buffers[i]);
  }
}

/* Reserves at least `bytes` of device memory, and of pinned memory if `staged`. A buffer that grows
 * at least doubles, up to `whole_bytes` (the size for the whole frame). So changing regions need
 * few allocations. */
static gboolean
reserve(CudaBackend *self, Buffer *buffer, gsize bytes, gboolean staged, gsize whole_bytes,
        GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  if (buffer->device_bytes < bytes) {
    const gsize wanted = MAX(bytes, MIN(2 * buffer->device_bytes, whole_bytes));
    free_device(self, buffer);
    if (!cc_cuda_check(cuda, cuda->cuMemAlloc(&buffer->device, wanted), "cuMemAlloc", error))
      return FALSE;
    buffer->device_bytes = wanted;
    cc_backend_add_kept_bytes(&self->base, (gssize)wanted);
  }
  if (staged && buffer->host_bytes < bytes) {
    void **host = (void **)&buffer->host;
    free_host(self, buffer);
    if (!cc_cuda_check(cuda,
                       cuda->cuMemHostAlloc(host, buffer->device_bytes, CU_MEMHOSTALLOC_PORTABLE),
                       "cuMemHostAlloc", error))
      return FALSE;
    buffer->host_bytes = buffer->device_bytes;
  }
  return TRUE;
}

static const CcCudaProgram *
program_of(const Slot *slot, guint region) {
  return (const CcCudaProgram *)cc_submit_info_program(&slot->info, slot->program, region);
}

/* The regions of a slot run one after another and share scratch, so the largest need counts. Also
 * sets *whole_bytes to the need for the whole frame. */
static gsize
find_scratch_bytes(const Slot *slot, gsize *whole_bytes) {
  gsize bytes = 0;
  for (guint i = 0; i < slot->info.n_regions; i++) {
    const CcCudaLowered *lowered = program_of(slot, i)->lowered;
    CcPlacement storage;
    const CcPlacement *placement = cc_cuda_place_region(lowered, &slot->info.regions[i], &storage);
    bytes = MAX(bytes, cc_cuda_scratch_bytes(lowered, placement));
    *whole_bytes = MAX(*whole_bytes, lowered->scratch_bytes);
  }
  return bytes;
}

static gsize
find_result_bytes(const Slot *slot) {
  return slot->program->plan->result_bytes * slot->info.n_regions;
}

static gsize
find_side_bytes(const CcTransfer *side) {
  return cc_cuda_align(side->bytes) + side->aligned_bytes;
}

static gboolean
reserve_side(CudaBackend *self, Buffer *buffer, const CcTransfer *side, gsize whole_bytes,
             GError **error) {
  return reserve(self, buffer, find_side_bytes(side), side->kind == CC_TRANSFER_STAGED, whole_bytes,
                 error);
}

/* Clears a new buffer, because kernels read words that extend beyond the end of a row, and a
 * download copies the gaps between rows. `stage` is the first stage that uses the buffer. */
static gboolean
clear_new(CudaBackend *self, const Buffer *buffer, gboolean is_new, Stage stage, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  return !is_new || cc_cuda_check(cuda,
                                  cuda->cuMemsetD8Async(buffer->device, 0, buffer->device_bytes,
                                                        self->stream[stage]),
                                  "cuMemsetD8Async", error);
}

/* After a failure, frees all memory of the slot, so that others can allocate it. */
static gboolean
reserve_slot(CudaBackend *self, Slot *slot, GError **error) {
  const CcCudaLowered *whole = program_of(slot, 0)->lowered;
  const Stage first = slot->src.kind == CC_TRANSFER_NONE ? KERNEL : UPLOAD;
  const gboolean in_is_new = slot->in.device_bytes < find_side_bytes(&slot->src);
  const gboolean out_is_new = slot->out.device_bytes < find_side_bytes(&slot->dst);
  gsize whole_scratch = 0;
  const gsize scratch = find_scratch_bytes(slot, &whole_scratch);
  const gboolean scratch_is_new = slot->scratch.device_bytes < scratch;
  /* clears last, because the memory can be freed only before anything uses it */
  const gboolean ok =
      reserve_side(self, &slot->in, &slot->src, whole->src_bytes, error) &&
      reserve_side(self, &slot->out, &slot->dst, whole->dst_bytes, error) &&
      reserve(self, &slot->scratch, scratch, FALSE, whole_scratch, error) &&
      reserve(self, &slot->results, find_result_bytes(slot), TRUE, G_MAXSIZE, error) &&
      clear_new(self, &slot->in, in_is_new, first, error) &&
      clear_new(self, &slot->out, out_is_new, KERNEL, error) &&
      clear_new(self, &slot->scratch, scratch_is_new, KERNEL, error);
  if (!ok) {
    finish_streams(self);
    free_slot_memory(self, slot);
  }
  return ok;
}

static gboolean
create_event(const CcCudaDriver *cuda, CUevent *event, guint flags, GError **error) {
  return *event || cc_cuda_check(cuda, cuda->cuEventCreate(event, flags), "cuEventCreate", error);
}

static gboolean
create_events(const CcCudaDriver *cuda, Slot *slot, GError **error) {
  const guint untimed = CU_EVENT_DISABLE_TIMING;
  for (guint i = 0; i < N_STAGES; i++)
    if (!create_event(cuda, &slot->over[i], untimed, error) ||
        (slot->timed && (!create_event(cuda, &slot->begin[i], CU_EVENT_DEFAULT, error) ||
                         !create_event(cuda, &slot->end[i], CU_EVENT_DEFAULT, error))))
      return FALSE;
  return create_event(cuda, &slot->done, untimed | CU_EVENT_BLOCKING_SYNC, error) &&
         (!slot->src.frame->stream || create_event(cuda, &slot->src_ready, untimed, error)) &&
         (!slot->dst.frame->stream || create_event(cuda, &slot->dst_ready, untimed, error));
}

static void
destroy_event(const CcCudaDriver *cuda, CUevent event) {
  if (event)
    cuda->cuEventDestroy(event);
}

static void
close_slot(CudaBackend *self, Slot *slot) {
  const CcCudaDriver *cuda = self->device->cuda;
  free_slot_memory(self, slot);
  destroy_event(cuda, slot->done);
  destroy_event(cuda, slot->src_ready);
  destroy_event(cuda, slot->dst_ready);
  for (guint i = 0; i < N_STAGES; i++) {
    destroy_event(cuda, slot->over[i]);
    destroy_event(cuda, slot->begin[i]);
    destroy_event(cuda, slot->end[i]);
  }
}

static Slot *
find_idle_slot(CudaBackend *self) {
  for (guint i = 0; i < CC_MAX_SUBMISSIONS; i++)
    if (!self->slot[i].busy)
      return &self->slot[i];
  return NULL;
}

/* --- a frame --- */

static gboolean
record(const CudaBackend *self, CUevent event, Stage stage, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  return cc_cuda_check(cuda, cuda->cuEventRecord(event, self->stream[stage]), "cuEventRecord",
                       error);
}

static gboolean
await(const CudaBackend *self, Stage stage, CUevent event, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  return cc_cuda_check(cuda, cuda->cuStreamWaitEvent(self->stream[stage], event, 0),
                       "cuStreamWaitEvent", error);
}

static Stage
last_stage(const Slot *slot) {
  return slot->dst.kind == CC_TRANSFER_NONE ? KERNEL : DOWNLOAD;
}

static gboolean
begin_stage(const CudaBackend *self, const Slot *slot, Stage stage, GError **error) {
  return !slot->timed || record(self, slot->begin[stage], stage, error);
}

/* Sets the results to 0, because the stages of the plan (CcStage) add to them. */
static gboolean
clear_results(const CudaBackend *self, const Slot *slot, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  const gsize bytes = find_result_bytes(slot);
  return bytes == 0 ||
         cc_cuda_check(cuda,
                       cuda->cuMemsetD8Async(slot->results.device, 0, bytes, self->stream[KERNEL]),
                       "cuMemsetD8Async", error);
}

static gboolean
fetch_results(const CudaBackend *self, const Slot *slot, Stage stage, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  const gsize bytes = find_result_bytes(slot);
  return bytes == 0 ||
         cc_cuda_check(cuda,
                       cuda->cuMemcpyDtoHAsync(slot->results.host, slot->results.device, bytes,
                                               self->stream[stage]),
                       "cuMemcpyDtoHAsync", error);
}

static gboolean
end_stage(const CudaBackend *self, const Slot *slot, Stage stage, GError **error) {
  if (slot->timed && !record(self, slot->end[stage], stage, error))
    return FALSE;
  if (stage == last_stage(slot))
    return fetch_results(self, slot, stage, error) && record(self, slot->done, stage, error);
  return record(self, slot->over[stage], stage, error);
}

/* Makes a stage wait until the frame's own stream is done with the memory of the frame. */
static gboolean
await_others(const CudaBackend *self, Stage stage, const CcFrame *frame, CUevent ready,
             GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  const CUstream others = frame->stream;
  return !others ||
         (cc_cuda_check(cuda, cuda->cuEventRecord(ready, others), "cuEventRecord", error) &&
          await(self, stage, ready, error));
}

static gboolean
await_frames(const CudaBackend *self, const Slot *slot, GError **error) {
  const gboolean uploads = slot->src.kind != CC_TRANSFER_NONE;
  return await_others(self, uploads ? UPLOAD : KERNEL, slot->src.frame, slot->src_ready, error) &&
         await_others(self, last_stage(slot), slot->dst.frame, slot->dst_ready, error);
}

static gboolean
queue_upload(CudaBackend *self, Slot *slot, GError **error) {
  return slot->src.kind == CC_TRANSFER_NONE ||
         (begin_stage(self, slot, UPLOAD, error) &&
          cc_transfer_upload(&slot->src, self->device->cuda, slot->in.device, slot->in.host,
                             self->stream[UPLOAD], error) &&
          end_stage(self, slot, UPLOAD, error) && await(self, KERNEL, slot->over[UPLOAD], error));
}

/* Queues the launches of one field of the region of `addresses`. */
static gboolean
launch_field(const CcCudaProgram *program, const CcCudaAddresses *addresses, guint field,
             CUstream stream, GError **error) {
  const CcRect *source = addresses->placement->frame_source;
  CcPlacement placement = *addresses->placement;
  CcCudaAddresses of_field = *addresses;
  cc_placement_take_field(&placement, &program->lowered->plan, field);
  of_field.placement = &placement;
  for (guint s = 0; s < CC_CUDA_N_FRAMES; s++)
    for (guint p = 0; p < program->lowered->plan.frame_layout.n_planes; p++) {
      CcCudaPlane *plane = &of_field.set[s][p];
      plane->offset += (source[p].y + field) % 2 * plane->pitch;
      plane->pitch *= 2;
      if (plane->pitch > G_MAXINT32) {
        g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                    "rows of %" G_GSIZE_FORMAT " bytes: fields need rows of at most %d bytes",
                    plane->pitch / 2, G_MAXINT32 / 2);
        return FALSE;
      }
    }
  return cc_cuda_program_launch(program, &of_field, stream, error);
}

static gboolean
launch_region(const CcCudaProgram *program, CcCudaAddresses *addresses, gboolean by_fields,
              CUstream stream, GError **error) {
  if (!by_fields)
    return cc_cuda_program_launch(program, addresses, stream, error);
  return launch_field(program, addresses, 0, stream, error) &&
         launch_field(program, addresses, 1, stream, error);
}

/* Queues the launches of region `i`, which lies at `src` and `dst` in device memory. If kernels
 * cannot use these planes, they use copies. */
static gboolean
queue_region(CudaBackend *self, Slot *slot, guint i, CcCudaAddresses *addresses,
             const CcCudaPlane src[CC_MAX_PLANES], const CcCudaPlane dst[CC_MAX_PLANES],
             GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  const CcPlacement *placement = addresses->placement;
  const CUstream stream = self->stream[KERNEL];
  CcCudaPlane *from = addresses->set[CC_CUDA_FRAME_SRC], *to = addresses->set[CC_CUDA_FRAME_DST];
  /* The driver copies faster than a kernel that copies single samples. Only the region outside has
   * such a plan, and its source is its target. */
  const gboolean copies_all = cc_plan_copies(program_of(slot, i)->base.plan);
  const gboolean copies_src = cc_transfer_align(&slot->src, placement, slot->in.device, src, from);
  const gboolean copies_dst = cc_transfer_align(&slot->dst, placement, slot->out.device, dst, to);
  return (!copies_src ||
          cc_transfer_copy_on_device(&slot->src, cuda, placement, src, from, stream, error)) &&
         (copies_all
              ? cc_transfer_copy_on_device(&slot->src, cuda, placement, from, to, stream, error)
              : launch_region(program_of(slot, i), addresses, slot->info.by_fields, stream,
                              error)) &&
         (!copies_dst ||
          cc_transfer_copy_on_device(&slot->dst, cuda, placement, to, dst, stream, error));
}

/* Queues the launches in the order of the regions: if targets overlap, the later region wins. */
static gboolean
queue_launches(CudaBackend *self, Slot *slot, GError **error) {
  CcCudaAddresses addresses = {.scratch = slot->scratch.device, .results = slot->results.device};
  gsize src_end = 0, dst_end = 0;
  for (guint i = 0; i < slot->info.n_regions; i++) {
    CcPlacement placement;
    CcCudaPlane src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
    addresses.placement =
        cc_cuda_place_region(program_of(slot, i)->lowered, &slot->info.regions[i], &placement);
    cc_transfer_place(&slot->src, i, addresses.placement, slot->in.device, &src_end, src);
    cc_transfer_place(&slot->dst, i, addresses.placement, slot->out.device, &dst_end, dst);
    if (!queue_region(self, slot, i, &addresses, src, dst, error))
      return FALSE;
    addresses.results += slot->program->plan->result_bytes;
  }
  return TRUE;
}

static gboolean
queue_kernels(CudaBackend *self, Slot *slot, GError **error) {
  return begin_stage(self, slot, KERNEL, error) && clear_results(self, slot, error) &&
         queue_launches(self, slot, error) && end_stage(self, slot, KERNEL, error);
}

static gboolean
queue_download(CudaBackend *self, Slot *slot, GError **error) {
  if (slot->dst.kind == CC_TRANSFER_NONE)
    return TRUE;
  if (!await(self, DOWNLOAD, slot->over[KERNEL], error))
    return FALSE;
  slot->writes_frame = slot->info.in_place && slot->dst.frame->memory == CC_MEMORY_DEVICE;
  return begin_stage(self, slot, DOWNLOAD, error) &&
         cc_transfer_download(&slot->dst, self->device->cuda, slot->out.device, slot->out.host,
                              self->stream[DOWNLOAD], error) &&
         end_stage(self, slot, DOWNLOAD, error);
}

/* The device must be pushed. */
static gboolean
queue_stages(CudaBackend *self, Slot *slot, GError **error) {
  g_mutex_lock(&self->queueing);
  const gboolean ok = await_frames(self, slot, error) && queue_upload(self, slot, error) &&
                      queue_kernels(self, slot, error) && queue_download(self, slot, error);
  g_mutex_unlock(&self->queueing);
  return ok;
}

/* --- staging --- */

static void
fill_slice(gpointer data, guint slice) {
  Slot *slot = data;
  cc_transfer_copy_slice(&slot->src, slot->in.host, slice, cc_transfer_n_slices(&slot->src));
}

static void
queue_filled(gpointer data) {
  Slot *slot = data;
  CcCudaDevice *device = slot->backend->device;
  if (!cc_cuda_device_push(device, &slot->failure))
    return;
  queue_stages(slot->backend, slot, &slot->failure);
  cc_cuda_device_pop(device);
}

static void
empty_slice(gpointer data, guint slice) {
  Slot *slot = data;
  cc_transfer_copy_slice(&slot->dst, slot->out.host, slice, cc_transfer_n_slices(&slot->dst));
}

static void
empty_staging(Slot *slot) {
  const guint n_slices = cc_transfer_n_slices(&slot->dst);
  if (n_slices > 0)
    cc_staging_finish(cc_staging_start(n_slices, empty_slice, NULL, slot));
  else
    cc_transfer_copy_slice(&slot->dst, slot->out.host, 0, 1);
}

/* If the staging memory is large, staging threads fill it and queue the stages. */
static gboolean
start_slot(CudaBackend *self, Slot *slot, GError **error) {
  const gboolean staged = slot->src.kind == CC_TRANSFER_STAGED;
  const guint n_slices = staged ? cc_transfer_n_slices(&slot->src) : 0;
  if (n_slices > 0) {
    slot->filling = cc_staging_start(n_slices, fill_slice, queue_filled, slot);
    return TRUE;
  }
  if (staged)
    cc_transfer_copy_slice(&slot->src, slot->in.host, 0, 1);
  if (queue_stages(self, slot, error))
    return TRUE;
  finish_streams(self);
  return FALSE;
}

/* --- submissions --- */

/* Propagates the error of a submission (transfer full). If the frame may be partly written, it
 * cannot be filtered again. */
static void
fail(const Slot *slot, GError *reason, GError **error) {
  if (slot->writes_frame) {
    reason->code = CC_ERROR_INVALID;
    g_prefix_error(&reason, "the device failed while a frame was written in place: ");
  }
  g_propagate_error(error, reason);
}

/* Waits until all stages are queued. */
static gboolean
finish_start(Slot *slot, GError **error) {
  CcStagingWork *filling = g_steal_pointer(&slot->filling);
  if (filling)
    cc_staging_finish(filling);
  if (!slot->failure)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&slot->failure));
  return FALSE;
}

/* Waits for the slot's last stage. If the slot has no download or a short one, polls for SPIN_US
 * before it sleeps. */
static gboolean
wait_for_slot(const CcCudaDriver *cuda, const Slot *slot, GError **error) {
  const gboolean is_short = slot->dst.bytes < SHORT_TRANSFER && slot->src.bytes < SHORT_TRANSFER;
  const gint64 end = g_get_monotonic_time() + (is_short ? SPIN_US : 0);
  CUresult state;
  do
    state = cuda->cuEventQuery(slot->done);
  while (state == CUDA_ERROR_NOT_READY && g_get_monotonic_time() < end);
  if (state != CUDA_ERROR_NOT_READY)
    return cc_cuda_check(cuda, state, "cuEventQuery", error);
  return cc_cuda_check(cuda, cuda->cuEventSynchronize(slot->done), "cuEventSynchronize", error);
}

static guint64
stage_time(const CcCudaDriver *cuda, const Slot *slot, Stage stage) {
  float ms = 0;
  return cuda->cuEventElapsedTime(&ms, slot->begin[stage], slot->end[stage]) == CUDA_SUCCESS
             ? (guint64)(ms * 1e6)
             : 0;
}

static void
add_times(const CcCudaDriver *cuda, Slot *slot) {
  slot->times.kernel += stage_time(cuda, slot, KERNEL);
  if (slot->src.kind != CC_TRANSFER_NONE)
    slot->times.upload += stage_time(cuda, slot, UPLOAD);
  if (slot->dst.kind != CC_TRANSFER_NONE)
    slot->times.download += stage_time(cuda, slot, DOWNLOAD);
}

/* Waits for the regions in flight. Copies their results, and targets in staging memory, to the
 * caller's memory. */
static gboolean
finish_slot(CudaBackend *self, Slot *slot, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  const gint64 begin = g_get_monotonic_time();
  const gboolean started = finish_start(slot, error);
  const gboolean pushed = cc_cuda_device_push(self->device, started ? error : NULL);
  const gboolean ok = started && pushed && wait_for_slot(cuda, slot, error);
  if (!ok) /* launches in flight read the program, which the caller may free now */
    finish_streams(self);
  if (ok) {
    const gsize result_bytes = find_result_bytes(slot);
    if (slot->timed)
      add_times(cuda, slot);
    slot->times.wait = (guint64)(g_get_monotonic_time() - begin) * 1000;
    if (result_bytes > 0)
      memcpy(slot->info.results, slot->results.host, result_bytes);
    if (slot->dst.kind == CC_TRANSFER_STAGED)
      empty_staging(slot);
  }
  if (pushed)
    cc_cuda_device_pop(self->device);
  return ok;
}

/* Starts the first regions of `left` that together need no more memory than the whole frame, and at
 * least one region. Removes these regions from `left`. The device must be pushed. */
static gboolean
start_regions(CudaBackend *self, Slot *slot, CcSubmitInfo *left, GError **error) {
  CcSubmitInfo *now = &slot->info;
  guint n;
  *now = *left;
  do {
    slot->src = cc_transfer_new(slot->program, now, TRUE);
    slot->dst = cc_transfer_new(slot->program, now, FALSE);
    n = now->n_regions;
    now->n_regions = MIN(slot->src.n_regions, slot->dst.n_regions);
  } while (now->n_regions < n);
  left->regions += n;
  left->n_regions -= n;
  if (left->programs)
    left->programs += n;
  if (left->results)
    left->results = (guint8 *)left->results + find_result_bytes(slot);
  return create_events(self->device->cuda, slot, error) && reserve_slot(self, slot, error) &&
         start_slot(self, slot, error);
}

static CcSubmission *
cuda_submit(CcBackend *base, CcProgram *program, const CcSubmitInfo *info, GError **error) {
  CudaBackend *self = (CudaBackend *)base;
  CcSubmitInfo left = *info;
  Slot *slot = find_idle_slot(self);
  g_return_val_if_fail(slot, NULL);
  if (!cc_cuda_device_push(self->device, error))
    return NULL;
  slot->program = program;
  slot->timed = self->n_frames++ % TIMED_FRAMES == 0;
  slot->times = (CcTimes){0};
  slot->writes_frame = FALSE;
  GError *reason = NULL;
  gboolean ok = start_regions(self, slot, &left, &reason);
  while (ok && left.n_regions > 0)
    ok = finish_slot(self, slot, &reason) && start_regions(self, slot, &left, &reason);
  slot->busy = ok;
  cc_cuda_device_pop(self->device);
  if (ok)
    return &slot->base;
  fail(slot, reason, error);
  return NULL;
}

static gboolean
cuda_wait(CcBackend *base, CcSubmission *submission, CcTimes *times, GError **error) {
  CudaBackend *self = (CudaBackend *)base;
  Slot *slot = (Slot *)submission;
  GError *reason = NULL;
  slot->busy = FALSE;
  if (!finish_slot(self, slot, &reason)) {
    fail(slot, reason, error);
    return FALSE;
  }
  if (slot->timed)
    self->times = slot->times;
  *times = self->times;
  times->wait = slot->times.wait;
  return TRUE;
}

/* --- the backend --- */

static CcProgram *
cuda_prepare(CcBackend *base, const CcPlan *plan, GError **error) {
  CudaBackend *self = (CudaBackend *)base;
  if (!cc_cuda_device_push(self->device, error))
    return NULL;
  CcCudaProgram *program = cc_cuda_program_new(self->device, plan, error);
  cc_cuda_device_pop(self->device);
  if (program && plan->n_ops > 0 && !cc_plan_get_direction_color(plan))
    program->base.algorithm = cc_algorithm_name(program->lowered->algorithm);
  if (program)
    program->base.steps = (GStrv)g_ptr_array_free(g_steal_pointer(&program->lowered->lines), FALSE);
  return (CcProgram *)program;
}

static void
cuda_program_free(CcProgram *program) {
  cc_cuda_program_free((CcCudaProgram *)program);
}

static void
cuda_trim(CcBackend *base) {
  CudaBackend *self = (CudaBackend *)base;
  if (!cc_cuda_device_push(self->device, NULL))
    return;
  for (guint i = 0; i < CC_MAX_SUBMISSIONS; i++)
    if (!self->slot[i].busy)
      free_slot_memory(self, &self->slot[i]);
  cc_cuda_device_pop(self->device);
}

static void
cuda_close(CcBackend *base) {
  CudaBackend *self = (CudaBackend *)base;
  const CcCudaDriver *cuda = self->device->cuda;
  /* on a lost device the calls fail, and the driver frees everything with the context */
  const gboolean pushed = cc_cuda_device_push(self->device, NULL);
  finish_streams(self);
  for (guint i = 0; i < CC_MAX_SUBMISSIONS; i++)
    close_slot(self, &self->slot[i]);
  for (guint i = 0; i < N_STAGES; i++)
    if (self->stream[i])
      cuda->cuStreamDestroy(self->stream[i]);
  if (pushed)
    cc_cuda_device_pop(self->device);
  cc_cuda_device_close(self->device);
  g_mutex_clear(&self->queueing);
  g_free(self->base.device_name);
  g_free(self);
}

static gboolean
open_streams(CudaBackend *self, GError **error) {
  const CcCudaDriver *cuda = self->device->cuda;
  if (!cc_cuda_device_push(self->device, error))
    return FALSE;
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < N_STAGES; i++)
    ok = cc_cuda_check(cuda, cuda->cuStreamCreate(&self->stream[i], CU_STREAM_NON_BLOCKING),
                       "cuStreamCreate", error);
  /* opening fails here if the device cannot run this build's code */
  ok = ok && cc_cuda_load_check_kernel(self->device, error);
  cc_cuda_device_pop(self->device);
  return ok;
}

static CcBackend *
cuda_open(const CcBackendConfig *config, GError **error) {
  g_autoptr(GError) reason = NULL;
  CcCudaDevice *device = config->context ? cc_cuda_device_open_context(config->context, error)
                                         : cc_cuda_device_open(config->device_id, error);
  if (!device)
    return NULL;
  CudaBackend *self = g_new0(CudaBackend, 1);
  self->device = device;
  g_mutex_init(&self->queueing);
  for (guint i = 0; i < CC_MAX_SUBMISSIONS; i++)
    self->slot[i].backend = self;
  self->base = (CcBackend){
      .klass = &cc_cuda_backend,
      .device = &device->base,
      .device_name = g_strdup(device->name),
      .device_id = device->base.id,
      .depth = CC_MAX_SUBMISSIONS,
  };
  if (open_streams(self, &reason))
    return &self->base;
  g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "CUDA device %d does not work: %s",
              device->base.id, reason->message);
  cuda_close(&self->base);
  return NULL;
}

const CcBackendClass cc_cuda_backend = {
    .name = "cuda",
    .has_device = TRUE,
    .open = cuda_open,
    .prepare = cuda_prepare,
    .program_free = cuda_program_free,
    .submit = cuda_submit,
    .wait = cuda_wait,
    .trim = cuda_trim,
    .close = cuda_close,
};
