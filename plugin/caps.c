/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "caps.h"

#include <gst/video/video.h>
#include "memory/formats.h"

#define FORMAT_NAME(name, in_cuda) #name,
static const gchar *const formats[] = {CC_FORMATS(FORMAT_NAME)};

/* --- memory --- */

/* The caps feature of buffers that have one field each. */
#define FIELDS GST_CAPS_FEATURE_FORMAT_INTERLACED

/* The features of caps in a domain, for frames or for fields. Caps of fields in system memory do
 * not name the memory, because GStreamer's own elements do not, and such features must be equal. */
static GstCapsFeatures *
make_features(const CcDomain *domain, gboolean of_fields) {
  GstCapsFeatures *features = gst_caps_features_new_empty();
  if (domain->feature)
    gst_caps_features_add(features, domain->feature);
  else if (!of_fields)
    gst_caps_features_add(features, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY);
  if (of_fields)
    gst_caps_features_add(features, FIELDS);
  return features;
}

/* The caps of frames and of fields. A format is included if the domain holds it with an even
 * height, because no domain holds a format with odd heights only. */
static GstCaps *
make_caps(const CcDomain *domain) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
    if (!domain->holds || domain->holds(formats[i], 2))
      g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", formats[i]);
  g_autofree gchar *text = g_strdup_printf(GST_VIDEO_CAPS_MAKE("{ %s }"), names->str);
  GstCaps *caps = gst_caps_from_string(text), *fields = gst_caps_copy(caps);
  gst_caps_set_features_simple(caps, make_features(domain, FALSE));
  gst_caps_set_features_simple(fields, make_features(domain, TRUE));
  gst_caps_set_simple(fields, "interlace-mode", G_TYPE_STRING, "alternate", NULL);
  gst_caps_append(caps, fields);
  return caps;
}

GstCaps *
cc_caps_template(CcDomainSet domains) {
  GstCaps *caps = make_caps(&cc_system_domain);
  for (guint i = 0; i < cc_n_domains; i++)
    if (domains & cc_domain_bit(i) && cc_domains[i]->feature)
      gst_caps_append(caps, make_caps(cc_domains[i]));
  return caps;
}

const CcDomain *
cc_caps_get_domain(const GstCaps *caps) {
  return gst_caps_get_size(caps) > 0 ? cc_domain_of_features(gst_caps_get_features(caps, 0))
                                     : &cc_system_domain;
}

static gboolean
is_in_domain(GstCapsFeatures *features, GstStructure *structure, gpointer domain) {
  return cc_domain_of_features(features) == domain;
}

GstCaps *
cc_caps_in_domain(const GstCaps *caps, const CcDomain *domain) {
  if (gst_caps_is_any(caps))
    return gst_caps_new_empty();
  GstCaps *result = gst_caps_copy(caps);
  gst_caps_filter_and_map_in_place(result, is_in_domain, (gpointer)domain);
  return result;
}

/* Also TRUE if the format or the height is not fixed. */
static gboolean
may_be_held(GstCapsFeatures *features, GstStructure *structure, gpointer user_data) {
  const CcDomain *domain = cc_domain_of_features(features);
  const gchar *format = gst_structure_get_string(structure, "format");
  gint height;
  return !domain->holds || !format || !gst_structure_get_int(structure, "height", &height) ||
         domain->holds(format, height);
}

gboolean
cc_caps_are_of_frames(const GstCaps *caps) {
  g_autoptr(GstCaps) all = cc_caps_template(cc_domains_built());
  return gst_caps_is_fixed(caps) && gst_caps_is_subset(caps, all);
}

/* Omits caps that are already in the domain, and frames that the domain cannot hold. */
static GstCaps *
move_to_domain(const GstCaps *caps, const CcDomain *domain) {
  g_autoptr(GstCaps) all = make_caps(domain), moved = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const gboolean of_fields =
        !gst_caps_features_is_any(features) && /* ANY contains all features */
        gst_caps_features_contains(features, FIELDS);
    if (cc_domain_of_features(features) != domain)
      gst_caps_append_structure_full(moved, gst_structure_copy(gst_caps_get_structure(caps, i)),
                                     make_features(domain, of_fields));
  }
  return gst_caps_intersect_full(moved, all, GST_CAPS_INTERSECT_FIRST);
}

/* --- sizes --- */

typedef struct {
  GstPadDirection direction; /* direction of the pad whose caps are transformed */
  gint stride;
} Transform;

/* Sets `value` to the valid sizes from min to max: a range, or a number if only one size is valid.
 * FALSE: no size is valid. */
static gboolean
init_span(GValue *value, gint64 min, gint64 max) {
  min = MAX(min, 1);
  max = MIN(max, G_MAXINT);
  if (min > max)
    return FALSE;
  g_value_init(value, min == max ? G_TYPE_INT : GST_TYPE_INT_RANGE);
  if (min == max)
    g_value_set_int(value, (gint)min);
  else
    gst_value_set_int_range(value, (gint)min, (gint)max);
  return TRUE;
}

static gboolean
transform_span(const Transform *self, GValue *to, gint64 min, gint64 max) {
  if (self->direction == GST_PAD_SINK)
    return init_span(to, (min + self->stride - 1) / self->stride,
                     (max + self->stride - 1) / self->stride);
  return init_span(to, (min - 1) * self->stride + 1, max * self->stride);
}

/* Drops duplicates. Consumes `one`. */
static void
add_to_list(GValue *list, GValue *one) {
  GValue both = G_VALUE_INIT;
  if (!G_IS_VALUE(list)) {
    *list = *one;
    return;
  }
  gst_value_list_merge(&both, list, one);
  g_value_unset(list);
  g_value_unset(one);
  *list = both;
}

/* Initialises `to`. FALSE: no size is possible at the other pad. */
static gboolean
transform_size(const Transform *self, GValue *to, const GValue *from) {
  if (G_VALUE_HOLDS_INT(from))
    return transform_span(self, to, g_value_get_int(from), g_value_get_int(from));
  if (GST_VALUE_HOLDS_INT_RANGE(from))
    return transform_span(self, to, gst_value_get_int_range_min(from),
                          gst_value_get_int_range_max(from));
  if (!GST_VALUE_HOLDS_LIST(from))
    return FALSE;
  for (guint i = 0; i < gst_value_list_get_size(from); i++) {
    GValue one = G_VALUE_INIT;
    if (transform_size(self, &one, gst_value_list_get_value(from, i)))
      add_to_list(to, &one);
  }
  return G_IS_VALUE(to);
}

/* FALSE: no size is possible. gst_caps_filter_and_map_in_place then removes the structure. */
static gboolean
transform_structure(GstCapsFeatures *features, GstStructure *structure, gpointer user_data) {
  static const gchar *const fields[] = {"width", "height"};
  for (guint i = 0; i < G_N_ELEMENTS(fields); i++) {
    const GValue *from = gst_structure_get_value(structure, fields[i]);
    GValue to = G_VALUE_INIT;
    if (!from)
      continue; /* the structure allows any size */
    if (!transform_size(user_data, &to, from))
      return FALSE;
    gst_structure_take_value(structure, fields[i], &to);
  }
  return TRUE;
}

/* --- preference --- */

/* Names that are not in the list of formats rank last. */
static guint
rank_of_name(const gchar *name) {
  guint i = 0;
  while (i < G_N_ELEMENTS(formats) && (!name || !g_str_equal(name, formats[i])))
    i++;
  return i;
}

static guint
rank_of_value(const GValue *value) {
  guint rank = G_N_ELEMENTS(formats);
  if (value && G_VALUE_HOLDS_STRING(value))
    return rank_of_name(g_value_get_string(value));
  if (value && GST_VALUE_HOLDS_LIST(value))
    for (guint i = 0; i < gst_value_list_get_size(value); i++)
      rank = MIN(rank, rank_of_value(gst_value_list_get_value(value, i)));
  return rank;
}

static gint
compare_values(gconstpointer a, gconstpointer b) {
  return (gint)rank_of_value(a) - (gint)rank_of_value(b);
}

static void
unset_value(gpointer value) {
  g_value_unset(value);
}

static gboolean
sort_formats(GstCapsFeatures *features, GstStructure *structure, gpointer user_data) {
  const GValue *list = gst_structure_get_value(structure, "format");
  if (!list || !GST_VALUE_HOLDS_LIST(list))
    return TRUE;
  g_autoptr(GArray) names = g_array_new(FALSE, TRUE, sizeof(GValue));
  g_array_set_clear_func(names, unset_value);
  g_array_set_size(names, gst_value_list_get_size(list));
  for (guint i = 0; i < names->len; i++) {
    const GValue *name = gst_value_list_get_value(list, i);
    g_value_init(&g_array_index(names, GValue, i), G_VALUE_TYPE(name));
    g_value_copy(name, &g_array_index(names, GValue, i));
  }
  g_array_sort(names, compare_values);
  GValue sorted = G_VALUE_INIT;
  g_value_init(&sorted, GST_TYPE_LIST);
  for (guint i = 0; i < names->len; i++)
    gst_value_list_append_value(&sorted, &g_array_index(names, GValue, i));
  gst_structure_take_value(structure, "format", &sorted);
  return TRUE;
}

static const GValue *
format_of(const GstCaps *caps, guint i) {
  return gst_structure_get_value(gst_caps_get_structure(caps, i), "format");
}

static gboolean
differ_in_format(const GstCaps *caps, guint a, guint b) {
  if (!format_of(caps, a) || !format_of(caps, b) ||
      !gst_caps_features_is_equal(gst_caps_get_features(caps, a), gst_caps_get_features(caps, b)))
    return FALSE;
  g_autoptr(GstStructure) one = gst_structure_copy(gst_caps_get_structure(caps, a));
  g_autoptr(GstStructure) other = gst_structure_copy(gst_caps_get_structure(caps, b));
  gst_structure_remove_field(one, "format");
  gst_structure_remove_field(other, "format");
  return gst_structure_is_equal(one, other);
}

static void
swap_formats(GstCaps *caps, guint a, guint b) {
  GValue format = G_VALUE_INIT;
  g_value_init(&format, G_VALUE_TYPE(format_of(caps, a)));
  g_value_copy(format_of(caps, a), &format);
  gst_structure_set_value(gst_caps_get_structure(caps, a), "format", format_of(caps, b));
  gst_structure_take_value(gst_caps_get_structure(caps, b), "format", &format);
}

/* Limits the number of structures that are sorted, because all pairs are compared. */
#define MAX_STRUCTURES 256

/* Sorts structures that differ only in the format, by the preference of the format. The order of
 * sizes, rates and memory features stays the same. */
static void
sort_structures(GstCaps *caps) {
  for (guint next = 1; next < MIN(gst_caps_get_size(caps), MAX_STRUCTURES); next++) {
    guint moved = next;
    for (guint i = next; i-- > 0;)
      if (rank_of_value(format_of(caps, moved)) < rank_of_value(format_of(caps, i)) &&
          differ_in_format(caps, i, moved)) {
        swap_formats(caps, i, moved);
        moved = i;
      }
  }
}

GstCaps *
cc_caps_prefer(const GstCaps *caps) {
  GstCaps *sorted = gst_caps_copy(caps);
  if (gst_caps_is_any(caps) || gst_caps_is_fixed(caps))
    return sorted;
  gst_caps_filter_and_map_in_place(sorted, sort_formats, NULL);
  sort_structures(sorted);
  return sorted;
}

/* --- both --- */

static gboolean
is_in_domains(GstCapsFeatures *features, GstStructure *structure, gpointer domains) {
  const CcDomain *domain = cc_domain_of_features(features);
  return domain == &cc_system_domain ||
         (cc_domain_set_of(domain) & *(const CcDomainSet *)domains) != 0;
}

GstCaps *
cc_caps_transform(const GstCaps *caps, GstPadDirection direction, guint stride,
                  CcDomainSet domains) {
  GstCaps *other = gst_caps_copy(caps);
  Transform transform = {direction, (gint)stride};
  if (stride > 1)
    gst_caps_filter_and_map_in_place(other, transform_structure, &transform);
  gst_caps_filter_and_map_in_place(other, is_in_domains, &domains);
  g_autoptr(GstCaps) same = gst_caps_copy(other);
  for (guint i = cc_n_domains; i-- > 0;) {
    const CcDomain *domain = cc_domains[i];
    if (domain == &cc_system_domain || (domain->feature && domains & cc_domain_bit(i)))
      gst_caps_append(other, move_to_domain(same, domain));
  }
  /* Checks all structures, including those that stay in their domain, because the stride changed
   * the height. */
  gst_caps_filter_and_map_in_place(other, may_be_held, NULL);
  return other;
}
