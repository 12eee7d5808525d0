/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The interface of backends; plugin/backends.h lists them. A backend, its programs and its
 * submissions are used by one thread at a time. Different backends are independent. */

#include <glib.h>
#include "device.h"
#include "engine/plan/plan.h"

G_BEGIN_DECLS

#define CC_MAX_SUBMISSIONS 8 /* largest CcBackend.depth */

#define CC_MAX_THREADS 256 /* of the CPU backend */

typedef struct {
  gint choice;        /* a CcBackendChoice; 0: the first backend that opens */
  gboolean no_device; /* open a backend without a device, whatever the choice is */
  gint device_id;     /* number of the device; -1: the least busy */
  guint n_threads;    /* of the CPU backend, up to CC_MAX_THREADS; 0: one for each core */
  /* The context to work in, which determines the device. NULL: the device's primary context. */
  const CcContext *context;
} CcBackendConfig;

typedef struct _CcBackend CcBackend;
typedef struct _CcProgram CcProgram;
typedef struct _CcSubmission CcSubmission;

typedef struct {
  CcFrame src, dst;
  /* One or more regions. Pixels outside of their sources do not affect the result, but their bytes
   * may be read. Nothing outside of their targets is written. Each region is computed
   * from src as it was before the submission. If targets overlap, the later region wins. Regions
   * must be inside of the frames, as defined by CcRegion, and may change with every frame. */
  const CcRegion *regions;
  guint n_regions;
  /* memory for CcPlan.result_bytes of results for each region, aligned to 8 bytes; NULL if
   * result_bytes is 0 */
  gpointer results;
  /* The program of each region. NULL: the program of the submission filters all regions. The plans
   * of all programs have the same frame layouts and stride. Their result_bytes are those of the
   * program of the submission, or 0. */
  CcProgram *const *programs;
  /* The frame has two fields, each of which is filtered by itself. The stride is 1. */
  gboolean by_fields;
  /* `src` and `dst` are the same frame. All regions are read before any of them is written. If the
   * submission fails, nothing is written. An exception is a frame in device memory: the error is
   * CC_ERROR_INVALID if the frame may be partly written. */
  gboolean in_place;
} CcSubmitInfo;

/* The program of region `i`. */
static inline CcProgram *
cc_submit_info_program(const CcSubmitInfo *info, CcProgram *program, guint i) {
  return info->programs ? info->programs[i] : program;
}

/* The times of one frame, in nanoseconds. A device measures `upload`, `kernel` and `download` for
 * some frames only; the other frames get these times from the last measured frame. `wait` is
 * measured for each frame. */
typedef struct {
  guint64 upload, kernel, download; /* time on the device; the CPU backend sets `kernel` only */
  guint64 wait;                     /* time that the caller was blocked in cc_backend_wait */
} CcTimes;

typedef struct {
  const gchar *name; /* as in CC_BACKENDS of plugin/backends.h */
  /* the backend has a device: frames may be in device memory, and the device can fail */
  gboolean has_device;
  /* NULL: the backend does not work, and the text of the CC_ERROR_UNAVAILABLE says what is missing.
   */
  CcBackend *(*open)(const CcBackendConfig *config, GError **error);
  /* Computes everything about a plan that does not depend on a frame. Takes no reference to the
   * plan, because cc_backend_prepare takes it. */
  CcProgram *(*prepare)(CcBackend *self, const CcPlan *plan, GError **error);
  void (*program_free)(CcProgram *program);
  /* Starts filtering. All memory that `info` points to must stay valid and untouched until the
   * submission was waited for. The output and the results are valid only after that wait. At most
   * `depth` submissions may be in flight. A backend without a device accepts frames in host memory
   * only. CC_ERROR_NO_MEMORY if there is not enough memory for another submission. */
  CcSubmission *(*submit)(CcBackend *self, CcProgram *program, const CcSubmitInfo *info,
                          GError **error);
  /* Waits for the submission and frees it, also if it failed. Submissions are waited for in their
   * order. NULL: submit does all the work and sets the times of the submission, and g_free frees
   * the submission. */
  gboolean (*wait)(CcBackend *self, CcSubmission *submission, CcTimes *times, GError **error);
  /* See cc_backend_trim. NULL: the backend keeps no memory. */
  void (*trim)(CcBackend *self);
  void (*close)(CcBackend *self);
} CcBackendClass;

/* The members of the opaque types that all backends share. Each backend embeds these structs as the
 * first member of its own types. */
struct _CcBackend {
  const CcBackendClass *klass;
  CcDevice *device;   /* submissions may access this device's memory directly; NULL on the CPU */
  gchar *device_name; /* for people: "NVIDIA H200" or "AVX2, 2 threads" */
  gint device_id;     /* number of the device; -1 on the CPU */
  guint depth;        /* submissions that may be in flight at once; 1 if submit does all the work */
  gsize kept_bytes;   /* memory kept for submissions; read it with cc_backend_kept_bytes */
};

struct _CcProgram {
  gatomicrefcount refs;
  CcBackend *backend;
  CcPlan *plan;
  /* Set by prepare: the name of the algorithm that runs the plan's first op; static. NULL if the
   * backend ignores the plan's algorithm, or if the plan has no ops or has direction color. */
  const gchar *algorithm;
  /* Set by prepare: the steps that run, one line for each, for people. The lines depend on the plan
   * and the backend only; docs/explain.md explains them. cc_program_unref frees them. */
  GStrv steps;
};

struct _CcSubmission {
  CcProgram *program;
  CcTimes times; /* set by submit if the backend has no `wait` */
};

/* All submissions must have been waited for and all programs unreferenced. The device stays alive
 * while other references to it exist. */
void cc_backend_close(CcBackend *self);

/* Bytes that the backend keeps for submissions: memory of the device, or host memory for
 * intermediate planes if it has no device. Any thread. */
gsize cc_backend_kept_bytes(CcBackend *self);

/* For backends: adds `bytes`, which may be negative, to the kept bytes. */
void cc_backend_add_kept_bytes(CcBackend *self, gssize bytes);

/* Frees the memory that is kept for later submissions, for example after CC_ERROR_NO_MEMORY. No
 * submission may be in flight. */
void cc_backend_trim(CcBackend *self);

CcProgram *cc_backend_prepare(CcBackend *self, CcPlan *plan, GError **error);
CcProgram *cc_program_ref(CcProgram *program);
void cc_program_unref(CcProgram *program);

/* See CcBackendClass. The submission keeps `program` alive, but not the programs of the info. */
CcSubmission *cc_backend_submit(CcBackend *self, CcProgram *program, const CcSubmitInfo *info,
                                GError **error);
gboolean cc_backend_wait(CcBackend *self, CcSubmission *submission, CcTimes *times, GError **error);

G_END_DECLS
