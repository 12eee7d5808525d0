/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the fuzz targets share. A target is the two functions at the end: libFuzzer calls them with
 * inputs of its own, and replay.c with those in corpus/. */

#include <gst/gst.h>

/* Ends the process with a message where something does not hold that always should. */
#define fuzz_check(holds, ...)                                                                     \
  do {                                                                                             \
    if (!(holds))                                                                                  \
      fuzz_fail(__FILE__, __LINE__, __VA_ARGS__);                                                  \
  } while (0)
G_NORETURN void fuzz_fail(const gchar *file, gint line, const gchar *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Starts GStreamer with no plugins but this one, linked in. Criticals end the process from then on;
 * warnings, which GLib prints for values out of range, are dropped. */
void fuzz_init(void);

/* What GStreamer's parser of values makes of the text behind a "property=". */
typedef enum {
  FUZZ_PARSED,
  FUZZ_REFUSED,
  FUZZ_FAULT, /* it was critical of itself, which is no matter of ours */
} FuzzParsed;

/* `value` is initialised in any case. What the parser leaks of a text that it refuses is no matter
 * of ours either. */
FuzzParsed fuzz_parse_value(GValue *value, const gchar *text, GParamSpec *pspec);

/* A folder of this process, in memory where the machine has such a place; removed at exit. */
const gchar *fuzz_folder(void);

/* A cudaconv whose messages are counted, from 0. One at a time. */
GstElement *fuzz_element_new(void);

/* Checks a text that users see: not empty, not too long, valid UTF-8. */
void fuzz_check_text(const gchar *text);

/* How many there were since the last call; their texts are checked when they are posted. */
guint fuzz_count_warnings(void);
guint fuzz_count_errors(void);

/* The text of the last error of the element that was made last, or "". */
const gchar *fuzz_last_error(void);

/* Asks for every readable property. */
void fuzz_check_readable(GstElement *element);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);
