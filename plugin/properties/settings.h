/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The values of the element's properties. Any thread may set them. A value is staged when it is
 * set, and the properties read the staged values. A commit makes staged values take effect: the
 * streaming thread takes a consistent copy of the committed ones.
 *
 * GObject reports the end of each call that sets properties, with the names of these properties.
 * Exactly these are committed then. If calls of several threads overlap, GObject reports their end
 * once, after the last one. A frame commits all staged values if one of them has been staged for 50
 * ms.
 *
 * If the streaming thread finds that committed values cannot work, it sets them back to the running
 * values, unless they were set again in the meantime. */

#include "engine/options.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* The values of options that do not affect pixels. */
typedef struct {
  CcBackendConfig backend;
  guint in_flight; /* frames in flight at once; 0: automatic */
} CcDeviceOptions;

/* The option of property `i`: first the options that affect pixels, in the order of cc_options,
 * then those in CcDeviceOptions. NULL after the last. */
const CcOption *cc_settings_option(guint i);

typedef struct {
  GMutex lock; /* guards everything below */
  CcOptions staged, committed;
  CcOptionSet pending;           /* options set since their last commit */
  gint64 set_at[CC_MAX_OPTIONS]; /* the monotonic time of that, for pending options */
  /* Options set since the committed values were last taken, or not yet committed at that time. */
  CcOptionSet fresh;
  guint64 serial;                 /* of `committed`; a commit that changes a value adds 1 */
  CcDeviceOptions device;         /* used without a commit */
  gboolean started;               /* a refused value no longer affects the start */
  gchar *refusal[CC_MAX_OPTIONS]; /* why the start must fail; NULL: not because of this property */
} CcSettings;

/* Sets and commits the defaults. */
void cc_settings_init(CcSettings *self);
void cc_settings_clear(CcSettings *self);

/* --- properties --- */

/* Stages the value of property `i`, or refuses it as cc_options_set does. */
gboolean cc_settings_set(CcSettings *self, guint i, const CcOptionValue *value, GError **error);

/* The staged value of property `i`. The caller frees its text with g_free. */
CcOptionValue cc_settings_get(CcSettings *self, guint i);

/* Stages all values that affect pixels as they are staged in `preset`, which no other thread uses.
 */
void cc_settings_load(CcSettings *self, const CcSettings *preset);

/* --- commits --- */

/* Commits the staged values of these properties. */
void cc_settings_commit(CcSettings *self, CcOptionSet set);

/* Commits everything if a value has been staged for 50 ms. Called for each frame. */
void cc_settings_commit_overdue(CcSettings *self);

/* --- start and stop --- */

/* Stores a refused value, which makes the start fail. A later valid value removes the reason: a
 * value of the same property, or a preset. The refusal of a definition of the custom kernel is also
 * removed by a named kernel or by another definition, except by a column for a row and by a row for
 * a column. FALSE: the element has started, so nothing is stored. */
gboolean cc_settings_remember_refusal(CcSettings *self, guint i, const gchar *text);

/* Commits everything, because no frame exists yet that could see a partial change. CC_ERROR_INVALID
 * with the texts of refused values, if any. */
gboolean cc_settings_start(CcSettings *self, GError **error);
void cc_settings_stop(CcSettings *self);

/* --- for the streaming thread --- */

/* Copies the committed values into `options`, which is zero or has values. Returns their serial
 * number, from 1: equal numbers mean equal values. */
guint64 cc_settings_take(CcSettings *self, CcOptions *options);
guint64 cc_settings_get_serial(CcSettings *self);

/* Sets `refused` properties back to the values in `running`, except for those that were set since
 * the values were taken. Returns the properties whose staged values changed. */
CcOptionSet cc_settings_put_back(CcSettings *self, CcOptionSet refused, const CcOptions *running);

/* --- for any thread --- */

/* The committed filter, as cc_options_get_filter. */
void cc_settings_get_filter(CcSettings *self, CcFilter *filter);

/* The committed stride. */
guint cc_settings_get_stride(CcSettings *self);

CcDeviceOptions cc_settings_get_device(CcSettings *self);

G_END_DECLS
