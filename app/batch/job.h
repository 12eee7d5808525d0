/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A job: videos or images that are filtered in chunks, each by any machine. Its folder holds
 *
 *   manifest.json      the sources, the outputs and the settings; it never changes
 *   kernel.ini         a copy of the kernel file, if the settings have one
 *   pieces/000042.json the record of a chunk that is complete (record.h), and its files
 *   parts/             files that are being written
 *
 * A chunk of a video is a range of its times; otherwise it is some files. People count chunks from
 * 1, as in "piece 43 of 90"; file names, --index and schedulers count from 0. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Its folders. */
#define JOB_CHUNKS "pieces"
#define JOB_PARTS "parts"

#define JOB_MAX_CHUNKS 1000000
#define JOB_MAX_CHUNK_LENGTH ((GstClockTime)1000000 * GST_SECOND)

typedef struct {
  gchar *in, *out;     /* paths: full after job_open, as the manifest has them before */
  gchar *sample;       /* hash of a sample of `in` (hash.h) */
  gchar *hash;         /* of all of `in`, a video that is cut; or NULL */
  guint first, chunks; /* of a video that is cut */
} JobSource;

typedef struct {
  gchar *folder;
  gchar *id;                 /* hash of the manifest: chunks of one job have it in common */
  guint format;              /* of the manifest */
  gchar *version;            /* of the program that planned it; for people */
  GPtrArray *sources;        /* of JobSource */
  GstClockTime chunk_length; /* of a video; 0: chunks are files */
  guint files;               /* in a chunk; 0: chunks are ranges of videos */
  guint n_chunks;
  gchar *settings;     /* of the filter, as one text (filteroptions.h) */
  gchar *digest;       /* of the properties that the settings give */
  gchar *kernel_hash;  /* of kernel.ini, or NULL */
  GBytes *kernel_file; /* at plan: its bytes */
  gchar *encoder;      /* as in a gst-launch line; NULL: by the ending of OUT */
  gboolean lossless;
} Job;

Job *job_new(const gchar *folder);
void job_free(Job *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Job, job_free)

/* Takes the hashes, and copies the paths as job_shorten_path makes them. */
void job_add_source(Job *self, const gchar *in, const gchar *out, gchar *sample, gchar *hash,
                    guint chunks);

/* Adds the chunks of all sources up, when those are there. FALSE when they are too many, or end
 * behind the last time that can be counted in nanoseconds. */
gboolean job_count_chunks(Job *self);

/* Makes the folder and writes the manifest. The same job may be there already. FALSE when another
 * one is, or the folder cannot be written. */
gboolean job_write(Job *self, GError **error);

/* Reads the manifest of a folder. NULL when there is none, or it has another format, or it was
 * changed. */
Job *job_open(const gchar *folder, GError **error);

/* The video of a chunk. */
const JobSource *job_find_source(const Job *self, guint chunk);

/* "piece 43 of 90", of the chunk with the index 42. Free it. */
gchar *job_name_chunk(const Job *self, guint chunk);

/* "2,7-9": chunks of an ascending list of guint, as schedulers take them. Free it. */
gchar *job_list_indices(const GArray *chunks);

/* A path as a job's files have it, and back to one that can be opened: relative to the job's folder
 * if it is below the folder around that, so that all may be moved together. Free it. */
gchar *job_shorten_path(const Job *self, const gchar *path);
gchar *job_full_path(const Job *self, const gchar *path);

/* The pattern of temporary files of a chunk (atomicfile.h), in JOB_PARTS. Free it. */
gchar *job_part_pattern(const Job *self, guint chunk);

/* Removes the temporary files that killed processes have left of a chunk (-1: of all chunks). */
void job_remove_stale_parts(const Job *self, gint chunk);

/* A new filter with the job's settings. NULL when they are not what they were at plan,
 * because a preset is another one here. */
GstElement *job_make_filter(const Job *self, GError **error);

/* FALSE when a source is another file than at plan. `all` reads all of it. */
gboolean job_check_source(const JobSource *source, gboolean all, GError **error);

G_END_DECLS
