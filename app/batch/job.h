/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A job filters videos or images in chunks. Any machine can make any chunk. The folder of a job
 * contains
 *
 *   manifest.json      the sources, the outputs and the settings; it never changes
 *   kernel.ini         a copy of the kernel file, if the settings have one
 *   pieces/000042.json the record of a complete chunk (record.h), and its files
 *   parts/             temporary files
 *
 * A chunk is a time range of a video, or a group of complete files. Messages count chunks from 1,
 * as in "chunk 43 of 90". File names, --index and schedulers count from 0. */

#include <gst/gst.h>

G_BEGIN_DECLS

#define JOB_CHUNKS "pieces"
#define JOB_TEMPORARY "parts"

#define JOB_MAX_CHUNKS 1000000
#define JOB_MAX_CHUNK_LENGTH ((GstClockTime)1000000 * GST_SECOND)

typedef struct {
  gchar *in, *out;     /* paths: absolute after job_open, else as in the manifest */
  gchar *sample;       /* hash of a sample of `in` (hash.h) */
  gchar *hash;         /* hash of all bytes of `in`; NULL if chunks are files */
  guint first, chunks; /* index of the first chunk, number of chunks; only for time ranges */
} JobSource;

typedef struct {
  gchar *folder;
  gchar *id;                 /* hash of the manifest; stored in each record of the job */
  guint format;              /* format version of the manifest */
  gchar *version;            /* version of the program that planned the job; information only */
  GPtrArray *sources;        /* of JobSource */
  GstClockTime chunk_length; /* 0: chunks are files */
  guint files;               /* number of files in a chunk; 0: chunks are time ranges */
  guint n_chunks;
  gchar *settings;     /* the filter's settings in one line (filteroptions.h) */
  gchar *digest;       /* hash of the property values that the settings give */
  gchar *kernel_hash;  /* hash of kernel.ini; NULL: the job has no kernel.ini */
  GBytes *kernel_file; /* bytes of the kernel file; set only at plan */
  gchar *encoder;      /* as in a gst-launch line; NULL: chosen by the extension of OUT */
  gboolean lossless;
} Job;

Job *job_new(const gchar *folder);
void job_free(Job *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Job, job_free)

/* Takes ownership of the hashes. Copies the paths through job_shorten_path. */
void job_add_source(Job *self, const gchar *in, const gchar *out, gchar *sample, gchar *hash,
                    guint chunks);

/* Numbers the chunks of all sources and sets n_chunks. Returns FALSE if there are too many chunks,
 * or if the end of a chunk is too large for a time in nanoseconds. */
gboolean job_count_chunks(Job *self);

/* Creates the folder and writes the manifest. Does nothing if the folder already has the same job.
 * Returns FALSE if the folder has another job or cannot be written. */
gboolean job_write(Job *self, GError **error);

/* Reads the manifest of a folder. Returns NULL with an error if the manifest is missing, has
 * another format, or was changed. */
Job *job_open(const gchar *folder, GError **error);

/* Returns the source of a chunk. The chunks of the job have to be time ranges. */
const JobSource *job_find_source(const Job *self, guint chunk);

/* Returns "chunk 43 of 90" for the chunk with index 42. Free it. */
gchar *job_name_chunk(const Job *self, guint chunk);

/* Returns an ascending array of guint as a list for schedulers, "2,7-9". Free it. */
gchar *job_list_indices(const GArray *chunks);

/* job_shorten_path converts an absolute path into the form that a job's files use. job_full_path
 * converts it back. Paths below the parent of the job's folder become relative to the job's folder,
 * so that the parent can be moved. Free the result. */
gchar *job_shorten_path(const Job *self, const gchar *path);
gchar *job_full_path(const Job *self, const gchar *path);

/* Returns the pattern of temporary files of a chunk (atomicfile.h), in JOB_TEMPORARY. Free it. */
gchar *job_temporary_pattern(const Job *self, guint chunk);

/* Removes temporary files that killed processes have left. `chunk` is the index of their chunk, or
 * -1 for all chunks. */
void job_remove_stale_files(const Job *self, gint chunk);

/* Returns a new filter with the job's settings. Returns NULL with an error if the settings give
 * other property values than at plan. This happens if a preset differs on this machine. */
GstElement *job_make_filter(const Job *self, GError **error);

/* Returns FALSE if a source is not the same file as at plan. With `all` compares the hash of all
 * bytes if the manifest has it, else the hash of a sample. */
gboolean job_check_source(const JobSource *source, gboolean all, GError **error);

G_END_DECLS
