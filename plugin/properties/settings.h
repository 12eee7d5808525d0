/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The values of the element's properties. Any thread may set them. Setting a property that affects
 * pixels stages its value, and getting the property returns the staged value. A commit makes staged
 * values take effect. The streaming thread takes a consistent copy of the committed values. The
 * properties of CcDeviceOptions need no commit.
 *
 * At the end of each call that sets properties, GObject reports the properties that were set. Only
 * these properties are committed then. If one of them defines the custom kernel, all properties
 * that define it are committed. If calls of several threads overlap, GObject reports once, after
 * the last call. To limit the delay, a frame commits all staged values if one of them has been
 * staged for 50 ms. */

#include "engine/options.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* The values of options that do not affect pixels. */
typedef struct {
  CcBackendConfig backend;
  guint in_flight;          /* maximum number of frames in flight; 0: automatic */
  gdouble measure_interval; /* seconds between two messages with figures; 0: each frame has one */
} CcDeviceOptions;

/* The option of property `i`. The first properties are the options that affect pixels, in the order
 * of cc_options. The options of CcDeviceOptions follow. NULL if `i` is past the last option. */
const CcOption *cc_settings_option(guint i);

/* Whether a change of property `i` takes effect while frames flow. */
gboolean cc_settings_is_mutable(guint i);

typedef struct {
  GMutex lock; /* guards everything below */
  CcOptions staged, committed;
  CcOptionSet pending;           /* options that were set and not yet committed */
  gint64 set_at[CC_MAX_OPTIONS]; /* monotonic time (us) when each pending option was first staged */
  /* Options that were set after the streaming thread last took the committed values, or that were
   * set before but not yet committed at that time. */
  CcOptionSet fresh;
  guint64 serial;                 /* version of `committed`; every change of `committed` adds 1 */
  CcDeviceOptions device;         /* take effect without a commit */
  gboolean started;               /* the element has started, so `refusal` does not change */
  gchar *refusal[CC_MAX_OPTIONS]; /* reason why the start must fail; NULL: no value was refused */
} CcSettings;

/* Sets and commits the defaults. */
void cc_settings_init(CcSettings *self);
void cc_settings_clear(CcSettings *self);

/* --- properties --- */

/* Stages the value of property `i`, or refuses it as cc_options_set does. Values of
 * CcDeviceOptions take effect at once. */
gboolean cc_settings_set(CcSettings *self, guint i, const CcOptionValue *value, GError **error);

/* The staged value of property `i`, or its value in CcDeviceOptions. The caller frees its text with
 * g_free. */
CcOptionValue cc_settings_get(CcSettings *self, guint i);

/* Stages the values that affect pixels. They are copied from the staged values of `preset`, which
 * no other thread may use. */
void cc_settings_load(CcSettings *self, const CcSettings *preset);

/* --- commits --- */

/* Commits the staged values of the properties in `set`. If one of them defines the custom kernel,
 * commits all properties that define it. */
void cc_settings_commit(CcSettings *self, CcOptionSet set);

/* Commits all staged values if one of them has been staged for 50 ms. Called for each frame. */
void cc_settings_commit_overdue(CcSettings *self);

/* --- start and stop --- */

/* Stores a refused value, which makes the start fail. A later valid value of the same property or a
 * preset removes the refusal. Several properties define the custom kernel. The refusal of such a
 * property is also removed if a named kernel is selected or if another property defines the custom
 * kernel. Exception: a row does not remove the refusal of a column, nor a column that of a row.
 * FALSE: the element has started, so nothing is stored. */
gboolean cc_settings_remember_refusal(CcSettings *self, guint i, const gchar *text);

/* Commits everything, because no frame exists yet that could see a partial change. CC_ERROR_INVALID
 * with the texts of refused values, if any. */
gboolean cc_settings_start(CcSettings *self, GError **error);
void cc_settings_stop(CcSettings *self);

/* --- for the streaming thread --- */

/* Copies the committed values into `options`, which must be initialised, at least to zero. Returns
 * their serial number, which is at least 1. Equal serial numbers mean equal values. */
guint64 cc_settings_take(CcSettings *self, CcOptions *options);
guint64 cc_settings_get_serial(CcSettings *self);

/* Used if committed values cannot work. Sets the committed values of `refused` properties back to
 * the values in `running`, except values that were committed after the last cc_settings_take. Also
 * sets their staged values back, except the values of properties that were set after that call or
 * that were not yet committed at that time. Returns the properties whose staged values were set
 * back. */
CcOptionSet cc_settings_put_back(CcSettings *self, CcOptionSet refused, const CcOptions *running);

/* --- for any thread --- */

/* Copies the committed values into `options`, which must be initialised, at least to zero. */
void cc_settings_get_options(CcSettings *self, CcOptions *options);

/* The committed stride. */
guint cc_settings_get_stride(CcSettings *self);

CcDeviceOptions cc_settings_get_device(CcSettings *self);

G_END_DECLS
