/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The record of a chunk, pieces/000042.json: its frames, its files, and how it was made. The record
 * is written last, as a temporary file that is renamed. So a chunk is complete or does not exist,
 * even if two machines make it at the same time. */

#include "chunkreader.h"
#include "job.h"

G_BEGIN_DECLS

/* A file of a chunk: packets or times of a time range, or the output of a source. */
typedef struct {
  gchar *name; /* relative to the job's folder, or absolute */
  guint64 size;
  gchar *hash; /* of all bytes */
} RecordFile;

/* A source that could not be filtered. */
typedef struct {
  gchar *in, *why;
} RecordFailure;

typedef struct {
  gchar *job; /* id of the job */
  guint index;
  guint64 frames;
  GPtrArray *files;    /* of RecordFile; for a time range: packets and times, or none */
  GPtrArray *failures; /* of RecordFailure */

  /* For a time range of a video; else NULL and GST_CLOCK_TIME_NONE. */
  gchar *hash;                /* of the samples of all frames, as the encoder got them */
  gchar *caps;                /* of the encoded stream */
  gchar *encoder;             /* name and version of the element; information only */
  GstClockTime first;         /* time of the first frame */
  BoundaryFrame before, last; /* decoded frames at the boundaries (chunkreader.h) */

  /* How it was made. */
  gchar *backend, *device, *host, *began;
  gdouble seconds;
} Record;

Record *record_new(const Job *job, guint index);
void record_free(Record *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Record, record_free)

/* Adds the complete file at `path`. Returns FALSE with an error if it cannot be read. */
gboolean record_add_file(Record *self, const gchar *path, const gchar *name, GError **error);
void record_add_failure(Record *self, const gchar *in, const gchar *why);

/* Writes the record. A record with failures gets another name, and its chunk does not count as
 * made.
 */
gboolean record_write(const Record *self, const Job *job, GError **error);

/* Reads the record of a chunk, or (`failed`) its record with failures. Returns NULL without an
 * error if there is none, and NULL with an error if it is damaged or belongs to another job. */
Record *record_read(const Job *job, guint index, gboolean failed, GError **error);

/* Returns FALSE with an error if a file is missing or has another size, or (`all`) other bytes. */
gboolean record_check_files(const Record *self, const Job *job, gboolean all, GError **error);

/* Returns the time of the last frame of a video's records; 0 without frames. */
GstClockTime record_last_time(const GPtrArray *records);

/* Returns the state of each chunk, from one listing of the folder, or NULL with an error. Free it.
 */
typedef enum { RECORD_MISSING, RECORD_FAILED, RECORD_DONE } RecordState;
RecordState *record_list(const Job *job, GError **error);

G_END_DECLS
