/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The record of a chunk, pieces/000042.json: which frames it has, which files belong to it, and how
 * it was made. It is written last, under another name that becomes its own. So a chunk is there as
 * a whole or not at all, also when two machines make it at the same time. */

#include "chunkreader.h"
#include "job.h"

G_BEGIN_DECLS

/* A file of a chunk: one of a video, or the result of a source. */
typedef struct {
  gchar *name; /* relative to the job's folder, or from the root */
  guint64 size;
  gchar *hash; /* of all bytes */
} RecordFile;

/* A source that could not be filtered. */
typedef struct {
  gchar *in, *why;
} RecordFailure;

typedef struct {
  gchar *job; /* its id */
  guint index;
  guint64 frames;
  GPtrArray *files;    /* of RecordFile; of a video's chunk: its packets and their times, or none */
  GPtrArray *failures; /* of RecordFailure */

  /* Of a video's chunk; NULL and GST_CLOCK_TIME_NONE otherwise. */
  gchar *hash;                /* of the samples of all frames, as the encoder got them */
  gchar *caps;                /* of the encoded stream */
  gchar *encoder;             /* the element's name and version, for people */
  GstClockTime first;         /* time of the first frame */
  BoundaryFrame before, last; /* decoded frames at the boundaries (chunkreader.h) */

  /* How it was made. */
  gchar *backend, *device, *host, *began;
  gdouble seconds;
} Record;

Record *record_new(const Job *job, guint index);
void record_free(Record *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Record, record_free)

/* Adds a file that is complete at `path`. FALSE when it cannot be read. */
gboolean record_add_file(Record *self, const gchar *path, const gchar *name, GError **error);
void record_add_failure(Record *self, const gchar *in, const gchar *why);

/* The record of a chunk with failures has another name, which does not count as done. */
gboolean record_write(const Record *self, const Job *job, GError **error);

/* Reads the record of a chunk, or the one with failures. NULL with an error when it is damaged or
 * of another job, and without one when there is none. */
Record *record_read(const Job *job, guint index, gboolean failed, GError **error);

/* FALSE when one of the files is missing or has another size, or, with `all`, other bytes. */
gboolean record_check_files(const Record *self, const Job *job, gboolean all, GError **error);

/* The time of the last frame of a video's records; 0 when they have none. */
GstClockTime record_last_time(const GPtrArray *records);

/* The state of each chunk, from one listing of the folder. NULL with an error; free it. */
typedef enum { RECORD_MISSING, RECORD_FAILED, RECORD_DONE } RecordState;
RecordState *record_list(const Job *job, GError **error);

G_END_DECLS
