/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The values of the element's properties. Any thread may write them; what was written takes effect
 * with the next commit, and the streaming thread takes one consistent copy a frame.
 *
 * A commit comes when no thread is inside a call that sets properties, so that one call that sets
 * several lands as a whole. As long as some thread is in such a call, a change is committed at the
 * third frame after it, but not within 50 ms. */

#include "propertylist.h"

G_BEGIN_DECLS

typedef struct {
  GRecMutex defining; /* taken before `lock` to define a kernel, which may read a file */
  GMutex lock;        /* guards everything below */
  CcValues values;
  CcFilter asked;   /* what the values said at the last commit */
  guint64 serial;   /* of `asked`: each that differs from the one before has the next number */
  gboolean changed; /* since the last commit; the first change came then: */
  gint64 changed_at;
  guint64 changed_frame;
  guint64 n_frames;
  GThread *controller; /* sets values for the frame that it has in hand; NULL: none does */
  GThread *loader; /* loads a preset into `preset`, and changed with `defining` too; NULL: none */
  CcValues preset;
  gboolean preset_refused; /* one of its values was */
} CcSettings;

/* Starts with the defaults, committed. */
void cc_settings_init(CcSettings *self);
void cc_settings_clear(CcSettings *self);

/* Lets everything that was set since the last commit take effect at once. */
void cc_settings_commit(CcSettings *self);

/* A frame boundary: commits what has waited too long. */
void cc_settings_begin_frame(CcSettings *self);

/* Between these two, scalars that the calling thread sets are for the frame that it has in hand and
 * take effect at once, whatever others do. */
void cc_settings_begin_control(CcSettings *self);
void cc_settings_end_control(CcSettings *self);

/* Sets the value of a property, which is not of the use STATS, or refuses it with CC_ERROR_INVALID
 * and changes nothing. Coefficients or a file that define the custom kernel also select it. */
gboolean cc_settings_set(CcSettings *self, const CcProperty *property, const GValue *value,
                         GError **error);
void cc_settings_get(CcSettings *self, const CcProperty *property, GValue *value);

/* Between these two, what the calling thread sets is put aside with the defaults of all that it
 * does not set. With `keep` it then replaces everything that affects pixels. FALSE: nothing
 * changed, without `keep` or because a value was refused. */
void cc_settings_begin_preset(CcSettings *self);
gboolean cc_settings_end_preset(CcSettings *self, gboolean keep);

/* The filter as committed, its kernel a new reference, or NULL when kernel is custom and no
 * coefficients are set. Returns its serial number, from 1: the same number is the same filter. */
guint64 cc_settings_get_filter(CcSettings *self, CcFilter *filter);
guint64 cc_settings_get_serial(CcSettings *self);
guint cc_settings_get_stride(CcSettings *self);
void cc_settings_get_backend(CcSettings *self, CcBackendConfig *config);
guint cc_settings_get_in_flight(CcSettings *self);

/* Drops the reference to a kernel of a filter from cc_settings_get_filter. */
void cc_filter_clear(CcFilter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcFilter, cc_filter_clear)

G_END_DECLS
