/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The session: the single owner of filtering. It holds the backend, the current program and the
 * frames in flight, and counts. It returns frames in the order in which they were submitted, even
 * after failures: if memory runs out, it keeps fewer frames in flight; if the device fails, it
 * continues with a backend without a device, the CPU's.
 *
 * A session is used by one thread at a time; docs/architecture.md calls it the streaming thread.
 * Functions that may be called from any thread say so. */

#include "backend.h"

G_BEGIN_DECLS

typedef struct _CcSession CcSession;
typedef struct _CcSessionFrame CcSessionFrame;

/* --- frames --- */

typedef struct {
  /* Sets in, out, in_path and out_path of the frame for access by `device`, or as host memory if
   * `device` is NULL. A frame may be mapped several times, one after the other, because a failover
   * maps it again for another backend. */
  gboolean (*map)(CcSessionFrame *self, const CcPlan *plan, CcDevice *device, GError **error);
  void (*unmap)(CcSessionFrame *self);
  void (*free)(CcSessionFrame *self); /* the frame is not mapped */
} CcSessionFrameClass;

/* A frame in the session: the input and the output. Callers embed this struct as the first member
 * of their own type. */
struct _CcSessionFrame {
  const CcSessionFrameClass *klass;
  gsize bytes; /* size of the output, for the counters */
  /* the regions to filter, valid until the frame is taken; n_regions = 0: the region of the filter
   */
  const CcRegion *regions;
  guint n_regions;
  /* the results of the stages, as in CcSubmitInfo, set by cc_session_take; NULL: none. The owner of
   * the frame frees them with g_free. */
  gpointer results;
  CcFrame in, out;
  const gchar *in_path, *out_path; /* how the device accesses them, for people; static */
};

/* --- events --- */

typedef enum {
  CC_EVENT_BACKEND,     /* a backend was opened, and handles all further frames */
  CC_EVENT_FAILOVER,    /* the device failed; the events of the backend that takes over follow */
  CC_EVENT_NO_FAILOVER, /* the device failed, and no other backend can take over */
  CC_EVENT_SHRUNK,      /* memory ran out, so only one frame is in flight from now on */
  /* Frames of several contexts alternate, so frames are copied between contexts from now on. At
   * most once in a stream. */
  CC_EVENT_CONTEXTS,
  CC_EVENT_PATHS,   /* the memory path of frames has changed */
  CC_EVENT_PROGRAM, /* a new program was made and runs from now on */
} CcSessionEventKind;

/* An event of a session. Everything that it refers to is borrowed until the listener returns. */
typedef struct {
  CcSessionEventKind kind;
  /* For people, a part of a sentence: why the event happened. With BACKEND: why it is not the first
   * choice, or NULL. NULL with CONTEXTS, PATHS and PROGRAM. */
  const gchar *reason;
  /* BACKEND only */
  gboolean chosen;          /* the configuration names the backend */
  const gchar *backend;     /* such as "cpu" */
  const gchar *device;      /* name of the device, or a description of the backend's resources */
  gint device_id;           /* -1: no device */
  const CcContext *context; /* the context that was requested; NULL: none */
  /* PATHS only, as in CcSessionFrame */
  const gchar *in_path, *out_path;
  /* PROGRAM only */
  const gchar *kernel, *plan; /* the kernel's name; a description of the filter's arithmetic */
  gchar *const *steps;        /* CcProgram.steps; NULL: the backend sets none */
} CcSessionEvent;

/* Called with each event by the thread that uses the session, at the end of the function that
 * caused the event. At that point the state of the session has changed and no lock is held. A
 * listener may use the session. A frame that the function returns is already out of the session. */
typedef void (*CcSessionListener)(gpointer data, const CcSessionEvent *event);

/* --- counters --- */

typedef struct {
  const gchar *backend;   /* such as "cpu"; "none" if none is open */
  gchar *device;          /* name of its device, or a description of its resources; "none" */
  gint device_id;         /* -1: no device */
  gchar *plan;            /* a description of the filter's arithmetic; "" before the first plan */
  GStrv steps;            /* of the last program; NULL: none in this stream */
  guint size;             /* of the kernel, the larger side; 0: no plan */
  const gchar *algorithm; /* NULL: the backend chooses by itself, or no plan */
  const gchar *in_path, *out_path; /* of the last frame; NULL: none */
  gsize device_bytes;              /* device memory kept for frames in flight and later ones */
  /* Memory of a backend without a device, kept for the planes between two stages. */
  gsize scratch_bytes;
  guint n_failovers;
  guint64 n_frames, n_bytes; /* of the frames that were taken */
  CcTimes times;             /* sums over these frames */
} CcSessionStats;

/* Copies the counters; cc_session_stats_clear frees the texts. Any thread. */
void cc_session_get_stats(CcSession *self, CcSessionStats *stats);
void cc_session_stats_clear(CcSessionStats *stats);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcSessionStats, cc_session_stats_clear)

/* --- the session --- */

/* Opens the backend that `config` chooses, as cc_backend_open does. */
typedef CcBackend *(*CcOpenBackend)(const CcBackendConfig *config, GError **fallback,
                                    GError **error);

/* `listener` may be NULL. */
CcSession *cc_session_new(CcOpenBackend open, CcSessionListener listener, gpointer data);

/* Drops the frames in flight and closes the backend. */
void cc_session_free(CcSession *self);

/* Opens the backend that `config` chooses, unless a backend is already open with the same choice.
 * The previous backend is closed. Without an open backend, only functions whose comments say so may
 * be called. */
gboolean cc_session_open(CcSession *self, const CcBackendConfig *config, GError **error);

/* Ends the stream and closes the backend. */
void cc_session_close(CcSession *self);

/* Whether a backend is open with the choice in `config`, whose context is ignored; with NULL,
 * whether any backend is open. */
gboolean cc_session_is_open_as(const CcSession *self, const CcBackendConfig *config);

/* Begins a stream: clears the filter and sets the counters to 0. */
void cc_session_begin(CcSession *self);

/* Ends a stream: drops the frames in flight and the filter. The counters can still be read. */
void cc_session_end(CcSession *self);

/* Prepares a copy of `filter` for frames of `layout`. Frames submitted from now on go through it.
 * `filter` may be the one of cc_session_get_filter. If only the region differs from the current
 * filter, the program is kept. After an error the previous filter stays in use. */
gboolean cc_session_set_filter(CcSession *self, const CcFilter *filter, const CcFrameLayout *layout,
                               GError **error);

/* The filter in use; its kernel is NULL before the first one. */
const CcFilter *cc_session_get_filter(const CcSession *self);

/* Maps the frame and starts filtering it. On success the session owns the frame. On error, which
 * neither fewer frames nor the CPU could fix, the caller still owns it. */
gboolean cc_session_submit(CcSession *self, CcSessionFrame *frame, GError **error);

/* The number of frames in flight: submitted and not taken. */
guint cc_session_n_in_flight(const CcSession *self);

/* Waits for the oldest frame in flight and gives it to the caller. At least one frame must be in
 * flight. NULL: the frame could not be filtered and is still in flight. */
CcSessionFrame *cc_session_take(CcSession *self, GError **error);

/* Waits for all frames in flight and drops them. */
void cc_session_clear(CcSession *self);

/* How many frames may be in flight at once, as the backend and memory allow; 1 or more, 1 without a
 * backend. Any thread. */
guint cc_session_capacity(CcSession *self);

/* Waits for the frames in flight, frees the memory that is kept for later frames, and allows only
 * one frame in flight until the next stream. To be called when memory ran out, in the session or
 * where output frames are allocated. */
void cc_session_shrink(CcSession *self, const gchar *reason);

/* Continues without the device, as after a device error, if the configuration allows it; all memory
 * of the device is freed. FALSE: the session cannot continue, and *error says why. */
gboolean cc_session_give_up_device(CcSession *self, const gchar *reason, GError **error);

/* The device whose memory frames may use, borrowed until the next call of another function; NULL:
 * none. */
CcDevice *cc_session_get_device(const CcSession *self);

/* Whether a frame in `context` can be mapped for the backend as it is. That is the case if the
 * backend works in that context, or if it copies the frame across because the configuration insists
 * on another device or frames of several contexts alternate. */
gboolean cc_session_reaches(const CcSession *self, const CcContext *context);

/* For a frame in a context that the session does not reach: opens a backend in that context and
 * closes the current one. No frame may be in flight. If this stream was filtered in that context
 * before, frames of several contexts alternate, and the session stays with its backend until the
 * stream ends. If the device does not work in that context, the session fails over. After an error
 * nothing has changed. */
gboolean cc_session_move(CcSession *self, const CcContext *context, GError **error);

G_END_DECLS
