/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of the element's properties, one row each, and the struct that holds their values. A new
 * property is a row with its doc comment, a field of CcValues and, when it affects pixels, the
 * field of CcFilter that it ends up in. */

#include <glib-object.h>
#include "definition.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* What the properties read. Whole numbers and choices are stored as gint, or as a type of the same
 * size. */
typedef struct {
  CcDefinition definition;
  gint kernel;
  gint size;
  gdouble sigma, scale, bias;
  gint response;
  gint border;
  gdouble border_value;
  gint chroma, color, alpha;
  gint stride;
  gint algorithm;
  CcBackendConfig backend;
  guint in_flight; /* frames under way at once; 0: automatic */
} CcValues;

/* What a property is for, which decides when it may be set. */
typedef enum {
  CC_USE_DEFINITION, /* defines the custom kernel: at any time */
  CC_USE_PIXELS,     /* a number or choice of the filter: at any time, also by a GstController */
  CC_USE_DEVICE,     /* where frames are filtered: up to READY */
  CC_USE_STATS,      /* is only read, and has no place in CcValues */
} CcPropertyUse;

typedef enum {
  CC_TYPE_ARRAY,
  CC_TYPE_STRING,
  CC_TYPE_INT,
  CC_TYPE_DOUBLE,
  CC_TYPE_ENUM,
  CC_TYPE_STRUCTURE,
} CcPropertyType;

typedef struct {
  const gchar *name, *nick, *blurb;
  CcPropertyUse use;
  CcPropertyType type;
  gdouble min, max, fallback; /* of a number; `fallback` is the default */
  GType (*enum_type)(void);   /* of a choice: */
  const gchar *enum_fallback; /* its default's nick */
  gsize value_offset;         /* in CcValues */
  gsize filter_offset;        /* in CcFilter, where the value is copied to */
  gboolean (*define)(CcDefinition *self, const GValue *value, GError **error); /* for DEFINITION */
  gboolean (*check)(const GValue *value,
                    GError **error); /* also of the range; NULL: of that only */
  /* Puts what follows from the value into a filter, and says whether that is new; NULL: the value
   * itself. */
  gboolean (*apply)(const CcValues *values, CcFilter *filter);
} CcProperty;

/* In the order in which presets are applied. */
extern const CcProperty cc_properties[];
extern const guint cc_n_properties;

/* Some of the properties: bit i is row i. */
typedef guint64 CcPropertySet;
enum { CC_MAX_PROPERTIES = 64 };

static inline CcPropertySet
cc_property_bit(guint i) {
  return (CcPropertySet)1 << i;
}

GParamSpec *cc_property_new_spec(const CcProperty *self);

/* Whether the value can be set, for the uses PIXELS and DEVICE. */
gboolean cc_property_check(const CcProperty *self, const GValue *value, GError **error);

/* Whether the property decides about pixels, so that presets hold it. */
gboolean cc_property_affects_pixels(const CcProperty *self);

/* Whether the two are the row and the column of one kernel, in any order. */
gboolean cc_property_is_other_half(const CcProperty *self, const CcProperty *other);

/* Reads the value, for all uses but STATS. */
void cc_property_get(const CcProperty *self, const CcValues *values, GValue *value);

/* Stores a value that was checked, for the uses PIXELS and DEVICE. */
void cc_property_set(const CcProperty *self, CcValues *values, const GValue *value);

/* Whether both have the same value. Of the custom kernel there is one definition, so of those that
 * define it all differ or none. For what affects pixels, as is the next. */
gboolean cc_property_is_same(const CcProperty *self, const CcValues *a, const CcValues *b);

/* Takes the value from `from`: of those that define the custom kernel, the whole definition. */
void cc_property_assign(const CcProperty *self, CcValues *to, const CcValues *from);

/* Puts the value into a filter; TRUE when the filter is another one then. For the use PIXELS. */
gboolean cc_property_apply(const CcProperty *self, const CcValues *values, CcFilter *filter);

/* Starts with the defaults. */
void cc_values_init(CcValues *self);
void cc_values_clear(CcValues *self);

/* Takes what affects pixels from `other`. */
void cc_values_assign_pixels(CcValues *self, const CcValues *other);

G_END_DECLS
