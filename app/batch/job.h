/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A job: films or pictures that are filtered in pieces, each by whatever machine takes it. Its
 * folder holds
 *
 *   manifest.json      what is to be made of what and how, and never changes
 *   kernel.ini         a copy of the kernel file, where the settings have one
 *   pieces/000042.json the record of a piece that is complete (record.h), and its files
 *   parts/             what is being written
 *
 * A film's piece is a range of its times; otherwise it is some files. */

#include <gst/gst.h>

#include "app/filteroptions.h"

G_BEGIN_DECLS

/* Its folders. */
#define JOB_CHUNKS "pieces"
#define JOB_PARTS "parts"

#define JOB_MAX_CHUNKS 1000000
#define JOB_MAX_CHUNK_SECONDS ((GstClockTime)1000000 * GST_SECOND)

typedef struct {
  gchar *in, *out;     /* paths */
  gchar *sample;       /* hash of a sample of `in` (filehash.h) */
  gchar *hash;         /* of all of `in`, a film that is cut; or NULL */
  guint first, chunks; /* of a film that is cut */
} JobSource;

typedef struct {
  gchar *folder;
  gchar *id;            /* hash of the manifest: what pieces of one job have in common */
  GPtrArray *sources;   /* of JobSource */
  GstClockTime seconds; /* length of a film's piece; 0: pieces are files */
  guint files;          /* in a piece; 0: pieces are ranges of films */
  guint n_chunks;
  gchar *settings;     /* of the filter, as one text (filter.h) */
  gchar *kernel_hash;  /* of kernel.ini, or NULL */
  GBytes *kernel_file; /* at plan: what will be in it */
  gchar *digest;       /* of the properties that the settings give */
  gchar *encoder;      /* as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless;
} Job;

Job *job_new(const gchar *folder);
void job_free(Job *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Job, job_free)

/* Takes the paths and hashes. */
JobSource *job_add_source(Job *self, gchar *in, gchar *out, gchar *sample, gchar *hash,
                          guint chunks);

/* Adds the pieces of all sources up, when those are there. FALSE when they are too many, or end
 * behind what can be counted in nanoseconds. */
gboolean job_count_pieces(Job *self);

/* Makes the folder and writes the manifest. The same job may be there already. FALSE when another
 * one is, or the folder cannot be written. */
gboolean job_write(Job *self, GError **error);

/* Reads the manifest of a folder. NULL when there is none, or another version wrote it, or it was
 * changed. */
Job *job_open(const gchar *folder, GError **error);

/* The film of a piece. */
const JobSource *job_find_source(const Job *self, guint chunk);

/* A path as a job's files have it, and back to one that can be opened: relative to the job's folder
 * where it is below the folder around that, so that all may be moved together. Free it. */
gchar *job_shorten_path(const Job *self, const gchar *path);
gchar *job_full_path(const Job *self, const gchar *path);

/* A new filter (floating) with the job's settings. NULL when they are not what they were at plan,
 * because a preset is another one here. */
GstElement *job_make_filter(const Job *self, GError **error);

/* FALSE when a source is another file than at plan. `all` reads all of it. */
gboolean job_check_source(const JobSource *source, gboolean all, GError **error);

G_END_DECLS
