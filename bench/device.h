/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How long a device takes for a frame, and how many frames its bus carries. */

#include "common.h"
#include "cuda/driver/device.h"

G_BEGIN_DECLS

/* Runs `call` of the driver's function and sets error when it fails. The first argument is whatever
 * has the driver as `cuda`. */
#define BENCH_CALL(self, function, ...)                                                            \
  cc_cuda_check((self)->cuda, (self)->cuda->function(__VA_ARGS__), #function, error)

/* The version of CUDA that the driver supports: "13.0". */
const gchar *bench_driver_version(const CcCudaDriver *cuda);

/* --- kernels ---
 *
 * Frames are queued one behind another between two events, each on other buffers than the one
 * before. The buffers together are larger than the L2 cache. */

/* Device memory that the frames' buffers are cut from. */
typedef struct {
  CUdeviceptr address;
  gsize bytes;
} BenchArena;

typedef struct _BenchTimer BenchTimer;
typedef struct _BenchTask BenchTask;

/* The work that is measured: a frame of a kernel, a peer or a copy. */
struct _BenchTask {
  /* Queues one frame on the timer's stream. The addresses are aligned to 256 bytes. */
  gboolean (*queue)(const BenchTask *self, const BenchTimer *timer, CUdeviceptr src,
                    CUdeviceptr dst, CUdeviceptr scratch, GError **error);
  gconstpointer data;
  gsize src_bytes, dst_bytes, scratch_bytes; /* of one frame; scratch may be 0 */
  guint n_launches;                          /* of one frame */
};

struct _BenchTimer {
  CcCudaDevice *device;
  const CcCudaDriver *cuda;
  CUstream stream;
  CUevent begin, end;
  gsize l2_bytes;
  gdouble budget_ms;            /* device time that the batches of one measurement may take */
  gboolean once;                /* one frame is queued, for a profiler, and not timed */
  BenchArena src, dst, scratch; /* src holds random bytes */
  gdouble sweep_us;             /* what a copy of the whole src takes */
  guint64 frame;                /* frames queued so far; the next one takes the next buffers */
  const BenchTask *task;        /* that is being measured */
  gdouble host_us;              /* how long the host took to queue one of its frames; at first 0 */
};

/* Opens the device (-1: the least busy) and makes it current until bench_timer_close; on
 * failure `device` is NULL if there is none. */
gboolean bench_timer_open(BenchTimer *self, gint device_id, GError **error);
void bench_timer_close(BenchTimer *self);

/* Measures, after a warm-up, or queues one frame, which takes no time. Nothing of the work is under
 * way any more when it returns. */
gboolean bench_time_task(BenchTimer *self, const BenchTask *task, BenchTime *time, GError **error);

/* --- the bus --- */

/* Copies frames of `up` bytes to every device and of `down` bytes from every device, all at once,
 * in pinned memory, by the wall clock; 0 for not in this direction. The time is that of one frame,
 * over all devices together. */
gboolean bench_bus_measure(CcCudaDevice **devices, guint n_devices, gsize up, gsize down,
                           gdouble budget_ms, BenchTime *time, GError **error);

G_END_DECLS
