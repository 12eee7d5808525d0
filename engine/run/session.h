/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The session: the one owner of filtering. It holds the backend, the program that runs and the
 * frames under way, counts, and sees to it that frames come out in the order in which they went in,
 * whatever fails: it takes fewer frames at once when memory runs out, and goes on with a backend
 * that has no device, the CPU's, when the device fails.
 *
 * One thread at a time uses a session; docs/architecture.md calls it the streaming thread. Only the
 * functions that say so are for any thread. */

#include "backend.h"

G_BEGIN_DECLS

typedef struct _CcSession CcSession;
typedef struct _CcSessionFrame CcSessionFrame;

/* --- frames --- */

typedef struct {
  /* Sets in, out, in_path and out_path of the frame, so that `device` reads and writes them, or,
   * when it is NULL, so that they are host memory. A frame may be mapped several times, one after
   * the other, since another backend maps it anew. */
  gboolean (*map)(CcSessionFrame *self, const CcPlan *plan, CcDevice *device, GError **error);
  void (*unmap)(CcSessionFrame *self);
  void (*free)(CcSessionFrame *self); /* it is not mapped */
} CcSessionFrameClass;

/* A frame on its way through the session: what is filtered, and where the result goes. Who submits
 * frames embeds this first in a type of their own. */
struct _CcSessionFrame {
  const CcSessionFrameClass *klass;
  gsize bytes; /* of the output, to be counted */
  /* which parts of it are filtered, until it is taken; n_regions = 0: the region of the filter */
  const CcRegion *regions;
  guint n_regions;
  gpointer results; /* what the stages read back, as in CcSubmitInfo, from its take on; NULL:
                       nothing is. To be freed with g_free by whoever owns the frame */
  CcFrame in, out;
  const gchar *in_path, *out_path; /* how the device reads and writes them, for people; static */
};

/* --- events --- */

typedef enum {
  CC_EVENT_BACKEND,     /* a backend was opened, and frames go through it from here on */
  CC_EVENT_FAILOVER,    /* the device failed; events of the backend that goes on come next */
  CC_EVENT_NO_FAILOVER, /* the device failed, and no other backend can go on */
  CC_EVENT_SHRUNK,      /* memory ran out, so frames go through one by one */
  CC_EVENT_CONTEXTS,    /* frames of contexts alternate, so they are copied across from here on; at
                           most once in a stream */
  CC_EVENT_PATHS,       /* frames go through memory in another way than before */
  CC_EVENT_PROGRAM,     /* a program was made and runs from here on */
} CcSessionEventKind;

/* Something that happened in a session. All that it refers to is borrowed until the listener
 * returns. */
typedef struct {
  CcSessionEventKind kind;
  /* for people, a part of a sentence: why it happened; of a BACKEND why it is not the first of all,
   * or NULL. NULL with CONTEXTS, PATHS and PROGRAM */
  const gchar *reason;
  /* BACKEND only */
  gboolean chosen;          /* the configuration names it */
  const gchar *backend;     /* "cpu", say */
  const gchar *device;      /* name of the device, or what the backend works with */
  gint device_id;           /* -1: it has none */
  const CcContext *context; /* that it was asked to work in; NULL: none was named */
  /* PATHS only, as in CcSessionFrame */
  const gchar *in_path, *out_path;
  /* PROGRAM only */
  const gchar *kernel, *plan; /* the kernel's name; how the filter is computed */
  gchar *const *steps;        /* CcProgram.steps; NULL: the backend gives none */
} CcSessionEvent;

/* Called with each event by the thread that uses the session, at the end of the function that
 * caused it, after the state of the session has changed and with no lock held. A listener may use
 * the session; a frame that the function returns is not in the session any more. */
typedef void (*CcSessionListener)(gpointer data, const CcSessionEvent *event);

/* --- counters --- */

typedef struct {
  const gchar *backend;            /* "cpu", say, or, when none is open, "none" */
  gchar *device;                   /* name of its device, or what it works with; "none" */
  gint device_id;                  /* -1: it has none */
  gchar *plan;                     /* how the filter is computed; "" before there is one */
  GStrv steps;                     /* of the last program; NULL: there was none in the stream */
  guint size;                      /* of the kernel, the larger side; 0: there is no plan */
  const gchar *algorithm;          /* NULL: the backend chooses by itself, or there is no plan */
  const gchar *in_path, *out_path; /* of the last frame; NULL: there was none */
  gsize device_bytes;  /* memory of the device that is kept for frames under way and to come */
  gsize scratch_bytes; /* memory that is kept for the planes between two stages, without a device */
  guint n_failovers;
  guint64 n_frames, n_bytes; /* that were taken */
  CcTimes times;             /* of all of them */
} CcSessionStats;

/* Copies what there is to know; cc_session_stats_clear frees the texts. Any thread. */
void cc_session_get_stats(CcSession *self, CcSessionStats *stats);
void cc_session_stats_clear(CcSessionStats *stats);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcSessionStats, cc_session_stats_clear)

/* --- the session --- */

/* Opens the backend that `config` chooses, as cc_backend_open does. */
typedef CcBackend *(*CcOpenBackend)(const CcBackendConfig *config, GError **fallback,
                                    GError **error);

/* `listener` may be NULL. */
CcSession *cc_session_new(CcOpenBackend open, CcSessionListener listener, gpointer data);

/* Drops what is under way and closes the backend. */
void cc_session_free(CcSession *self);

/* Opens the backend that `config` chooses, unless it is open with the same choice already; the one
 * before is closed. Without a backend nothing below may be called but what says so. */
gboolean cc_session_open(CcSession *self, const CcBackendConfig *config, GError **error);

/* Ends the stream, and closes the backend. */
void cc_session_close(CcSession *self);

/* Whether a backend is open with this choice, whose context does not count; with NULL, whether any
 * is. */
gboolean cc_session_is_open_as(const CcSession *self, const CcBackendConfig *config);

/* Begins a stream: there is no filter, and frames are counted from 0. */
void cc_session_begin(CcSession *self);

/* Ends a stream: drops what is under way, and the filter. What was counted can still be read. */
void cc_session_end(CcSession *self);

/* Prepares `filter`, of which it keeps a copy, for frames of `layout`; the frames submitted from
 * now on go through it. It may be the one of cc_session_get_filter. Where only the region differs
 * from what runs, the program stays. After an error what ran before goes on. */
gboolean cc_session_set_filter(CcSession *self, const CcFilter *filter, const CcFrameLayout *layout,
                               GError **error);

/* The filter that runs; its kernel is NULL before there is one. */
const CcFilter *cc_session_get_filter(const CcSession *self);

/* Maps the frame and starts filtering it. The session owns it from then on; after an error, which
 * neither fewer frames nor the CPU could fix, the caller still does. */
gboolean cc_session_submit(CcSession *self, CcSessionFrame *frame, GError **error);

/* Frames that were submitted and not taken. */
guint cc_session_n_under_way(const CcSession *self);

/* Waits for the oldest frame under way, of which there must be one, and takes it, which the caller
 * then owns. NULL: it could not be filtered, and it is still under way. */
CcSessionFrame *cc_session_take(CcSession *self, GError **error);

/* Waits for all frames under way and drops them. */
void cc_session_clear(CcSession *self);

/* How many frames may be under way at once, 1 or more, as far as the backend and memory allow; 1
 * without a backend. Any thread. */
guint cc_session_capacity(CcSession *self);

/* Waits for the frames under way, gives back all memory that is kept for others to come, and lets
 * frames through only one by one until the next stream. For when memory ran out, here or where
 * output frames come from. */
void cc_session_shrink(CcSession *self, const gchar *reason);

/* Goes on without the device, as after an error of it, where the configuration leaves that choice;
 * all its memory is given back. FALSE: it does not, and *error says why. */
gboolean cc_session_give_up_device(CcSession *self, const gchar *reason, GError **error);

/* The device that frames may be in the memory of, borrowed until the next call of another function;
 * NULL: there is none. */
CcDevice *cc_session_get_device(const CcSession *self);

/* Whether a frame that is in `context` can be mapped for the backend as it is: the backend works
 * there, or has the frame copied across, because the configuration insists on another device or
 * frames of contexts alternate. */
gboolean cc_session_reaches(const CcSession *self, const CcContext *context);

/* For a frame in a context that the session does not reach: opens a backend there, and closes the
 * one of now. No frame may be under way. If this stream was filtered in that context before, frames
 * of contexts alternate, and the session stays where it is until the stream ends. If the device
 * does not work there, the session fails over. After an error nothing has changed. */
gboolean cc_session_move(CcSession *self, const CcContext *context, GError **error);

G_END_DECLS
