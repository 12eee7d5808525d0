/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "controls.h"
#include "app/filteroptions.h"
#include "app/text.h"
#include "wipe.h"

#include <math.h>
#include <string.h>

#define MAX_SIZE 127
#define MAX_SIGMA 21
#define LINE_STEP 0.02
#define LARGE_GRADIENT 1000

typedef enum {
  VIEW_SPLIT,
  VIEW_FILTERED,
  VIEW_ORIGINAL,
} View;

struct _Controls {
  GstElement *filter, *defaults; /* `defaults` has the default values of all properties */
  GParamSpec **properties;
  Wipe *wipe;
  gdouble share;
  View view;
  /* Maps a property to the enum value requested last, even if the filter rejected the value. */
  GHashTable *requested;
  gchar **presets;
  gint preset;        /* index of the last loaded preset; -1: none */
  gboolean in_preset; /* the kernel has not been changed since the preset was loaded */
};

/* ---- actions of keys ---- */

static gint
wrap(gint number, gint count) {
  return (number % count + count) % count;
}

static void
show_split(Controls *self) {
  wipe_set_share(self->wipe, self->view == VIEW_SPLIT      ? self->share
                             : self->view == VIEW_FILTERED ? 0
                                                           : 1);
}

static ControlsRequest
move_line(Controls *self, const gchar *unused, gint by) {
  controls_drag(self, self->share + by * LINE_STEP);
  return CONTROLS_CHANGED;
}

static ControlsRequest
change_view(Controls *self, const gchar *unused, gint by) {
  self->view = (View)wrap((gint)self->view + by, VIEW_ORIGINAL + 1);
  show_split(self);
  return CONTROLS_CHANGED;
}

/* Resets the properties that a preset has set for the preset's kernel. Their values rarely suit
 * another kernel. */
static void
reset_preset(Controls *self) {
  static const gchar *const set[] = {"size",  "sigma",     "scale",  "bias",          "response",
                                     "low",   "high",      "chroma", "chroma-kernel", "chroma-size",
                                     "color", "threshold", "invert", "mix",           "overlay"};
  GObjectClass *class = G_OBJECT_GET_CLASS(self->filter);
  g_object_freeze_notify(G_OBJECT(self->filter)); /* no frame gets only some of the values */
  for (guint i = 0; self->in_preset && i < G_N_ELEMENTS(set); i++)
    g_object_set_property(
        G_OBJECT(self->filter), set[i],
        g_param_spec_get_default_value(g_object_class_find_property(class, set[i])));
  g_object_thaw_notify(G_OBJECT(self->filter));
  self->in_preset = FALSE;
}

/* Sets an enum property to the value that is `by` positions after the last requested value. So a
 * value that the filter has rejected is skipped. */
static ControlsRequest
next_value(Controls *self, const gchar *property, gint by) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), property);
  const GEnumClass *values = G_PARAM_SPEC_ENUM(spec)->enum_class;
  const gboolean is_kernel = strcmp(property, "kernel") == 0;
  gint value;
  gpointer requested;
  g_object_get(self->filter, property, &value, NULL);
  if (g_hash_table_lookup_extended(self->requested, property, NULL, &requested))
    value = GPOINTER_TO_INT(requested);
  gint at = 0;
  for (guint i = 0; i < values->n_values; i++)
    at = values->values[i].value == value ? (gint)i : at;
  do
    at = wrap(at + by, (gint)values->n_values);
  while (is_kernel && strcmp(values->values[at].value_nick, "custom") == 0);
  if (is_kernel) {
    reset_preset(self);
    g_hash_table_remove_all(self->requested); /* another kernel may accept the rejected values */
  }
  g_hash_table_insert(self->requested, (gpointer)property,
                      GINT_TO_POINTER(values->values[at].value));
  g_object_set(self->filter, property, values->values[at].value, NULL);
  return CONTROLS_CHANGED;
}

/* Adds `by` to the size. If the requested size and the size in use differ, starts from the one that
 * is further in the direction of `by`. If the requested size is 0, the default size, starts from
 * the size in use. */
static ControlsRequest
change_size(Controls *self, const gchar *property, gint by) {
  g_autoptr(GstStructure) stats = NULL;
  gint wanted;
  g_object_get(self->filter, property, &wanted, "stats", &stats, NULL);
  guint in_use = (guint)wanted;
  gst_structure_get_uint(stats, property, &in_use);
  const gint from = wanted == 0 ? (gint)in_use
                    : by > 0    ? MAX(wanted, (gint)in_use)
                                : MIN(wanted, (gint)in_use);
  g_object_set(self->filter, property, CLAMP(from + by, 1, MAX_SIZE), NULL);
  return CONTROLS_CHANGED;
}

static ControlsRequest
set_size(Controls *self, const gchar *property, gint size) {
  g_object_set(self->filter, property, size, NULL);
  return CONTROLS_CHANGED;
}

/* Adds `by` hundredths to a number. */
static ControlsRequest
change_number(Controls *self, const gchar *property, gint by) {
  const GParamSpecDouble *spec =
      G_PARAM_SPEC_DOUBLE(g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), property));
  const gdouble max = strcmp(property, "sigma") == 0 ? MAX_SIGMA : spec->maximum;
  gdouble value;
  g_object_get(self->filter, property, &value, NULL);
  const gint hundredths = (gint)round(100 * value) + by; /* no integer is -0 */
  value = CLAMP(hundredths / 100.0, spec->minimum, max);
  g_object_set(self->filter, property, value, NULL);
  return CONTROLS_CHANGED;
}

/* Adds `by` to a threshold of canny, or ten times as much from 1000 on. Large kernels have large
 * gradients. */
static ControlsRequest
change_gradient(Controls *self, const gchar *property, gint by) {
  const GParamSpecDouble *spec =
      G_PARAM_SPEC_DOUBLE(g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), property));
  gdouble value;
  g_object_get(self->filter, property, &value, NULL);
  const gboolean is_large = by > 0 ? value >= LARGE_GRADIENT : value > LARGE_GRADIENT;
  value = CLAMP(value + (is_large ? 10 * by : by), spec->minimum, spec->maximum);
  g_object_set(self->filter, property, value, NULL);
  return CONTROLS_CHANGED;
}

static ControlsRequest
toggle(Controls *self, const gchar *property, gint unused) {
  gboolean value;
  g_object_get(self->filter, property, &value, NULL);
  g_object_set(self->filter, property, !value, NULL);
  return CONTROLS_CHANGED;
}

/* Off, red, green, blue, yellow, white. Any other color is followed or preceded by off. */
static ControlsRequest
next_color(Controls *self, const gchar *property, gint by) {
  static const guint colors[] = {0, 0xffff0000, 0xff00ff00, 0xff0000ff, 0xffffff00, 0xffffffff};
  guint color, at = 0;
  g_object_get(self->filter, property, &color, NULL);
  while (at < G_N_ELEMENTS(colors) && colors[at] != color)
    at++;
  if (at < G_N_ELEMENTS(colors))
    at = (guint)wrap((gint)at + by, G_N_ELEMENTS(colors));
  g_object_set(self->filter, property, at < G_N_ELEMENTS(colors) ? colors[at] : 0, NULL);
  return CONTROLS_CHANGED;
}

/* Measures each frame. A preset switches measuring off. */
static void
measure(Controls *self) {
  gst_util_set_object_arg(G_OBJECT(self->filter), "measure", "sums");
}

static ControlsRequest
next_preset(Controls *self, const gchar *unused, gint by) {
  const gint count = self->presets ? (gint)g_strv_length(self->presets) : 0;
  if (count == 0)
    return CONTROLS_NOTHING;
  gboolean needs_metas = TRUE; /* which frames of a file do not have */
  self->preset = self->preset < 0 && by < 0 ? count : self->preset;
  g_hash_table_remove_all(self->requested);
  for (gint i = 0; i < count && needs_metas; i++) {
    self->preset = wrap(self->preset + by, count);
    gst_preset_load_preset(GST_PRESET(self->filter), self->presets[self->preset]);
    g_object_get(self->filter, "roi-meta", &needs_metas, NULL);
  }
  measure(self);
  self->in_preset = TRUE;
  return CONTROLS_CHANGED;
}

static ControlsRequest
request(Controls *self, const gchar *unused, gint what) {
  return (ControlsRequest)what;
}

static const struct {
  const gchar *keys;         /* names of keys; keys after the "|" run the action backwards */
  const gchar *shown, *what; /* text of the help; NULL: a row above has the text */
  ControlsRequest (*run)(Controls *self, const gchar *property, gint by);
  const gchar *property;
  gint argument; /* negated for keys that run the action backwards */
} keys[] = {
    {"Right|Left", "left, right", "move the line between original and result; so does the mouse",
     move_line, NULL, 1},
    {"o 0|O", "o", "show only the result, only the original, both again", change_view, NULL, 1},
    {"k|K", "k, K", "next, previous kernel", next_value, "kernel", 1},
    {"p|P", "p, P", "next, previous preset", next_preset, NULL, 1},
    {"Up plus|Down minus", "up, down", "larger, smaller kernel", change_size, "size", 2},
    {"3", "3, 5, 7, 9", "size of the kernel", set_size, "size", 3},
    {"5", NULL, NULL, set_size, "size", 5},
    {"7", NULL, NULL, set_size, "size", 7},
    {"9", NULL, NULL, set_size, "size", 9},
    {"s|S", "s, S", "larger, smaller sigma of the Gaussian", change_number, "sigma", 50},
    {"r|R", "r, R", "next, previous response", next_value, "response", 1},
    {"w|W", "w, W", "higher, lower threshold of weak edges (low), for canny", change_gradient,
     "low", 10},
    {"e|E", "e, E", "higher, lower threshold of strong edges (high), for canny", change_gradient,
     "high", 10},
    {"c|C", "c, C", "next, previous chroma mode", next_value, "chroma", 1},
    {"b|B", "b, B", "next, previous border", next_value, "border", 1},
    {"v|V", "v, V", "higher, lower threshold", change_number, "threshold", 5},
    {"i", "i", "exchange black and white", toggle, "invert", 0},
    {"m|M", "m, M", "more, less of the result in the mix", change_number, "mix", 25},
    {"l|L", "l, L", "next, previous color of the overlay", next_color, "overlay", 1},
    {"space", "space", "pause, continue", request, NULL, CONTROLS_PAUSE},
    {"t", "t", "show or hide the text in the window", request, NULL, CONTROLS_TEXT},
    {"h question F1", "h", "show or hide this help in the window", request, NULL, CONTROLS_HELP},
    {"q Q Escape", "q, escape", "quit", request, NULL, CONTROLS_QUIT},
};

static gboolean
has_key(const gchar *list, const gchar *key) {
  g_auto(GStrv) names = g_strsplit(list, " ", -1);
  return g_strv_contains((const gchar *const *)names, key);
}

ControlsRequest
controls_press(Controls *self, const gchar *key) {
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    g_auto(GStrv) directions = g_strsplit(keys[i].keys, "|", 2);
    for (guint backwards = 0; directions[backwards]; backwards++) {
      if (has_key(directions[backwards], key))
        return keys[i].run(self, keys[i].property,
                           backwards ? -keys[i].argument : keys[i].argument);
    }
  }
  return CONTROLS_NOTHING;
}

void
controls_drag(Controls *self, gdouble share) {
  self->share = CLAMP(share, 0, 1);
  self->view = VIEW_SPLIT;
  show_split(self);
}

gchar *
controls_help(void) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    if (keys[i].shown)
      g_string_append_printf(text, "  %-12s %s\n", keys[i].shown, keys[i].what);
  }
  return g_string_free(text, FALSE);
}

/* ---- the filter as options ---- */

/* Returns the text of an array without the types of the numbers. */
static gchar *
array_text(const GValue *value) {
  g_autofree gchar *typed = gst_value_serialize(value);
  GString *text = g_string_new(NULL);
  for (const gchar *at = typed; *at; at++) {
    if (*at == '(')
      at = strchr(at, ')');
    else if (*at != ' ')
      g_string_append_c(text, *at);
  }
  return g_string_free(text, FALSE);
}

static gchar *
property_text(GstElement *element, const GParamSpec *spec) {
  g_auto(GValue) value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), spec->name, &value);
  if (G_VALUE_HOLDS_STRING(&value))
    return g_value_dup_string(&value);
  if (G_VALUE_HOLDS_DOUBLE(&value)) {
    gchar digits[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup(g_ascii_formatd(digits, sizeof digits, "%.12g", g_value_get_double(&value)));
  }
  if (G_VALUE_HOLDS_UINT(&value))
    return g_strdup_printf("0x%08x", g_value_get_uint(&value));
  if (G_IS_PARAM_SPEC_ENUM(spec))
    return g_strdup(g_enum_get_value(G_PARAM_SPEC_ENUM(spec)->enum_class, g_value_get_enum(&value))
                        ->value_nick);
  return GST_IS_PARAM_SPEC_ARRAY_LIST(spec) ? array_text(&value) : gst_value_serialize(&value);
}

/* TRUE for properties that measure. They do not change the result. */
static gboolean
is_measure(const gchar *property) {
  return g_str_has_prefix(property, "measure");
}

/* TRUE for properties of the custom kernel. They have no effect on a named kernel. */
static gboolean
is_definition(const gchar *property) {
  static const gchar *const names[] = {"matrix", "matrix-text", "row",
                                       "column", "kernel-file", NULL};
  return g_strv_contains(names, property);
}

gboolean
controls_finds_edges(const Controls *self) {
  g_autofree gchar *response = property_text(
      self->filter, g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), "response"));
  return g_str_has_prefix(response, "canny");
}

gchar *
controls_describe(const Controls *self) {
  const GParamSpec *kernel =
      g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), "kernel");
  g_autofree gchar *name = property_text(self->filter, kernel);
  const gboolean is_custom = strcmp(name, "custom") == 0;
  GString *text = g_string_new(NULL);
  if (!is_custom)
    g_string_append_printf(text, "--kernel %s", name);
  for (guint i = 0; self->properties[i]; i++) {
    const GParamSpec *spec = self->properties[i];
    if (spec == kernel || (!is_custom && is_definition(spec->name)) || is_measure(spec->name))
      continue;
    g_autofree gchar *value = property_text(self->filter, spec);
    g_autofree gchar *usual = property_text(self->defaults, spec);
    if (!value || g_strcmp0(value, usual) == 0)
      continue;
    if (G_IS_PARAM_SPEC_BOOLEAN(spec)) { /* a switch, which is off by default */
      g_string_append_printf(text, "%s--%s", text->len ? " " : "", spec->name);
      continue;
    }
    g_autofree gchar *quoted = text_quote(value);
    /* A value that begins with a dash would be parsed as an option. */
    g_string_append_printf(text, "%s--%s%s%s", text->len ? " " : "", spec->name,
                           *value == '-' ? "=" : " ", quoted);
  }
  return g_string_free(text, FALSE);
}

/* ---- construction ---- */

Controls *
controls_new(GstElement *filter, gdouble share) {
  Controls *self = g_new0(Controls, 1);
  self->filter = filter;
  self->defaults =
      gst_object_ref_sink(gst_element_factory_create(gst_element_get_factory(filter), NULL));
  self->properties = filter_list_properties(filter);
  self->share = share;
  self->wipe = wipe_attach(filter, share);
  self->requested = g_hash_table_new(g_str_hash, g_str_equal);
  self->presets = gst_preset_get_preset_names(GST_PRESET(filter));
  self->preset = -1;
  measure(self);
  return self;
}

void
controls_free(Controls *self) {
  gst_object_unref(self->defaults);
  g_free(self->properties);
  g_hash_table_unref(self->requested);
  g_strfreev(self->presets);
  g_free(self);
}
