/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Modules, streams, events, and the work that is enqueued. */

#include "fake.h"

#include <string.h>
#include "launch.h"

/* The places of a launch that are looked at: source and target of each part, taps and scratch. */
#define MAX_RANGES (2 * CC_LAUNCH_PARTS + 2)

/* A place in a stream, where an event was recorded. */
typedef struct {
  guint refs;
  gboolean done;
  gboolean asked; /* whether it is done, and it was not */
  CUstream stream;
} Mark;

typedef enum { OP_COPY, OP_FILL, OP_LAUNCH, OP_MARK, OP_WAIT } OpKind;

/* Something enqueued. */
typedef struct {
  OpKind kind;
  guint8 *to;
  const guint8 *from;
  gsize to_pitch, from_pitch, row_bytes, rows;
  guint8 value;
  const gchar *kernel;
  FakeGrid grid;
  CcLaunch launch;
  Mark *mark;
  FakeRange range[MAX_RANGES]; /* what it uses */
  guint n_ranges;
} Op;

struct CUstream_st {
  FakeObject object;
  gboolean blocking; /* with the NULL stream */
  gboolean asked;    /* whether all is done, since something was enqueued */
  GQueue ops;
};

struct CUevent_st {
  FakeObject object;
  gboolean timed;
  Mark *mark; /* of the last record; NULL before the first */
};

struct CUmod_st {
  FakeObject object;
  GPtrArray *functions;
};

struct CUfunc_st {
  FakeObject object;
  const gchar *name;
};

static GPtrArray *streams; /* those of NULL, too */

/* --- running --- */

static Mark *
mark_ref(Mark *mark) {
  mark->refs++;
  return mark;
}

static void
mark_unref(Mark *mark) {
  if (mark && --mark->refs == 0)
    g_free(mark);
}

static void run_stream(CUstream stream, const Mark *end);

static void
run(Op *op) {
  if (op->kind == OP_MARK) {
    op->mark->done = TRUE;
  } else if (op->kind == OP_WAIT) {
    if (!op->mark->done)
      run_stream(op->mark->stream, op->mark);
  } else if (!fake_is_lost()) {
    for (gsize y = 0; op->kind == OP_COPY && y < op->rows; y++)
      memcpy(op->to + y * op->to_pitch, op->from + y * op->from_pitch, op->row_bytes);
    if (op->kind == OP_FILL)
      memset(op->to, op->value, op->row_bytes);
    if (op->kind == OP_LAUNCH)
      fake_launch(op->kernel, &op->grid, &op->launch);
  }
  mark_unref(op->mark);
  g_free(op);
}

/* Runs what is enqueued, up to and with `end` or, without one, all. */
static void
run_stream(CUstream stream, const Mark *end) {
  g_rec_mutex_lock(&fake_lock);
  while (!g_queue_is_empty(&stream->ops) && !(end && end->done))
    run(g_queue_pop_head(&stream->ops));
  g_rec_mutex_unlock(&fake_lock);
}

void
fake_run_context(CUcontext context) {
  g_rec_mutex_lock(&fake_lock);
  for (guint i = 0; i < streams->len; i++)
    if (((CUstream)streams->pdata[i])->object.context == context)
      run_stream(streams->pdata[i], NULL);
  g_rec_mutex_unlock(&fake_lock);
}

void
fake_check_idle(const gchar *call, FakeRange range) {
  for (guint i = 0; streams && i < streams->len; i++)
    for (GList *link = ((CUstream)streams->pdata[i])->ops.head; link; link = link->next) {
      const Op *op = link->data;
      for (guint r = 0; r < op->n_ranges; r++)
        if (op->range[r].begin < range.end && op->range[r].end > range.begin)
          g_error("fake CUDA: %s: something enqueued uses %#zx", call, range.begin);
    }
}

/* --- enqueueing --- */

static void
push_op(CUstream stream, const Op *op) {
  g_queue_push_tail(&stream->ops, g_memdup2(op, sizeof *op));
  stream->asked = FALSE;
}

/* The place behind all that is enqueued now; a new reference. */
static Mark *
push_mark(CUstream stream) {
  Mark *mark = g_new0(Mark, 1);
  mark->refs = 1;
  mark->stream = stream;
  push_op(stream, &(Op){.kind = OP_MARK, .mark = mark_ref(mark)});
  return mark;
}

static void
push_wait_for_stream(CUstream stream, CUstream other) {
  if (!g_queue_is_empty(&other->ops))
    push_op(stream, &(Op){.kind = OP_WAIT, .mark = push_mark(other)});
}

/* The NULL stream and those that are not CU_STREAM_NON_BLOCKING wait for one another. */
static void
enqueue(CUstream stream, const Op *op) {
  CUcontext context = stream->object.context;
  g_rec_mutex_lock(&fake_lock);
  for (guint i = 0; stream == context->default_work && i < streams->len; i++) {
    CUstream other = streams->pdata[i];
    if (other->object.context == context && other->blocking)
      push_wait_for_stream(stream, other);
  }
  if (stream->blocking)
    push_wait_for_stream(stream, context->default_work);
  push_op(stream, op);
  g_rec_mutex_unlock(&fake_lock);
}

/* The stream of a handle, to enqueue something there. */
static CUstream
stream_of(const gchar *call, CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY)
    return fake_current(call)->default_work;
  fake_check_own_object(call, &handle->object, FAKE_STREAM);
  return handle;
}

/* The same to wait for it, which needs only the stream. */
static CUstream
stream_to_wait_for(const gchar *call, CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY)
    return fake_current(call)->default_work;
  fake_check_object(call, &handle->object, FAKE_STREAM);
  return handle;
}

/* --- streams --- */

static CUstream
new_stream(void) {
  CUstream stream = g_new0(struct CUstream_st, 1);
  g_rec_mutex_lock(&fake_lock);
  if (!streams)
    streams = g_ptr_array_new();
  g_ptr_array_add(streams, stream);
  g_rec_mutex_unlock(&fake_lock);
  return stream;
}

CUstream
fake_stream_new_default(CUcontext context) {
  CUstream stream = new_stream();
  stream->object.context = context;
  return stream;
}

EXPORT CUresult
cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER("cuStreamCreate");
  fake_current("cuStreamCreate");
  *stream = new_stream();
  (*stream)->blocking = !(flags & CU_STREAM_NON_BLOCKING);
  fake_add_object("cuStreamCreate", &(*stream)->object, FAKE_STREAM);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuStreamDestroy(CUstream stream) {
  fake_need_context("cuStreamDestroy");
  fake_remove_object("cuStreamDestroy", &stream->object, FAKE_STREAM);
  g_rec_mutex_lock(&fake_lock);
  run_stream(stream, NULL);
  g_ptr_array_remove(streams, stream);
  g_rec_mutex_unlock(&fake_lock);
  g_free(stream);
  return fake_enter("cuStreamDestroy");
}

/* GStreamer 1.22 asks for the name of CUDA before 4.0, which libcuda still has. */
EXPORT CUresult fake_destroy_stream(CUstream stream) __asm__("cuStreamDestroy");

CUresult
fake_destroy_stream(CUstream stream) {
  return cuStreamDestroy(stream);
}

EXPORT CUresult
cuStreamSynchronize(CUstream stream) {
  fake_need_context("cuStreamSynchronize");
  run_stream(stream_to_wait_for("cuStreamSynchronize", stream), NULL);
  return fake_enter("cuStreamSynchronize");
}

/* What is not done is so on the first question and then runs, so that loops which poll do end, and
 * code that takes the first answer for the last is wrong every time. */
EXPORT CUresult
cuStreamQuery(CUstream handle) {
  ENTER("cuStreamQuery");
  CUstream stream = stream_to_wait_for("cuStreamQuery", handle);
  g_rec_mutex_lock(&fake_lock);
  if (stream->asked)
    run_stream(stream, NULL);
  stream->asked = TRUE;
  const gboolean done = g_queue_is_empty(&stream->ops);
  g_rec_mutex_unlock(&fake_lock);
  return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

/* The event may be of another context, as in CUDA. */
EXPORT CUresult
cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  ENTER("cuStreamWaitEvent");
  CUstream stream = stream_of("cuStreamWaitEvent", handle);
  fake_check_object("cuStreamWaitEvent", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  if (event->mark && !event->mark->done)
    enqueue(stream, &(Op){.kind = OP_WAIT, .mark = mark_ref(event->mark)});
  g_rec_mutex_unlock(&fake_lock);
  return CUDA_SUCCESS;
}

/* --- events --- */

EXPORT CUresult
cuEventCreate(CUevent *event, unsigned flags) {
  ENTER("cuEventCreate");
  *event = g_new0(struct CUevent_st, 1);
  (*event)->timed = !(flags & CU_EVENT_DISABLE_TIMING);
  fake_add_object("cuEventCreate", &(*event)->object, FAKE_EVENT);
  return CUDA_SUCCESS;
}

EXPORT CUresult
cuEventDestroy(CUevent event) {
  fake_need_context("cuEventDestroy");
  fake_remove_object("cuEventDestroy", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  mark_unref(event->mark);
  g_rec_mutex_unlock(&fake_lock);
  g_free(event);
  return fake_enter("cuEventDestroy");
}

EXPORT CUresult
cuEventRecord(CUevent event, CUstream handle) {
  ENTER("cuEventRecord");
  CUstream stream = stream_of("cuEventRecord", handle);
  fake_check_own_object("cuEventRecord", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  mark_unref(event->mark);
  event->mark = g_new0(Mark, 1);
  event->mark->refs = 2;
  event->mark->stream = stream;
  enqueue(stream, &(Op){.kind = OP_MARK, .mark = event->mark});
  g_rec_mutex_unlock(&fake_lock);
  return CUDA_SUCCESS;
}

/* NOT_READY once, as with cuStreamQuery. */
EXPORT CUresult
cuEventQuery(CUevent event) {
  ENTER("cuEventQuery");
  fake_check_object("cuEventQuery", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  Mark *mark = event->mark;
  if (mark && mark->asked && !mark->done)
    run_stream(mark->stream, mark);
  if (mark)
    mark->asked = TRUE;
  const gboolean done = !mark || mark->done;
  g_rec_mutex_unlock(&fake_lock);
  return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

EXPORT CUresult
cuEventSynchronize(CUevent event) {
  fake_check_object("cuEventSynchronize", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  if (event->mark && !event->mark->done)
    run_stream(event->mark->stream, event->mark);
  g_rec_mutex_unlock(&fake_lock);
  return fake_enter("cuEventSynchronize");
}

EXPORT CUresult
cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
  ENTER("cuEventElapsedTime");
  fake_check_object("cuEventElapsedTime", &from->object, FAKE_EVENT);
  fake_check_object("cuEventElapsedTime", &to->object, FAKE_EVENT);
  if (!from->mark || !to->mark || !from->timed || !to->timed)
    return CUDA_ERROR_INVALID_HANDLE;
  g_rec_mutex_lock(&fake_lock);
  const gboolean done = from->mark->done && to->mark->done;
  g_rec_mutex_unlock(&fake_lock);
  *ms = 0.001f;
  return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

/* --- copies --- */

static FakeRange
rows_range(gconstpointer data, gsize pitch, gsize row_bytes, gsize rows) {
  return (FakeRange){(gsize)data, (gsize)data + (rows - 1) * pitch + row_bytes};
}

/* Enqueues the copy after a look at both sides, which CUDA allows to be the same kind of memory. */
static CUresult
enqueue_copy(const gchar *call, const Op *copy, FakeUse to, FakeUse from, CUstream handle,
             gboolean waits_later) {
  Op op = *copy;
  if (op.row_bytes == 0 || op.rows == 0)
    return CUDA_SUCCESS;
  CUstream stream = stream_of(call, handle);
  CUcontext context = fake_current(call);
  op.kind = OP_COPY;
  op.range[0] = rows_range(op.to, op.to_pitch, op.row_bytes, op.rows);
  op.range[1] = rows_range(op.from, op.from_pitch, op.row_bytes, op.rows);
  op.n_ranges = 2;
  fake_check_range(call, op.range[0], to, context, waits_later);
  fake_check_range(call, op.range[1], from, context, waits_later);
  enqueue(stream, &op);
  if (!waits_later)
    run_stream(stream, NULL);
  return CUDA_SUCCESS;
}

static CUresult
copy_to_device(const gchar *call, CUdeviceptr to, gconstpointer from, gsize bytes, CUstream stream,
               gboolean waits_later) {
  ENTER(call);
  return enqueue_copy(call, &(Op){.to = (guint8 *)to, .from = from, .row_bytes = bytes, .rows = 1},
                      FAKE_DEVICE, FAKE_HOST_READ, stream, waits_later);
}

static CUresult
copy_to_host(const gchar *call, gpointer to, CUdeviceptr from, gsize bytes, CUstream stream,
             gboolean waits_later) {
  ENTER(call);
  return enqueue_copy(call, &(Op){.to = to, .from = (guint8 *)from, .row_bytes = bytes, .rows = 1},
                      FAKE_HOST_WRITE, FAKE_DEVICE, stream, waits_later);
}

static CUresult
copy_on_device(const gchar *call, CUdeviceptr to, CUdeviceptr from, gsize bytes, CUstream stream,
               gboolean waits_later) {
  ENTER(call);
  return enqueue_copy(
      call, &(Op){.to = (guint8 *)to, .from = (guint8 *)from, .row_bytes = bytes, .rows = 1},
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

/* Between any two contexts. */
EXPORT CUresult
cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                  size_t bytes, CUstream stream) {
  static const gchar call[] = "cuMemcpyPeerAsync";
  ENTER(call);
  const Op op = {.to = (guint8 *)to, .from = (guint8 *)from, .row_bytes = bytes, .rows = 1};
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
  const Op op = {.to = to + c->dstY * c->dstPitch + c->dstXInBytes,
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
  CUstream stream = stream_of(call, handle);
  const FakeRange range = {(gsize)to, (gsize)to + bytes};
  fake_check_range(call, range, FAKE_DEVICE, fake_current(call), TRUE);
  enqueue(stream, &(Op){.kind = OP_FILL,
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
  if (*(const guint32 *)image != 0xBA55ED50) /* a fatbin */
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

/* A kernel's parameters name memory that its context can reach. */
static void
set_launch_ranges(const gchar *call, Op *op, CUcontext context) {
  const CcLaunch *l = &op->launch;
  for (gint p = 0; p < MIN(l->n_parts, CC_LAUNCH_PARTS); p++) {
    const CcPart *part = &l->part[p];
    const gsize pixel = (gsize)part->step * (gsize)part->sample_bytes;
    op->range[op->n_ranges++] = rows_range((gconstpointer)part->src, (gsize)part->src_pitch,
                                           (gsize)part->src_width * pixel, (gsize)part->src_height);
    op->range[op->n_ranges++] = rows_range((gconstpointer)part->dst, (gsize)part->dst_pitch,
                                           (gsize)part->width * pixel, (gsize)part->height);
  }
  if (l->memory_taps)
    op->range[op->n_ranges++] = (FakeRange){l->memory_taps, l->memory_taps + 1};
  if (l->scratch_bytes)
    op->range[op->n_ranges++] = (FakeRange){l->scratch, l->scratch + l->scratch_bytes};
  for (guint i = 0; i < op->n_ranges; i++)
    fake_check_range(call, op->range[i], FAKE_KERNEL, context, TRUE);
}

static CUresult
enqueue_launch(const gchar *call, const CUlaunchConfig *config, CUfunction function,
               void **parameters) {
  CUstream stream = stream_of(call, config->hStream);
  const guint threads = config->blockDimX * config->blockDimY * config->blockDimZ;
  fake_check_own_object(call, &function->object, FAKE_FUNCTION);
  g_assert_cmpuint(threads, <=, 1024);
  g_assert_cmpuint(config->gridDimX, <=, G_MAXINT32);
  /* all kernels of the project use a flat grid */
  g_assert_cmpuint(config->gridDimY * config->gridDimZ, ==, 1);
  Op op = {.kind = OP_LAUNCH,
           .kernel = function->name,
           .grid = {config->gridDimX, threads},
           .launch = *(const CcLaunch *)parameters[0]};
  set_launch_ranges(call, &op, stream->object.context);
  enqueue(stream, &op);
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
                                 .hStream = stream};
  return enqueue_launch("cuLaunchKernel", &config, function, parameters);
}

/* Only the attribute that lets a launch begin before the one before it ends, which devices have
 * from capability 9 on. The order of what runs on a stream is the same with it. */
EXPORT CUresult
cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                 void **extra) {
  ENTER("cuLaunchKernelEx");
  g_assert_cmpint(fake_settings()->capability, >=, 9);
  for (guint i = 0; i < config->numAttrs; i++)
    g_assert_cmpint(config->attrs[i].id, ==, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  return enqueue_launch("cuLaunchKernelEx", config, function, parameters);
}
