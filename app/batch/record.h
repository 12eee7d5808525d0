/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The record of a piece that is complete, pieces/000042.json. It is written last, under another
 * name that becomes its own, and names the files that belong to it; so a piece is there as a whole
 * or not at all, also when two machines make it at the same time. */

#include "job.h"
#include "chunk.h"

G_BEGIN_DECLS

/* A file of a piece: one of a film, or what became of a source. */
typedef struct {
  gchar *name; /* relative to the job's folder, or from the root */
  guint64 size;
  gchar *hash; /* of all bytes */
} RecordFile;

/* What could not be made of a source. */
typedef struct {
  gchar *in, *why;
} RecordFailure;

typedef struct {
  guint index;
  guint64 frames;
  GPtrArray *files;    /* of RecordFile; of a film's piece: the film and its times, or none */
  GPtrArray *failures; /* of RecordFailure */

  /* Of a film's piece; NULL and GST_CLOCK_TIME_NONE otherwise. */
  gchar *hash, *caps, *encoder;
  GstClockTime first;
  BoundaryFrame before, last;

  /* How it was made. */
  gchar *backend, *device, *host, *began;
  gdouble seconds;
} Record;

Record *record_new(guint index);
void record_free(Record *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Record, record_free)

/* Adds a file that is complete at `path`. FALSE when it cannot be read. */
gboolean record_add_file(Record *self, const gchar *path, const gchar *name, GError **error);
void record_add_failure(Record *self, const gchar *in, const gchar *why);

/* The record of a piece with failures has another name, which does not count as done. */
gboolean record_write(const Record *self, const Job *job, GError **error);

/* Reads the record of a piece, or the one with failures. NULL with an error when it is damaged or
 * of another job, and without one when there is none. */
Record *record_read(const Job *job, guint index, gboolean failed, GError **error);

/* FALSE when one of the files is missing or has another size, or, with `all`, other bytes. */
gboolean record_check_files(const Record *self, const Job *job, gboolean all, GError **error);

/* The path of a record's file; free it. */
gchar *record_file_path(const Job *job, const RecordFile *file);

/* The time of the last frame of a film's records; 0 when they have none. */
GstClockTime record_last_time(const GPtrArray *records);

/* What there is of each piece, from one look at the folder. */
typedef enum { RECORD_MISSING, RECORD_FAILED, RECORD_DONE } RecordState;
RecordState *record_list(const Job *job, GError **error);

G_END_DECLS
