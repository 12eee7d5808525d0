/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The interface of backends; plugin/backends.h lists those that there are. A backend, with its
 * programs and jobs, is used by one thread at a time; different backends are independent. */

#include <glib.h>
#include "device.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

/* The most jobs that any backend takes at once. */
#define CC_MAX_SUBMISSIONS 8

/* The most threads that the CPU backend works with. */
#define CC_MAX_THREADS 256

typedef struct {
  gint choice;        /* a CcBackendChoice; 0: the first that opens */
  gboolean no_device; /* then one that works without a device, whatever the choice is */
  gint device_id;     /* number of the device, -1: the least busy */
  guint n_threads;    /* the most of the CPU at once, up to CC_MAX_THREADS; 0: one for each core */
  /* the device's context to work in, which decides about the device; NULL: its primary one */
  const CcContext *context;
} CcBackendConfig;

typedef struct _CcBackend CcBackend;
typedef struct _CcProgram CcProgram;
typedef struct _CcSubmission CcSubmission;

/* A frame to be filtered. */
typedef struct {
  CcFrame src, dst;
  /* What of src becomes what of dst, one or more; the rest of both is neither read nor written.
   * Each is made from src as it was, and where targets overlap the later one wins. They lie inside
   * of the frames, as CcRegion says, and may be others with every frame. */
  const CcRegion *regions;
  guint n_regions;
  gpointer
      results; /* result_bytes of the plan for each region, aligned to 8; NULL where that is 0 */
} CcSubmitInfo;

/* How long one frame took, in nanoseconds. A device measures only some of its frames, and the
 * others have the times of the last one measured. */
typedef struct {
  guint64 upload, kernel, download; /* on the device; the CPU backend has kernel only */
  guint64 wait;                     /* how long the caller was blocked in cc_backend_wait */
} CcTimes;

typedef struct {
  const gchar *name;   /* as in CC_BACKENDS of plugin/backends.h */
  gboolean has_device; /* its frames may be in a device's memory, and a device can fail */
  /* Opens the backend, or says with CC_ERROR_UNAVAILABLE what is missing. */
  CcBackend *(*open)(const CcBackendConfig *config, GError **error);
  /* Works out everything about a plan that does not need a frame. Takes no reference to the plan;
   * cc_backend_prepare does. */
  CcProgram *(*prepare)(CcBackend *self, const CcPlan *plan, GError **error);
  void (*program_free)(CcProgram *program);
  /* Starts filtering. All that the submission points to must stay valid and untouched until the
   * job is waited for; the results are there then. At most `depth` jobs may be under way. A backend
   * without a device takes frames in host memory only. CC_ERROR_NO_MEMORY when there is no room for
   * one more job. */
  CcSubmission *(*submit)(CcBackend *self, CcProgram *program, const CcSubmitInfo *submission,
                          GError **error);
  /* Waits for the job and frees it, also when it failed. Jobs are waited for in their order. NULL:
   * submit does all the work, and sets the times of a job that g_free frees. */
  gboolean (*wait)(CcBackend *self, CcSubmission *job, CcTimes *times, GError **error);
  /* Gives back memory that is kept for jobs to come; NULL where none is. */
  void (*trim)(CcBackend *self);
  void (*close)(CcBackend *self);
} CcBackendClass;

/* The parts of the opaque types that all backends share; each embeds them first. */
struct _CcBackend {
  const CcBackendClass *klass;
  CcDevice *device;   /* whose memory jobs may read and write directly; NULL on the CPU */
  gchar *device_name; /* for people: "NVIDIA H200" or "AVX2, 2 threads" */
  gint device_id;     /* -1 on the CPU */
  guint depth;        /* jobs that may be under way at once; 1 when submit does all the work */
  gsize kept_bytes;   /* memory that is kept for jobs; read with cc_backend_kept_bytes */
};

struct _CcProgram {
  gatomicrefcount refs;
  CcBackend *backend;
  CcPlan *plan;
  /* set by prepare: the name of the algorithm that runs the plan's first op; static. NULL where the
   * backend ignores the plan's algorithm, and for a plan without ops */
  const gchar *algorithm;
  /* Set by prepare: what runs, a line for each step, for people. The lines depend on the plan and
   * the backend only; docs/explain.md explains them. cc_program_unref frees them. */
  GStrv steps;
};

struct _CcSubmission {
  CcProgram *program;
  CcTimes times; /* of a backend without `wait` */
};

/* All jobs must have been waited for and all programs unreferenced. Its device lives on while
 * others refer to it. */
void cc_backend_close(CcBackend *self);

/* How much memory the backend keeps for jobs: of the device, or where it has none, for intermediate
 * planes. Any thread. */
gsize cc_backend_kept_bytes(CcBackend *self);

/* For backends: it is so much more now, or less. */
void cc_backend_add_kept_bytes(CcBackend *self, gssize bytes);

/* Gives back the memory that is kept for jobs to come, after CC_ERROR_NO_MEMORY, say. No job may be
 * under way. */
void cc_backend_trim(CcBackend *self);

CcProgram *cc_backend_prepare(CcBackend *self, CcPlan *plan, GError **error);
CcProgram *cc_program_ref(CcProgram *program);
void cc_program_unref(CcProgram *program);

/* See CcBackendClass. The job keeps the program alive. */
CcSubmission *cc_backend_submit(CcBackend *self, CcProgram *program, const CcSubmitInfo *submission,
                                GError **error);
gboolean cc_backend_wait(CcBackend *self, CcSubmission *job, CcTimes *times, GError **error);

G_END_DECLS
