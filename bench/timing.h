/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How long the device takes for a frame. Frames are queued one behind another between two events,
 * each on other buffers than the one before, which together are more than the L2 cache holds. */

#include "driver.h"

G_BEGIN_DECLS

/* Device memory that the frames' buffers are cut from. */
typedef struct {
  CUdeviceptr address;
  gsize bytes;
} BenchArena;

typedef struct _BenchTimer BenchTimer;

/* What is measured. */
typedef struct _BenchWork BenchWork;
struct _BenchWork {
  /* Queues one frame on the timer's stream. The addresses are aligned to 256 bytes. */
  gboolean (*queue)(const BenchWork *self, const BenchTimer *timer, CUdeviceptr src,
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
  const BenchWork *work;        /* that is being measured */
  gdouble host_us;              /* how long the host took to queue one of its frames; at first 0 */
};

/* Opens the device (-1: the least busy) and makes it current until bench_timer_close; on
 * failure `device` tells whether there is one. */
gboolean bench_timer_open(BenchTimer *self, gint device_id, GError **error);
void bench_timer_close(BenchTimer *self);

/* Makes the arenas large enough for buffers of these sizes. */
gboolean bench_timer_reserve(BenchTimer *self, gsize src_bytes, gsize dst_bytes,
                             gsize scratch_bytes, GError **error);

/* Measures, after a warm-up, or queues one frame, which takes no time. Nothing of the work is under
 * way any more when it returns. */
gboolean bench_time_work(BenchTimer *self, const BenchWork *work, BenchTime *time, GError **error);

G_END_DECLS
