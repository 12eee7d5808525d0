/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams and events: the order in which work runs. */

#include "stream.h"

#include <string.h>

struct FakeMark {
  guint refs;
  gboolean done;
  gboolean queried; /* was queried while it was not done */
  CUstream stream;
};

struct CUstream_st {
  FakeObject object;
  gboolean blocking; /* with the NULL stream */
  gboolean queried;  /* was queried since something was enqueued */
  GQueue ops;
};

struct CUevent_st {
  FakeObject object;
  gboolean timed;
  FakeMark *mark; /* of the last record; NULL before the first */
};

static GPtrArray *streams; /* including NULL streams */

/* --- running --- */

/* Makes a position that is not enqueued yet. */
static FakeMark *
mark_new(CUstream stream) {
  FakeMark *mark = g_new0(FakeMark, 1);
  mark->refs = 1;
  mark->stream = stream;
  return mark;
}

static FakeMark *
mark_ref(FakeMark *mark) {
  mark->refs++;
  return mark;
}

static void
mark_unref(FakeMark *mark) {
  if (mark && --mark->refs == 0)
    g_free(mark);
}

static void run_stream(CUstream stream, const FakeMark *end);

static void
run(FakeOp *op) {
  if (op->kind == FAKE_OP_MARK) {
    op->mark->done = TRUE;
  } else if (op->kind == FAKE_OP_WAIT) {
    if (!op->mark->done)
      run_stream(op->mark->stream, op->mark);
  } else if (!fake_is_lost()) {
    for (gsize y = 0; op->kind == FAKE_OP_COPY && y < op->rows; y++)
      memcpy(op->to + y * op->to_pitch, op->from + y * op->from_pitch, op->row_bytes);
    if (op->kind == FAKE_OP_FILL)
      memset(op->to, op->value, op->row_bytes);
    if (op->kind == FAKE_OP_LAUNCH)
      fake_launch(op->kernel, &op->grid, &op->launch);
  }
  mark_unref(op->mark);
  g_free(op);
}

/* Runs everything that is enqueued up to and including `end`, or all if that is NULL. */
static void
run_stream(CUstream stream, const FakeMark *end) {
  g_rec_mutex_lock(&fake_lock);
  while (!g_queue_is_empty(&stream->ops) && !(end && end->done))
    run(g_queue_pop_head(&stream->ops));
  g_rec_mutex_unlock(&fake_lock);
}

void
fake_run_stream(CUstream stream) {
  run_stream(stream, NULL);
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
      const FakeOp *op = link->data;
      for (guint r = 0; r < op->n_ranges; r++)
        if (op->range[r].begin < range.end && op->range[r].end > range.begin)
          g_error("fake CUDA: %s: something enqueued uses %#zx", call, range.begin);
    }
}

/* --- enqueueing --- */

static void
push_op(CUstream stream, const FakeOp *op) {
  g_queue_push_tail(&stream->ops, g_memdup2(op, sizeof *op));
  stream->queried = FALSE;
}

/* Marks the position behind everything that is enqueued now. Returns a new reference. */
static FakeMark *
push_mark(CUstream stream) {
  FakeMark *mark = mark_new(stream);
  push_op(stream, &(FakeOp){.kind = FAKE_OP_MARK, .mark = mark_ref(mark)});
  return mark;
}

static void
push_wait_for_stream(CUstream stream, CUstream other) {
  if (!g_queue_is_empty(&other->ops))
    push_op(stream, &(FakeOp){.kind = FAKE_OP_WAIT, .mark = push_mark(other)});
}

/* The NULL stream and streams that are not CU_STREAM_NON_BLOCKING wait for one another. */
void
fake_enqueue(CUstream stream, const FakeOp *op) {
  CUcontext context = stream->object.context;
  g_rec_mutex_lock(&fake_lock);
  for (guint i = 0; stream == context->default_stream && i < streams->len; i++) {
    CUstream other = streams->pdata[i];
    if (other->object.context == context && other->blocking)
      push_wait_for_stream(stream, other);
  }
  if (stream->blocking)
    push_wait_for_stream(stream, context->default_stream);
  push_op(stream, op);
  g_rec_mutex_unlock(&fake_lock);
}

/* Returns the stream of a handle, to enqueue something. */
CUstream
fake_stream_of(const gchar *call, CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY)
    return fake_current(call)->default_stream;
  fake_check_own_object(call, &handle->object, FAKE_STREAM);
  return handle;
}

/* Returns the stream of a handle, to wait for it. The stream may belong to another context. */
static CUstream
stream_to_wait_for(const gchar *call, CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY)
    return fake_current(call)->default_stream;
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

/* GStreamer 1.22 looks up the name from before CUDA 4.0, which libcuda still has. */
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

/* The first query of unfinished work returns NOT_READY, and the second runs the work. Polling loops
 * therefore end, and code that trusts the first result fails every time. */
EXPORT CUresult
cuStreamQuery(CUstream handle) {
  ENTER("cuStreamQuery");
  CUstream stream = stream_to_wait_for("cuStreamQuery", handle);
  g_rec_mutex_lock(&fake_lock);
  if (stream->queried)
    run_stream(stream, NULL);
  stream->queried = TRUE;
  const gboolean done = g_queue_is_empty(&stream->ops);
  g_rec_mutex_unlock(&fake_lock);
  return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

/* The event may belong to another context, as in CUDA. */
EXPORT CUresult
cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags) {
  ENTER("cuStreamWaitEvent");
  CUstream stream = fake_stream_of("cuStreamWaitEvent", handle);
  fake_check_object("cuStreamWaitEvent", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  if (event->mark && !event->mark->done)
    fake_enqueue(stream, &(FakeOp){.kind = FAKE_OP_WAIT, .mark = mark_ref(event->mark)});
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
  CUstream stream = fake_stream_of("cuEventRecord", handle);
  fake_check_own_object("cuEventRecord", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  mark_unref(event->mark);
  event->mark = mark_new(stream);
  fake_enqueue(stream, &(FakeOp){.kind = FAKE_OP_MARK, .mark = mark_ref(event->mark)});
  g_rec_mutex_unlock(&fake_lock);
  return CUDA_SUCCESS;
}

/* Returns NOT_READY once, like cuStreamQuery. */
EXPORT CUresult
cuEventQuery(CUevent event) {
  ENTER("cuEventQuery");
  fake_check_object("cuEventQuery", &event->object, FAKE_EVENT);
  g_rec_mutex_lock(&fake_lock);
  FakeMark *mark = event->mark;
  if (mark && mark->queried && !mark->done)
    run_stream(mark->stream, mark);
  if (mark)
    mark->queried = TRUE;
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
