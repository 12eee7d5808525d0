/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Helpers for all fuzz targets. A target consists of the two functions at the end. libFuzzer calls
 * them with generated inputs, replay.c with the files in corpus/. */

#include <gst/gst.h>

/* Ends the process with a message if a condition that must always hold does not hold. */
#define fuzz_check(holds, ...)                                                                     \
  do {                                                                                             \
    if (!(holds))                                                                                  \
      fuzz_fail(__FILE__, __LINE__, __VA_ARGS__);                                                  \
  } while (0)
G_NORETURN void fuzz_fail(const gchar *file, gint line, const gchar *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Initialises GStreamer with only this plugin, which is linked in. From then on criticals end the
 * process. Warnings, which GLib prints for values out of range, are dropped. */
void fuzz_init(void);

/* The result of GStreamer's parser for the value of a property. */
typedef enum {
  FUZZ_PARSED,
  FUZZ_REFUSED,
  FUZZ_FAULT, /* a critical in the parser, which is not cudaconv's fault */
} FuzzParsed;

/* Parses a value. `value` is initialised whatever the result. Leaks of the parser are ignored. */
FuzzParsed fuzz_parse_value(GValue *value, const gchar *text, GParamSpec *pspec);

/* A temporary folder of this process, in memory if possible. It is removed at exit. */
const gchar *fuzz_folder(void);

/* A new cudaconv. Its messages are counted from 0. Only one such element may exist at a time. */
GstElement *fuzz_element_new(void);

/* Checks a text for users: not empty, not too long, valid UTF-8. */
void fuzz_check_text(const gchar *text);

/* The number of warnings or errors since the last call. Their texts were checked when they were
 * posted. */
guint fuzz_count_warnings(void);
guint fuzz_count_errors(void);

/* The text of the last error of the newest element, or "". */
const gchar *fuzz_last_error(void);

/* Reads every readable property. */
void fuzz_check_readable(GstElement *element);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);
