/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The values of the element's properties. Any thread may set them. A value is staged when it is
 * set, and the properties read the staged values. A commit makes staged values take effect: the
 * streaming thread takes a consistent copy of the committed ones.
 *
 * GObject reports the end of each call that sets properties, with the names of these properties,
 * and that commits exactly these. While calls of several threads overlap, GObject reports their end
 * together, when the last one is over. A frame commits all staged values if one of them has been
 * staged for 50 ms.
 *
 * If the streaming thread finds that committed values cannot work, they are put back to those that
 * run, unless they were set anew meanwhile. */

#include "engine/options.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* The values of options that do not affect pixels. */
typedef struct {
  CcBackendConfig backend;
  guint in_flight; /* frames under way at once; 0: automatic */
} CcDeviceOptions;

/* The option of property `i`: first the options that affect pixels, in the order of cc_options,
 * then those in CcDeviceOptions. NULL: there are no more. */
const CcOption *cc_settings_option(guint i);

typedef struct {
  GMutex lock; /* guards everything below */
  CcOptions staged, committed;
  CcOptionSet pending;           /* set since they were committed last */
  gint64 set_at[CC_MAX_OPTIONS]; /* the monotonic time for each of these */
  CcOptionSet fresh; /* set since the committed values were taken last, or then not committed */
  guint64 serial;    /* of `committed`; a commit that changes a value adds 1 */
  CcDeviceOptions device;         /* read when they are needed, without a commit */
  gboolean started;               /* a refused value does not affect the start any more */
  gchar *refusal[CC_MAX_OPTIONS]; /* why the start has to fail; NULL: not for this property */
} CcSettings;

/* Starts with the defaults, committed. */
void cc_settings_init(CcSettings *self);
void cc_settings_clear(CcSettings *self);

/* --- properties --- */

/* Stages the value of property `i`, or refuses it as cc_options_set does. */
gboolean cc_settings_set(CcSettings *self, guint i, const CcOptionValue *value, GError **error);

/* The staged value of property `i`; its text is to be freed with g_free. */
CcOptionValue cc_settings_get(CcSettings *self, guint i);

/* Stages everything that affects pixels as it is staged in `preset`, which no other thread uses. */
void cc_settings_load(CcSettings *self, const CcSettings *preset);

/* --- commits --- */

/* Commits the staged values of these properties. */
void cc_settings_commit(CcSettings *self, CcOptionSet set);

/* Commits everything if a value has been staged for 50 ms. Called for each frame. */
void cc_settings_commit_overdue(CcSettings *self);

/* --- start and stop --- */

/* Remembers a refused value, which the start fails with. A later value removes that reason: one of
 * the same property, of the custom kernel another definition but for the other half of row and
 * column, the choice of a named kernel, or a preset. FALSE: the element has started, so nothing is
 * remembered. */
gboolean cc_settings_remember_refusal(CcSettings *self, guint i, const gchar *text);

/* Commits everything, because no frame is there yet that could see a part of a change. Fails with
 * CC_ERROR_INVALID and the texts of refused values. */
gboolean cc_settings_start(CcSettings *self, GError **error);
void cc_settings_stop(CcSettings *self);

/* --- for the streaming thread --- */

/* Copies the committed values into `options`, which are zero or have values. Returns their serial
 * number, from 1: the same number means the same values. */
guint64 cc_settings_take(CcSettings *self, CcOptions *options);
guint64 cc_settings_get_serial(CcSettings *self);

/* Puts `refused` properties back to the values in `running`, but for those that were set since the
 * values were taken. Returns the properties whose staged values changed. */
CcOptionSet cc_settings_put_back(CcSettings *self, CcOptionSet refused, const CcOptions *running);

/* --- for any thread --- */

/* The filter that is committed, as cc_options_get_filter. */
void cc_settings_get_filter(CcSettings *self, CcFilter *filter);

/* The stride as committed. */
guint cc_settings_get_stride(CcSettings *self);

CcDeviceOptions cc_settings_get_device(CcSettings *self);

G_END_DECLS
