/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzzes the properties roi and target, and the regions that they give. An input that begins with
 * r, t, R or T is text. Each line is one of these letters and a text: for r and t a value as on a
 * launch line after "=", and for R and T a text of the command, which also sets the property. Any
 * other input is bytes: one byte for the property and then the bytes of its value (values.h),
 * repeatedly. */

#include <string.h>
#include "common.h"
#include "filter.h"
#include "plugin/element.h"
#include "values.h"

#define MAX_STEPS 8
#define LETTERS "rtRT"

typedef struct {
  const gchar *property;
  guint size; /* of a tuple */
} List;

static const List lists[] = {{"roi", 4}, {"target", 2}};

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_init();
  return 0;
}

static void
get_values(GstElement *element, GValue values[G_N_ELEMENTS(lists)]) {
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++) {
    values[i] = (GValue)G_VALUE_INIT;
    g_object_get_property(G_OBJECT(element), lists[i].property, &values[i]);
  }
}

static void
clear_values(GValue values[G_N_ELEMENTS(lists)]) {
  for (guint i = 0; i < G_N_ELEMENTS(lists); i++)
    g_value_unset(&values[i]);
}

/* Sets a value. It must be refused with one warning and without any change, or accepted. What an
 * accepted value reads as must be accepted again, and read the same. */
static void
set(GstElement *element, const List *list, const GValue *value) {
  const guint self = (guint)(list - lists), other = 1 - self;
  GValue before[G_N_ELEMENTS(lists)], after[G_N_ELEMENTS(lists)], again[G_N_ELEMENTS(lists)];
  get_values(element, before);
  g_object_set_property(G_OBJECT(element), list->property, value);
  const guint n_warnings = fuzz_count_warnings();
  get_values(element, after);
  fuzz_check(n_warnings <= 1, "%u warnings", n_warnings);
  fuzz_check(n_warnings == 0 || fuzz_same_value(&before[self], &after[self]),
             "%s changed with a value that is refused", list->property);
  fuzz_check(fuzz_same_value(&before[other], &after[other]), "another property changed");
  g_object_set_property(G_OBJECT(element), list->property, &after[self]);
  get_values(element, again);
  fuzz_check(fuzz_count_warnings() == 0 && fuzz_same_value(&after[self], &again[self]),
             "%s does not read as it is", list->property);
  clear_values(before);
  clear_values(after);
  clear_values(again);
}

/* A text of the command is refused, or gives tuples whose text has the same tuples. */
static void
set_command_text(GstElement *element, const List *list, const gchar *text) {
  CcTuples tuples, again;
  g_autoptr(GError) error = NULL;
  g_auto(GValue) value = G_VALUE_INIT;
  const gboolean ok = cc_tuples_parse(&tuples, list->size, text, &error);
  fuzz_check(ok == !error, "success and an error, or neither");
  if (error) {
    fuzz_check_text(error->message);
    return;
  }
  g_autofree gchar *written = cc_tuples_to_text(&tuples, list->size);
  fuzz_check(cc_tuples_parse(&again, list->size, written, NULL) &&
                 memcmp(&tuples, &again, sizeof tuples) == 0,
             "%s has other tuples", written);
  g_value_init(&value, GST_TYPE_ARRAY);
  fuzz_check(gst_value_deserialize(&value, written), "%s is no array", written);
  set(element, list, &value);
  fuzz_check(memcmp(&tuples,
                    list->size == 4 ? &GST_CUDA_CONV(element)->settings.staged.regions.roi
                                    : &GST_CUDA_CONV(element)->settings.staged.regions.target,
                    sizeof tuples) == 0,
             "%s is another array", written);
}

static void
set_line(GstElement *element, const gchar *line) {
  const List *list = &lists[g_ascii_tolower(*line) == 't'];
  if (g_ascii_isupper(*line)) {
    set_command_text(element, list, line + 1);
    return;
  }
  GParamSpec *pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), list->property);
  g_auto(GValue) value = G_VALUE_INIT;
  if (fuzz_parse_value(&value, line + 1, pspec) == FUZZ_PARSED)
    set(element, list, &value);
}

/* GObject itself refuses values that cannot be converted. */
static void
set_values(GstElement *element, FuzzBytes *bytes) {
  for (guint i = 0; i < MAX_STEPS && bytes->size > 0; i++) {
    g_auto(GValue) value = G_VALUE_INIT;
    const List *list = &lists[fuzz_take_byte(bytes) % G_N_ELEMENTS(lists)];
    fuzz_take_value(bytes, &value);
    if (g_value_type_transformable(G_VALUE_TYPE(&value), GST_TYPE_ARRAY))
      set(element, list, &value);
  }
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  FuzzBytes bytes = {.data = data, .size = size};
  GstElement *element = fuzz_element_new();
  g_object_set(element, "kernel", 1, NULL); /* identity, whose program is made quickly */
  /* started settings report refused values at once */
  cc_settings_start(&GST_CUDA_CONV(element)->settings, NULL);
  if (size > 0 && strchr(LETTERS, *data))
    fuzz_set_lines(element, &bytes, MAX_STEPS, set_line);
  else
    set_values(element, &bytes);
  fuzz_check_readable(element);
  fuzz_check_options_of(element);
  gst_object_unref(element);
  return 0;
}
