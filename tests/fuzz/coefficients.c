/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzzes the properties matrix, row, column and matrix-text. An input that begins with m, r, c or t
 * is text. Each line is one of these letters and a value as on a launch line after "="; for
 * matrix-text, "|" stands for a line break. Any other input is bytes: one byte for the property and
 * then the bytes of its value (values.h), repeatedly. */

#include <string.h>
#include "common.h"
#include "filter.h"
#include "plugin/element.h"
#include "values.h"

#define MAX_STEPS 8

static const gchar *const properties[] = {"matrix", "row", "column", "matrix-text"};
#define N_PROPERTIES G_N_ELEMENTS(properties)

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_init();
  return 0;
}

/* All properties that define a custom kernel. */
typedef struct {
  gint kernel;
  GValue value[N_PROPERTIES];
} Definition;

static void
get_definition(GstElement *element, Definition *definition) {
  memset(definition, 0, sizeof *definition);
  g_object_get(element, "kernel", &definition->kernel, NULL);
  for (guint i = 0; i < N_PROPERTIES; i++)
    g_object_get_property(G_OBJECT(element), properties[i], &definition->value[i]);
}

static void
clear_definition(Definition *definition) {
  for (guint i = 0; i < N_PROPERTIES; i++)
    g_value_unset(&definition->value[i]);
}

static gboolean
same_definition(const Definition *a, const Definition *b) {
  gboolean same = a->kernel == b->kernel;
  for (guint i = 0; same && i < N_PROPERTIES; i++)
    same = fuzz_same_value(&a->value[i], &b->value[i]);
  return same;
}

/* Whether a value reads as it was set. An empty text reads as NULL. */
static gboolean
reads_back(const GValue *set, const GValue *read) {
  const gboolean empty = G_VALUE_HOLDS_STRING(set) && g_strcmp0(g_value_get_string(set), "") == 0;
  return empty ? !g_value_get_string(read) : fuzz_same_value(set, read);
}

/* Sets a value. It must be refused with one warning and without any change, or read as it was
 * set. */
static void
set(GstElement *element, const gchar *property, const GValue *value) {
  Definition before, after;
  g_auto(GValue) now = G_VALUE_INIT;
  get_definition(element, &before);
  g_object_set_property(G_OBJECT(element), property, value);
  const guint n_warnings = fuzz_count_warnings();
  get_definition(element, &after);
  fuzz_check(n_warnings <= 1, "%u warnings", n_warnings);
  g_object_get_property(G_OBJECT(element), property, &now);
  if (n_warnings > 0 || G_VALUE_TYPE(value) != G_VALUE_TYPE(&now))
    fuzz_check(same_definition(&before, &after), "%s changed with a value that is refused",
               property);
  else
    fuzz_check(reads_back(value, &now), "%s is not what was set", property);
  clear_definition(&before);
  clear_definition(&after);
}

static void
set_matrix_text(GstElement *element, const gchar *text) {
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_STRING);
  g_value_take_string(&value, g_strdelimit(g_strdup(text), "|", '\n'));
  set(element, "matrix-text", &value);
}

static void
set_text(GstElement *element, const gchar *line) {
  if (*line == 't') {
    set_matrix_text(element, line + 1);
    return;
  }
  const gchar *property = *line == 'r' ? "row" : *line == 'c' ? "column" : "matrix";
  GParamSpec *pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property);
  g_auto(GValue) value = G_VALUE_INIT;
  if (fuzz_parse_value(&value, line + 1, pspec) == FUZZ_PARSED)
    set(element, property, &value);
}

/* If the property is a text, GObject converts other values to text before the element sees them.
 * GStreamer's texts of nested arrays would be endless, so only texts are set then. GObject itself
 * refuses values that cannot be converted. */
static void
set_values(GstElement *element, FuzzBytes *bytes) {
  for (guint i = 0; i < MAX_STEPS && bytes->size > 0; i++) {
    g_auto(GValue) value = G_VALUE_INIT;
    const gchar *property = properties[fuzz_take_byte(bytes) % N_PROPERTIES];
    fuzz_take_value(bytes, &value);
    const GType type =
        g_object_class_find_property(G_OBJECT_GET_CLASS(element), property)->value_type;
    if (type == G_TYPE_STRING ? G_VALUE_HOLDS_STRING(&value)
                              : g_value_type_transformable(G_VALUE_TYPE(&value), type))
      set(element, property, &value);
  }
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  FuzzBytes bytes = {.data = data, .size = size};
  GstElement *element = fuzz_element_new();
  /* started settings report refused values at once */
  cc_settings_start(&GST_CUDA_CONV(element)->settings, NULL);
  if (size > 0 && (*data == 'm' || *data == 'r' || *data == 'c' || *data == 't'))
    fuzz_set_lines(element, &bytes, MAX_STEPS, set_text);
  else
    set_values(element, &bytes);
  fuzz_check_readable(element);
  fuzz_check_options_of(element);
  gst_object_unref(element);
  return 0;
}
