/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Shared by the parts of the stand-in for the driver. Its faults end the process with g_error,
 * because they are what the stand-in is for. */

#include "settings.h"

/* --- failures (libcuda.c) --- */

/* Guards all state of the stand-in; recursive. */
extern GRecMutex fake_lock;

/* Counts a call of `name`. Returns the failure that FAKE_CUDA sets for it, before the call does
 * anything. */
CUresult fake_enter(const gchar *name);

#define ENTER(name)                                                                                \
  do {                                                                                             \
    const CUresult failure = fake_enter(name);                                                     \
    if (failure != CUDA_SUCCESS)                                                                   \
      return failure;                                                                              \
  } while (0)

/* Whether a "fail" or "lost" failure kept a context from becoming current. Later calls are then
 * allowed without a context. */
gboolean fake_refused_push(void);

/* --- contexts and their objects (context.c) --- */

struct CUctx_st {
  gint device;
  gint refs;               /* 0: it is destroyed */
  GPtrArray *peers;        /* contexts whose memory kernels of this one may use */
  CUstream default_stream; /* of the NULL handle */
};

typedef enum { FAKE_STREAM, FAKE_EVENT, FAKE_MODULE, FAKE_FUNCTION, FAKE_N_KINDS } FakeKind;

/* The head of everything that a handle points to. */
typedef struct {
  FakeKind kind;
  CUcontext context;
} FakeObject;

/* Returns the calling thread's current context. Having none is a fault. */
CUcontext fake_current(const gchar *call);

/* Checks that some context is current. Having none is no fault after a refused push. */
void fake_need_context(const gchar *call);

/* Ends the process unless the context is alive. */
void fake_check_context(const gchar *call, CUcontext context);

/* Add the object to the current context, and remove it. */
void fake_add_object(const gchar *call, FakeObject *object, FakeKind kind);
void fake_remove_object(const gchar *call, FakeObject *object, FakeKind kind);

/* End the process unless the object is alive; the second also requires that it belongs to the
 * current context. */
void fake_check_object(const gchar *call, const FakeObject *object, FakeKind kind);
void fake_check_own_object(const gchar *call, const FakeObject *object, FakeKind kind);

guint fake_count_objects(FakeKind kind);
guint fake_count_contexts(void);

/* --- memory (memory.c) --- */

typedef struct {
  gsize begin, end; /* addresses; equal: the range is empty */
} FakeRange;

typedef enum {
  FAKE_HOST_READ,
  FAKE_HOST_WRITE,
  FAKE_DEVICE,     /* a copy: memory of the current device */
  FAKE_ANY,        /* a copy: the address determines the kind of memory */
  FAKE_ANY_TARGET, /* the same, written */
  FAKE_KERNEL,     /* a kernel: everything that its context can access */
} FakeUse;

/* Ends the process unless the whole range may be used like that in the context. `waits_later` is
 * TRUE for asynchronous copies. */
void fake_check_range(const gchar *call, FakeRange range, FakeUse use, CUcontext context,
                      gboolean waits_later);

typedef struct {
  guint device_blocks, pinned_blocks, registrations, unmapped;
} FakeMemoryCount;

FakeMemoryCount fake_count_memory(void);

/* --- streams (stream.c) --- */

/* Makes the stream of a context's NULL handle. */
CUstream fake_stream_new_default(CUcontext context);

/* Runs everything that is enqueued in the context. */
void fake_run_context(CUcontext context);

/* Ends the process if something enqueued uses the range. */
void fake_check_idle(const gchar *call, FakeRange range);
