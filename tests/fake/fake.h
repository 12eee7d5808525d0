/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the parts of the stand-in for the driver share. Its faults end the process with g_error, for
 * that is what it is for. */

#include "settings.h"

/* --- failures (libcuda.c) --- */

/* Guards all that the fake knows; recursive. */
extern GRecMutex fake_lock;

/* Counts a call of `name`; what FAKE_CUDA lets it return before it does anything. */
CUresult fake_enter(const gchar *name);

#define ENTER(name)                                                                                \
  do {                                                                                             \
    const CUresult failure = fake_enter(name);                                                     \
    if (failure != CUDA_SUCCESS)                                                                   \
      return failure;                                                                              \
  } while (0)

/* Whether a "fail" or "lost" one kept a context from becoming current, so that what comes after it
 * may be done without one. */
gboolean fake_refused_push(void);

/* --- contexts and what belongs to them (context.c) --- */

struct CUctx_st {
  gint device;
  gint refs;             /* 0: it is destroyed */
  GPtrArray *peers;      /* contexts whose memory kernels may use here */
  CUstream default_work; /* its NULL stream */
};

typedef enum { FAKE_STREAM, FAKE_EVENT, FAKE_MODULE, FAKE_FUNCTION, FAKE_N_KINDS } FakeKind;

/* The head of everything that a handle points to. */
typedef struct {
  FakeKind kind;
  CUcontext context;
} FakeObject;

/* The calling thread's current context; it is a fault when there is none. */
CUcontext fake_current(const gchar *call);

/* The same for calls that only need some context, which is no fault after a refused push. */
void fake_need_context(const gchar *call);

/* Ends the process unless the context lives. */
void fake_check_context(const gchar *call, CUcontext context);

/* Makes the object one of the current context, and forgets it. */
void fake_add_object(const gchar *call, FakeObject *object, FakeKind kind);
void fake_remove_object(const gchar *call, FakeObject *object, FakeKind kind);

/* Ends the process unless the object lives; then, unless it is of the current context. */
void fake_check_object(const gchar *call, const FakeObject *object, FakeKind kind);
void fake_check_own_object(const gchar *call, const FakeObject *object, FakeKind kind);

guint fake_count_objects(FakeKind kind);
guint fake_count_contexts(void);

/* --- memory (memory.c) --- */

typedef struct {
  gsize begin, end; /* addresses; empty when they are the same */
} FakeRange;

typedef enum {
  FAKE_HOST_READ,
  FAKE_HOST_WRITE,
  FAKE_DEVICE,     /* a copy: memory of the current device */
  FAKE_ANY,        /* a copy: the address says what it is */
  FAKE_ANY_TARGET, /* the same, written */
  FAKE_KERNEL,     /* a kernel: what its context can reach */
} FakeUse;

/* Ends the process unless the whole range may be used like that in the context. `waits_later` is
 * for asynchronous copies. */
void fake_check_range(const gchar *call, FakeRange range, FakeUse use, CUcontext context,
                      gboolean waits_later);

typedef struct {
  guint device_blocks, pinned_blocks, registrations, unmapped;
} FakeMemoryCount;

FakeMemoryCount fake_count_memory(void);

/* --- streams (stream.c) --- */

/* The stream of a context's NULL handle. */
CUstream fake_stream_new_default(CUcontext context);

/* Runs all that is enqueued in the context. */
void fake_run_context(CUcontext context);

/* Ends the process when something enqueued uses the range. */
void fake_check_idle(const gchar *call, FakeRange range);
