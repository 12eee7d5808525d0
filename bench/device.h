/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Measures the time of a frame on a device, and the time to copy a frame over the bus. */

#include "common.h"
#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* Calls a function of the driver and sets `error` if it fails. The first argument is any struct
 * with the driver as its member `cuda`. */
#define BENCH_CALL(self, function, ...)                                                            \
  cc_cuda_check((self)->cuda, (self)->cuda->function(__VA_ARGS__), #function, error)

/* The version of CUDA that the driver supports: "13.0". */
const gchar *bench_driver_version(const CcCudaDriver *cuda);

/* --- kernels ---
 *
 * Frames are queued between two events. Each frame uses other buffers than the frame before. All
 * buffers together are larger than the L2 cache. */

/* Device memory for the buffers of all frames. */
typedef struct {
  CUdeviceptr address;
  gsize bytes;
} BenchArena;

typedef struct _BenchTimer BenchTimer;
typedef struct _BenchTask BenchTask;

/* The measured operation: one frame of a kernel, a peer or a copy. */
struct _BenchTask {
  /* Queues one frame on the timer's stream. The addresses are aligned to 256 bytes. */
  gboolean (*queue)(const BenchTask *self, const BenchTimer *timer, CUdeviceptr src,
                    CUdeviceptr dst, CUdeviceptr scratch, GError **error);
  gconstpointer data;
  gsize src_bytes, dst_bytes, scratch_bytes; /* per frame; scratch_bytes may be 0 */
  guint n_launches;                          /* per frame */
};

struct _BenchTimer {
  CcCudaDevice *device;
  const CcCudaDriver *cuda;
  CUstream stream;
  CUevent begin, end;
  gsize l2_bytes;
  gdouble budget_ms;            /* limit of the device time for all batches of one measurement */
  gboolean once;                /* queue only one frame, for a profiler, and do not time it */
  BenchArena src, dst, scratch; /* src holds random bytes */
  gdouble sweep_us; /* time of a copy from src to dst; its size is that of the smaller arena */
  guint64 frame;    /* number of queued frames; selects the buffers */
  const BenchTask *task;
  gdouble host_us; /* host time to queue a frame of the task; 0 at first */
};

/* Opens a device (-1: the least busy one) and makes it current until bench_timer_close. If no
 * device can be opened, returns FALSE and `device` is NULL. Call bench_timer_close even after an
 * error. */
gboolean bench_timer_open(BenchTimer *self, gint device_id, GError **error);
void bench_timer_close(BenchTimer *self);

/* Measures a task after a warm-up. With `once`, queues one frame and reports a time of 0. The
 * stream is idle when this returns. */
gboolean bench_time_task(BenchTimer *self, const BenchTask *task, BenchTime *time, GError **error);

/* --- the bus --- */

/* Copies frames of `up` bytes to every device, and frames of `down` bytes from every device. All
 * copies run at the same time and use pinned memory. 0 bytes: no copies in this direction. Sets
 * *time to the wall time divided by the number of frames of all devices. */
gboolean bench_bus_measure(CcCudaDevice **devices, guint n_devices, gsize up, gsize down,
                           gdouble budget_ms, BenchTime *time, GError **error);

G_END_DECLS
