/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A device that stays open while files are filtered one after the other, since opening one takes
 * longer than filtering an image. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *keeper; /* an element that filters nothing; NULL: there is none */
  gint number;        /* the CUDA device that it keeps open; -1: none */
} Device;

/* Opens the device that `filter` chooses, which does not filter anything. An error of the filter is
 * not reported: it comes again with the first file, which it belongs to. */
void device_open(Device *self, GstElement *filter);

/* Lets a filter that has not started use the same device. */
void device_use(const Device *self, GstElement *filter);

void device_close(Device *self);

G_END_DECLS
