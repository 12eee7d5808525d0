/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The parts of `cudaconv doctor`: a report on stdout, and the checks that write it. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  DOCTOR_OK,
  DOCTOR_NOTE,    /* nothing is wrong with it */
  DOCTOR_MISSING, /* some uses of the command do not work without it */
  DOCTOR_BROKEN,  /* no use of the command works, or what was asked for does not */
} DoctorMark;

typedef struct {
  const gchar *backend; /* the backend that has to work */
  guint seconds;        /* how long a check in a process of its own may take */
  gboolean has_gpu;     /* something says that there is an NVIDIA GPU */
  gboolean on_gpu;      /* and the filter runs there */
  guint n_missing, n_broken;
  GPtrArray *packages; /* Debian's names, each once */
} Doctor;

/* ---- the report ---- */

void doctor_begin(const gchar *section);

/* One line about one thing. */
void doctor_say(Doctor *self, DoctorMark mark, const gchar *format, ...) G_GNUC_PRINTF(3, 4);

/* What to do about the line before. */
void doctor_mend(const gchar *format, ...) G_GNUC_PRINTF(1, 2);

/* The same: install a Debian package. The end of the report names all of them. */
void doctor_mend_with_package(Doctor *self, const gchar *package);

/* ---- checks in processes of their own, which may crash or hang ---- */

/* Asks `what` (a name, or NAME:ARGUMENT):
 *
 *   load:FILE       GStreamer loads the plugin FILE
 *   filter:BACKEND  the element filters one frame; with fields "backend", "device", "reason"
 *   driver          CUDA's driver counts its devices: "file", "version", "devices", "device-0" ...
 *   sink:ELEMENT    the sink opens its display
 *
 * Returns the answer, whose field "error" says what is wrong and is absent when nothing is. The
 * caller frees it. */
GstStructure *doctor_ask(const Doctor *self, const gchar *what);

/* The process that is asked: it prints the answer. FALSE when `what` is none of the above. */
gboolean doctor_answer(const gchar *what);

/* Where GStreamer keeps what it knows of plugins, as a pattern for the shell. */
gchar *doctor_find_registry(void);

/* ---- checks ---- */

/* Whether the element is there and loads. */
gboolean doctor_check_plugin(Doctor *self);
void doctor_check_gpu(Doctor *self);       /* sets `has_gpu` */
void doctor_check_filtering(Doctor *self); /* after that; sets `on_gpu` */
void doctor_check_elements(Doctor *self);  /* after that */
void doctor_check_environment(Doctor *self);

G_END_DECLS
