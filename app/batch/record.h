/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The record of a chunk, pieces/000042.json: facts about its frames, its files and its making. The
 * record is written last, as a temporary file that is renamed. So a chunk is either complete or
 * does not exist, even if two machines make it at the same time. */

#include "chunkreader.h"
#include "job.h"

G_BEGIN_DECLS

/* A file of a chunk: the packets or the times of a time range, or the output of a source. */
typedef struct {
  gchar *name; /* relative to the job's folder, or absolute */
  guint64 size;
  gchar *hash; /* hash of all bytes */
} RecordFile;

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
  gchar *hash;        /* hash of the samples of all frames that the encoder got */
  gchar *caps;        /* caps of the encoded stream */
  gchar *encoder;     /* value of --encoder, or name and version of the element; information only */
  GstClockTime first; /* time of the first frame */
  BoundaryFrame before, last; /* decoded frames at the boundaries (chunkreader.h) */

  /* Information on the run that made the chunk. `began` is its start time in UTC. */
  gchar *backend, *device, *host, *began;
  gdouble seconds;
} Record;

Record *record_new(const Job *job, guint index);
void record_free(Record *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Record, record_free)

/* Adds the complete file at `path`. Returns FALSE with an error if it cannot be read. */
gboolean record_add_file(Record *self, const gchar *path, const gchar *name, GError **error);
void record_add_failure(Record *self, const gchar *in, const gchar *why);

/* Writes the record. A record with failures gets another file name. Its chunk does not count as
 * made. */
gboolean record_write(const Record *self, const Job *job, GError **error);

/* Reads the record of a chunk, or with `failed` its record with failures. Returns NULL without an
 * error if the record does not exist. Returns NULL with an error if the record is damaged or
 * belongs to another job. */
Record *record_read(const Job *job, guint index, gboolean failed, GError **error);

/* Returns FALSE with an error if a file is missing or has another size. With `all` also compares
 * the hashes of the files. */
gboolean record_check_files(const Record *self, const Job *job, gboolean all, GError **error);

/* Returns the time of the last frame in the records of a video, or 0 if no record has frames. */
GstClockTime record_last_time(const GPtrArray *records);

typedef enum { RECORD_MISSING, RECORD_FAILED, RECORD_DONE } RecordState;

/* Returns an array with the state of each chunk, or NULL with an error. Free it. */
RecordState *record_list(const Job *job, GError **error);

G_END_DECLS
