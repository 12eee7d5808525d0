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
  /* Sets what the value means in a filter; NULL: the value itself. */
  void (*apply)(const CcValues *values, CcFilter *filter);
} CcProperty;

/* In the order in which presets are applied. */
extern const CcProperty cc_properties[];
extern const guint cc_n_properties;

/* Some of the properties: bit i is row i. */
typedef guint64 CcPropertySet;
enum { CC_MAX_PROPERTIES = 64 };

#define CC_ALL_PROPERTIES (~(CcPropertySet)0)

static inline CcPropertySet
cc_property_bit(guint i) {
  return (CcPropertySet)1 << i;
}

static inline guint
cc_property_index(const CcProperty *self) {
  return (guint)(self - cc_properties);
}

GParamSpec *cc_property_new_spec(const CcProperty *self);

/* Whether the value can be set, for the uses PIXELS and DEVICE. */
gboolean cc_property_check(const CcProperty *self, const GValue *value, GError **error);

/* Whether the property decides about pixels, so that presets hold it; all that do. */
gboolean cc_property_affects_pixels(const CcProperty *self);
CcPropertySet cc_properties_of_pixels(void);

/* Whether the two are the row and the column of one kernel, in any order. */
gboolean cc_property_is_other_half(const CcProperty *self, const CcProperty *other);

/* Whether it is `kernel`. */
gboolean cc_property_chooses_kernel(const CcProperty *self);

/* Reads the value, for all uses but STATS. */
void cc_property_get(const CcProperty *self, const CcValues *values, GValue *value);

/* Stores a value that was checked, for the uses PIXELS and DEVICE. */
void cc_property_set(const CcProperty *self, CcValues *values, const GValue *value);

/* --- all values --- */

/* Starts with the defaults. */
void cc_values_init(CcValues *self);
void cc_values_clear(CcValues *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcValues, cc_values_clear)

/* The properties that affect pixels and differ. There is one definition of the custom kernel, so
 * all properties that define it differ or none does. */
CcPropertySet cc_values_compare(const CcValues *a, const CcValues *b);

/* Copies the values of those properties in `set` that affect pixels; of one that defines the custom
 * kernel, the whole definition. */
void cc_values_assign(CcValues *to, const CcValues *from, CcPropertySet set);

/* The filter that the values describe, with a new reference to its kernel. The kernel is NULL when
 * kernel is custom and no coefficients are set. */
void cc_values_get_filter(const CcValues *self, CcFilter *filter);

/* Drops the reference to the kernel of such a filter. */
void cc_filter_clear(CcFilter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcFilter, cc_filter_clear)

G_END_DECLS
