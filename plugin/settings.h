/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The values of the element's properties. Any thread may write them; what was written takes effect
 * with the next commit, and the streaming thread takes one consistent copy a frame.
 *
 * A commit comes when no thread is inside a call that sets properties, so that one call that sets
 * several lands as a whole. As long as some thread is in such a call, a change is committed at the
 * third frame after it, but not within 50 ms.
 *
 * What the streaming thread took may turn out not to work. Then the properties read again what
 * runs, but for those that were set anew meanwhile. */

#include "propertylist.h"

G_BEGIN_DECLS

/* Values and where they come from. */
typedef struct {
  CcValues values;
  guint64 stamp[CC_MAX_PROPERTIES]; /* the number of the call that set each */
  CcPropertySet bound;              /* those that a control binding set */
} CcState;

typedef struct {
  GRecMutex defining; /* taken before `lock` to define a kernel, which may read a file */
  GMutex lock;        /* guards everything below */
  CcState now;        /* what the properties read */
  CcState committed;  /* what they said at the last commit */
  CcState taken;      /* what the streaming thread tries to run, */
  CcState running;    /* and what it runs; only what affects pixels counts in these three */
  gboolean runs;      /* something does */
  gboolean started;   /* so that a refused value is no matter of the start any more */
  CcFilter asked;     /* what `committed` says */
  guint64 serial;     /* of `asked`: each that differs from the one before has the next number */
  guint64 n_sets;     /* calls that set a value */
  gboolean changed;   /* since the last commit; the first change came then: */
  gint64 changed_at;
  guint64 changed_frame;
  guint64 n_frames;
  GThread *controller; /* sets values for the frame that it has in hand; NULL: none does */
  GThread *loader; /* loads a preset into `preset`, and changed with `defining` too; NULL: none */
  CcValues preset;
  gboolean preset_refused;           /* one of its values was */
  GPtrArray *complaints;             /* texts about these; NULL: there are none */
  gchar *refusal[CC_MAX_PROPERTIES]; /* why the start has to fail; NULL: not for this one */
} CcSettings;

/* Starts with the defaults, committed. */
void cc_settings_init(CcSettings *self);
void cc_settings_clear(CcSettings *self);

/* --- start and stop --- */

/* The text about a value that was refused becomes a reason not to start, until a later value mends
 * it: one of the same property, of the custom kernel another definition but for the other half
 * of row and column, the choice of a named kernel, or a preset. FALSE: it does not, after the start
 * or while a preset is loaded. */
gboolean cc_settings_remember_refusal(CcSettings *self, const CcProperty *property,
                                      const gchar *text);

/* Commits all that was set, since no frame is there yet that could see a part of a change. Fails
 * with CC_ERROR_INVALID while a refused value waits to be mended. */
gboolean cc_settings_start(CcSettings *self, GError **error);
void cc_settings_stop(CcSettings *self);

/* --- commits --- */

/* Lets everything that was set since the last commit take effect at once. */
void cc_settings_commit(CcSettings *self);

/* How many calls have set a value. */
guint64 cc_settings_count_sets(CcSettings *self);

/* Commits, unless another call has set a value since that number was got. FALSE: it has. */
gboolean cc_settings_commit_as_of(CcSettings *self, guint64 n_sets);

/* A frame boundary: commits what has waited too long. */
void cc_settings_begin_frame(CcSettings *self);

/* Between these two, scalars that the calling thread sets are for the frame that it has in hand and
 * take effect at once, whatever others do. */
void cc_settings_begin_control(CcSettings *self);
void cc_settings_end_control(CcSettings *self);

/* Whether the calling thread is between these two. */
gboolean cc_settings_is_controlling(CcSettings *self);

/* --- properties --- */

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

/* Keeps what is to be told about a value until the preset that the calling thread loads is there,
 * so that nobody who is told can get in between. FALSE: it loads none. */
gboolean cc_settings_keep_complaint(CcSettings *self, const gchar *text);

/* What was kept; NULL: nothing. The caller owns it. */
GPtrArray *cc_settings_take_complaints(CcSettings *self);

/* --- what is asked for, and what runs --- */

/* Takes what was committed. The filter has a new reference to its kernel, or NULL when kernel is
 * custom and no coefficients are set. Returns its serial number, from 1: the same number is the
 * same filter. */
guint64 cc_settings_get_filter(CcSettings *self, CcFilter *filter);
guint64 cc_settings_get_serial(CcSettings *self);

/* What of the values taken last is not what runs, which is everything while nothing does, and which
 * of them a control binding set. */
CcPropertySet cc_settings_list_changes(CcSettings *self, CcPropertySet *bound);

/* The filter that runs with `part` of the values taken last. The kernel is as above. */
void cc_settings_get_part(CcSettings *self, CcPropertySet part, CcFilter *filter);

/* That one runs now. */
void cc_settings_accept(CcSettings *self, CcPropertySet part);

/* Lets the properties read what runs where they still have a value that was taken and does not, and
 * returns those. *serial is that of what was committed if that is what runs then, else 0. */
CcPropertySet cc_settings_put_back(CcSettings *self, guint64 *serial);

guint cc_settings_get_stride(CcSettings *self);
void cc_settings_get_backend(CcSettings *self, CcBackendConfig *config);
guint cc_settings_get_in_flight(CcSettings *self);

/* Drops the reference to a kernel of a filter from above. */
void cc_filter_clear(CcFilter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcFilter, cc_filter_clear)

G_END_DECLS
