/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The session owns the backend, the current program, the frames in flight and the counters. It
 * returns frames in the order in which they were submitted, also after failures. If memory runs
 * out, the session keeps only one frame in flight. If that does not help, or if the device fails,
 * the session continues on the CPU: it opens a backend without a device. It does so only if the
 * configuration leaves the choice of the backend open.
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
   * `device` is NULL. A frame may be mapped several times, one after the other, because a retry
   * or a failover maps it again. */
  gboolean (*map)(CcSessionFrame *self, const CcPlan *plan, CcDevice *device, GError **error);
  void (*unmap)(CcSessionFrame *self);
  void (*free)(CcSessionFrame *self); /* called only while the frame is not mapped */
} CcSessionFrameClass;

/* The input and output of one frame. Callers embed this struct as the first member of their own. */
struct _CcSessionFrame {
  const CcSessionFrameClass *klass;
  gsize bytes; /* size of the output, for the counters */
  /* The regions to filter, and their number, which may be 0. All other pixels get what the filter's
   * `outside` says. NULL: the whole frame is filtered. */
  const CcRegion *regions;
  guint n_regions;
  gboolean by_fields; /* as in CcSubmitInfo */
  /* `map` makes `in` and `out` the same frame. Then pixels outside of the regions stay as they are.
   * If there are no regions, the frame is not mapped. */
  gboolean in_place;
  /* The results of the stages, as in CcSubmitInfo; NULL: none. cc_session_take sets them. The owner
   * of the frame frees them with g_free. */
  gpointer results;
  CcFrame in, out;
  const gchar *in_path, *out_path; /* how the device accesses `in` and `out`; static texts */
};

/* --- events --- */

typedef enum {
  CC_EVENT_BACKEND, /* a backend was opened, and handles all further frames */
  /* The device failed or has too little memory. A BACKEND event follows for the backend that takes
   * over, and a PROGRAM event if there is a program. */
  CC_EVENT_FAILOVER,
  /* the device failed or has too little memory, and no other backend can take over */
  CC_EVENT_NO_FAILOVER,
  CC_EVENT_SHRUNK, /* memory ran out, so only one frame is in flight until the stream ends */
  /* Frames of several contexts alternate. From now on, frames of other contexts are copied. Emitted
   * at most once in a stream. */
  CC_EVENT_CONTEXTS,
  CC_EVENT_PATHS, /* the memory path of the first frame is known, or the memory path has changed */
  CC_EVENT_PROGRAM, /* a new program was made and runs from now on */
} CcSessionEventKind;

/* An event of a session. All pointers in it are valid until the listener returns. */
typedef struct {
  CcSessionEventKind kind;
  /* Why the event happened, as a clause for messages. With BACKEND: why the backend is not the
   * first choice; NULL if it is. NULL with CONTEXTS, PATHS and PROGRAM. */
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

/* Called with each event in the thread that uses the session. The session calls the listener at the
 * end of the function that caused the event, after the session's state has changed. No lock is
 * held, so the listener may use the session. When cc_session_take emits an event, it has already
 * removed the frame that it returns. SHRUNK is an exception: cc_session_submit and
 * cc_session_set_filter emit it before they try again. */
typedef void (*CcSessionListener)(gpointer data, const CcSessionEvent *event);

/* --- counters --- */

typedef struct {
  const gchar *backend; /* such as "cpu"; "none" if none is open */
  /* name of the device, or a description of the backend's resources; "none" if none is open */
  gchar *device;
  gint device_id;         /* -1: no device */
  gchar *plan;            /* a description of the filter's arithmetic; "" before the first plan */
  GStrv steps;            /* CcProgram.steps of the last program; NULL: no program in this stream */
  guint size;             /* larger side of the kernel; 0: no plan, or nothing is filtered */
  const gchar *algorithm; /* CcProgram.algorithm of the last program; NULL: none */
  const gchar *in_path, *out_path; /* memory paths of the last frame; NULL: no frame yet */
  gsize device_bytes;              /* device memory kept for frames in flight and later ones */
  /* Host memory that a backend without a device keeps for the planes between two stages, and for
   * what stages share (shared_bytes of cpu/stages/stage.h). */
  gsize scratch_bytes;
  guint n_failovers;
  guint64 n_frames, n_bytes; /* number and bytes of the frames that were taken */
  guint64 n_regions;         /* number of regions in these frames */
  /* number of regions that were blurred less than roi-sigma requests, see CC_MAX_ROI_SIGMA */
  guint64 n_limited;
  CcTimes times; /* sums of the times of these frames */
} CcSessionStats;

/* Copies the counters; cc_session_stats_clear frees the texts. Any thread. */
void cc_session_get_stats(CcSession *self, CcSessionStats *stats);
void cc_session_stats_clear(CcSessionStats *stats);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcSessionStats, cc_session_stats_clear)

/* --- the session --- */

/* Opens the backend that `config` chooses, as cc_backend_open of plugin/backends.h does. */
typedef CcBackend *(*CcOpenBackend)(const CcBackendConfig *config, GError **fallback,
                                    GError **error);

/* `listener` may be NULL. */
CcSession *cc_session_new(CcOpenBackend open, CcSessionListener listener, gpointer data);

/* Drops the frames in flight and closes the backend. */
void cc_session_free(CcSession *self);

/* Calls cc_session_close, then opens the backend that `config` chooses. Does nothing if
 * cc_session_is_open_as(config). FALSE: no backend is open. Functions that filter frames, change
 * the filter or change the backend (set_filter, submit, take, shrink, give_up_device, reaches and
 * move) must not be called without an open backend. */
gboolean cc_session_open(CcSession *self, const CcBackendConfig *config, GError **error);

/* Ends the stream and closes the backend. */
void cc_session_close(CcSession *self);

/* Whether a backend is open and was opened with the choice, device_id and n_threads of `config`. If
 * `config` is NULL: whether any backend is open. */
gboolean cc_session_is_open_as(const CcSession *self, const CcBackendConfig *config);

/* Begins a stream: clears the filter and sets the counters to 0. */
void cc_session_begin(CcSession *self);

/* Ends a stream: drops the frames in flight and the filter. The counters can still be read. */
void cc_session_end(CcSession *self);

/* Copies `filter` and prepares it for frames of `layout`. Frames that are submitted from now on are
 * filtered with it. `filter` may be the result of cc_session_get_filter. If the layout is the
 * same and only settings for regions differ, the program is kept. After an error the previous
 * filter stays in use. */
gboolean cc_session_set_filter(CcSession *self, const CcFilter *filter, const CcFrameLayout *layout,
                               GError **error);

/* The filter in use. Its kernel is NULL if no filter was set in this stream. */
const CcFilter *cc_session_get_filter(const CcSession *self);

/* The plan of the filter in use, valid until the filter changes. NULL: no filter was set in this
 * stream. */
CcPlan *cc_session_get_plan(const CcSession *self);

/* Maps the frame and starts filtering it. If memory runs out, tries again with one frame in flight.
 * If memory runs out again, or after a device error, tries on the CPU if the configuration allows
 * it. On success the session owns the frame. On error the caller still owns it. */
gboolean cc_session_submit(CcSession *self, CcSessionFrame *frame, GError **error);

/* The number of frames in flight: submitted and not taken. */
guint cc_session_n_in_flight(const CcSession *self);

/* Waits for the oldest frame in flight and gives it to the caller. At least one frame must be in
 * flight. NULL: the frame could not be filtered and is still in flight. */
CcSessionFrame *cc_session_take(CcSession *self, GError **error);

/* Waits for all frames in flight and drops them. */
void cc_session_clear(CcSession *self);

/* The maximum number of frames in flight that the backend and memory allow, 1 or more. Returns 1
 * without a backend. Any thread. */
guint cc_session_capacity(CcSession *self);

/* Waits for the frames in flight, frees the memory that is kept for later frames, and allows only
 * one frame in flight until the next stream. The session calls this function when it runs out of
 * memory. The owner calls it when output frames cannot be allocated. */
void cc_session_shrink(CcSession *self, const gchar *reason);

/* Closes the backend and continues without a device, as after a device error. This frees the
 * backend's device memory. FALSE: the configuration does not allow it, the backend has no device,
 * or no other backend can take over. */
gboolean cc_session_give_up_device(CcSession *self, const gchar *reason, GError **error);

/* The backend's device; frames may be in its memory. NULL: the backend has no device, or no backend
 * is open. The pointer is valid until the next call of another function of the session. */
CcDevice *cc_session_get_device(const CcSession *self);

/* Whether a frame in `context` can be submitted without cc_session_move. TRUE if the backend has no
 * device or works in this context. Also TRUE if the frame will be copied to the backend's context:
 * because the configuration names another device, or because frames of several contexts
 * alternate. */
gboolean cc_session_reaches(const CcSession *self, const CcContext *context);

/* Called before a frame for which cc_session_reaches is FALSE. Opens a backend in `context` and
 * closes the current one. No frame may be in flight. If the session has already worked in `context`
 * in this stream, frames of several contexts alternate: then the session keeps its backend until
 * the stream ends. If no backend opens in `context`, the session fails over to the CPU. After an
 * error nothing has changed. */
gboolean cc_session_move(CcSession *self, const CcContext *context, GError **error);

G_END_DECLS
